/** Whoever wraps a database passes the time-outs on that a transaction is given. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { audited } from '../../src/domain/audit/audited.ts'
import { whileNotUndone } from '../../src/domain/statements/undo/while-not-undone.ts'
import { newId } from '../../src/platform/clock.ts'
import { type Db, openDatabase, type Queryable, sql } from '../../src/platform/db.ts'
import { withinTransaction } from '../../src/platform/within-transaction.ts'
import { holding } from '../../src/surfaces/desk/queue/holding.ts'
import { atEnd } from '../support/clean-up.ts'
import { createDatabase } from '../support/database.ts'

const statementId = newId()
const personId = newId()
let db: Db

before(async () => {
  const { login, owner } = await createDatabase()
  db = openDatabase(login, { role: 'inlet_runtime', connections: 2 })
  atEnd(() => db.close())
  await owner.script(`
    insert into people (id, email, name) values ('${personId}', 'a@example.com', 'A');
    insert into work_claims (item, person_id, until)
    select item, '${personId}', now() + interval '1 day' from unnest(array['deposit:1', 'deposit:2']) as item;
    insert into statements (id, mode, digest, file_name, format, taken_by)
    values ('${statementId}', 'test', '\\x01', 'f', 'camt', 'x')`)
})

const draft = {
  ...{ personId: null, actor: 'test', act: 'test', subject: 'test:1', merchantId: null, reason: '' },
  ...{ before: null, after: null, requestId: null },
}
const words = { takenBy: () => '', takeFirst: '' }

const wrapped: Record<string, (work: (db: Db) => Promise<unknown>) => Promise<unknown>> = {
  'a plain database': (work) => work(db),
  audited: (work) => work(audited(db, draft)),
  holding: (work) => work(holding(db, { item: 'deposit:1', personId, words })),
  whileNotUndone: (work) => work(whileNotUndone(db, statementId)),
  withinTransaction: (work) => db.transaction((tx) => work(withinTransaction(db, tx))),
  'audited and holding within a transaction': (work) =>
    db.transaction((tx) => {
      const held = holding(withinTransaction(db, tx), { item: 'deposit:2', personId, words })
      return work(audited(held, draft))
    }),
}

const timeouts = (tx: Queryable) =>
  tx.query(sql`
    select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`)

for (const [name, run] of Object.entries(wrapped)) {
  test(`${name}: a statement ends at the time-out that its transaction was given`, async () => {
    const slow = run((given) =>
      given.transaction((tx) => tx.query(sql`select pg_sleep(60)`), { statementMs: 20 }),
    )
    await assert.rejects(slow, { code: '57014' })
  })

  test(`${name}: both time-outs are set, a longer one too`, async () => {
    await run(async (given) => {
      const [row] = await given.transaction(timeouts, { statementMs: 61_000, lockMs: 3_000 })
      assert.deepEqual(row, { statement: '61s', lock: '3s' })
    })
  })
}

test('within a transaction the time-outs end with the work that they were given for', async () => {
  await db.transaction(
    async (tx) => {
      const [outer] = await timeouts(tx)
      const within = withinTransaction(db, tx)
      await within.transaction(timeouts, { statementMs: 1_000 })
      assert.deepEqual(await timeouts(tx), [outer])
      assert.deepEqual(await within.transaction(timeouts), [outer])
    },
    { statementMs: 7_000 },
  )
})

test('within a transaction the driver waits as long as the server may take', async () => {
  await db.transaction(
    async (tx) => {
      const within = withinTransaction(db, tx)
      // The connection of the outer transaction is given up after 10 ms and two seconds of silence.
      const [row] = await within.transaction(
        (inner) => inner.query(sql`select pg_sleep(2.1)::text as slept`),
        { statementMs: 10_000 },
      )
      assert.deepEqual(row, { slept: '' })
    },
    { statementMs: 10 },
  )
})
