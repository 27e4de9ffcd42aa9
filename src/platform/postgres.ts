/**
 * The embedded PostgreSQL: a real one from npm, kept in the data folder, shared by all processes that use that folder: by one
 * server (`inlet start`) and by commands. Each of them uses the one that runs, or starts it, also one that a process killed with -9
 * has left. The last one to leave stops it. A server starts it again when it dies.
 *
 * Advisory locks show who uses it; they end with their connection, so a process killed with -9 leaves none behind.
 *
 *   server lock   held by the one server
 *   users lock    shared by everybody; exclusive for the last one, while it stops PostgreSQL
 *
 * Starting needs no other lock: PostgreSQL's pid file lets one process win, and the others use its PostgreSQL.
 */
import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import pg from 'pg'
import { monotonicMs, sleep } from './clock.ts'
import { makeDataFolder } from './data-folder.ts'
import type { Login } from './db.ts'
import { codeOf, OperatorProblem, reasonOf } from './operator-problem.ts'
import { type Home, keepHome, newHome, readHome, secretsFile } from './postgres-home.ts'
import {
  type Address,
  findPostmaster,
  type Launch,
  launchPostmaster,
  stopPostmaster,
} from './postgres-process.ts'
import { checkCluster, makeCluster, type Programs, preparePrograms } from './postgres-programs.ts'

/** For backups: where the cluster is, and who may copy it. */
export type EmbeddedCluster = { home: Home; superuser: Login }

export type EmbeddedPostgres = {
  owner: Login
  runtime: Login
  cluster: EmbeddedCluster
  startedHere: boolean
  stop(): Promise<void>
}

export type JoinPostgres = {
  dataDir: string
  as: 'server' | 'command'
  /** At the level `event` when it does not say; a `step` comes before what takes time. */
  log: (
    line: string,
    fields?: { pid?: number; folder?: string; error?: string },
    level?: 'error' | 'info' | 'step',
  ) => void
  /** A native folder other than the one npm installed for this platform. */
  binaries?: string
  /** Work that is done while PostgreSQL starts. */
  meanwhile?: () => Promise<unknown>
}

const bounds = {
  silenceMs: 60_000, // Without a sign of life from PostgreSQL. One that recovers says so for as long as it takes.
  relaunchPauseMs: 250,
  pollMs: 25,
  connectMs: 5_000,
  lockMs: 2_000, // The connection of a killed Inlet ends long before that.
  repairPauseMs: 5_000,
} as const

export async function joinPostgres(options: JoinPostgres): Promise<EmbeddedPostgres> {
  const open = async () => {
    const asked = { ...options, dataDir: resolve(options.dataDir) }
    const join = { ...asked, ...(await prepare(asked)) }
    return { join, session: await openSession(join) }
  }
  const { join, session } = await open().catch(rethrowAsProblem)
  const { address, startedHere, pid } = session
  const { home, log } = join
  log(startedHere ? 'PostgreSQL started' : 'PostgreSQL joined', { pid, folder: home.instance })
  const stop = options.as === 'server' ? keepRunning(join, session) : () => leave(join, session)
  let stopped: Promise<void> | undefined
  const { superuser, owner, runtime } = home.secrets
  return {
    owner: { ...address, database: 'inlet', user: 'inlet_owner', password: owner },
    runtime: { ...address, database: 'inlet', user: 'inlet_runtime', password: runtime },
    cluster: { home, superuser: { ...address, database: 'postgres', user: 'postgres', password: superuser } },
    startedHere,
    stop: () => (stopped ??= stop()),
  }
}

type Join = JoinPostgres & { home: Home; programs: Programs }

/** Makes the cluster on first use. */
async function prepare({ dataDir, log, binaries }: JoinPostgres): Promise<Pick<Join, 'home' | 'programs'>> {
  await makeDataFolder(dataDir)
  const found = await readHome(dataDir)
  const home = found ?? (await newHome(dataDir))
  try {
    const programs = await preparePrograms(home, binaries)
    if (found) {
      await checkCluster(home, programs)
      return { home, programs }
    }
    log(`Making a new database in ${home.cluster} …`, {}, 'step')
    await makeCluster(home, programs)
    await keepHome(home)
    const kept = (await readHome(dataDir)) ?? home
    if (kept.secrets.id === home.secrets.id) log('PostgreSQL initialised', { folder: home.cluster })
    else await rm(home.instance, { recursive: true }) // Another first start was quicker.
    return { home: kept, programs }
  } catch (error) {
    if (!found) await rm(home.instance, { recursive: true, force: true })
    throw error
  }
}

/** An error of the system, such as a full disk, becomes a sentence for the operator; a bug keeps its name and stack. */
function rethrowAsProblem(error: unknown): never {
  if (error instanceof OperatorProblem || !codeOf(error)) throw error
  const { path = 'its files' } = error as { path?: string }
  throw new OperatorProblem(`The embedded PostgreSQL cannot use ${path} (${reasonOf(error)}).`, {
    cause: error,
  })
}

/** A connection that shows that we use this PostgreSQL: its locks are held for as long as it lives. */
type Session = {
  pid: number
  address: Address
  client: pg.Client
  startedHere: boolean
  ended: Promise<void>
}

