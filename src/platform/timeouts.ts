/** Runs a part of an open transaction with its own timeouts. */
import { bounds } from './bounds.ts'
import { queryable, sql, type Timeouts, type Tx } from './db.ts'

/** Restores the timeouts afterwards, except after an error, which rolls the whole transaction back. */
export async function withTimeouts<Result>(
  tx: Tx,
  { statementMs, lockMs = statementMs }: Timeouts,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const before = await tx.one<{ statement: string; lock: string }>(sql`
    select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`)
  await setTimeouts(tx, `${statementMs}ms`, `${lockMs}ms`)
  const answerMs = statementMs + bounds.silenceMs
  const result = await work({
    tx: true,
    ...queryable((statement) => tx.query({ ...statement, answerMs })),
  })
  await setTimeouts(tx, before.statement, before.lock)
  return result
}

const setTimeouts = (tx: Tx, statement: string, lock: string) =>
  tx.query(sql`
    select set_config('statement_timeout', ${statement}, true), set_config('lock_timeout', ${lock}, true)`)
