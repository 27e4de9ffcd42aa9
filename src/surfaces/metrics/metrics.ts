/**
 * What Inlet measures of itself, under names and with help texts for the person who looks at the dashboard.
 *
 * Two kinds of numbers: what this process did (counters and histograms; added up over processes) and what the
 * database holds (the same from every process; the maximum). The latter are read at a scrape,
 * cached for a few seconds, and left out while the database is away. Processes that share a port have one answer.
 */
import { readBackupState } from '../../domain/backups/store.ts'
import type { Outcome } from '../../domain/callbacks/delivery/phases.ts'
import { type DepositState, depositStates } from '../../domain/deposits/deposit.ts'
import { monotonicMs } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { createRegistry, type MetricFamily } from '../../platform/metrics.ts'
import { watchProcess } from '../../platform/process-health.ts'
import type { RefusalCode } from '../../platform/refusals.ts'
import { lossRiskOf, readReplication } from '../../platform/replication.ts'
import { type LaneReading, laneViews, readLanes, readOpenDeposits, readPulse } from './store.ts'

const metricsBounds = {
  /** Two scrapers, or an impatient one, cost the database one look. */
  readMs: 5_000,
  /** Prometheus gives a scrape ten seconds: a database that hangs must not eat them. */
  databaseMs: 2_000,
  /** A query that was lost with its connection is not waited for forever. */
  lostMs: 30_000,
  queuedPerLane: 100_000,
  dead: 100_000,
} as const

type CreateOutcome = 'created' | 'replayed' | RefusalCode

/** The figures of delivery: see its stats(). */
export type DeliveryView = {
  inFlight: number
  unwritten: number
  outcomes: Readonly<Record<Outcome, number>>
}

type MeasuredParts = {
  db: Db
  peopleDb: Db
  /** Creates that wait for the next commit. */
  waitingCreates: () => number
  /** undefined where this process delivers nothing. */
  delivery: () => DeliveryView | undefined
  /** Its WAL is stored by Inlet itself. */
  isEmbedded?: boolean
}

export type Metrics = {
  /** One answered create request, however it ended. */
  observeCreate(ms: number, outcome: CreateOutcome): void
  /** One commit of creates, with so many members. */
  observeGroup(members: number): void
  /** Deposits that entered these states. */
  countStates(entered: readonly DepositState[]): void
  collect(): Promise<MetricFamily[]>
  stop(): void
}

