/** The time-outs that a caller gives hold in the whole transaction: in the act, and in everything that surrounds it. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type Hooks, perform } from '../../src/domain/audit/perform.ts'
import { readHead } from '../../src/domain/audit/store.ts'
import { bounds } from '../../src/platform/bounds.ts'
import { type Db, openDatabase, type Queryable, sql, type Timeouts, type Tx } from '../../src/platform/db.ts'
import { atEnd } from '../support/clean-up.ts'
import { createDatabase } from '../support/database.ts'

let db: Db
let owner: Db

before(async () => {
  const database = await createDatabase()
  owner = database.owner
  db = openDatabase(database.login, { role: 'inlet_runtime', connections: 2 })
  atEnd(() => db.close())
})

const draft = {
  ...{ personId: null, actor: 'test', act: 'test', subject: 'test:1', merchantId: null, reason: '' },
  ...{ before: null, after: null, requestId: null },
}
const timeouts = (tx: Queryable) =>
  tx.query(sql`
    select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`)
const sleep = async (tx: Tx) => void (await tx.query(sql`select pg_sleep(60)`))
const nothing = async () => {}

type Part = (work: (tx: Tx) => Promise<void>, given: Timeouts) => Promise<unknown>
const around = (hooks: Hooks, given: Timeouts) => perform(db, { ...hooks, timeouts: given }, nothing)
const parts: Record<string, Part> = {
  'the check': (work, given) => around({ check: work }, given),
  'the act': (work, given) => perform(db, { timeouts: given }, work),
  'the act, with every hook': (work, given) =>
    perform(db, { check: nothing, audit: draft, timeouts: given }, work),
}

for (const [name, run] of Object.entries(parts)) {
  test(`${name}: a statement ends at the time-out that its transaction was given`, async () => {
    await assert.rejects(run(sleep, { statementMs: 20 }), { code: '57014' })
  })

  test(`${name}: both time-outs are set, a longer one too`, async () => {
    const seen: unknown[] = []
    const look = async (tx: Tx) => void seen.push(...(await timeouts(tx)))
    await run(look, { statementMs: 61_000, lockMs: 3_000 })
    assert.deepEqual(seen, [{ statement: '61s', lock: '3s' }])
  })
}

test('the audit line waits for its lock as long as its transaction was given', async () => {
  await owner.transaction(async (tx) => {
    await tx.query(sql`select audit_place from installation for update`)
    await assert.rejects(around({ audit: draft }, { statementMs: 60_000, lockMs: 20 }), { code: '55P03' })
  })
})

test('the hooks of an act run in their order, and the audit entry has the result', async () => {
  const done: string[] = []
  const note = (what: string) => async () => void done.push(what)
  const { place } = await readHead(db)
  const hooks = {
    check: note('check'),
    audit(result: string) {
      done.push(`audit ${result}`)
      return draft
    },
  }
  await perform(db, hooks, async () => {
    done.push('act')
    return 'result'
  })
  assert.deepEqual(done, ['check', 'act', 'audit result'])
  assert.equal((await readHead(db)).place, place + 1n)
})

test('an act whose audit line cannot be written has not happened', async () => {
  const types = () => db.query(sql`select code, enabled from payment_types order by code`)
  const known = await types()
  const broken = perform(db, { audit: { ...draft, act: null as unknown as string } }, (tx) =>
    tx.query(sql`update payment_types set enabled = not enabled returning code`),
  )
  await assert.rejects(broken, { code: '23502' })
  assert.deepEqual(await types(), known)
})

test('a caller without a timeout gets none from the server either, and outlasts the timeout of others', async () => {
  const usual = bounds.statementTimeoutMs
  Object.assign(bounds, { statementTimeoutMs: 50 })
  const { login } = await createDatabase()
  const [patient, other] = [true, false].map((hasNoStatementTimeout) =>
    openDatabase(login, { connections: 1, hasNoStatementTimeout }),
  ) as [Db, Db]
  atEnd(() => Promise.all([patient.close(), other.close()]))
  Object.assign(bounds, { statementTimeoutMs: usual })
  await assert.rejects(other.script('select pg_sleep(0.2)'), { code: '57014' })
  await patient.script('select pg_sleep(0.2)')
  await patient.transaction(async (tx) => void (await tx.query(sql`select pg_sleep(0.2)`)))
})
