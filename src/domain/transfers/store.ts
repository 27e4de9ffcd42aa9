/** Transfers and the accounts they arrive on, in the database. */

import { bounds } from '../../platform/bounds.ts'
import {
  fragment,
  jsonRows,
  lastUuid,
  type Queryable,
  type Statement,
  sql,
  type Tx,
  unprepared,
} from '../../platform/db.ts'
import { pipelined } from '../../platform/pipelined.ts'
import type { Mode } from '../merchants/merchant.ts'
import { withReason } from '../messages/message.ts'
import type { Cents, Currency } from '../money.ts'
import type { AmountMatching } from '../requisites/requisite.ts'
import { allocationFrom, allocationsOf, insertAllocations } from './allocation-store.ts'
import { type DecisionDraft, insertDecisions } from './decision-store.ts'
import {
  type Decision,
  type Transfer,
  type TransferFacts,
  type TransferState,
  transferStates,
} from './transfer.ts'
import type { Role } from './voice.ts'

/** A transfer about to be written: the bank's facts, who told it, and the first decision. */
export type TransferDraft = Omit<TransferFacts, 'purposeParts'> & {
  id: string
  sourceId: string
  version: bigint
  role: Role
  names: readonly string[]
  state: TransferState
  heldWith: readonly string[]
  shares: readonly { depositId: string; cents: Cents }[]
  decision: Pick<DecisionDraft, 'rule' | 'reason' | 'evidence'>
}

export type LockedAccount = {
  id: string
  mode: Mode
  currency: Currency
  amountMatching: AmountMatching
  /** Its bank was heard of just now. */
  isHeard: boolean
}