/** Finds or starts PostgreSQL, connects and takes the locks. If PostgreSQL ends meanwhile, it tries again. */
async function openSession(join: Join, last?: Address): Promise<Session> {
  const { home, programs, log, meanwhile } = join
  let lastSignAt = monotonicMs()
  let reason = ''
  let launch: Launch | undefined
  const connecting = async (address: Address) => {
    try {
      return await connect(join, address)
    } catch (error) {
      if (error instanceof OperatorProblem) throw error
      reason = ` (${reasonOf(error)})`
      if (codeOf(error) === cannotConnectNow) lastSignAt = monotonicMs()
    }
  }
  for (;;) {
    const { pid, isRunning, address } = await findPostmaster(home)
    const client = isRunning && address && (await connecting(address))
    if (client) {
      const ended = new Promise<void>((resolve) => client.once('end', resolve))
      return { pid, address, client, startedHere: launch?.pid === pid, ended }
    }
    // Asked before the log is read: its last lines come before its end.
    const [hasExited, hasRefused] = [launch?.hasExited(), launch?.hasRefused()]
    const output = (await launch?.log()) ?? ''
    if ((hasRefused && !temporary.test(output)) || monotonicMs() - lastSignAt > bounds.silenceMs) {
      const lines = output.trimEnd().split('\n')
      const end = lines.filter((line) => !toVisitors.test(line)).slice(-8)
      throw new OperatorProblem(
        `PostgreSQL in ${home.instance} does not come up${reason}; the end of ${home.logFile} says:\n${end.join('\n')}`,
      )
    }
    if (!isRunning && (!launch || hasExited)) {
      if (launch) await sleep(bounds.relaunchPauseMs)
      else log('Starting PostgreSQL …', {}, 'step')
      launch = await launchPostmaster(home, programs, { stalePid: pid, last })
      await meanwhile?.()
    }
    await sleep(bounds.pollMs)
  }
}

/** SQLSTATE while PostgreSQL starts up or shuts down. */
const cannotConnectNow = '57P03'

/** What each of our attempts to connect adds to its log meanwhile: it would hide why PostgreSQL does not come up. */
const toVisitors = /FATAL: +the database system is /

/** Why a launch may fail and the next one succeed: another process was quicker, a killed PostgreSQL has not ended, the port was taken. */
const temporary = /lock file .* already exists|shared memory block .* still in use|Address already in use/

/**
 * Connects as superuser: some connections are reserved for it, so a busy pool cannot keep us out. Then takes the locks; they may be
 * waited for while another process stops PostgreSQL, which ends the connection.
 */
async function connect({ home, as }: Join, address: Address): Promise<pg.Client> {
  const client = new pg.Client({
    ...address,
    database: 'postgres',
    user: 'postgres',
    password: home.secrets.superuser,
    ssl: false,
    connectionTimeoutMillis: bounds.connectMs,
    query_timeout: bounds.connectMs,
    application_name: 'inlet presence',
    options: `-c lock_timeout=${bounds.lockMs}`,
  })
  client.on('error', () => {}) // Its end is noticed elsewhere; without a listener an error would end the process.
  try {
    await client.connect()
    await client.query(locks.joinUsers)
    if (as === 'server') await client.query(locks.takeServer).catch(refuseSecondServer(home.dataDir))
    return client
  } catch (error) {
    await client.end().catch(() => {})
    if (!['28P01', '28000'].includes(codeOf(error))) throw error
    throw new OperatorProblem(
      `The passwords in ${secretsFile(home.dataDir)} do not open the database in ${home.cluster}; bring back the file that belongs to it.`,
    )
  }
}

const refuseSecondServer = (dataDir: string) => (error: unknown) => {
  if (codeOf(error) !== '55P03') throw error
  throw new OperatorProblem(
    `Another Inlet is already running on ${dataDir}; stop it first or set INLET_DATA_DIR to another folder.`,
  )
}

// The first number ("inlt" in ASCII) keeps these locks apart from others in the same database.
const locks = {
  takeServer: 'select pg_advisory_lock(1768844404, 1)',
  joinUsers: 'select pg_advisory_lock_shared(1768844404, 2)',
  leaveUsers: 'select pg_advisory_unlock_shared(1768844404, 2)',
  takeUsers: 'select pg_try_advisory_lock(1768844404, 2) as is_last',
} as const

/** Starts PostgreSQL again whenever it dies: its death ends our connection. Returns the function that stops watching and leaves. */
function keepRunning(join: Join, first: Session): () => Promise<void> {
  const { log } = join
  const leaving = Promise.withResolvers<void>()
  let session = first
  let isLeaving = false
  const keep = async () => {
    for (;;) {
      await Promise.race([session.ended, leaving.promise])
      if (isLeaving) return
      log('PostgreSQL went away', { pid: session.pid }, 'error')
      const last = session
      while (session === last && !isLeaving) {
        try {
          session = await openSession(join, first.address)
          const { pid, startedHere } = session
          log(startedHere ? 'PostgreSQL started again' : 'PostgreSQL joined again', { pid }, 'info')
        } catch (error) {
          log('PostgreSQL could not be started again', { error: (error as Error).message }, 'error')
          await Promise.race([sleep(bounds.repairPauseMs), leaving.promise])
        }
      }
    }
  }
  const keeping = keep()
  return async () => {
    isLeaving = true
    leaving.resolve()
    await keeping
    await leave(join, session)
  }
}

/** A process that comes while the last one stops PostgreSQL waits until it has stopped, and starts it again. */
async function leave({ home, log }: Join, { client, pid }: Session): Promise<void> {
  try {
    await client.query(locks.leaveUsers)
    const { rows } = await client.query<{ is_last: boolean }>(locks.takeUsers)
    if (!rows[0]!.is_last) return
    await stopPostmaster(home, pid)
    log('PostgreSQL stopped', { pid })
  } catch {
    // The connection was lost: PostgreSQL is dead, and there is nothing to stop.
  } finally {
    await client.end().catch(() => {})
  }
}
