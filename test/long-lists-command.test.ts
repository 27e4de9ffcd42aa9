/** Commands that print a list print all of it, however long it is. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { fragment, type Statement, sql } from '../src/platform/db.ts'
import { commandsOn, json } from './support/command.ts'
import { startGateway, type TestGateway } from './support/gateway.ts'

let gateway: TestGateway
before(async () => {
  gateway = await startGateway()
  await commandsOn(gateway)
})

/** All rows of one statement have the same time, so only their ids tell where a page ends. */
const ids = fragment`select gen_random_uuid() as id, n from generate_series(1, 5001) n`

for (const { words, rows, insert } of [
  {
    words: ['account', 'list'],
    rows: 'accounts',
    insert: sql`
      insert into receiving_accounts (id, mode, currency, label, owner_legal_name, owner_public_name, owner_tax_id,
        owner_agreement, added_by)
      select id, 'test', 'RUB', 'Account ' || n, 'Owner', 'Owner', '7700000009', 'No. 1', 'ann' from (${ids}) new`,
  },
  {
    words: ['requisite', 'list'],
    rows: 'requisites',
    insert: sql`
      with added as (
        insert into requisites (id, account_id, mode, currency, kind, number, holder, bank_name)
        select new.id, a.id, a.mode, a.currency, case when n % 2 = 0 then 'card' else 'phone' end, n::text, 'Owner', 'Bank'
        from (${ids}) new, (select id, mode, currency from receiving_accounts order by id limit 1) a
        returning id
      )
      insert into requisite_loads (requisite_id)
      select id from added`,
  },
] satisfies { words: string[]; rows: string; insert: Statement }[]) {
  test(`inlet ${words.join(' ')} prints more than 5,000 rows, each once`, async () => {
    const idsOf = async () =>
      ((await json(...words))[rows] as { id?: string; merchant?: string; entry?: string }[]).map(
        (row) => row.entry ?? row.id ?? row.merchant,
      )
    const known = await idsOf()
    await gateway.database.owner.query(insert)
    const listed = await idsOf()
    assert.equal(listed.length, known.length + 5001)
    assert.equal(new Set(listed).size, listed.length)
  })
}
