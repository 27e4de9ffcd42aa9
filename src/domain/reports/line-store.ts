/** The lines of a report, a page at a time: transfers, and deposits that no transfer settles. */

import { sql, type Tx, unprepared } from '../../platform/db.ts'
import { callbackSent, callbackState } from '../callbacks/list-store.ts'
import type { Cents } from '../money.ts'
import { maskedAccount } from '../requisites/masked-account.ts'
import { maskedNumber, type RequisiteKind } from '../requisites/requisite.ts'
import { type LineCallback, maskedName, type ReportLine, surplusOf } from './report.ts'
import { firstId, isByHand, pagesOf, type ReportAccount, type ReportScope, reportBounds } from './store.ts'

/** A transfer as its line says it, and what the rest of the line is calculated from. */
type LineRow = Omit<
  ReportLine,
  'kind' | 'placeId' | 'requisite' | 'isFirst' | 'payer' | 'surplusCents' | 'byHandCents' | 'callback'
> & {
  transferId: string
  payerName: string
  payerAccount: string
  settles: boolean
  shareId: string
  decidedAt: Date
  receivedCents: Cents | null
  finalAt: Date | null
  requisiteId: string | null
  soFarCents: Cents | null
  allCents: Cents | null
}

/** A line, and where the lines behind it begin: in the transfers of an account, or in the deposits without one. */
export type PlacedLine = ReportLine & { place: LinePlace | DepositPlace }
export type LinePlace = { of: 'account'; accountId: string } & Pick<
  LineRow,
  'bookedOn' | 'transferId' | 'shareId'
>
export type DepositPlace = { of: 'deposits' } & Pick<DepositRow, 'mark' | 'depositId'>

/** Where a page begins, and its length. */
type From<Place> = { after?: Place | undefined; size?: number }

/** The transfers of an account, a page at a time, with their deposits and callbacks. */
export async function* transferPages(
  tx: Tx,
  account: ReportAccount,
  scope: ReportScope,
  callbacksKeptSince: Date,
  { after, size = reportBounds.page }: From<LinePlace> = {},
): AsyncGenerator<PlacedLine[], void, undefined> {
  // A transfer has a line for each deposit that has a part of it; what is open or given back is on the first. A refunded or revoked transfer has no deposit any more; its decisions name the former one.
  const read = ({ bookedOn, transferId, shareId }: Pick<LineRow, 'bookedOn' | 'transferId' | 'shareId'>) =>
    tx.query<LineRow>(sql`
      select
        t.id as "transferId", t.state, t.currency, t.booked_on as "bookedOn",
        case when share.is_further then share.cents else t.cents - share.of_others end as cents,
        share.is_further as "isFurtherShare", share.share_id as "shareId",
        t.document_number as "documentNumber", coalesce(t.bank_id, '') as "bankReference", t.payer_name as "payerName",
        t.payer_account as "payerAccount", share.cents as "depositCents",
        case when share.is_further then 0 else t.refund_cents end as "refundCents",
        case when share.is_further then 0 else t.open_cents end as "openCents", share.settles, coalesce(last.rule, '') as rule,
        coalesce(last.actor, '') as "decidedBy", coalesce(last.at, t.taken_at) as "decidedAt", m.id as "merchantId",
        m.name as "merchantName", d.id as "depositId", d.order_id as "orderId", d.state as "depositState",
        coalesce(d.labels, '{}') as labels, d.amount_cents as "askedCents", d.received_cents as "receivedCents",
        d.final_at as "finalAt", case when d.account_id = t.account_id then d.requisite_id end as "requisiteId",
        paid.so_far as "soFarCents", paid.total as "allCents"
      from transfers t
      join receiving_accounts a on a.id = t.account_id
      left join lateral (
        select x.rule, x.actor, x.at
        from transfer_decisions x
        where x.transfer_id = t.id
        order by x.entry desc
        limit 1
      ) last on true
      cross join lateral (
        select s.deposit_id, s.deposit_id as share_id, s.cents, true as settles,
          s.deposit_id <> first_value(s.deposit_id) over of_transfer as is_further,
          (sum(s.cents) over () - s.cents)::bigint as of_others
        from allocations s
        where s.transfer_id = t.id
        window of_transfer as (order by s.deposit_id)
        union all
        select was.deposit_id, ${firstId}::uuid, 0, false, false, 0
        from (select) one
        left join lateral (
          select x.deposit_ids[1] as deposit_id
          from transfer_decisions x
          where x.transfer_id = t.id and x.deposit_ids <> '{}' and t.state in ('refunded', 'revoked')
          order by x.entry desc
          limit 1
        ) was on true
        where not exists (select from allocations s where s.transfer_id = t.id)
      ) share
      left join deposits d on d.id = share.deposit_id
      left join merchants m on m.id = coalesce(d.merchant_id, a.merchant_id)
      left join lateral (
        select
          sum(e.cents) filter (where e.transfer_id <= t.id) as so_far,
          sum(e.cents) as total
        from allocations e
        where share.settles and e.deposit_id = share.deposit_id
      ) paid on true
      where t.account_id = ${account.id}
        and t.booked_on <= ${scope.to}::date
        and (t.booked_on, t.id) >= (${bookedOn}::date, ${transferId}::uuid)
        and (t.booked_on, t.id, share.share_id) > (${bookedOn}::date, ${transferId}::uuid, ${shareId}::uuid)
        and (${scope.currency}::text is null or t.currency = ${scope.currency})
        and (${scope.merchantId}::uuid is null or coalesce(d.merchant_id, a.merchant_id) = ${scope.merchantId})
      order by t.booked_on, t.id, share.share_id
      limit ${size}`)
  const first = after ?? { bookedOn: scope.from, transferId: firstId, shareId: firstId }
  for await (const rows of pagesOf<LineRow>((last) => read(last ?? first), size)) {
    const callbacks = await readLineCallbacks(
      tx,
      rows.flatMap(({ depositId, merchantId, finalAt, decidedAt }) =>
        depositId ? [{ depositId, merchantId: merchantId!, at: finalAt ?? decidedAt }] : [],
      ),
      callbacksKeptSince,
    )
    yield rows.map((row) => ({
      ...lineFrom(row, account, callbacks),
      place: {
        ...{ of: 'account', accountId: account.id },
        ...{ bookedOn: row.bookedOn, transferId: row.transferId, shareId: row.shareId },
      },
    }))
  }
}

