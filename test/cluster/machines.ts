/**
 * Three database machines on loopback, made of Debian's packages and the files of deploy/patroni: etcd, Patroni with its
 * PostgreSQL, and HAProxy in front. A machine is lost as a power cut loses it: every process of its database at once.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, existsSync, openSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { atEnd } from '../support/clean-up.ts'
import { root } from '../support/program.ts'

const postgresBinaries = '/usr/lib/postgresql/15/bin'
const programs = {
  patroni: '/usr/bin/patroni',
  etcd: '/usr/bin/etcd',
  haproxy: '/usr/sbin/haproxy',
  'postgresql-15': join(postgresBinaries, 'postgres'),
}

const missing = Object.entries(programs).flatMap(([name, file]) => (existsSync(file) ? [] : [name]))

/** false, or the sentence with which the tests are skipped. */
export const absence: string | false =
  missing.length > 0 && `not installed: ${missing.join(', ')} (Debian's packages of these names)`

/** PostgreSQL refuses to run as root. */
const account = process.getuid?.() === 0 ? accountOf('postgres') : {}

function accountOf(name: string): { uid?: number; gid?: number } {
  const ids = ['-u', '-g'].map((flag) => Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout))
  return ids.every((id) => id > 0) ? { uid: ids[0]!, gid: ids[1]! } : {}
}

/** Below the ports that systems give out by themselves; the first of each kind is one higher. */
const ports = { etcd: 25_400, etcdPeer: 25_410, rest: 25_420, postgres: 5_440, haproxy: 5_450 }
const at = (port: number) => `127.0.0.1:${port}`
const numbers = [1, 2, 3] as const
type Place = (typeof numbers)[number]

const password = () => randomBytes(18).toString('base64url')

export type Machines = {
  /** Of HAProxy, and of all three hosts. */
  urls: { haproxy: string; hosts: string }
  /** Of the primary itself. */
  primaryPort(): Promise<number>
  login: { user: string; password: string }
  /** Everybody follows the primary again, and where it is synchronous one of them counts. */
  untilWhole(): Promise<void>
  /**
   * The network of the primary stalls, then the primary is gone; the machine is switched on again when another has taken over. Returns
   * when it was lost.
   */
  losePrimary(stallMs: number): Promise<{ lostAt: number; revive(): void }>
  /** The primary's machine stands still until another has taken over, as one that is suspended, and then goes on from there. */
  freezePrimary(): Promise<{ frozenAt: number; thaw(): void }>
  asAdmin<Result>(work: (admin: pg.Client) => Promise<Result>): Promise<Result>
  folder: string
  stop(): Promise<void>
}

