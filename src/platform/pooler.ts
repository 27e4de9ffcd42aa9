/**
 * Whether our connections have sessions of their own. A pooler that gives the same session to another client after each
 * transaction (PgBouncer with pool_mode=transaction or statement) would mix up settings, prepared statements and locks.
 */
import type { Db, Queryable, Statement } from './db.ts'
import { OperatorProblem } from './operator-problem.ts'

const looks = 10

const advice = 'Set pool_mode = session for Inlet in PgBouncer, or connect to PostgreSQL directly'

/** Takes two connections of those given. */
export async function refuseSharedSessions(db: Db): Promise<void> {
  try {
    const isShared = await db.together((one) => db.together((other) => shareSessions(one, other)))
    if (isShared) throw new SharedSessions()
  } catch (error) {
    throw explained(error as Error)
  }
}

/** Of two connections. While the other one is inside a transaction, a pooler has to give the first a second session. */
async function shareSessions(one: Queryable, other: Queryable): Promise<boolean> {
  for (let look = 1; look <= looks; look++) {
    const before = await sessionOf(one)
    await other.run(plain('begin'))
    const between = await sessionOf(other)
    const after = await sessionOf(one)
    await other.run(plain('commit'))
    if (between === before || after !== before) return true
  }
  return false
}

/** By its process: pg_stat_activity has its starting time too, but reads the state of every connection to the server for it. */
const sessionOf = async (db: Queryable): Promise<number> =>
  (await db.one<{ session: number }>(session)).session

/** Without a name: a prepared statement would already stumble over what is looked for. */
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
  // PgBouncer's own words.
  if (/statement pooling/.test(error.message)) return new SharedSessions()
  if (/unsupported startup parameter.*options/.test(error.message))
    return new OperatorProblem(
      `PgBouncer refuses the settings that Inlet sends with a connection. ${advice}, and add options to ignore_startup_parameters: Inlet then makes its settings itself.`,
    )
  return error
}
