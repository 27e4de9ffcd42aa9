/** Queries of the fake bank (payees and sent transfers) and of the demo. */

import { bounds } from '../../platform/bounds.ts'
import { type Queryable, sql, type Tx } from '../../platform/db.ts'
import type { Mode } from '../merchants/merchant.ts'
import type { Payment } from '../transfers/transfer.ts'

/** Serialises concurrent first starts. */
export const lockInstallation = (tx: Tx) => tx.run(sql`select only_row from installation for no key update`)

/** Where a deposit is paid to; null before the customer has chosen a method. */
export type Payee = {
  merchantId: string
  mode: Mode
  accountId: string | null
  /** Payments that it has got, as far as they are counted. */
  parts: number
}

export const findPayee = (db: Queryable, depositId: string) =>
  db.find<Payee>(sql`
    select d.merchant_id as "merchantId", m.mode, d.account_id as "accountId",
      (select count(*)::int
       from (select from allocations a where a.deposit_id = d.id limit ${bounds.fakePayments.ofDeposit}) t) as parts
    from deposits d
    join merchants m on m.id = d.merchant_id
    where d.id = ${depositId}`)

/** The transfers that a source has told under these keys, of each the newest first. */
export const findToldByKey = (
  db: Queryable,
  sourceId: string,
  keys: readonly { accountId: string; key: Buffer }[],
) =>
  db.query<{ key: Buffer; id: string }>(sql`
    select k.key, k.transfer_id as id
    from unnest(
      ${keys.map(({ accountId }) => accountId)}::uuid[],
      ${keys.map(({ key }) => key)}::bytea[]) as asked (account_id, key)
    join transfer_keys k on k.account_id = asked.account_id and k.source_id = ${sourceId} and k.role = 'early' and k.key = asked.key
    join transfers t on t.id = k.transfer_id
    order by t.taken_at desc, t.id desc`)

/** Whether a deposit has more entries than the test bank may add. They are numbered, also those that have moved. */
export const hasManyEntries = (db: Queryable, depositId: string) =>
  db.has(sql`
    select from deposit_history where deposit_id = ${depositId} and entry > ${bounds.fakePayments.entries} limit 1`)

export type SentTransfer = Payment & {
  /** As a statement would name it; an account that has no number is named by its card or phone. */
  account: string
}

type SentFilter = {
  merchantId: string
  /** With what the bank's ids of this merchant's entries begin. */
  ids: string
  from: string | null
  to: string | null
  account: string | null
  limit: number
}

/**
 * The fake bank's entries for this merchant, account by account. Test merchants share accounts: no one gets the
 * transfers of another. Revoked transfers are on no statement.
 */
export const listSent = (db: Queryable, { merchantId, ids, from, to, account, limit }: SentFilter) =>
  db.query<SentTransfer>(sql`
    with named as (
      select a.id,
        coalesce(a.number, (select min(r.number) from requisites r where r.account_id = a.id), a.id::text) as number
      from receiving_accounts a
      where a.mode = 'test'
        and a.id in (
          select d.account_id
          from deposits d
          join merchants m on m.id = d.merchant_id
          where d.merchant_id = ${merchantId} and m.mode = 'test')
    )
    select a.number as account, t.direction, t.cents, t.currency, t.booked_on as "bookedOn",
      t.booked_at as "bookedAt", t.paid_on as "paidOn", t.document_number as "documentNumber",
      t.payer_name as "payerName", t.payer_account as "payerAccount", t.payer_tax_id as "payerTaxId",
      t.payer_bank as "payerBank", t.purpose
    from named a
    join transfers t on t.account_id = a.id
    join bank_sources s on s.id = t.source_id
    where s.kind = 'sandbox'
      and starts_with(t.bank_id, ${ids})
      and t.state <> 'revoked'
      and (${from}::date is null or t.booked_on >= ${from}::date)
      and (${to}::date is null or t.booked_on <= ${to}::date)
      and (${account}::text is null or a.number = ${account})
    order by a.number, t.booked_on, t.taken_at, t.id
    limit ${limit}`)

