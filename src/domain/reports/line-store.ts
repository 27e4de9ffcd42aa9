/** The lines of a report, a page at a time: transfers, and deposits that no transfer settles. */

import { sql, type Tx, unprepared } from '../../platform/db.ts'
import type { EventType } from '../callbacks/callback.ts'
import { callbackState } from '../callbacks/store.ts'
import type { DepositState } from '../deposits/deposit.ts'
import type { Currency } from '../money.ts'
import { maskedAccount } from '../requisites/masked-account.ts'
import { maskedNumber, type RequisiteKind } from '../requisites/requisite.ts'
import type { TransferState } from '../transfers/transfer.ts'
import { type LineCallback, maskedName, type ReportLine, surplusOf } from './report.ts'
import { type ReportAccount, type ReportScope, reportBounds } from './store.ts'

type LineRow = {
  id: string
  state: TransferState
  cents: bigint
  currency: Currency
  booked_on: string
  document_number: string
  bank_id: string | null
  payer_name: string
  payer_account: string
  deposit_cents: bigint
  refund_cents: bigint
  open_cents: bigint
  settles: boolean
  rule: string
  actor: string
  at: Date
  merchant_id: string | null
  merchant_name: string | null
  deposit_id: string | null
  order_id: string | null
  deposit_state: DepositState | null
  labels: string[] | null
  amount_cents: bigint | null
  received_cents: bigint | null
  final_at: Date | null
  requisite_id: string | null
  so_far_cents: bigint | null
  all_cents: bigint | null
}

/** The transfers of an account, a page at a time, with their deposits and callbacks. */
export async function* transferPages(
  tx: Tx,
  account: ReportAccount,
  scope: ReportScope,
  oldestTold: Date,
): AsyncGenerator<ReportLine[], void, undefined> {
  let after = { bookedOn: scope.from, cents: 0n, id: '00000000-0000-0000-0000-000000000000' }
  for (;;) {
    // A refunded or revoked transfer has no deposit any more; its decisions name the former one.
    const rows = await tx.query<LineRow>(sql`
      select
        t.id, t.state, t.cents, t.currency, t.booked_on, t.document_number, t.bank_id, t.payer_name,
        t.payer_account, t.deposit_cents, t.refund_cents, t.open_cents, t.deposit_id is not null as settles,
        coalesce(last.rule, '') as rule, coalesce(last.actor, '') as actor, coalesce(last.at, t.taken_at) as at,
        m.id as merchant_id, m.name as merchant_name, d.id as deposit_id, d.order_id, d.state as deposit_state,
        d.labels, d.amount_cents, d.received_cents, d.final_at,
        case when d.account_id = t.account_id then d.requisite_id end as requisite_id,
        paid.so_far as so_far_cents, paid.total as all_cents
      from transfers t
      join receiving_accounts a on a.id = t.account_id
      left join lateral (
        select x.rule, x.actor, x.at
        from transfer_decisions x
        where x.transfer_id = t.id
        order by x.entry desc
        limit 1
      ) last on true
      left join lateral (
        select x.deposit_id
        from transfer_decisions x
        where x.transfer_id = t.id and x.deposit_id is not null and t.state in ('refunded', 'revoked')
        order by x.entry desc
        limit 1
      ) was on true
      left join deposits d on d.id = coalesce(t.deposit_id, was.deposit_id)
      left join merchants m on m.id = coalesce(d.merchant_id, a.merchant_id)
      left join lateral (
        select
          sum(e.deposit_cents) filter (where e.id <= t.id)::bigint as so_far,
          sum(e.deposit_cents)::bigint as total
        from transfers e
        where e.deposit_id = t.deposit_id
      ) paid on true
      where t.account_id = ${account.id}
        and t.booked_on <= ${scope.to}::date
        and (t.booked_on, t.cents, t.id) > (${after.bookedOn}::date, ${after.cents}::bigint, ${after.id}::uuid)
        and (${scope.currency}::text is null or t.currency = ${scope.currency})
        and (${scope.merchantId}::uuid is null or coalesce(d.merchant_id, a.merchant_id) = ${scope.merchantId})
      order by t.booked_on, t.cents, t.id
      limit ${reportBounds.page}`)
    const callbacks = await readLineCallbacks(
      tx,
      rows.flatMap(({ deposit_id, merchant_id, final_at, at }) =>
        deposit_id ? [{ depositId: deposit_id, merchantId: merchant_id!, at: final_at ?? at }] : [],
      ),
      oldestTold,
    )
    if (rows.length > 0) yield rows.map((row) => lineFrom(row, account, callbacks))
    if (rows.length < reportBounds.page) return
    const { booked_on, cents, id } = rows.at(-1)!
    after = { bookedOn: booked_on, cents, id }
  }
}

