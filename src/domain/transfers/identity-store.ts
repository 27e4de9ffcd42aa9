/** What the rule of identity compares new rows with, in the database. */
import {
  fragment,
  jsonRows,
  type Queryable,
  type Statement,
  sql,
  type Tx,
  unprepared,
} from '../../platform/db.ts'
import { holidayDays } from './bank-text/days.ts'
import { channelIds, channels, type Ids } from './channel.ts'
import type { Known } from './identity.ts'
import { taxIdOf } from './payer-shapes.ts'
import type { Payment, TransferState } from './transfer.ts'
import type { Role } from './voice.ts'

const withLastingIds = channels.filter((channel) => channelIds[channel] === 'lasting')

const knownColumns = fragment`
  t.id, t.cents, t.direction, t.booked_on as day, t.names as references, t.payer_tax_id as "taxId", t.is_sum as "isSum",
  case when t.channel = any(${withLastingIds}::text[]) then t.bank_id end as "lastingId",
  t.channel = 'hand' and not exists (
    select from transfer_keys k
    join bank_sources s on s.id = k.source_id
    where k.transfer_id = t.id and k.role = 'early' and s.kind <> 'hand') as "isNote",
  array(
    select d.reference
    from allocations a
    join deposits d on d.id = a.deposit_id
    where a.transfer_id = t.id and d.reference is not null) as credited,
  t.told_booked_at is not null as "isBooked"`

const knownFrom = <Row extends Known>(row: Row): Row => ({
  ...row,
  taxId: taxIdOf({ payerTaxId: row.taxId }),
})

/** `before`: how many days earlier they may stand. */
type Around = { accountId: string; from: string; to: string; before?: number }

/** What counts of an account's days around these. */
const creditsOf = ({ accountId, from, to, before = holidayDays }: Around) => fragment`
  select ${knownColumns}
  from transfers t
  where t.account_id = ${accountId}
    and t.direction = 'credit'
    and t.state not in ('revoked', 'duplicate')
    and t.booked_on between ${from}::date - ${before}::int and ${to}::date + ${holidayDays}::int`

const inOrder = fragment`order by t.booked_on, t.id`

async function readKnown<Row extends Known>(db: Queryable, statement: Statement): Promise<Row[]> {
  return (await db.query<Row>(unprepared(statement))).map(knownFrom)
}

/** A file is not compared with what it tells itself. */
const isOfRun = (runId: string | null) => fragment`
  t.id in (select transfer_id from staged_entries where run_id = ${runId} and transfer_id is not null)`

/** Told early, and by no booked voice. */
export const findOnlyEarly = (db: Queryable, around: Around): Promise<Known[]> =>
  readKnown(db, sql`${creditsOf(around)} and t.told_booked_at is null ${inOrder}`)

/** Told by the booked voice, and by nobody early. */
export const findOnlyBooked = (
  db: Queryable,
  { runId = null, ...around }: Around & { runId?: string | null },
): Promise<Known[]> =>
  readKnown(
    db,
    sql`
      ${creditsOf(around)}
        and t.told_booked_at is not null
        and t.told_early_at is null
        and not ${isOfRun(runId)}
      ${inOrder}`,
  )

/** About to be told by the booked voice, in an import under way, and by nobody early: with the ids that they will have. */
export const findStagedBooked = (
  db: Queryable,
  { accountId, from, to, before = holidayDays }: Around,
): Promise<Known[]> =>
  db.query<Known>(
    unprepared(sql`
      select s.id, s.cents, s.direction, s.booked_on as day, s.names as references, s.tax_id as "taxId",
        s.is_sum as "isSum", s.bank_id as "lastingId", false as "isNote", array[]::text[] as credited
      from receiving_accounts a
      join staged_entries s on s.run_id = a.import_run_id and s.account_id = a.id
      where a.id = ${accountId}
        and s.role = 'booked'
        and (s.outcome is null or s.outcome = 'held')
        and s.direction = 'credit'
        and s.booked_on between ${from}::date - ${before}::int and ${to}::date + ${holidayDays}::int
        and not exists (select from transfers t where t.id = s.id)
      order by s.booked_on, s.place`),
  )

type OfOthers = Around & { role: Role; sourceId: string; others: readonly string[] }
type Other = Known & { isBooked: boolean }

/** Told in this role by one of these sources or noted by a person, and not by this source. */
export async function findToldByOthers(
  db: Queryable,
  { role, sourceId, others, ...around }: OfOthers,
): Promise<Other[]> {
  const isNotOwn = fragment`
    not exists (
      select from transfer_keys k
      where k.transfer_id = t.id and k.role = ${role} and k.source_id = ${sourceId})`
  // Few: found by their keys, so that an account's other payments are not looked at, also where the server has no statistics yet.
  const isNoted = fragment`
    t.id = any(array(
      select k.transfer_id
      from transfer_keys k
      where k.account_id = ${around.accountId}
        and k.role = ${role}
        and k.source_id = any(array(select id from bank_sources where kind = 'hand'))))`
  if (others.length === 0)
    return readKnown(db, sql`${creditsOf(around)} and ${isNoted} and ${isNotOwn} ${inOrder}`)
  // Near a change of voice: of all payments of the days it is asked who told them.
  const isTold = fragment`
    exists (
      select from transfer_keys k
      where k.transfer_id = t.id and k.role = ${role} and k.source_id = any(${others}::uuid[]))`
  return readKnown(db, sql`${creditsOf(around)} and (${isNoted} or ${isTold}) and ${isNotOwn} ${inOrder}`)
}

type Untold = Around & { role: Role; sourceId: string; ids: Ids; runId: string }

