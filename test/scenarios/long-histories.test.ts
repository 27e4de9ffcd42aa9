/** A deposit with very many entries: its details move in bounded pieces, nothing is lost, and who does not show its history does not read it. */

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { claimPayment, type DepositContext } from '../../src/domain/deposits/change-deposit.ts'
import { findMonthToMove, readDepositHistory, readDetails } from '../../src/domain/deposits/details-store.ts'
import { moveOldDetails } from '../../src/domain/deposits/move-details.ts'
import { findDepositsByToken, findOrders, listDeposits } from '../../src/domain/deposits/read-store.ts'
import { examine } from '../../src/domain/doctor/examine.ts'
import { rejectDeposit } from '../../src/domain/transfers/end-deposit.ts'
import { type Queryable, sql } from '../../src/platform/db.ts'
import { type Fields, openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { ageDeposits } from '../support/old-deposits.ts'

const days = 90
const entries = 6_000
const bytesOfHistory = 64 * 1024
const bytesOfChunk = 131_072

let gateway: TestGateway
let shop: Shop
let context: DepositContext

before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,pay' } })
  shop = await openShop(gateway)
  context = { db: gateway.db, publicUrl: gateway.url, changed: () => {} }
})

type Made = { id: string; order: Fields; token: string }

/** Deposits that an operator has rejected, each after so many claims, as earlier versions recorded them. */
async function madeLong(count: number, claims: number): Promise<Made[]> {
  const made: Made[] = []
  for (let n = 0; n < count; n++) {
    const order = shop.order({ payment_type: 'any_bank', cents: 300_000 + 100 * n })
    const { body, status } = await shop.create(order)
    assert.equal(status, 201)
    await claimPayment(context, { depositId: body.id, actor: 'customer' })
    await gateway.database.owner.script(`
      insert into deposit_history (deposit_id, entry, at, action, from_state, to_state, actor, reason, message, evidence)
      select deposit_id, entry + n, at, action, from_state, to_state, actor, reason, message, evidence
      from deposit_history, generate_series(1, ${claims - 1}) n
      where deposit_id = '${body.id}'`)
    await rejectDeposit(context, { depositId: body.id, actor: 'operator:anna', reason: 'no money came' })
    made.push({ id: body.id, order, token: new URL(body.payment_data.url).pathname.slice('/pay/'.length) })
  }
  await ageDeposits(gateway)
  await gateway.database.owner.script(
    'delete from callback_due; delete from callbacks; analyze deposit_history',
  )
  return made
}

const historyOf = ({ id }: Made, db: Queryable = gateway.db) =>
  readDepositHistory(db, { id, merchantId: null })

const sizes = ({ id }: Made) =>
  gateway.database.owner.one<{ moved: number; left: number; bytes: number }>(sql`
    select
      jsonb_array_length(c.details -> d.id::text -> 'history') as moved,
      (select count(*)::int from deposit_history h where h.deposit_id = d.id) as left,
      octet_length((c.details -> d.id::text -> 'history')::text) as bytes
    from deposits d
    join deposit_details c on c.chunk = d.details_chunk
    where d.id = ${id}`)

const broken = async () => {
  const findings = await examine(gateway, { all: true })
  return findings
    .filter(({ verdict }) => verdict === 'broken')
    .map(({ name, offenders }) => [name, offenders])
}

const move = () => gateway.asOwner((owner) => moveOldDetails(owner, days))

test('whether a long history may move is seen from its newest entry', async () => {
  await madeLong(1, entries)
  const read = await gateway.db.transaction(async (tx) => {
    assert.notEqual(await findMonthToMove(tx, days), undefined)
    return tx.one<{ rows: bigint }>(sql`
      select sum(idx_tup_fetch + coalesce(seq_tup_read, 0))::int8 as rows
      from pg_stat_xact_user_tables
      where relname = 'deposit_history'`)
  })
  assert.ok(read.rows <= 10n, `${read.rows} rows of the history were read`)
  assert.equal(await move(), 1)
})

test('of a long history a bounded part moves, the rest stays in the table, and everybody sees the same', async () => {
  const [long] = (await madeLong(1, entries)) as [Made]
  const [short] = (await madeLong(1, 1)) as [Made]
  const seen = await Promise.all([historyOf(long), historyOf(short)])
  assert.deepEqual([seen[0].length, seen[1].length], [1_000, 3])
  assert.equal(await move(), 2)
  const { moved, left, bytes } = await sizes(long)
  assert.equal(moved + left, entries + 2)
  assert.ok(moved > 10 && bytes <= 1.1 * bytesOfHistory, `${moved} entries moved with ${bytes} bytes`)
  assert.equal((await sizes(short)).left, 0)
  assert.deepEqual(await Promise.all([historyOf(long), historyOf(short)]), seen)
  assert.deepEqual(await broken(), [])
})