// ── What the demo made ──────────────────────────────────────────────────────────────────────────────────────────

export const markDemoMerchant = (tx: Tx, id: string) =>
  tx.run(sql`update merchants set is_demo = true where id = ${id} and mode = 'test' and not is_demo`)

/** Marks the accounts that this transaction has added. */
export const markDemoAccounts = (tx: Tx) =>
  tx.run(sql`
    update receiving_accounts
    set is_demo = true
    where mode = 'test' and added_by = 'demo' and created_at = inlet_now()`)

export const markDemoPeople = (tx: Tx, ids: readonly string[]) =>
  tx.run(sql`update people set is_demo = true where id = any(${ids}::uuid[])`)

/** What of the demo still gives access. */
export type OpenDemo = {
  people: string[]
  merchants: string[]
  accounts: number
  /** Invitations and resets that its people made. */
  links: number
}

export const readOpenDemo = (db: Queryable) =>
  db.one<OpenDemo>(sql`
    select
      array(
        select p.email
        from people p
        where p.is_demo and p.disabled_at is null
        order by p.email) as people,
      array(
        select m.id::text
        from merchants m
        where m.is_demo
          and (m.enabled
            or exists (
              select from api_keys k
              where k.merchant_id = m.id and (k.not_after is null or k.not_after > inlet_now())))
        order by m.id) as merchants,
      (select count(*)::int
       from receiving_accounts a
       where a.is_demo
         and (a.enabled or exists (select from requisites r where r.account_id = a.id and r.enabled))) as accounts,
      (select count(*)::int
       from sign_in_links l
       join people p on p.id = l.made_by_person
       where p.is_demo and l.used_at is null and l.expires_at > inlet_now()) as links`)

export async function listDemoPeople(tx: Tx): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`select id from people where is_demo order by id`)
  return rows.map(({ id }) => id)
}

export async function closeDemoMerchants(tx: Tx): Promise<void> {
  await tx.query(sql`update merchants set enabled = false where is_demo and enabled`)
  await tx.query(sql`
    update api_keys
    set not_after = inlet_now()
    where merchant_id in (select id from merchants where is_demo)
      and (not_after is null or not_after > inlet_now())`)
}

export async function closeDemoAccounts(tx: Tx): Promise<void> {
  await tx.query(sql`update receiving_accounts set enabled = false where is_demo and enabled`)
  await tx.query(sql`
    update requisites
    set enabled = false
    where account_id in (select id from receiving_accounts where is_demo) and enabled`)
}

/** Withdraws open proposals of the demo's people, so that none is approved by mistake. */
export const withdrawProposals = (tx: Tx, personId: string) =>
  tx.run(sql`
    update proposals
    set state = 'withdrawn', decided_by = proposed_by, decided_at = inlet_now(), decided_reason = 'The demo was removed.'
    where proposed_by = ${personId} and state = 'open'`)

/** People admitted by the demo's people, directly or indirectly, who can still sign in. */
export async function listLetInByDemo(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ email: string }>(sql`
    with recursive known (id) as (
      select id from people where is_demo
      union
      select p.id
      from known k
      join audit_entries e on e.person_id = k.id
      join people p on e.subject = 'person:' || p.id
    )
    select p.email
    from known k
    join people p on p.id = k.id
    where not p.is_demo and p.disabled_at is null
    order by p.email
    limit 100`)
  return rows.map(({ email }) => email)
}

/** What else they did beyond the demo's own merchant: `merchant_create merchant:…`. Proposals and reads are left out. */
export async function listDoneByDemo(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ done: string }>(sql`
    select distinct e.act || ' ' || e.subject as done
    from audit_entries e
    where e.person_id in (select id from people where is_demo)
      and e.act !~ '^(view_|propose_|withdraw_|refuse_|test_bank_|export|item_assign)'
      and e.subject not like 'person:%'
      and (e.merchant_id is null or e.merchant_id not in (select id from merchants where is_demo))
    order by done
    limit 100`)
  return rows.map(({ done }) => done)
}
