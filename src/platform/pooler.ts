/**
 * Whether our connections have sessions of their own. A pooler that gives the same session to another client after each
 * transaction (PgBouncer with pool_mode=transaction or statement) would mix up settings, prepared statements and locks.
 */
import type { Db, Queryable, Statement } from './db.ts'
import { OperatorProblem } from './operator-problem.ts'

/** One attempt may get the same session again by chance. */
const attempts = 10

const advice = 'Set pool_mode = session for Inlet in PgBouncer, or connect to PostgreSQL directly'

/** Uses two connections of the pool at once. */
export async function refuseSharedSessions(db: Db): Promise<void> {
  try {
    const isShared = await db.together((one) => db.together((other) => shareSessions(one, other)))
    if (isShared) throw new SharedSessions()
  } catch (error) {
    throw explained(error as Error)
  }
}

/**
 * Whether two connections share sessions of PostgreSQL: the second one, inside a transaction, has the session that the first
 * one had before, or the first one then gets another.
 */
async function shareSessions(one: Queryable, other: Queryable): Promise<boolean> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const before = await sessionOf(one)
    await other.run(plain('begin'))
    const between = await sessionOf(other)
    const after = await sessionOf(one)
    await other.run(plain('commit'))
    if (between === before || after !== before) return true
  }
  return false
}

/** The id of the session's process. A view such as pg_stat_activity would read the state of every connection. */
const sessionOf = async (db: Queryable): Promise<number> =>
  (await db.one<{ session: number }>(session)).session

/** Without a name, so not prepared: behind such a pooler a prepared statement would fail before we know why. */
const plain = (text: string): Statement => ({ text, name: '', values: [] })

const session = plain('select pg_backend_pid() as session')

class SharedSessions extends OperatorProblem {
  constructor() {
    super(
      `A pooler in front of PostgreSQL gives Inlet another session after each transaction, which would mix up prepared statements and locks. ${advice}.`,
    )
  }
}

function explained(error: Error): Error {
  // Messages of PgBouncer.
  if (/statement pooling/.test(error.message)) return new SharedSessions()
  if (/unsupported startup parameter.*options/.test(error.message))
    return new OperatorProblem(
      `PgBouncer refuses the settings that Inlet sends with a connection. ${advice}, and add options to ignore_startup_parameters: Inlet then makes its settings itself.`,
    )
  return error
}
