/**
 * Access to PostgreSQL: a pool, the `sql` tag, transactions with bounded retry. SQL text is fixed at the
 * place where it is written; values are sent separately, so nothing a client sends can become SQL. Each text becomes
 * a prepared statement on first use.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'
import { bounds } from './bounds.ts'
import { monotonicMs } from './clock.ts'
import { urlPerHost } from './database-hosts.ts'
import { endWhenSilent, send } from './db-connection.ts'
import { isCrowded, isDatabaseAway, isRetryable, isSilence, sqlState, UnsafeServer } from './db-errors.ts'

export type Login = { host: string; port: number; database: string; user: string; password: string }

/**
 * How to connect: a login of its own, or a connection string (several hosts allowed). No statement names the schema, so
 * several installations can live in one database, each in its own.
 */
export type Address = (Login | { url: string }) & { schema?: string }

/** `answerMs`: after how many milliseconds without an answer the connection is given up, if not after the default of the pool. */
export type Statement = { text: string; name: string; values: unknown[]; answerMs?: number }

export type Queryable = {
  query<Row>(statement: Statement): Promise<Row[]>
  /** The first row, if there is one. */
  find<Row>(statement: Statement): Promise<Row | undefined>
  /** The row of a statement that always returns one. */
  one<Row>(statement: Statement): Promise<Row>
  /** Whether a row was found, or was changed and returned. */
  has(statement: Statement): Promise<boolean>
  /** Runs a statement whose rows nobody needs. */
  run(statement: Statement): Promise<void>
}
export type Tx = Queryable & { readonly tx: true }
/**
 * How long each statement of an unusually long transaction may take, including waits for locks. `lockMs`: how
 * long it may wait for a lock, where that is less.
 */
export type Timeouts = { statementMs: number; lockMs?: number }
export type Db = Queryable & {
  /** Runs queries pipelined over one connection: none waits for the answer to another. */
  together<Result>(ask: (db: Queryable) => Promise<Result>): Promise<Result>
  transaction<Result>(work: (tx: Tx) => Promise<Result>, timeouts?: Timeouts): Promise<Result>
  /** Opens every connection that it keeps open. */
  warmUp(): Promise<void>
  /** Runs a text of several statements as it is: migrations only. */
  script(text: string): Promise<void>
  readonly schema: string
  pool: { total: number; idle: number; waiting: number }
  /** A write was refused because the disk is full, and none that needs space has succeeded since. */
  disk: { isFull: boolean }
  close(): Promise<void>
}