test('deposits with long histories share a chunk only while it is small', async () => {
  const made = await madeLong(20, 100)
  assert.equal(await move(), 20)
  const chunks = await gateway.database.owner.query<{ chunk: bigint; bytes: number; deposits: number }>(sql`
    select c.chunk, octet_length(c.details::text) as bytes, count(*)::int as deposits
    from deposits d
    join deposit_details c on c.chunk = d.details_chunk
    where d.id = any(${made.map(({ id }) => id)}::uuid[])
    group by c.chunk`)
  assert.ok(chunks.length > 1, `${chunks.length} chunks`)
  assert.ok(chunks.some(({ deposits }) => deposits > 2))
  for (const { bytes } of chunks) assert.ok(bytes <= bytesOfChunk + 1.2 * bytesOfHistory, `${bytes} bytes`)
  assert.deepEqual(await broken(), [])
})

/** Notes how much of each answer of the database arrives. */
function counted(db: Queryable) {
  const read = { bytes: 0 }
  const query = async (...asked: Parameters<Queryable['query']>) => {
    const rows = await db.query(...asked)
    read.bytes += JSON.stringify(rows, (_name, part) => (typeof part === 'bigint' ? `${part}` : part)).length
    return rows
  }
  const one = async (statement: Parameters<Queryable['query']>[0]) => (await query(statement))[0]
  return { read, db: { query, find: one, one } as unknown as Queryable }
}

test('a chunk of an earlier version with a long history is read without it, and its history from the end', async () => {
  const [long] = (await madeLong(1, 1)) as [Made]
  assert.equal(await move(), 1)
  // As the version before moved it: all entries in the chunk.
  await gateway.database.owner.script(`
    update deposit_details c
    set details = jsonb_set(c.details, '{${long.id},history}', (
      select jsonb_agg(case n
        when 1 then h -> 0
        when ${entries} then jsonb_set(h -> -1, '{0}', to_jsonb(n))
        else jsonb_set(h -> 1, '{0}', to_jsonb(n)) end order by n)
      from generate_series(1, ${entries}) n, (select c.details -> '${long.id}' -> 'history' as h) k))
    where c.chunk = (select details_chunk from deposits where id = '${long.id}');
    alter table deposits disable trigger user;
    update deposits set details_entries = ${entries} where id = '${long.id}';
    alter table deposits enable trigger user`)
  assert.deepEqual(await broken(), [])
  const key = { merchantId: shop.merchant, orderId: String(long.order.order_id) }
  const filter = { merchantId: shop.merchant, state: null, from: null, to: null, after: null, limit: 1 }
  const readers: [string, (db: Queryable) => Promise<unknown>][] = [
    ['the repetition of its order', (db) => findOrders(db, [key])],
    ['its page', (db) => findDepositsByToken(db, [long.token])],
    ['the list', (db) => listDeposits(db, filter)],
  ]
  for (const [name, look] of readers) {
    const { read, db } = counted(gateway.db)
    const text = JSON.stringify([...((await look(db)) as Iterable<unknown>)], (_name, part) =>
      typeof part === 'bigint' ? `${part}` : part,
    )
    assert.ok(text.includes('"bank_name"'), name)
    assert.ok(read.bytes < 8 * 1024, `${name}: ${read.bytes} bytes`)
  }
  const { read, db } = counted(gateway.db)
  const history = await historyOf(long, db)
  assert.deepEqual([history.length, history.at(-1)!.action], [1_000, 'reject'])
  assert.ok(read.bytes < 1_100 * 300, `${read.bytes} bytes`)
  const { detailsChunk } = await gateway.db.one<{ detailsChunk: bigint }>(
    sql`select details_chunk as "detailsChunk" from deposits where id = ${long.id}`,
  )
  const few = (await readDetails(gateway.db, [{ id: long.id, detailsChunk }], 2)).get(long.id)!
  assert.deepEqual(
    few.history.map(([entry]) => entry),
    [entries - 1, entries],
  )
})

test('the page says that the customer gave up, wherever the entry of it is', async () => {
  const [mine, other] = (await madeLong(2, 900)) as [Made, Made]
  await gateway.database.owner.script(`
    update deposit_history set actor = 'customer' where deposit_id = '${mine.id}' and action = 'reject'`)
  const gaveUp = async () => {
    const pages = await findDepositsByToken(gateway.db, [mine.token, other.token])
    return [mine, other].map(({ token }) => pages.get(token)!.gaveUp)
  }
  assert.deepEqual(await gaveUp(), [true, false])
  assert.equal(await move(), 2)
  assert.ok((await sizes(mine)).left > 0)
  assert.deepEqual(await gaveUp(), [true, false])
})