export function createMetrics({
  db,
  peopleDb,
  waitingCreates,
  delivery,
  isEmbedded = false,
}: MeasuredParts): Metrics {
  const registry = createRegistry()
  const { counter, gauge, histogram } = registry

  const creates = histogram(
    'inlet_create_duration_seconds',
    'How long create requests took, from the request to the answer, by outcome: created, replayed (a repeated order), refused, failed (our fault).',
    [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10],
  )
  const refused = counter(
    'inlet_create_refusals_total',
    'Create requests that were not served, by the code of the refusal.',
  )
  const entered = counter(
    'inlet_deposits_total',
    'Deposits that entered a state through this process. Changes by the command line are not in it.',
  )
  const groups = histogram(
    'inlet_group_commit_size',
    'How many creates shared one commit. It grows with the load.',
    [1, 2, 5, 10, 20, 50, 100, 200],
  )
  const waiting = gauge('inlet_group_commit_waiting', 'Creates that wait for the next commit now.')

  const up = gauge(
    'inlet_database_up',
    '1 when the database answers this process, 0 when it does not.',
    'min',
  )
  const connections = gauge(
    'inlet_database_connections',
    "This process's connections to the database: used or idle, for money (creates, pages, workers) or for people (consoles, other requests).",
  )
  const queries = gauge(
    'inlet_database_waiting',
    'Work of this process that waits for a free connection. Above zero for long: the pool is too small, or the database too slow.',
  )

  const loopDelay = gauge(
    'inlet_event_loop_delay_seconds',
    'How late the event loop ran since the last scrape, at the median, the 99th percentile and at worst. High: the process has too little CPU.',
    'max',
  )
  const memory = gauge('inlet_process_resident_memory_bytes', 'Memory that this process holds.')

  const attempts = counter(
    'inlet_callback_attempts_total',
    'Callbacks sent by this process, by what came of them: ok, retry (again later), dead (given up), probe (a failing endpoint was tried).',
  )
  const inFlight = gauge('inlet_callback_in_flight', 'Callbacks that this process is sending now.')
  const unwritten = gauge(
    'inlet_callback_results_unwritten',
    'Results of sendings that this process has not written to the database yet.',
  )

  const fromDatabase = databaseGauges.map(([name, help, read]) => ({ gauge: gauge(name, help, 'max'), read }))

  // A row that begins at zero lets the first increase be seen.
  for (const state of depositStates) entered.add(0, { state })
  refused.add(0, { code: 'no_requisite_available' })

  const health = watchProcess()
  const readings = cached(() => readDatabase(db, isEmbedded))

  registry.onCollect(() => {
    waiting.set(waitingCreates())
    for (const [pool, { total, idle, waiting: waitingQueries }] of [
      ['money', db.pool],
      ['people', peopleDb.pool],
    ] as const) {
      connections.set(total - idle, { pool, state: 'used' })
      connections.set(idle, { pool, state: 'idle' })
      queries.set(waitingQueries, { pool })
    }
    const { medianSeconds, p99Seconds, maxSeconds } = health.eventLoopDelay()
    loopDelay.set(medianSeconds, { quantile: '0.5' })
    loopDelay.set(p99Seconds, { quantile: '0.99' })
    loopDelay.set(maxSeconds, { quantile: '1' })
    memory.set(health.residentBytes())
    const view = delivery()
    if (!view) return
    inFlight.set(view.inFlight)
    unwritten.set(view.unwritten)
    for (const [outcome, count] of Object.entries(view.outcomes)) attempts.set(count, { outcome })
  })

  registry.onCollect(async () => {
    const reading = await within(metricsBounds.databaseMs, readings()).catch(() => undefined)
    up.set(reading ? 1 : 0)
    for (const { gauge, read } of fromDatabase) {
      gauge.clear()
      const figures = reading ? read(reading) : null
      if (typeof figures === 'number') gauge.set(figures)
      else for (const [value, labels] of figures ?? []) gauge.set(value, labels)
    }
  })

  return {
    observeCreate(ms, outcome) {
      creates.observe(ms / 1000, { outcome: kindOf(outcome) })
      if (outcome === 'created') entered.add(1, { state: 'created' })
      else if (outcome !== 'replayed') refused.add(1, { code: outcome })
    },
    observeGroup: (members) => groups.observe(members),
    countStates(states) {
      for (const state of states) entered.add(1, { state })
    },
    collect: registry.collect,
    stop: health.stop,
  }
}

type Reading = Awaited<ReturnType<typeof readDatabase>>

async function readDatabase(db: Db, isEmbedded: boolean) {
  const backup = await readBackupState(db)
  return {
    open: await readOpenDeposits(db),
    lanes: await readLanes(db, metricsBounds.queuedPerLane),
    pulse: await readPulse(db, metricsBounds.dead),
    replication: await readReplication(db),
    backup,
    /** Where Inlet makes the backups itself. */
    own: backup.is_on ? backup : null,
    /** Where a PostgreSQL of the operator's own stores its WAL. */
    watched: !isEmbedded && backup.archives ? backup : null,
  }
}

/** One figure, several with labels, or nothing where there is none. */
type Figures = number | null | undefined | readonly [value: number, labels: Record<string, string>][]

const byState = (rows: readonly LaneReading[], figure: Exclude<keyof LaneReading, 'view'>): Figures =>
  laneViews.map((state) => [rows.find(({ view }) => view === state)?.[figure] ?? 0, { state }])