// bigint columns are amounts and counters: a JavaScript number would round them past 2^53.
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, BigInt)
// A sum of bigints: it may be larger than any of them. Whatever has decimals is cast to a float.
types.setTypeParser(pg.types.builtins.NUMERIC, BigInt)
// Our sessions have times as UTC, which JavaScript reads itself. What is left to the driver is infinity.
const driverTime = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ)
types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (text: string) =>
  text.endsWith('+00') ? new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`) : driverTime(text),
)
types.setTypeParser(pg.types.builtins.DATE, (text: string) => text)

const names = new WeakMap<TemplateStringsArray, { text: string; name: string }>()
let statements = 0

/** A piece of SQL that several statements share, such as a list of columns or a condition with its values. */
export class Fragment {
  readonly strings: TemplateStringsArray
  readonly holes: readonly unknown[]
  constructor(strings: TemplateStringsArray, holes: readonly unknown[]) {
    this.strings = strings
    this.holes = holes
  }
}
export const fragment = (strings: TemplateStringsArray, ...holes: unknown[]) => new Fragment(strings, holes)

/** Every other id is smaller: where a list that is read from its end begins. */
export const lastUuid = fragment`'ffffffff-ffff-ffff-ffff-ffffffffffff'`

/**
 * A statement: its text is fixed where it is written, so a hole holds the same fragment each time, or a value each time.
 * Values become parameters, numbered through all fragments.
 */
export function sql(strings: TemplateStringsArray, ...holes: unknown[]): Statement {
  let known = names.get(strings)
  if (!known) {
    let number = 0
    known = { text: textOf(strings, holes, () => ++number), name: `s${++statements}` }
    names.set(strings, known)
  }
  return { ...known, values: valuesOf(holes) }
}

const textOf = (strings: TemplateStringsArray, holes: readonly unknown[], next: () => number): string =>
  strings.reduce((before, part, index) => {
    const hole = holes[index - 1]
    return before + (hole instanceof Fragment ? textOf(hole.strings, hole.holes, next) : `$${next()}`) + part
  })

const valuesOf = (holes: readonly unknown[]): unknown[] =>
  holes.flatMap((hole) => (hole instanceof Fragment ? valuesOf(hole.holes) : [hole]))

/** The same statement without a prepared plan: it is planned at each use. */
export const unprepared = (statement: Statement): Statement => ({ ...statement, name: '' })

const transactionAttempts = 5

const openTransaction = new AsyncLocalStorage<true>()
export const isTransactionOpen = (): boolean => openTransaction.getStore() === true

type DatabaseOptions = {
  /** The name under which the server lists the connections. */
  name?: string
  role?: string
  connections?: number
  /** How many are opened at the start and kept: a login costs milliseconds of CPU, which busy hours do not have. */
  keptOpen?: number
  /** No timeout: for commands, which a person can stop. */
  hasNoStatementTimeout?: boolean
}

export function openDatabase(address: Address, options: DatabaseOptions = {}): Db {
  const { schema = 'inlet', ...login } = address
  const settings = [
    `search_path=${schema}`,
    'timezone=UTC',
    `statement_timeout=${options.hasNoStatementTimeout ? 0 : bounds.statementTimeoutMs}`,
    `lock_timeout=${bounds.lockTimeoutMs}`,
    'idle_in_transaction_session_timeout=15000',
    // Plans are kept per connection, those of foreign keys too. One made while a table was empty would read the
    // whole table when it is large: every lookup of ours has an index, so always take it.
    'enable_seqscan=off',
    // On by default, and because of enable_seqscan=off every plan looks expensive enough for it:
    // compiling our short statements took 12 to 47 times as long as running them.
    'jit=off',
    ...(options.role ? [`role=${options.role}`] : []),
  ]
  const ours = settings.map((setting) => `-c ${setting}`).join(' ')
  const hosts = 'url' in login ? urlPerHost(login.url).map((url) => withOptions(url, ours)) : []
  let host = 0
  const { connections = bounds.databaseConnections.money, keptOpen = 0 } = options
  const answerMs = options.hasNoStatementTimeout ? 0 : bounds.statementTimeoutMs + bounds.silenceMs
  const pool = new pg.Pool({
    ...('url' in login ? hosts[host] : { ...login, options: ours }),
    onConnect(client) {
      endWhenSilent(client)
      return checkServer(client, { mustWrite: hosts.length > 1, schema, answerMs })
    },
    max: connections,
    min: keptOpen,
    connectionTimeoutMillis: 3_000,
    keepAlive: true,
    // Queries are sent without waiting for the answers of earlier ones.
    pipeline: true,
    idleTimeoutMillis: 60_000,
    application_name: options.name ?? 'inlet tool',
    types,
  })
  // An idle connection that dies is dropped by the pool; the next query opens another.
  pool.on('error', () => {})

  /** Tries each of several hosts once, starting with the one that served last. */
  const connect = async (): Promise<pg.PoolClient> => {
    for (let asked = 1; ; asked++) {
      const tried = host
      try {
        return await pool.connect()
      } catch (error) {
        if (asked >= hosts.length || !isDatabaseAway(error) || isCrowded(error)) throw error
        // Many may fail at once: only the first moves on to the next host.
        if (host === tried) host = (tried + 1) % hosts.length
        Object.assign(pool.options, hosts[host])
      }
    }
  }

  const disk = { isFull: false }
  const ask = async <Row>(client: pg.PoolClient, statement: Statement) => {
    try {
      return (await send(client, statement, statement.answerMs ?? answerMs)).rows as Row[]
    } catch (error) {
      // The driver's own trace ends where it read the answer; this one leads to the caller.
      Error.captureStackTrace(error as Error)
      if (sqlState(error) === '53100') disk.isFull = true
      throw error
    }
  }

  /** Outside of transactions. After a fault the connection is not used again, unless only the statement failed. */
  const lend = <Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> =>
    borrow(connect, (client, giveUp) =>
      work(client).catch((fault: Error & { severity?: string }) => {
        if (fault.severity !== 'ERROR') giveUp(fault)
        throw fault
      }),
    )

  const once = <Result>(work: (tx: Tx) => Promise<Result>, timeouts?: Timeouts): Promise<Result> =>
    borrow(connect, async (client, giveUp) => {
      const control = (text: string) => send(client, text, answerMs)
      try {
        // Not awaited: the first statement follows at once. If "begin" fails, the connection is gone and that one fails too.
        control('begin').catch(() => {})
        if (timeouts) {
          const { statementMs, lockMs = statementMs } = timeouts
          await control(`set local statement_timeout = ${statementMs}; set local lock_timeout = ${lockMs}`)
        }
        const given = timeouts && { answerMs: timeouts.statementMs + bounds.silenceMs }
        const tx = queryable((statement) => ask(client, { ...given, ...statement }))
        const result = await work({ tx: true, ...tx })
        await control('commit')
        return result
      } catch (error) {
        // A connection that cannot even roll back is thrown away; the server undoes its work.
        if (isSilence(error) || sqlState(error) === '25006') giveUp(error as Error)
        else await control('rollback').catch(giveUp)
        throw error
      }
    })

  return {
    ...queryable((statement) => lend((client) => ask(client, statement))),
    together: (work) => lend((client) => work(queryable((statement) => ask(client, statement)))),
    async transaction(work, timeouts) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await openTransaction.run(true, () => once(work, timeouts))
        } catch (error) {
          if (!isRetryable(error) || attempt >= transactionAttempts) throw error
        }
      }
    },
    async warmUp() {
      const opened = await Promise.allSettled(Array.from({ length: keptOpen }, connect))
      for (const result of opened) if (result.status === 'fulfilled') result.value.release()
      const failed = opened.find((result) => result.status === 'rejected')
      if (failed) throw failed.reason
    },
    async script(text) {
      await lend((client) => send(client, text, answerMs))
    },
    get pool() {
      return { total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }
    },
    schema,
    disk,
    close: () => pool.end(),
  }
}

/** Rows for `json_to_recordset`, as one parameter. Whole numbers are texts: JSON has none of their size. */
export const jsonRows = (rows: readonly object[]): string =>
  JSON.stringify(rows, (_name, value) => (typeof value === 'bigint' ? value.toString() : value))

/** The database for a verb that is called in an open transaction: what it does in one of its own, it does in that one. */
export const within = (tx: Tx, db: Db): Db => ({
  ...db,
  ...queryable((statement) => tx.query(statement)),
  together: (ask) => ask(tx),
  transaction: (work) => work(tx),
})

/** Every method goes through `query`, so a replaced `query` sees every statement. */
export const queryable = (query: Queryable['query']): Queryable => ({
  query,
  async find<Row>(statement: Statement) {
    return (await this.query<Row>(statement))[0]
  },
  async one<Row>(statement: Statement) {
    return (await this.query<Row>(statement))[0]!
  },
  async has(statement) {
    return (await this.query(statement)).length > 0
  },
  async run(statement) {
    await this.query(statement)
  },
})

/** The driver would use the options of the address instead of ours: both are joined, ours last, so that they win. */
function withOptions(url: string, ours: string): { connectionString: string; options: string } {
  const [login = '', query] = url.split(/\?(.*)/s)
  const asked = new URLSearchParams(query)
  const options = `${asked.get('options') ?? ''} ${ours}`.trim()
  asked.delete('options')
  return { connectionString: asked.size > 0 ? `${login}?${asked}` : login, options }
}

/**
 * Checked on each connection, because a login or a database can have its own settings. A standby
 * answers queries but cannot store deposits; and a server that acknowledges a commit before it is durable
 * could lose deposits that we have acknowledged.
 */
async function checkServer(
  client: pg.ClientBase,
  { mustWrite, schema, answerMs }: { mustWrite: boolean; schema: string; answerMs: number },
): Promise<void> {
  // Only functions: anything else would make a new session read the system catalogs first.
  const { rows } = await send(
    client,
    `select
      current_setting('transaction_read_only') as read_only, current_setting('search_path') as path,
      current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
      current_setting('synchronous_commit') as synchronous_commit`,
    answerMs,
  )
  const [{ read_only: readOnly, path, ...kept }] = rows as [Record<string, string>]
  // PgBouncer drops the options of a connection, and may give its session to another client after each transaction.
  if (path !== schema)
    throw new UnsafeServer(
      'A pooler in front of PostgreSQL drops the settings of connections. Inlet has a pool of its own: connect it to PostgreSQL directly.',
    )
  const unsafe = Object.keys(kept).filter((name) => kept[name] === 'off')
  if (unsafe.length > 0)
    throw new UnsafeServer(
      `PostgreSQL runs with ${unsafe.join(', ')} off for this login: an acknowledged deposit could be lost. Switch it on.`,
    )
  if (mustWrite && readOnly !== 'off')
    throw Object.assign(new Error('This server is read-only.'), { code: '25006' })
}

/** Lends a connection for the work; afterwards it goes back to the pool, or is closed if it was given up. */
async function borrow<Result>(
  connect: () => Promise<pg.PoolClient>,
  work: (client: pg.PoolClient, giveUp: (fault: Error) => void) => Promise<Result>,
): Promise<Result> {
  const client = await connect()
  let broken: Error | undefined
  const giveUp = (fault: Error) => {
    broken = fault
  }
  // A connection may die between two statements, when no query gets the error: without a listener that
  // would end the process. The next statement then fails.
  client.on('error', giveUp)
  try {
    return await work(client, giveUp)
  } finally {
    client.off('error', giveUp)
    client.release(broken)
  }
}

/** The database's time, advanced by the monotonic clock of this process. */
export async function readClock(db: Db): Promise<() => Date> {
  const asked = monotonicMs()
  const [row] = await db.query<{ now: Date }>(sql`select inlet_now() as now`)
  return () => new Date(row!.now.getTime() + (monotonicMs() - asked))
}

/** The database's time, read at most once a second. */
export function cachedDatabaseTime(db: Db): () => Promise<Date> {
  let asked = Number.NEGATIVE_INFINITY
  let clock: Promise<() => Date> | undefined
  return async () => {
    if (!clock || monotonicMs() - asked > 1_000) {
      asked = monotonicMs()
      clock = readClock(db)
      clock.catch(() => {
        clock = undefined
      })
    }
    return (await clock)()
  }
}

/** How many connections the server has for logins without privileges. */
export async function readAllowedConnections(db: Db): Promise<number> {
  const { allowed } = await db.one<{ allowed: number }>(sql`
    select
      current_setting('max_connections')::int
      - current_setting('superuser_reserved_connections')::int
      - coalesce(current_setting('reserved_connections', true)::int, 0) as allowed`)
  return allowed
}

/** Whether the database answers and can be written to. */
export async function readinessOf(db: Db): Promise<'reachable' | 'full' | 'away'> {
  try {
    const [row] = await db.query<{ is_writable: boolean }>(
      sql`select current_setting('transaction_read_only') = 'off' as is_writable`,
    )
    if (!row!.is_writable) return 'away'
    if (db.disk.isFull) await probeDisk(db)
    return 'reachable'
  } catch (error) {
    return sqlState(error) === '53100' ? 'full' : 'away'
  }
}

/** Tries a write that needs space, about a megabyte, and rolls it back. */
async function probeDisk(db: Db): Promise<void> {
  const undo = new Error('There is space.')
  const probing = db.transaction(async (tx) => {
    await tx.query(sql`
      insert into used_once (digest, expires_at)
      select sha256(gen_random_uuid()::text::bytea), inlet_now()
      from generate_series(1, 8000)`)
    throw undo
  })
  await probing.catch((error) => {
    if (error !== undo) throw error
  })
  db.disk.isFull = false
}
