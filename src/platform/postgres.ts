/**
 * The embedded PostgreSQL: a real one from npm, kept in the data folder, shared by whoever works on that folder.
 *
 * A server owns it: it starts or adopts it, restarts it when it dies and stops it at the end. A command joins
 * it for a moment and stops it only if it started it and nobody else is there. Who uses it is shown by
 * advisory locks, which vanish with their connection: a process killed with -9 leaves none behind.
 *
 *   server lock   held by the one server
 *   users lock    shared by everybody; exclusive for a command that is about to stop PostgreSQL
 *
 * No other lock is needed to start: PostgreSQL's pid file lets one win, and the others join the winner.
 */
import pg from 'pg'
import type { EmbeddedCluster } from './backup/take-backup.ts'
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

export type EmbeddedPostgres = {
  owner: Login
  runtime: Login
  /** For backups: whose files these are, and who may read them in order. */
  cluster: EmbeddedCluster
  startedHere: boolean
  stop(): Promise<void>
}

export type JoinPostgres = {
  dataDir: string
  as: 'server' | 'command'
  log: (line: string, fields?: { pid?: number; folder?: string; error?: string }, level?: 'error') => void
  /** A native folder other than the one npm installed for this platform. */
  binaries?: string
  /** What else there is to do: PostgreSQL starts in the meantime. */
  meanwhile?: () => Promise<unknown>
}

const bounds = {
  silenceMs: 60_000, // Without any sign of life from PostgreSQL.
  recoveryMs: 600_000, // While it answers that it is starting up or shutting down.
  launches: 120, // With the pause below: backends of a killed PostgreSQL get 30 s to end their statements.
  relaunchPauseMs: 250,
  pollMs: 25,
  connectMs: 5_000,
  serverLockMs: 2_000, // A killed Inlet's connection is gone long before that.
  usersLockMs: 40_000, // Longer than a stop of PostgreSQL takes, which ends the wait with the connection.
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
  const place = await prepare(dataDir, log, binaries).catch(asProblem)
  const session = await enter(place, as, meanwhile).catch(asProblem)
  const { pid, startedHere, address } = session
  const { secrets, instance } = place.home
  log(startedHere ? 'PostgreSQL started' : 'PostgreSQL joined', { pid, folder: instance })

  const leave = as === 'server' ? keepRunning(place, session) : () => leaveAsCommand(place, session)
  let left: Promise<void> | undefined
  return {
    owner: { ...address, database: 'inlet', user: 'inlet_owner', password: secrets.owner },
    runtime: { ...address, database: 'inlet', user: 'inlet_runtime', password: secrets.runtime },
    cluster: {
      id: secrets.id,
      folder: place.home.cluster,
      major: place.programs.major,
      superuser: { ...address, database: 'postgres', user: 'postgres', password: secrets.superuser },
      passwords: { superuser: secrets.superuser, owner: secrets.owner, runtime: secrets.runtime },
    },
    startedHere,
    stop: () => (left ??= leave()),
  }
}

type Place = { home: Home; programs: Programs; log: JoinPostgres['log'] }

async function prepare(dataDir: string, log: JoinPostgres['log'], binaries?: string): Promise<Place> {
  const home = await prepareHome(dataDir)
  const programs = await preparePrograms(home, binaries)
  if ((await ensureCluster(home, programs)) === 'made')
    log('PostgreSQL initialised', { folder: home.cluster })
  return { home, programs, log }
}

/** A full disk can strike anywhere above; bugs keep their own name and stack. */
function asProblem(error: unknown): never {
  if (error instanceof OperatorProblem || !codeOf(error)) throw error
  const { path = 'its files' } = error as { path?: string }
  throw new OperatorProblem(`The embedded PostgreSQL cannot use ${path} (${reasonOf(error)}).`, {
    cause: error,
  })
}

/** One's place among the users of a running PostgreSQL: as long as the connection lives, the locks are held. */
type Session = { pid: number; address: Address; client: pg.Client; startedHere: boolean; lost: boolean }

/** Finds or starts PostgreSQL, connects and takes the locks; begins again when it goes away meanwhile. */
async function enter(
  place: Place,
  as: JoinPostgres['as'],
  meanwhile?: JoinPostgres['meanwhile'],
): Promise<Session> {
  const { home, programs } = place
  const startDeadline = beginStartDeadline()
  let launch: Launch | undefined
  for (let launches = 0; ; ) {
    const postmaster = await findPostmaster(home)
    if (postmaster?.address) {
      const { pid, address } = postmaster
      const client = await connect(home, address, startDeadline.heard)
      const held = client && (await takeLocks(client, as, home))
      if (held) return openSession({ pid, address, client, startedHere: launch?.pid === pid })
      await client?.end().catch(() => {})
    } else if (!postmaster && (!launch || launch.hasExited())) {
      if (launch) await refuseBadStart(home, launch, launches)
      launch = await launchPostmaster(home, programs)
      launches += 1
      await meanwhile?.()
    }
    if (startDeadline.isOver()) throw await notUp(home, startDeadline.lastWord())
    await sleep(bounds.pollMs)
  }
}

function beginStartDeadline() {
  const begin = monotonicMs()
  let heardAt = begin
  let word = ''
  return {
    heard(error: unknown): void {
      word = reasonOf(error)
      if (codeOf(error) === cannotConnectNow) heardAt = monotonicMs()
    },
    isOver: () => monotonicMs() - heardAt > bounds.silenceMs || monotonicMs() - begin > bounds.recoveryMs,
    lastWord: () => word,
  }
}