function lineFrom(
  row: LineRow,
  account: ReportAccount,
  callbacks: ReadonlyMap<string, LineCallback>,
): ReportLine {
  const isOpen = ['created', 'expired', 'confirmed'].includes(row.deposit_state ?? '')
  const noted = row.settles && isOpen ? row.received_cents! - row.all_cents! : 0n
  const notedCents = noted > 0n ? noted : 0n
  const isFirst = row.settles && row.so_far_cents === row.deposit_cents
  return {
    kind: 'transfer',
    bookedOn: row.booked_on,
    currency: row.currency,
    merchantId: row.merchant_id,
    merchantName: row.merchant_name,
    ...placeOf(account, row.requisite_id),
    depositId: row.deposit_id,
    orderId: row.order_id,
    depositState: row.deposit_state,
    labels: row.labels ?? [],
    askedCents: row.amount_cents,
    isFirst,
    transferId: row.id,
    bankReference: row.bank_id ?? '',
    documentNumber: row.document_number,
    payer: [maskedName(row.payer_name), maskedAccount(row.payer_account)].filter(Boolean).join(' '),
    state: row.state,
    rule: row.rule,
    decidedBy: row.actor,
    cents: row.cents,
    depositCents: row.deposit_cents,
    refundCents: row.refund_cents,
    openCents: row.open_cents,
    surplusCents: row.settles
      ? surplusOf({
          askedCents: row.amount_cents!,
          notedCents,
          soFarCents: row.so_far_cents!,
          depositCents: row.deposit_cents,
        })
      : 0n,
    byHandCents: isFirst ? notedCents : 0n,
    callback: row.deposit_id ? (callbacks.get(row.deposit_id) ?? null) : null,
  }
}

/** The requisite that the deposit showed, or the only one of the account; else the account itself. */
function placeOf(
  { id, label, number, requisites }: ReportAccount,
  requisiteId: string | null,
): Pick<ReportLine, 'placeId' | 'requisite'> {
  const shown = requisites.find((requisite) => requisite.id === requisiteId)
  const only = requisites.length === 1 ? requisites[0] : undefined
  const requisite = shown ?? only
  if (requisite) return { placeId: requisite.id, requisite: requisiteText(requisite) }
  return { placeId: id, requisite: number ? `account ${maskedNumber(number)}` : label }
}

const requisiteText = ({ kind, number }: { kind: RequisiteKind; number: string }): string =>
  `${kind} ${maskedNumber(number)}`

type DepositRow = {
  id: string
  merchant_id: string
  merchant_name: string
  order_id: string
  labels: string[]
  amount_cents: bigint
  received_cents: bigint
  currency: Currency
  day: string
  final_at: Date
  /** With microseconds: a JavaScript date would truncate them, and the next page would repeat this row. */
  mark: string
  requisite_id: string
  kind: RequisiteKind
  number: string
  actor: string
}