/** What the database holds, the same from every process. */
const databaseGauges: readonly [name: string, help: string, read: (reading: Reading) => Figures][] = [
  [
    'inlet_deposits_open',
    'Deposits with issued requisites that wait for money. The same from every process.',
    ({ open }) => open.map(({ deposits, ...labels }) => [deposits, labels]),
  ],
  [
    'inlet_deposits_overdue_seconds',
    'How long the oldest open deposit has been past its deadline. Above some seconds: the expiry sweep is behind or nobody runs it.',
    ({ pulse }) => pulse.overdue_seconds,
  ],
  [
    'inlet_account_silent_seconds',
    'How long the longest silent receiving account has been without a transfer, statement or push, among the live ones that are silent for longer than the hours set for them. 0: none is.',
    ({ pulse }) => pulse.silent_seconds,
  ],
  [
    'inlet_callback_queue',
    'Undelivered callbacks by what their endpoint does: active, open (rests after failures), waiting (no address), paused. Counted up to 100000 for each endpoint.',
    ({ lanes }) => byState(lanes, 'queued'),
  ],
  [
    'inlet_callback_oldest_due_seconds',
    'How long the oldest callback that should have been sent by now has been waiting, by what its endpoint does.',
    ({ lanes }) => byState(lanes, 'oldest_due_seconds'),
  ],
  [
    'inlet_callback_endpoints',
    "Merchants' endpoints by what they do: active, open (rests after failures), waiting (no address), paused.",
    ({ lanes }) => byState(lanes, 'lanes'),
  ],
  [
    'inlet_callback_endpoints_failing',
    'Active endpoints whose last attempts failed.',
    ({ pulse }) => pulse.failing_lanes,
  ],
  [
    'inlet_callback_failing_seconds',
    'How long the longest failing active endpoint has been without a success. At 120 hours it is paused.',
    ({ pulse }) => pulse.failing_seconds,
  ],
  [
    'inlet_callbacks_dead',
    'Callbacks that were given up and can be replayed. Counted up to 100000.',
    ({ pulse }) => pulse.dead,
  ],
  [
    'inlet_callback_queue_dead_rows',
    'Rows of the callback queue that are gone and not yet cleared away. They stay while some session of the database holds an old snapshot (a long query, a forgotten transaction), and make delivery slower.',
    ({ pulse }) => pulse.queue_dead_rows,
  ],
  [
    'inlet_replication_can_lose',
    '1 when a failover could lose acknowledged deposits (asynchronous standbys, or commits that do not wait for one), 0 when not. inlet doctor says why.',
    ({ replication }) => (lossRiskOf(replication) === undefined ? 0 : 1),
  ],
  [
    'inlet_heartbeat_age_seconds',
    'Since when no process with the role worker was seen.',
    ({ pulse }) => pulse.heartbeat_seconds,
  ],
  [
    'inlet_backup_full_age_seconds',
    'Since when there is no newer full backup. Absent where none is made by Inlet.',
    ({ own }) => own?.full_age_seconds,
  ],
  [
    'inlet_backup_full_bytes',
    'What the newest full backup takes where it is stored.',
    ({ own }) => own?.full_bytes,
  ],
  [
    'inlet_backup_wal_age_seconds',
    'Since when finished segments of WAL are not stored. At most five minutes more would be lost with the machine.',
    ({ own }) => own?.wal_age_seconds,
  ],
  [
    'inlet_backup_failing',
    '1 while finished WAL cannot be stored.',
    ({ own }) => own && Number(own.wal_problem !== null),
  ],
  [
    'inlet_backup_warning',
    '1 while the last full backup, or the deletion of old ones, has failed. inlet doctor says what.',
    ({ own }) => own && Number(own.full_problem !== null),
  ],
  [
    'inlet_wal_archived_age_seconds',
    'A PostgreSQL of your own with archive_mode: since when its archive_command has finished no segment of WAL.',
    ({ watched }) => watched?.archive_age_seconds,
  ],
  [
    'inlet_wal_archive_failing',
    '1 while the archive_command of a PostgreSQL of your own fails.',
    ({ watched }) => watched && Number(watched.archive_fails),
  ],
  [
    'inlet_backup_drill_age_seconds',
    'Since when no backup was restored as a drill.',
    ({ backup }) => backup.drill_age_seconds,
  ],
  [
    'inlet_backup_drill_ok',
    '1 when the backup of the last drill could be restored and every check held in it.',
    ({ backup }) => (backup.drill_ok === null ? null : Number(backup.drill_ok)),
  ],
  [
    'inlet_backup_drill_loss_seconds',
    'How much the last drill would have lost (RPO).',
    ({ backup }) => backup.drill_loss_seconds,
  ],
  [
    'inlet_backup_drill_restore_seconds',
    'How long the last drill took until its copy could serve (RTO).',
    ({ backup }) => backup.drill_seconds,
  ],
]

/** An empty pool of requisites is an answer; a fault, or a database that is away, is our failure. */
function kindOf(outcome: CreateOutcome): 'created' | 'replayed' | 'refused' | 'failed' {
  if (outcome === 'created' || outcome === 'replayed') return outcome
  return ['internal_error', 'service_unavailable', 'overloaded'].includes(outcome) ? 'failed' : 'refused'
}

/** Caches a result for a while, and shares a running read. Failures are not cached. */
function cached<Result>(look: () => Promise<Result>): () => Promise<Result> {
  let last: Promise<Result> | undefined
  let until = 0
  return () => {
    if (last && monotonicMs() < until) return last
    until = monotonicMs() + metricsBounds.lostMs
    last = look().then(
      (result) => {
        until = monotonicMs() + metricsBounds.readMs
        return result
      },
      (error) => {
        until = 0
        throw error
      },
    )
    return last
  }
}

/** After the deadline the work goes on, but is no longer awaited. */
function within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('not in time')), ms)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