function lineFrom(
  {
    payerName,
    payerAccount,
    settles,
    shareId: _share,
    receivedCents,
    requisiteId,
    soFarCents,
    allCents,
    ...row
  }: LineRow,
  account: ReportAccount,
  callbacks: ReadonlyMap<string, LineCallback>,
): ReportLine {
  const isOpen = ['created', 'expired', 'confirmed'].includes(row.depositState ?? '')
  const noted = settles && isOpen ? receivedCents! - allCents! : 0n
  const notedCents = noted > 0n ? noted : 0n
  const isFirst = settles && soFarCents === row.depositCents
  const { askedCents, depositCents } = row
  return {
    ...row,
    ...placeOf(account, requisiteId),
    kind: 'transfer',
    isFirst,
    payer: [maskedName(payerName), maskedAccount(payerAccount)].filter(Boolean).join(' '),
    surplusCents: settles
      ? surplusOf({ askedCents: askedCents!, notedCents, soFarCents: soFarCents!, depositCents })
      : 0n,
    byHandCents: isFirst ? notedCents : 0n,
    callback: row.depositId ? (callbacks.get(row.depositId) ?? null) : null,
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
  if (requisite) return { placeId: requisite.id, requisite: requisiteText(requisite.kind, requisite.number) }
  return { placeId: id, requisite: number ? `account ${maskedNumber(number)}` : label }
}

const requisiteText = (kind: RequisiteKind, number: string) => `${kind} ${maskedNumber(number)}`

type DepositRow = Pick<
  ReportLine,
  'bookedOn' | 'currency' | 'merchantName' | 'placeId' | 'orderId' | 'labels' | 'decidedBy'
> & {
  depositId: string
  merchantId: string
  askedCents: Cents
  receivedCents: Cents
  finalAt: Date
  /** With microseconds: a JavaScript date would truncate them, and the next page would repeat this row. */
  mark: string
  requisiteKind: RequisiteKind
  number: string
}

/** Deposits that were confirmed in these days and that no transfer settles, a page at a time. */
export async function* depositPages(
  tx: Tx,
  scope: ReportScope,
  callbacksKeptSince: Date,
  { after, size = reportBounds.page }: From<DepositPlace> = {},
): AsyncGenerator<PlacedLine[], void, undefined> {
  // Bank days start up to five hours before UTC days; the exact day is checked below.
  const dayBefore = new Date(Date.parse(`${scope.from}T00:00:00Z`) - 86_400_000)
  const first = after ?? { mark: dayBefore.toISOString(), depositId: firstId }
  const read = ({ mark, depositId }: Pick<DepositRow, 'mark' | 'depositId'>) =>
    tx.query<DepositRow>(sql`
      select
        d.id as "depositId", d.merchant_id as "merchantId", m.name as "merchantName", d.order_id as "orderId", d.labels,
        d.amount_cents as "askedCents", d.received_cents as "receivedCents", d.currency,
        bank_day(d.currency, d.final_at) as "bookedOn", d.final_at as "finalAt", d.final_at::text as mark,
        r.id as "placeId", r.kind as "requisiteKind", r.number, coalesce(h.actor, '') as "decidedBy"
      from deposits d
      join merchants m on m.id = d.merchant_id
      join requisites r on r.id = d.requisite_id
      left join lateral (
        select x.actor
        from deposit_history x
        where x.deposit_id = d.id and x.action = 'confirm'
        limit 1
      ) h on true
      where ${isByHand(scope)} and (d.final_at, d.id) > (${mark}::text::timestamptz, ${depositId}::uuid)
      order by d.final_at, d.id
      limit ${size}`)
  for await (const rows of pagesOf<DepositRow>((last) => read(last ?? first), size)) {
    const callbacks = await readLineCallbacks(
      tx,
      rows.map(({ depositId, merchantId, finalAt }) => ({ depositId, merchantId, at: finalAt })),
      callbacksKeptSince,
    )
    yield rows.map((row) => ({
      ...depositLine(row, callbacks),
      place: { of: 'deposits', mark: row.mark, depositId: row.depositId },
    }))
  }
}

/** Noted sums count as they were noted; where a person only confirmed, the whole amount is on that person's word. */
function depositLine(
  { requisiteKind, number, receivedCents, ...row }: DepositRow,
  callbacks: ReadonlyMap<string, LineCallback>,
): ReportLine {
  const over = receivedCents - row.askedCents
  return {
    ...row,
    kind: 'deposit',
    requisite: requisiteText(requisiteKind, number),
    depositState: 'confirmed',
    isFirst: true,
    transferId: null,
    isFurtherShare: false,
    bankReference: '',
    documentNumber: '',
    payer: '',
    state: 'confirmed',
    rule: row.decidedBy.startsWith('operator:') ? 'by_hand' : 'without_transfer',
    cents: 0n,
    depositCents: 0n,
    refundCents: 0n,
    openCents: 0n,
    surplusCents: over > 0n ? over : 0n,
    byHandCents: receivedCents > 0n ? receivedCents : row.askedCents,
    callback: callbacks.get(row.depositId) ?? null,
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
  callbacksKeptSince: Date,
): Promise<ReadonlyMap<string, LineCallback>> {
  const byDeposit = new Map<string, LineCallback>(
    asked
      .filter(({ at }) => at < callbacksKeptSince)
      .map(({ depositId }) => [depositId, { event: null, state: 'not_kept', deliveredAt: null }]),
  )
  const kept = asked.filter(({ depositId }) => !byDeposit.has(depositId))
  if (kept.length === 0) return byDeposit
  const rows = await tx.query<LineCallback & { depositId: string }>(
    unprepared(sql`
      select distinct on (c.deposit_id)
        c.deposit_id as "depositId", c.type as event, sent.acked_at as "deliveredAt", ${callbackState} as state
      from events c
      left join deliveries due on due.event_id = c.id and due.state = 'open'
      ${callbackSent}
      where c.made_on = any(${distinct(kept.map(({ at }) => at.toISOString().slice(0, 10)))}::date[])
        and c.merchant_id = any(${distinct(kept.map(({ merchantId }) => merchantId))}::uuid[])
        and c.deposit_id = any(${distinct(kept.map(({ depositId }) => depositId))}::uuid[])
      order by c.deposit_id, c.sequence desc`),
  )
  for (const { depositId, ...callback } of rows) byDeposit.set(depositId, callback)
  return byDeposit
}

const distinct = (texts: readonly string[]): string[] => [...new Set(texts)]