/**
 * Told by this source in this role on these days without a lasting id of its own, but not by this run of a file; early ones as
 * far as they are not booked.
 */
export const findUntold = (
  db: Queryable,
  { role, sourceId, ids, runId, ...around }: Untold,
): Promise<Known[]> =>
  readKnown(
    db,
    sql`
      ${creditsOf({ ...around, before: 0 })}
        and t.booked_on <= ${around.to}
        and (${role}::text = 'booked' or t.told_booked_at is null)
        and exists (
          select from transfer_keys k
          where k.transfer_id = t.id
            and k.role = ${role}
            and k.source_id = ${sourceId}
            and (${ids} <> 'lasting' or octet_length(k.variant) = 4))
        and not ${isOfRun(runId)}
      ${inOrder}`,
  )

export type KnownByKey = Known & { key: string; state: TransferState; version: bigint }
type AskedKeys = { sourceId: string; role: Role; keys: readonly { accountId: string; key: Buffer }[] }

/** What a source has told under these keys, in hex. */
export async function findByKeys(db: Queryable, { sourceId, role, keys }: AskedKeys): Promise<KnownByKey[]> {
  if (keys.length === 0) return []
  // A bank may report thousands of payments under one id.
  const distinct = [
    ...new Map(keys.map((one) => [`${one.accountId} ${one.key.toString('hex')}`, one])).values(),
  ]
  const rows = await db.query<KnownByKey>(sql`
    select distinct on (k.account_id, k.key, t.id) ${knownColumns}, encode(k.key, 'hex') as key, t.state, t.version
    from unnest(
      (select ${distinct.map(({ accountId }) => accountId)}::uuid[]),
      ${distinct.map(({ key }) => key)}::bytea[]) as n (account_id, key)
    join transfer_keys k
      on k.account_id = n.account_id and k.source_id = ${sourceId} and k.role = ${role} and k.key = n.key
    join transfers t on t.id = k.transfer_id
    order by k.account_id, k.key, t.id`)
  return rows.map(knownFrom)
}

export type NewKey = {
  accountId: string
  role: Role
  key: Buffer
  variant: Buffer
  transferId: string
}

/** The key of a payment that the bank took back is that of the payment now which it tells anew. */
export async function insertKeys(tx: Tx, sourceId: string, keys: readonly NewKey[]): Promise<void> {
  if (keys.length === 0) return
  const newest = [...new Map(keys.map((key) => [keyText(key), key])).values()]
  await tx.run(sql`
    insert into transfer_keys (account_id, source_id, role, key, variant, transfer_id, origin_id)
    select
      unnest(${newest.map((key) => key.accountId)}::uuid[]), ${sourceId}::uuid,
      unnest(${newest.map((key) => key.role)}::text[]), unnest(${newest.map((key) => key.key)}::bytea[]),
      unnest(${newest.map((key) => key.variant)}::bytea[]), unnest(${newest.map((key) => key.transferId)}::uuid[]),
      unnest(${newest.map((key) => key.transferId)}::uuid[])
    on conflict on constraint transfer_key_id do update
    set transfer_id = excluded.transfer_id, origin_id = excluded.origin_id
    where (select state from transfers t where t.id = transfer_keys.transfer_id) = 'revoked'`)
}

const keyText = ({ accountId, role, key, variant }: NewKey): string =>
  `${accountId} ${role} ${key.toString('hex')} ${variant.toString('hex')}`

export async function noteVersions(
  tx: Tx,
  versions: readonly { id: string; version: bigint }[],
): Promise<void> {
  if (versions.length === 0) return
  await tx.run(sql`
    update transfers t
    set version = n.version
    from (
      select id, max(version) as version
      from unnest(${versions.map(({ id }) => id)}::uuid[], ${versions.map(({ version }) => version)}::bigint[]) as n (id, version)
      group by id
    ) n
    where t.id = n.id and n.version > t.version`)
}

type Pair = Payment & { id: string; role: Role; names: readonly string[] }

/** Another report of the same payment: what the first had not is added, and a booked one says the day. */
export async function savePairs(tx: Tx, pairs: readonly Pair[]): Promise<void> {
  if (pairs.length === 0) return
  await tx.run(sql`
    update transfers t
    set told_early_at = case when n.role = 'early' then coalesce(t.told_early_at, inlet_now()) else t.told_early_at end,
      told_booked_at = case when n.role = 'booked' then coalesce(t.told_booked_at, inlet_now()) else t.told_booked_at end,
      -- A person who notes money may not know its day.
      booked_on = case when n.role = 'booked' or t.channel = 'hand' and t.told_booked_at is null then n."bookedOn" else t.booked_on end,
      booked_at = coalesce(t.booked_at, n."bookedAt"),
      names = case when t.names = '{}' then n.names else t.names end,
      purpose = coalesce(nullif(t.purpose, ''), n.purpose),
      payer_name = coalesce(nullif(t.payer_name, ''), n."payerName"),
      payer_account = coalesce(nullif(t.payer_account, ''), n."payerAccount"),
      payer_tax_id = coalesce(nullif(t.payer_tax_id, ''), n."payerTaxId"),
      payer_bank = coalesce(nullif(t.payer_bank, ''), n."payerBank"),
      document_number = coalesce(nullif(t.document_number, ''), n."documentNumber")
    from json_to_recordset(${jsonRows(pairs)}::json) as n (
      id uuid, role text, "bookedOn" date, "bookedAt" timestamptz, names text[], purpose text, "payerName" text,
      "payerAccount" text, "payerTaxId" text, "payerBank" text, "documentNumber" text)
    where t.id = n.id`)
}