/** Locks these accounts. Only one import of an account runs at a time, or two files could both add the same payment. */
export async function lockAccounts(tx: Tx, ids: readonly string[]): Promise<Map<string, LockedAccount>> {
  const rows = await tx.query<LockedAccount>(sql`
    select id, mode, currency, amount_matching as "amountMatching",
      coalesce(heard_at > (select inlet_now()) - interval '30 seconds', false) as "isHeard"
    from receiving_accounts a
    where id = any((select ${ids}::uuid[])::uuid[])
    order by id
    for no key update`)
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * Writes transfers with their shares of deposits and the first decision about each. The database refuses one whose amounts do
 * not add up.
 */
export async function insertTransfers(tx: Tx, drafts: readonly TransferDraft[]): Promise<void> {
  if (drafts.length === 0) return
  const written = tx.run(sql`
    insert into transfers
      (id, source_id, account_id, channel, direction, cents, currency, booked_on, booked_at, paid_on, document_number,
       payer_name, payer_account, payer_tax_id, payer_bank, purpose, bank_id, version, is_sum, names, taken_at, told_early_at,
       told_booked_at, state, held_with, deposit_cents, open_cents)
    select
      id, "sourceId", "accountId", channel, direction, cents, currency, "bookedOn", "bookedAt", "paidOn", "documentNumber",
      "payerName", "payerAccount", "payerTaxId", "payerBank", purpose, "bankId", version, coalesce("hasSeveralPayments", false),
      names, (select inlet_now()), case when role = 'early' then (select inlet_now()) end,
      case when role = 'booked' then (select inlet_now()) end, state, "heldWith",
      case when state = 'matched' then cents else 0 end,
      case when state in ('unmatched', 'ambiguous', 'held', 'set_aside') then cents else 0 end
    from json_to_recordset(${jsonRows(drafts.map(({ decision: _, ...row }) => row))}::json) as n (
      id uuid, "sourceId" uuid, "accountId" uuid, channel text, direction text, cents bigint, currency text, "bookedOn" date,
      "bookedAt" timestamptz, "paidOn" date, "documentNumber" text, "payerName" text, "payerAccount" text, "payerTaxId" text,
      "payerBank" text, purpose text, "bankId" text, version bigint, "hasSeveralPayments" boolean, names text[], role text,
      state text, "heldWith" uuid[])`)
  const allocated = insertAllocations(
    tx,
    drafts.flatMap(({ id, shares }) => shares.map((share) => ({ transferId: id, ...share }))),
  )
  const decided = insertDecisions(
    tx,
    drafts.map(({ id, state, shares, decision }) => ({
      ...{ ...decision, transferId: id, state, actor: 'matcher' },
      depositIds: shares.map(({ depositId }) => depositId),
    })),
    { areFirst: true },
  )
  await pipelined([written, allocated, decided])
}

/** Transfers `t` with their accounts `a`. */
export const transferRows = fragment`
  select
    t.id, t.source_id as "sourceId", t.account_id as "accountId", a.label as "accountLabel", a.mode, t.direction, t.cents,
    t.currency, t.booked_on as "bookedOn", t.booked_at as "bookedAt", t.paid_on as "paidOn",
    t.document_number as "documentNumber", t.payer_name as "payerName", t.payer_account as "payerAccount",
    t.payer_tax_id as "payerTaxId", t.payer_bank as "payerBank", t.purpose, t.bank_id as "bankId", t.channel, t.version,
    t.names, t.taken_at as "takenAt", t.told_early_at as "toldEarlyAt", t.told_booked_at as "toldBookedAt", t.state,
    t.held_with as "heldWith", t.duplicate_of as "duplicateOf", ${allocationsOf} as shares,
    t.deposit_cents as "depositCents", t.refund_cents as "refundCents", t.open_cents as "openCents", t.due_since as "dueSince"
  from transfers t
  join receiving_accounts a on a.id = t.account_id`

export const readTransfers = async (db: Queryable, statement: Statement): Promise<Transfer[]> =>
  (await db.query<Transfer>(statement)).map((row) => ({
    ...row,
    shares: row.shares.map(allocationFrom),
    purposeParts: [row.purpose],
  }))

/** Whether the only files that tell this transfer are being undone. */
export const isBeingUndone = (tx: Tx, transferId: string): Promise<boolean> =>
  tx.has(sql`
    select r.transfer_id
    from report_rows r
    join statements s on s.id = r.statement_id
    where r.transfer_id = ${transferId}
    group by r.transfer_id
    having bool_and(s.undo_started_at is not null)`)

const idsOf = async (db: Queryable, statement: Statement): Promise<string[]> =>
  (await db.query<{ id: string }>(statement)).map(({ id }) => id)

export const findRepetitions = (tx: Tx, id: string): Promise<string[]> =>
  idsOf(tx, sql`select id from transfers where duplicate_of = ${id} order by id`)

/** Held transfers that may be this payment, or one of the same day and amount. */
export const findHeldWith = (
  db: Queryable,
  { id, accountId }: Pick<Transfer, 'id' | 'accountId'>,
): Promise<string[]> =>
  idsOf(
    db,
    sql`
      select id
      from transfers
      where account_id = ${accountId} and state = 'held' and held_with @> array[${id}::uuid]
      order by id`,
  )

/** The account of a transfer, which every decision about it locks first. */
export const findTransferAccount = async (db: Queryable, id: string): Promise<string | undefined> =>
  (await idsOf(db, sql`select account_id as id from transfers where id = ${id}`))[0]

export const lockTransfers = (tx: Tx, ids: readonly string[]): Promise<Transfer[]> =>
  readTransfers(
    tx,
    sql`${transferRows} where t.id = any(${ids}::uuid[]) order by t.id for no key update of t`,
  )

export const lockTransfer = async (tx: Tx, id: string): Promise<Transfer | undefined> =>
  (await lockTransfers(tx, [id]))[0]

/** The accounts whose transfers settle a deposit, which are locked before it ends. */
export const findSettlingAccounts = (tx: Tx, depositId: string): Promise<string[]> =>
  idsOf(
    tx,
    sql`
      select distinct t.account_id as id
      from allocations s
      join transfers t on t.id = s.transfer_id
      where s.deposit_id = ${depositId}`,
  )

/**
 * Deposits that are over for good, and still have money of somebody; what a person has to decide is not over. All of the last 90
 * days are looked at, also those whose money was released.
 */
export const findOverWithMoney = (db: Queryable, limit: number): Promise<string[]> =>
  idsOf(
    db,
    sql`
      select d.id
      from receiving_accounts a
      cross join lateral (
        select id, late_until
        from deposits d
        where account_id = a.id
          and state = 'expired'
          and received_cents > 0
          and not labels @> '{review}'
          and late_until between (select inlet_now()) - interval '90 days' and (select inlet_now())
          -- By the index, one by one: "exists" may be planned as a look at all allocations.
          and (select true from allocations s where s.deposit_id = d.id limit 1)
        order by late_until
        limit ${limit}) d
      order by d.late_until, d.id
      limit ${limit}`,
  )

/** Incoming money that counts, with or without a deposit. */
const moneyIn = ['unmatched', 'ambiguous', 'held', 'matched', 'refunded', 'set_aside'] as const

type TransferFilter = {
  state: TransferState | 'money_in' | null
  accountId: string | null
  depositId?: string | null
  /** As a bank writes it: name, account or tax id. */
  payer?: string | null
  /** What was taken on a day in a zone; an empty mode or currency means any. */
  day?: { day: string; zone: string; mode: string; currency: string } | null
  /** The last transfer of the page before. */
  before: string | null
  limit: number
}

/** Newest first: the few newest of each state that is asked for, put in one order. */
export function listTransfers(db: Queryable, filter: TransferFilter): Promise<Transfer[]> {
  const { state, accountId, depositId = null, payer = null, before, limit } = filter
  const { day, zone, mode, currency } = filter.day ?? { day: null, zone: 'UTC', mode: '', currency: '' }
  const states = state === null ? transferStates : state === 'money_in' ? moneyIn : [state]
  const isOnPage = fragment`(taken_at, id) < (
    coalesce((select taken_at from transfers where id = ${before}::uuid), 'infinity'),
    coalesce(${before}::uuid, ${lastUuid}))`
  return readTransfers(
    db,
    // Planned for what is asked for: each filter has an index of its own.
    unprepared(sql`
      ${transferRows}
      where t.id in (
        select newest.id
        from unnest(${states}::text[]) as s (state)
        cross join lateral (
          select id, taken_at
          from transfers
          where state = s.state
            and (${accountId}::uuid is null or account_id = ${accountId})
            and (${payer}::text is null or array[payer_name, payer_account, payer_tax_id] @> array[${payer}])
            and (${depositId}::uuid is null or id in (select transfer_id from allocations where deposit_id = ${depositId}))
            and (${day}::date is null or taken_at >= (${day}::date::timestamp at time zone ${zone}))
            and (${day}::date is null or taken_at < ((${day}::date + 1)::timestamp at time zone ${zone}))
            and (${currency} = '' or currency = ${currency})
            and (${mode} = '' or account_id in (select id from receiving_accounts where mode = ${mode}))
            and ${isOnPage}
          order by taken_at desc, id desc
          limit ${limit}
        ) newest
        order by newest.taken_at desc, newest.id desc
        limit ${limit})
      order by t.taken_at desc, t.id desc`),
  )
}

/** Told early, and not booked on a day that a file has closed: the oldest first. */
export const listUnbooked = (db: Queryable, limit: number): Promise<Transfer[]> =>
  readTransfers(
    db,
    sql`
      ${transferRows}
      where t.told_booked_at is null
        and t.direction = 'credit'
        and t.state not in ('revoked', 'duplicate', 'refunded', 'set_aside')
        and exists (select from account_days x where x.account_id = t.account_id and x.day = t.booked_on)
      order by t.taken_at, t.id
      limit ${limit}`,
  )

/** A transfer with its newest decisions, oldest first: a bank may report one entry anew without end. */
export async function readTransfer(
  db: Queryable,
  id: string,
): Promise<{ transfer: Transfer; decisions: Decision[] } | undefined> {
  const [transfer] = await readTransfers(db, sql`${transferRows} where t.id = ${id}`)
  if (!transfer) return undefined
  const decisions = await db.query<Decision & { message: unknown }>(sql`
    select at, state, deposit_ids, actor, rule, reason, message, evidence
    from transfer_decisions
    where transfer_id = ${id}
    order by entry desc
    limit ${bounds.decisionsRead}`)
  return { transfer, decisions: decisions.reverse().map(withReason) }
}
