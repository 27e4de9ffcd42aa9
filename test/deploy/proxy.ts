/** nginx and Caddy with the very files of deploy/: only ports, certificates and the two addresses of Inlet are put in. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { atEnd } from '../support/clean-up.ts'

export const root = resolve(import.meta.dirname, '../..')
export const certificate = join(root, 'test/support/tls/receiver.cert.pem')
const key = join(root, 'test/support/tls/receiver.key.pem')

type Place = { http: number; https: number; inlets: readonly [number, number] }

export type FrontProxy = {
  name: string
  program: string
  start(place: Place): Promise<void>
}

export const proxies: FrontProxy[] = [
  { name: 'nginx', program: 'nginx', start: startNginx },
  { name: 'Caddy', program: 'caddy', start: startCaddy },
]

export const installed = ({ program }: FrontProxy): string | undefined =>
  versionOf(program, program === 'nginx' ? ['-v'] : ['version'])

/** The program's version, or nothing where it is not installed. */
export function versionOf(program: string, words: string[]): string | undefined {
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8' })
  return status === 0 ? (stdout + stderr).trim().split('\n')[0] : undefined
}

async function startNginx(place: Place): Promise<void> {
  const folder = await workFolder()
  const given = await readFile(join(root, 'deploy/nginx.conf'), 'utf8')
  const site = put(given, [
    ['listen 80;', `listen 127.0.0.1:${place.http};`],
    ['listen [::]:80;', ''],
    ['listen 443 ssl http2;', `listen 127.0.0.1:${place.https} ssl http2;`],
    ['listen [::]:443 ssl http2;', ''],
    ['server_name pay.example.com;', 'server_name localhost;'],
    ['/etc/letsencrypt/live/pay.example.com/fullchain.pem', certificate],
    ['/etc/letsencrypt/live/pay.example.com/privkey.pem', key],
    ['127.0.0.1:8080', `127.0.0.1:${place.inlets[0]}`],
    ['127.0.0.1:8081', `127.0.0.1:${place.inlets[1]}`],
    ['/var/log/nginx/', `${folder}/`],
  ])
  await writeFile(join(folder, 'inlet.conf'), site)
  const kept = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  await writeFile(
    join(folder, 'nginx.conf'),
    `user ${process.getuid?.() === 0 ? 'root' : 'nobody'}; daemon off; pid ${folder}/pid; error_log ${folder}/error.log;
events { worker_connections 4096; }
http {
  access_log off;
  ${kept.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  include ${folder}/inlet.conf;
}`,
  )
  await run('nginx', ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')], place)
}

async function startCaddy(place: Place): Promise<void> {
  const folder = await workFolder()
  const given = await readFile(join(root, 'deploy/Caddyfile'), 'utf8')
  const site = put(given, [
    ['{\n\t# Only pages', `{\n\thttp_port ${place.http}\n\thttps_port ${place.https}\n\t# Only pages`],
  ])
  await writeFile(join(folder, 'Caddyfile'), site)
  await run('caddy', ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'], place, {
    HOME: folder,
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
    CADDY_ADMIN: 'off',
    INLET_DOMAIN: 'localhost',
    INLET_TLS: `tls ${certificate} ${key}`,
    INLET_UPSTREAMS: place.inlets.map((port) => `127.0.0.1:${port}`).join(' '),
  })
}

/** A text that is not there any more would leave a port of the machine in the file. */
function put(text: string, replaced: [string, string][]): string {
  for (const [from] of replaced) assert.ok(text.includes(from), `the file has no "${from}"`)
  return replaced.reduce((before, [from, to]) => before.replaceAll(from, to), text)
}

async function run(
  program: string,
  words: string[],
  { https }: Place,
  environment: Record<string, string> = {},
): Promise<void> {
  const child = spawn(program, words, {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (chunk) => (said += chunk))
  const ended = once(child, 'exit')
  atEnd(async () => {
    child.kill('SIGTERM')
    await ended
  })
  for (let tries = 0; tries < 200; tries++) {
    if (isOver(child)) assert.fail(`${program} ended: ${said}`)
    if (await answers(https)) return
    await sleep(50)
  }
  assert.fail(`${program} does not answer: ${said}`)
}

const isOver = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

const answers = (port: number): Promise<boolean> =>
  fetch(`https://localhost:${port}/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  )

async function workFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'inlet-proxy-'))
  await mkdir(folder, { recursive: true })
  atEnd(() => rm(folder, { recursive: true, force: true }))
  return folder
}
