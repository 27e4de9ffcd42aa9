/** Commands that print a list print all of it, page by page. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { fragment, type Statement, sql } from '../src/platform/db.ts'
import { commandsOn, json } from './support/command.ts'
import { type Answer, startGateway, type TestGateway } from './support/gateway.ts'

let gateway: TestGateway
before(async () => {
  gateway = await startGateway()
  await commandsOn(gateway)
})

/** All rows of one statement have the same time, so only their ids tell where a page ends. */
const ids = fragment`select gen_random_uuid() as id, n from generate_series(1, 401) n`

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
  {
    words: ['list', 'list'],
    rows: 'lists',
    insert: sql`
      insert into list_entries (id, list, kind, value, reason, added_by)
      select id, 'block', 'customer', 'customer-' || n, 'A reason', 'ann' from (${ids}) new`,
  },
  {
    words: ['person', 'list'],
    rows: 'people',
    insert: sql`
      insert into people (id, email, name, operator_role, password)
      select id, n || '@shop.example', 'Anna', case when n % 2 = 0 then 'operator' end, '$argon2id$v=19$m=1'
      from (${ids}) new`,
  },
] satisfies { words: string[]; rows: string; insert: Statement }[]) {
  test(`inlet ${words.join(' ')} goes on from page to page, and prints each row once`, async () => {
    const idsOf = async () => {
      const ids: string[] = []
      for (let after: string | null = null, page: Answer['body']; ; after = page.next) {
        page = await json(...words, '--limit', '200', ...(after ? ['--after', after] : []))
        ids.push(...page[rows].map(({ id }: { id: string }) => id))
        if (page.next == null) return ids
      }
    }
    const known = await idsOf()
    await gateway.database.owner.query(insert)
    const listed = await idsOf()
    assert.equal(listed.length, known.length + 401)
    assert.equal(new Set(listed).size, listed.length)
  })
}