/** SQLSTATE while PostgreSQL starts up or shuts down. */
const cannotConnectNow = '57P03'

function openSession(parts: Omit<Session, 'lost'>): Session {
  const session = { ...parts, lost: false }
  session.client.on('end', () => {
    session.lost = true
  })
  return session
}

/**
 * As superuser: some connections are reserved for it, so a busy pool cannot keep us out. Undefined means not
 * now: whether to try again is a matter of startDeadline.
 */
async function connect(
  home: Home,
  address: Address,
  heard: (error: unknown) => void,
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
  client.on('error', () => {}) // Its end is what matters; an unheard error would end the process.
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
    heard(error)
    return undefined
  }
}

/** False when the connection ended before the locks were ours. */
async function takeLocks(client: pg.Client, as: JoinPostgres['as'], home: Home): Promise<boolean> {
  try {
    if (as === 'server' && !(await within(bounds.serverLockMs, () => ask(client, locks.takeServer)))) {
      throw new OperatorProblem(
        `Another Inlet is already running on ${home.dataDir}; stop it first or set INLET_DATA_DIR to another folder.`,
      )
    }
    return await within(bounds.usersLockMs, () => ask(client, locks.joinUsers))
  } catch (error) {
    if (!(error instanceof OperatorProblem)) return false
    await client.end().catch(() => {})
    throw error
  }
}

// The first number only keeps these locks apart from others in the same database: "inlt".
const locks = {
  takeServer: 'select pg_try_advisory_lock(1768844404, 1) as yes',
  shareServer: 'select pg_try_advisory_lock_shared(1768844404, 1) as yes',
  unshareServer: 'select pg_advisory_unlock_shared(1768844404, 1) as yes',
  joinUsers: 'select pg_try_advisory_lock_shared(1768844404, 2) as yes',
  leaveUsers: 'select pg_advisory_unlock_shared(1768844404, 2) as yes',
  takeUsers: 'select pg_try_advisory_lock(1768844404, 2) as yes',
} as const

async function ask(client: pg.Client, text: string): Promise<boolean> {
  const { rows } = await client.query<{ yes: boolean }>(text)
  return rows[0]?.yes === true
}

async function within(timeoutMs: number, attempt: () => Promise<boolean>): Promise<boolean> {
  const end = monotonicMs() + timeoutMs
  while (!(await attempt())) {
    if (monotonicMs() > end) return false
    await sleep(bounds.pollMs)
  }
  return true
}

/** It has exited. Some reasons pass: a rival was quicker, orphans still hold memory, the port was taken. */
async function refuseBadStart(home: Home, launch: Launch, launches: number): Promise<void> {
  const passes = /lock file .* already exists|shared memory block .* still in use|Address already in use/
  const isHopeless = launch.hasRefused() && !passes.test(await launch.complaints())
  if (isHopeless || launches >= bounds.launches) throw await notUp(home, '')
  await sleep(bounds.relaunchPauseMs)
}

async function notUp(home: Home, lastWord: string): Promise<OperatorProblem> {
  const why = lastWord && ` (${lastWord})`
  return new OperatorProblem(
    `PostgreSQL in ${home.instance} does not come up${why}; the end of ${home.logFile} says:\n${await lastLogLines(home, 8)}`,
  )
}

/**
 * The server's watch. PostgreSQL's death ends our connection, which is noticed at once; the timer covers the
 * rest. Answers how to leave.
 */
function keepRunning(place: Place, first: Session): () => Promise<void> {
  const { home, log } = place
  let session = first
  let isStopping = false
  let repairing: Promise<void> | undefined
  let pauseMs: number = bounds.firstRepairPauseMs
  let restUntil = 0

  const check = async () => {
    if (!session.lost && (await isPostmaster(session.pid, home.cluster))) return
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
      session = await enter(place, 'server')
      session.client.on('end', check)
      pauseMs = bounds.firstRepairPauseMs
      log(session.startedHere ? 'PostgreSQL started again' : 'PostgreSQL joined again', { pid: session.pid })
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
    await leaveAsServer(place, session)
  }
}

/** Without the lock there is nothing of ours to stop: PostgreSQL is dead, or another Inlet has taken over. */
async function leaveAsServer({ home, programs, log }: Place, session: Session): Promise<void> {
  if (!session.lost) {
    await waitForOthers(session.client).catch(() => false)
    await stopPostmaster(home, programs, session.pid)
    log('PostgreSQL stopped', { pid: session.pid })
  }
  await session.client.end().catch(() => {})
}

async function leaveAsCommand({ home, programs, log }: Place, session: Session): Promise<void> {
  if (session.startedHere && (await isLast(session.client).catch(() => false))) {
    await stopPostmaster(home, programs, session.pid)
    log('PostgreSQL stopped', { pid: session.pid })
  }
  await session.client.end().catch(() => {})
}

/** True with the users lock held alone: whoever comes now waits until PostgreSQL has gone, and starts it. */
async function isLast(client: pg.Client): Promise<boolean> {
  await ask(client, locks.leaveUsers)
  let isServed = false
  const alone = await within(bounds.otherUsersMs, async () => {
    isServed = !(await ask(client, locks.shareServer))
    if (isServed) return true
    await ask(client, locks.unshareServer)
    return ask(client, locks.takeUsers)
  })
  return alone && !isServed
}

/** Lets commands that run beside a stopping server finish, for a moment. */
async function waitForOthers(client: pg.Client): Promise<boolean> {
  await ask(client, locks.leaveUsers)
  return within(bounds.otherUsersMs, () => ask(client, locks.takeUsers))
}