/** Deposits that were confirmed in these days and that no transfer settles, a page at a time. */
export async function* depositPages(
  tx: Tx,
  scope: ReportScope,
  oldestTold: Date,
): AsyncGenerator<ReportLine[], void, undefined> {
  // Bank days start up to five hours before UTC days; the exact day is checked below.
  const dayBefore = new Date(Date.parse(`${scope.from}T00:00:00Z`) - 86_400_000)
  let after = { mark: dayBefore.toISOString(), id: '00000000-0000-0000-0000-000000000000' }
  for (;;) {
    const rows = await tx.query<DepositRow>(sql`
      select
        d.id, d.merchant_id, m.name as merchant_name, d.order_id, d.labels, d.amount_cents, d.received_cents,
        d.currency, bank_day(d.currency, d.final_at) as day, d.final_at, d.final_at::text as mark,
        r.id as requisite_id, r.kind, r.number, coalesce(h.actor, '') as actor
      from deposits d
      join merchants m on m.id = d.merchant_id
      join requisites r on r.id = d.requisite_id
      left join lateral (
        select x.actor
        from deposit_history x
        where x.deposit_id = d.id and x.action = 'confirm'
        limit 1
      ) h on true
      where d.state = 'confirmed'
        and (d.final_at, d.id) > (${after.mark}::text::timestamptz, ${after.id}::uuid)
        and d.final_at < (${scope.to}::date + 2)::timestamp at time zone 'UTC'
        and bank_day(d.currency, d.final_at) between ${scope.from}::date and ${scope.to}::date
        and m.mode = ${scope.mode}
        and (${scope.currency}::text is null or d.currency = ${scope.currency})
        and (${scope.merchantId}::uuid is null or d.merchant_id = ${scope.merchantId})
        and not exists (select from transfers t where t.deposit_id = d.id)
      order by d.final_at, d.id
      limit ${reportBounds.page}`)
    const callbacks = await readLineCallbacks(
      tx,
      rows.map(({ id, merchant_id, final_at }) => ({
        depositId: id,
        merchantId: merchant_id,
        at: final_at,
      })),
      oldestTold,
    )
    if (rows.length > 0) yield rows.map((row) => depositLine(row, callbacks))
    if (rows.length < reportBounds.page) return
    after = rows.at(-1)!
  }
}

/** Noted sums count as they were noted; where a person only confirmed, the whole amount is on that person's word. */
function depositLine(row: DepositRow, callbacks: ReadonlyMap<string, LineCallback>): ReportLine {
  const over = row.received_cents - row.amount_cents
  return {
    kind: 'deposit',
    bookedOn: row.day,
    currency: row.currency,
    merchantId: row.merchant_id,
    merchantName: row.merchant_name,
    placeId: row.requisite_id,
    requisite: requisiteText(row),
    depositId: row.id,
    orderId: row.order_id,
    depositState: 'confirmed',
    labels: row.labels,
    askedCents: row.amount_cents,
    isFirst: true,
    transferId: null,
    bankReference: '',
    documentNumber: '',
    payer: '',
    state: 'confirmed',
    rule: row.actor.startsWith('operator:') ? 'by_hand' : 'without_transfer',
    decidedBy: row.actor,
    cents: 0n,
    depositCents: 0n,
    refundCents: 0n,
    openCents: 0n,
    surplusCents: over > 0n ? over : 0n,
    byHandCents: row.received_cents > 0n ? row.received_cents : row.amount_cents,
    callback: callbacks.get(row.id) ?? null,
  }
}

type Asked = { depositId: string; merchantId: string; at: Date }

/**
 * The last callback of each deposit on the day when it became final, or when the
 * transfer was decided. Callbacks have no index by deposit, so each day is read once per page of deposits; the
 * query is not prepared, so that it is planned for these ids.
 */
async function readLineCallbacks(
  tx: Tx,
  asked: readonly Asked[],
  oldestTold: Date,
): Promise<ReadonlyMap<string, LineCallback>> {
  const byDeposit = new Map<string, LineCallback>(
    asked
      .filter(({ at }) => at < oldestTold)
      .map(({ depositId }) => [depositId, { event: null, state: 'not_kept', deliveredAt: null }]),
  )
  const kept = asked.filter(({ depositId }) => !byDeposit.has(depositId))
  if (kept.length === 0) return byDeposit
  const rows = await tx.query<
    { deposit_id: string } & Omit<LineCallback, 'deliveredAt'> & { acked_at: Date | null }
  >(
    unprepared(sql`
      select distinct on (c.deposit_id)
        c.deposit_id, c.type as event, c.acked_at,
        ${callbackState} as state
      from callbacks c
      left join callback_due due on due.callback_id = c.id
      where c.made_on = any(${distinct(kept.map(({ at }) => at.toISOString().slice(0, 10)))}::date[])
        and c.merchant_id = any(${distinct(kept.map(({ merchantId }) => merchantId))}::uuid[])
        and c.deposit_id = any(${distinct(kept.map(({ depositId }) => depositId))}::uuid[])
      order by c.deposit_id, c.sequence desc`),
  )
  for (const { deposit_id, event, state, acked_at } of rows) {
    byDeposit.set(deposit_id, { event: event as EventType, state, deliveredAt: acked_at })
  }
  return byDeposit
}

const distinct = (texts: readonly string[]): string[] => [...new Set(texts)]