export async function startMachines(
  folder: string,
  { synchronous }: { synchronous: boolean },
): Promise<Machines> {
  for (const port of Object.values(ports)) for (const n of numbers) await refuseTaken(port + n)
  await rm(folder, { recursive: true, force: true })
  await makeFolder(folder)
  const superuser = password()
  const passwords = {
    SUPERUSER_PASSWORD: superuser,
    REPLICATION_PASSWORD: password(),
    REWIND_PASSWORD: password(),
  }
  const children: ChildProcess[] = []
  const patronis = new Map<Place, ChildProcess>()
  const etcds = new Map<Place, ChildProcess>()
  const peers = numbers.map((n) => `db${n}=http://${at(ports.etcdPeer + n)}`).join(',')
  for (const n of numbers) {
    const home = join(folder, `db${n}`)
    await makeFolder(home)
    const values = {
      NAME: `db${n}`,
      DATA: home,
      ETCD_DATA: join(home, 'etcd'),
      ETCD_API: process.env.INLET_ETCD_API ?? 'etcd',
      ETCD_ADDRESS: at(ports.etcd + n),
      ETCD_PEER_ADDRESS: at(ports.etcdPeer + n),
      ETCD_PEERS: peers,
      ETCD_ADDRESSES: numbers.map((n) => at(ports.etcd + n)).join(','),
      REST_ADDRESS: at(ports.rest + n),
      POSTGRES_ADDRESS: at(ports.postgres + n),
      POSTGRES_BINARIES: postgresBinaries,
      // Short, so that twenty losses fit into a quarter of an hour.
      TTL: '10',
      LOOP_WAIT: '2',
      RETRY_TIMEOUT: '4',
      SYNCHRONOUS: String(synchronous),
      ...passwords,
    }
    await fill('etcd.yml', join(home, 'etcd.yml'), values)
    await fill('patroni.yml', join(home, 'patroni.yml'), values)
    const etcd = run(programs.etcd, ['--config-file', join(home, 'etcd.yml')], join(home, 'etcd.log'))
    etcds.set(n, etcd)
    children.push(etcd)
  }
  const switchOn = (n: Place) => {
    const home = join(folder, `db${n}`)
    patronis.set(n, run(programs.patroni, [join(home, 'patroni.yml')], join(home, 'patroni.log')))
  }
  const stop = async () => {
    for (const n of numbers) await cutPower(patronis.get(n)!, join(folder, `db${n}`))
    for (const child of children) child.kill('SIGKILL')
    // Their ports are free when they have ended.
    await Promise.all(children.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'exit')))
  }
  atEnd(stop)
  for (const n of numbers) switchOn(n)
  await fill('haproxy.cfg', join(folder, 'haproxy.cfg'), {
    HAPROXY_ADDRESS: at(ports.haproxy + 1),
    ...Object.fromEntries(
      numbers.flatMap((n) => [
        [`POSTGRES_ADDRESS_${n}`, at(ports.postgres + n)],
        [`REST_HOST_${n}`, '127.0.0.1'],
        [`REST_PORT_${n}`, String(ports.rest + n)],
      ]),
    ),
  })
  const haproxy = ['-db', '-f', join(folder, 'haproxy.cfg')]
  children.push(run(programs.haproxy, haproxy, join(folder, 'haproxy.log')))

  const primary = async (): Promise<Place | undefined> => {
    for (const n of numbers) if ((await answerOf(n, 'primary'))?.ok) return n
    return undefined
  }
  const untilAnother = (than: Place) =>
    within(120, 'another primary', async () => {
      const next = await primary()
      return next !== undefined && next !== than
    })
  const primaryPort = async () => ports.postgres + ((await primary()) ?? assert.fail('there is no primary'))
  const asAdmin: Machines['asAdmin'] = async (work) => {
    const admin = new pg.Client({
      host: '127.0.0.1',
      port: await primaryPort(),
      database: 'postgres',
      user: 'postgres',
      password: superuser,
    })
    admin.on('error', () => {})
    await admin.connect()
    return work(admin).finally(() => admin.end())
  }
  const login = { user: 'inlet', password: password() }
  const untilWhole = () =>
    within(120, 'the cluster is whole', async () => {
      const n = await primary()
      const members = n ? await membersOf(n) : []
      const following = members.filter(
        ({ role, state, lag }) =>
          role !== 'leader' && ['running', 'streaming'].includes(state) && Number(lag) < 100_000,
      )
      const roles = members.map(({ role }) => role)
      return following.length === 2 && (!synchronous || roles.includes('sync_standby'))
    })
  await untilWhole()
  await asAdmin(async (admin) => {
    await admin.query(`create role ${login.user} login createrole password '${login.password}'`)
    await admin.query(`create database inlet owner ${login.user}`)
  })
  const urlOf = (hosts: string) => `postgres://${login.user}:${login.password}@${hosts}/inlet`
  return {
    folder,
    login,
    stop,
    urls: {
      haproxy: urlOf(at(ports.haproxy + 1)),
      hosts: `${urlOf(numbers.map((n) => at(ports.postgres + n)).join(','))}?target_session_attrs=read-write`,
    },
    primaryPort,
    untilWhole,
    asAdmin,
    async losePrimary(stallMs) {
      const n = (await primary()) ?? assert.fail('there is no primary')
      const home = join(folder, `db${n}`)
      for (const pid of await processesOf(home, 'walsender')) signal(pid, 'SIGSTOP')
      await sleep(stallMs)
      await cutPower(patronis.get(n)!, home)
      const lostAt = Date.now()
      await untilAnother(n)
      return { lostAt, revive: () => switchOn(n) }
    },
    async freezePrimary() {
      const n = (await primary()) ?? assert.fail('there is no primary')
      const pids = [etcds.get(n)!.pid!, patronis.get(n)!.pid!, ...(await processesOf(join(folder, `db${n}`)))]
      const send = (name: NodeJS.Signals) => {
        for (const pid of pids) signal(pid, name)
      }
      send('SIGSTOP')
      const frozenAt = Date.now()
      await untilAnother(n)
      return { frozenAt, thaw: () => send('SIGCONT') }
    },
  }
}

