/**
 * The embedded PostgreSQL: a real one from npm, kept in the data folder, shared by all processes that use that folder.
 *
 * A server (`inlet start`) starts it or takes over a running one, restarts it when it dies and stops it at the end. A
 * command uses it for a moment and stops it only if it started it and nobody else uses it. Advisory locks show who uses
 * it; they end with their connection, so a process killed with -9 leaves none behind.
 *
 *   server lock   held by the one server
 *   users lock    shared by everybody; exclusive for a command that is about to stop PostgreSQL
 *
 * Starting needs no other lock: PostgreSQL's pid file lets one process win, and the others use its PostgreSQL.
 */
import pg from 'pg'
import { monotonicMs, sleep } from './clock.ts'
import type { Login } from './db.ts'
import { codeOf, OperatorProblem, reasonOf } from './operator-problem.ts'
import { type Programs, preparePrograms } from './postgres-binaries.ts'
import { ensureCluster } from './postgres-cluster.ts'
import { type Home, prepareHome, secretsFile } from './postgres-home.ts'
import {
  type Address,
  findPostmaster,
  isPostmaster,
  type Launch,
  lastLogLines,
  launchPostmaster,
  stopPostmaster,
} from './postgres-process.ts'

/** For backups: where the cluster is, and who may copy it. */
export type EmbeddedCluster = { home: Home; major: number; superuser: Login }

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
  silenceMs: 60_000, // Without any sign of life from PostgreSQL.
  recoveryMs: 21_600_000, // While it answers that it is starting up or shutting down: after a restore it replays the WAL of days.
  launches: 120, // With the pause below: backends of a killed PostgreSQL get 30 s to end their statements.
  relaunchPauseMs: 250,
  pollMs: 25,
  connectMs: 5_000,
  serverLockMs: 2_000, // The connection of a killed Inlet ends long before that.
  usersLockMs: 40_000, // Longer than PostgreSQL takes to stop, which ends the connection and so this wait.
  otherUsersMs: 3_000,
  watchMs: 500,
  firstRepairPauseMs: 1_000, // Doubled each time it fails again.
  repairPauseMs: 60_000,
} as const

export async function joinPostgres({
  dataDir,
  as,
  log,
  binaries,
  meanwhile,
}: JoinPostgres): Promise<EmbeddedPostgres> {
  const installation = await prepare(dataDir, log, binaries).catch(rethrowAsProblem)
  const session = await openSession(installation, as, meanwhile).catch(rethrowAsProblem)
  const { pid, startedHere, address } = session
  const { secrets, instance } = installation.home
  log(startedHere ? 'PostgreSQL started' : 'PostgreSQL joined', { pid, folder: instance })

  const leave =
    as === 'server' ? keepRunning(installation, session) : () => leaveAsCommand(installation, session)
  let left: Promise<void> | undefined
  return {
    owner: { ...address, database: 'inlet', user: 'inlet_owner', password: secrets.owner },
    runtime: { ...address, database: 'inlet', user: 'inlet_runtime', password: secrets.runtime },
    cluster: {
      home: installation.home,
      major: installation.programs.major,
      superuser: { ...address, database: 'postgres', user: 'postgres', password: secrets.superuser },
    },
    startedHere,
    stop: () => (left ??= leave()),
  }
}

type Installation = { home: Home; programs: Programs; log: JoinPostgres['log'] }

