/** HTTP routes of refunds: the list, its CSV, and recording that one was paid. */

import { appendAudit } from '../../../domain/audit/store.ts'
import { type Mode, modes } from '../../../domain/merchants/merchant.ts'
import { declareNotOwed, payBack } from '../../../domain/refunds/pay-back.ts'
import { placeFrom, type RefundPlace } from '../../../domain/refunds/refund.ts'
import { listRefunds, sumRefunds } from '../../../domain/refunds/store.ts'
import { csvRow } from '../../../domain/reports/csv.ts'
import { findNamedIn } from '../../../domain/transfers/match-store.ts'
import type { Db } from '../../../platform/db.ts'
import { Refusal } from '../../../platform/refusals.ts'
import { isUuid } from '../../../platform/request-fields.ts'
import { centsFrom } from '../../staff/amount.ts'
import type { KnownVisit } from '../../staff/guarded-routes.ts'
import { limitExports, sendCsv } from '../../staff/send-csv.ts'
import { auditLine } from '../../staff/visit.ts'
import { caseWords } from '../case-words.ts'
import { pageLength } from '../deposits/routes.ts'
import { deskPath } from '../paths.ts'
import { dropClaim, readClaims, takeClaim } from '../queue/claims/store.ts'
import { itemKey } from '../queue/queue.ts'
import { decideTransfer } from '../transfers/routes.ts'
import { type DeskTools, dangerous, deskOf, read, sectionRoutes, work } from '../visit.ts'
import { refundsPage } from './refunds-page.ts'
import { refundWords } from './words.ts'

const exportedAtOnce = 500
const modeOf = ({ query }: KnownVisit): Mode | null => modes.find((mode) => mode === query('mode')) ?? null

export function refundRoutes(tools: DeskTools): void {
  const { get, live, post } = sectionRoutes(tools, 'refunds')
  const { context } = tools
  const { db } = context

  live('/refunds', read, async (visit) => {
    const [mode, after] = [modeOf(visit), placeFrom(visit.query('after'))]
    const [desk, { refunds, next }, totals] = await Promise.all([
      deskOf(tools, visit),
      listRefunds(db, { mode, after, limit: pageLength }),
      sumRefunds(db, mode),
    ])
    const items = refunds.flatMap(({ transferId }) => (transferId ? [itemKey('transfer', transferId)] : []))
    const holders = await readClaims(db, items)
    const named = await db.transaction((tx) =>
      findNamedIn(
        tx,
        refunds.map(({ purpose }) => purpose),
      ),
    )
    return refundsPage(desk, { refunds, holders, named, totals, mode, next, isFirst: after === null })
  })

  get('/refunds/export.csv', read, async (visit) => {
    const mode = modeOf(visit)
    const line = auditLine(visit, { act: 'export', subject: 'refunds', after: { mode } })
    limitExports(tools.limits, visit.visitor.person.id)
    await db.transaction((tx) => appendAudit(tx, line))
    return sendCsv(visit.reply, 'refunds', refundLines(db, mode))
  })

  // A refund is taken before it is paid at the bank, for as long as that may take, because Inlet cannot prevent a
  // second payment there.
  post('/refunds/take', work, async (visit) => {
    const { id: own } = visit.visitor.person
    const { personId, name } = await takeClaim(db, itemKey('transfer', transferOf(visit)), own, 60)
    if (personId !== own)
      throw new Refusal('state_conflict', { detail: caseWords[visit.language].takenBy(name) })
    return { to: deskPath('/refunds'), notice: 'taken' }
  })

  post('/refunds/release', work, async (visit) => {
    await dropClaim(db, itemKey('transfer', transferOf(visit)), visit.visitor.person.id)
    return { to: deskPath('/refunds'), notice: 'released' }
  })

  post('/refunds/paid', dangerous, async (visit) => {
    const cents = centsFrom(visit.field('amount'))
    if (!cents) throw new Refusal('invalid_value', { detail: refundWords[visit.language].amountHint })
    const act = { id: transferOf(visit), act: 'refund_paid' }
    await decideTransfer(visit, context, act, (held, act) => payBack(held, { ...act, cents }))
    return { to: deskPath('/refunds'), notice: 'refunded' }
  })

  post('/refunds/none', dangerous, async (visit) => {
    await decideTransfer(visit, context, { id: transferOf(visit), act: 'refund_none' }, declareNotOwed)
    return { to: deskPath('/refunds'), notice: 'done' }
  })
}

/** The id of the transfer that the form is about. */
function transferOf(visit: KnownVisit): string {
  const id = visit.field('transfer')
  if (!isUuid(id)) throw new Refusal('not_found')
  return id
}

/** Oldest first, page by page. Times are UTC. Cells are separated by semicolons, so amounts have a decimal comma. */
async function* refundLines(db: Db, mode: Mode | null): AsyncGenerator<string> {
  const head = [
    ...['since (UTC)', 'why', 'mode', 'amount (0,00)', 'currency', 'payer', 'payer_account', 'payer_tax_id'],
    ...[
      'payer_bank',
      'booked_on',
      'purpose',
      'account',
      'transfer',
      'deposit',
      'order_id',
      'merchant',
      'note',
    ],
  ]
  yield csvRow(head, ';')
  for (let after: RefundPlace | null = null; ; ) {
    const { refunds, next } = await listRefunds(db, { mode, after, limit: exportedAtOnce })
    yield refunds
      .map(({ payer, ...one }) =>
        csvRow(
          [
            ...[one.since.toISOString(), one.why, one.mode, one.cents, one.currency],
            ...[payer?.name ?? null, payer?.account ?? null, payer?.taxId ?? null, payer?.bank ?? null],
            ...[one.bookedOn, one.purpose, one.accountLabel, one.transferId, one.depositId],
            ...[one.orderId, one.merchantName, `${one.note}`],
          ],
          ';',
        ),
      )
      .join('')
    if (!next) return
    after = next
  }
}