/** An interrupted run may have left its servers running, and this one would connect to them. */
async function refuseTaken(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  const isTaken = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  assert.ok(!isTaken, `port ${port} is taken: end what an earlier run has left behind`)
}

export async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o755 })
  if (account.uid !== undefined) chownSync(folder, account.uid, account.gid!)
}

/** A file of deploy/patroni with its placeholders filled; one without a value fails. */
async function fill(name: string, target: string, values: Record<string, string>): Promise<void> {
  const template = await readFile(join(root, 'deploy/patroni', name), 'utf8')
  const text = template.replaceAll(
    /\$\{(\w+)\}/g,
    (_, key: string) => values[key] ?? assert.fail(`${name} asks for ${key}`),
  )
  await writeFile(target, text, { mode: 0o600 })
  if (account.uid !== undefined) chownSync(target, account.uid, account.gid!)
}

/** Runs until the tests end; its output goes to a file. */
function run(file: string, words: string[], output: string): ChildProcess {
  const log = openSync(output, 'a')
  const child = spawn(file, words, { ...account, cwd: '/', stdio: ['ignore', log, log] })
  atEnd(async () => void child.kill('SIGKILL'))
  return child
}

/** One of PostgreSQL's own programs, to its end. */
export function runAsPostgres(name: string, words: string[]): void {
  const { status } = spawnSync(join(postgresBinaries, name), words, {
    ...account,
    cwd: '/',
    // A server that pg_ctl leaves behind must not hold on to our pipes.
    stdio: 'ignore',
  })
  assert.equal(status, 0, `${name} ${words.join(' ')}`)
}

async function cutPower(patroni: ChildProcess, home: string): Promise<void> {
  patroni.kill('SIGKILL')
  for (const pid of await processesOf(home)) signal(pid, 'SIGKILL')
}

/** The processes of a machine's PostgreSQL; without a kind all of them, the postmaster first. */
async function processesOf(home: string, kind = ''): Promise<number[]> {
  const file = await readFile(join(home, 'postgres/postmaster.pid'), 'utf8').catch(() => '')
  const postmaster = Number(file.split('\n')[0])
  if (!postmaster) return []
  // It starts no further ones.
  if (!kind) signal(postmaster, 'SIGSTOP')
  const text = await readFile(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').catch(() => '')
  const children = text.trim().split(' ').filter(Boolean).map(Number)
  if (!kind) return [postmaster, ...children]
  const titles = await Promise.all(
    children.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  )
  return children.filter((_, index) => titles[index]!.includes(kind))
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as { code?: string }).code !== 'ESRCH') throw error
  }
}

type Member = { role: string; state: string; lag?: number | string }

const answerOf = (n: Place, path: string): Promise<Response | undefined> =>
  fetch(`http://${at(ports.rest + n)}/${path}`, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined)

async function membersOf(n: Place): Promise<Member[]> {
  const answer = await answerOf(n, 'cluster')
  return answer ? ((await answer.json()) as { members: Member[] }).members : []
}

export async function within(seconds: number, what: string, holds: () => Promise<unknown>): Promise<void> {
  for (const end = Date.now() + seconds * 1_000; Date.now() < end; ) {
    if (await holds()) return
    await sleep(200)
  }
  assert.fail(`not within ${seconds} s: ${what}`)
}