async function prepare(dataDir: string, log: JoinPostgres['log'], binaries?: string): Promise<Installation> {
  const home = await prepareHome(dataDir)
  const programs = await preparePrograms(home, binaries)
  const beforeMaking = () => log(`Making a new database in ${home.cluster} …`, {}, 'step')
  if ((await ensureCluster(home, programs, beforeMaking)) === 'made')
    log('PostgreSQL initialised', { folder: home.cluster })
  return { home, programs, log }
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
type Session = { pid: number; address: Address; client: pg.Client; startedHere: boolean; lost: boolean }

/** Finds or starts PostgreSQL, connects and takes the locks. If PostgreSQL ends meanwhile, it tries again. */
async function openSession(
  installation: Installation,
  as: JoinPostgres['as'],
  meanwhile?: JoinPostgres['meanwhile'],
): Promise<Session> {
  const { home, programs, log } = installation
  const startDeadline = beginStartDeadline()
  let launch: Launch | undefined
  for (let launches = 0; ; ) {
    const postmaster = await findPostmaster(home)
    if (postmaster?.address) {
      const { pid, address } = postmaster
      const client = await connect(home, address, startDeadline.noteError)
      const held = client && (await takeLocks(client, as, home))
      if (held) return trackConnection({ pid, address, client, startedHere: launch?.pid === pid })
      await client?.end().catch(() => {})
    } else if (!postmaster && (!launch || launch.hasExited())) {
      if (launch) await checkFailedLaunch(home, launch, launches)
      if (!launch) log('Starting PostgreSQL …', {}, 'step')
      launch = await launchPostmaster(home, programs)
      launches += 1
      await meanwhile?.()
    }
    if (startDeadline.isOver()) throw await startFailure(home, startDeadline.lastError())
    await sleep(bounds.pollMs)
  }
}

/** Ends the wait for PostgreSQL: after a time without a sign of life, or after a longer time in all. */
function beginStartDeadline() {
  const begin = monotonicMs()
  let lastSignAt = begin
  let reason = ''
  return {
    noteError(error: unknown): void {
      reason = reasonOf(error)
      if (codeOf(error) === cannotConnectNow) lastSignAt = monotonicMs()
    },
    isOver: () => monotonicMs() - lastSignAt > bounds.silenceMs || monotonicMs() - begin > bounds.recoveryMs,
    lastError: () => reason,
  }
}

/** SQLSTATE while PostgreSQL starts up or shuts down. */
const cannotConnectNow = '57P03'

function trackConnection(parts: Omit<Session, 'lost'>): Session {
  const session = { ...parts, lost: false }
  session.client.on('end', () => {
    session.lost = true
  })
  return session
}

/**
 * Connects as superuser: some connections are reserved for it, so a busy pool cannot keep us out. Undefined if it did not
 * succeed this time; the caller tries again until its deadline.
 */
async function connect(
  home: Home,
  address: Address,
  noteError: (error: unknown) => void,
): Promise<pg.Client | undefined> {
  const client = new pg.Client({
    ...address,
    database: 'postgres',
    user: 'postgres',
    password: home.secrets.superuser,
    ssl: false,
    connectionTimeoutMillis: bounds.connectMs,
    query_timeout: bounds.connectMs,
    application_name: 'inlet presence',
  })
  client.on('error', () => {}) // Its end is noticed elsewhere; without a listener an error would end the process.
  try {
    await client.connect()
    return client
  } catch (error) {
    await client.end().catch(() => {})
    if (['28P01', '28000'].includes(codeOf(error))) {
      throw new OperatorProblem(
        `The passwords in ${secretsFile(home.dataDir)} do not open the database in ${home.cluster}; bring back the file that belongs to it.`,
      )
    }
    noteError(error)
    return undefined
  }
}

/** False if the connection ended before it had the locks. */
async function takeLocks(client: pg.Client, as: JoinPostgres['as'], home: Home): Promise<boolean> {
  try {
    if (
      as === 'server' &&
      !(await retryUntil(bounds.serverLockMs, () => runLock(client, locks.takeServer)))
    ) {
      throw new OperatorProblem(
        `Another Inlet is already running on ${home.dataDir}; stop it first or set INLET_DATA_DIR to another folder.`,
      )
    }
    return await retryUntil(bounds.usersLockMs, () => runLock(client, locks.joinUsers))
  } catch (error) {
    if (!(error instanceof OperatorProblem)) return false
    await client.end().catch(() => {})
    throw error
  }
}

// The first number ("inlt" in ASCII) keeps these locks apart from others in the same database.
const locks = {
  takeServer: 'select pg_try_advisory_lock(1768844404, 1) as yes',
  shareServer: 'select pg_try_advisory_lock_shared(1768844404, 1) as yes',
  unshareServer: 'select pg_advisory_unlock_shared(1768844404, 1) as yes',
  joinUsers: 'select pg_try_advisory_lock_shared(1768844404, 2) as yes',
  leaveUsers: 'select pg_advisory_unlock_shared(1768844404, 2) as yes',
  takeUsers: 'select pg_try_advisory_lock(1768844404, 2) as yes',
} as const

async function runLock(client: pg.Client, statement: string): Promise<boolean> {
  const { rows } = await client.query<{ yes: boolean }>(statement)
  return rows[0]?.yes === true
}

/** False if no attempt succeeded in time. */
async function retryUntil(timeoutMs: number, attempt: () => Promise<boolean>): Promise<boolean> {
  const end = monotonicMs() + timeoutMs
  while (!(await attempt())) {
    if (monotonicMs() > end) return false
    await sleep(bounds.pollMs)
  }
  return true
}

/**
 * After a launch whose process has exited. It may be launched again if the reason is temporary: another process was quicker,
 * processes of a killed PostgreSQL still hold its memory, the port was taken.
 */
async function checkFailedLaunch(home: Home, launch: Launch, launches: number): Promise<void> {
  const temporary = /lock file .* already exists|shared memory block .* still in use|Address already in use/
  const isPermanent = launch.hasRefused() && !temporary.test(await launch.complaints())
  if (isPermanent || launches >= bounds.launches) throw await startFailure(home, '')
  await sleep(bounds.relaunchPauseMs)
}

async function startFailure(home: Home, lastError: string): Promise<OperatorProblem> {
  const why = lastError && ` (${lastError})`
  return new OperatorProblem(
    `PostgreSQL in ${home.instance} does not come up${why}; the end of ${home.logFile} says:\n${await lastLogLines(home, 8)}`,
  )
}

/**
 * Starts PostgreSQL again whenever it dies: its death ends our connection, which is noticed at once; the timer covers other
 * cases. Returns the function that stops watching and leaves.
 */
function keepRunning(installation: Installation, first: Session): () => Promise<void> {
  const { home, log } = installation
  let session = first
  let isStopping = false
  let repairing: Promise<void> | undefined
  let pauseMs: number = bounds.firstRepairPauseMs
  let restUntil = 0

  const check = async () => {
    // If the check fails, it is repeated soon; the end of our connection is noticed without a check.
    if (!session.lost && (await isPostmaster(session.pid, home.cluster).catch(() => true))) return
    if (isStopping || repairing || monotonicMs() < restUntil) return
    repairing = repair().finally(() => {
      repairing = undefined
    })
  }
  const repair = async () => {
    log('PostgreSQL went away', { pid: session.pid }, 'error')
    session.lost = true
    session.client.end().catch(() => {})
    try {
      session = await openSession(installation, 'server')
      session.client.on('end', check)
      pauseMs = bounds.firstRepairPauseMs
      const { pid } = session
      log(session.startedHere ? 'PostgreSQL started again' : 'PostgreSQL joined again', { pid }, 'info')
    } catch (error) {
      restUntil = monotonicMs() + pauseMs
      pauseMs = Math.min(pauseMs * 2, bounds.repairPauseMs)
      const reason = error instanceof Error ? error.message : String(error)
      log('PostgreSQL could not be started again', { error: reason }, 'error')
    }
  }

  session.client.on('end', check)
  const timer = setInterval(check, bounds.watchMs).unref()
  return async () => {
    isStopping = true
    clearInterval(timer)
    await repairing
    await leaveAsServer(installation, session)
  }
}

/** If the connection was lost, there is nothing to stop: PostgreSQL is dead, or another Inlet has the server lock. */
async function leaveAsServer({ home, programs, log }: Installation, session: Session): Promise<void> {
  if (!session.lost) {
    await waitForOthers(session.client).catch(() => false)
    await stopPostmaster(home, programs, session.pid)
    log('PostgreSQL stopped', { pid: session.pid })
  }
  await session.client.end().catch(() => {})
}

async function leaveAsCommand({ home, programs, log }: Installation, session: Session): Promise<void> {
  if (session.startedHere && (await becomeLastUser(session.client).catch(() => false))) {
    await stopPostmaster(home, programs, session.pid)
    log('PostgreSQL stopped', { pid: session.pid })
  }
  await session.client.end().catch(() => {})
}

/**
 * Tries to get the users lock exclusively. If it returns true, a process that comes now waits until PostgreSQL has stopped,
 * and starts it again.
 */
async function becomeLastUser(client: pg.Client): Promise<boolean> {
  await runLock(client, locks.leaveUsers)
  let hasServer = false
  const alone = await retryUntil(bounds.otherUsersMs, async () => {
    hasServer = !(await runLock(client, locks.shareServer))
    if (hasServer) return true
    await runLock(client, locks.unshareServer)
    return runLock(client, locks.takeUsers)
  })
  return alone && !hasServer
}

/** Gives commands that run beside a stopping server some seconds to finish. */
async function waitForOthers(client: pg.Client): Promise<boolean> {
  await runLock(client, locks.leaveUsers)
  return retryUntil(bounds.otherUsersMs, () => runLock(client, locks.takeUsers))
}
