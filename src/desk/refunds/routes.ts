/** What has to be paid back, over HTTP: the list, the same as CSV, and that it was paid. */
import { Readable } from 'node:stream'
import { audited } from '../../audit/audited.ts'
import type { Ledger } from '../../deposits/change-deposit.ts'
import { type Mode, modes } from '../../merchants/merchant.ts'
import type { KnownVisit } from '../../people/doors.ts'
import type { Db } from '../../platform/db.ts'
import { isUuid } from '../../platform/request-fields.ts'
import { declareNotOwed, payBack } from '../../refunds/pay-back.ts'
import { placeFrom, type RefundPlace } from '../../refunds/refund.ts'
import { listRefunds, sumRefunds } from '../../refunds/store.ts'
import { Refusal } from '../../refusals.ts'
import { byteOrderMark, csvRow } from '../../reports/csv.ts'
import type { DecidedTransfer, TransferAct } from '../../transfers/decide-transfer.ts'
import type { LockedTransfer } from '../../transfers/store.ts'
import { centsFrom } from '../cases/list-pages.ts'
import { pageLength } from '../cases/routes.ts'
import { everybody, workers } from '../frame.ts'
import { actorOf, type DeskTools, deskOf, lineOf, perform, reasonOf } from '../visit.ts'
import { refundsPage } from './refunds-page.ts'
import { refundWords } from './words.ts'

const read = { for: 'operator', roles: everybody } as const
const dangerous = { for: 'operator', roles: workers, isFresh: true } as const

const exportedAtOnce = 500
const modeOf = ({ query }: KnownVisit): Mode | null => modes.find((one) => one === query('mode')) ?? null

export function refundRoutes(tools: DeskTools): void {
  const { doors, ledger } = tools
  const { db } = ledger

  doors.live('/operator/refunds', read, async (visit) => {
    const [mode, after] = [modeOf(visit), placeFrom(visit.query('after'))]
    const [desk, { refunds, next }, totals] = await Promise.all([
      deskOf(tools, visit),
      listRefunds(db, { mode, after, limit: pageLength }),
      sumRefunds(db, mode),
    ])
    return refundsPage(desk, { refunds, totals, mode, next, isFirst: after === null })
  })

  doors.get('/operator/refunds/export.csv', read, async (visit) =>
    visit.reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', 'attachment; filename="refunds.csv"')
      .send(Readable.from(refundLines(db, modeOf(visit)))),
  )

  doors.post('/operator/refunds/paid', dangerous, (visit) =>
    perform(tools, visit, 'refunds', async () => {
      const cents = centsFrom(visit.field('amount'))
      if (!cents) throw new Refusal('invalid_value', { detail: refundWords[visit.language].amountHint })
      await decided(visit, ledger, 'refund_paid', (noted, act) => payBack(noted, { ...act, cents }))
      return { to: '/operator/refunds', notice: 'refunded' }
    }),
  )

  doors.post('/operator/refunds/none', dangerous, (visit) =>
    perform(tools, visit, 'refunds', async () => {
      await decided(visit, ledger, 'refund_none', declareNotOwed)
      return { to: '/operator/refunds', notice: 'done' }
    }),
  )
}

async function decided(
  visit: KnownVisit,
  ledger: Ledger,
  act: string,
  verb: (ledger: Ledger, act: TransferAct) => Promise<unknown>,
): Promise<void> {
  const id = visit.field('transfer')
  if (!isUuid(id)) throw new Refusal('not_found')
  const reason = reasonOf(visit)
  const db = audited<DecidedTransfer>(ledger.db, ({ before, transfer }) =>
    lineOf(visit, {
      ...{ act, subject: `transfer:${id}`, reason },
      before: partsOf(before),
      after: partsOf(transfer),
    }),
  )
  await verb({ ...ledger, db }, { transferId: id, actor: actorOf(visit), reason })
}

const partsOf = ({ state, depositId, depositCents, refundCents, openCents }: LockedTransfer) => ({
  ...{ state, depositId, depositCents, refundCents, openCents },
})

/** Oldest first, some at a time. Times are UTC; the cells are parted by semicolons, so money has a comma. */
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
  yield byteOrderMark + csvRow(head, ';')
  for (let after: RefundPlace | null = null; ; ) {
    const { refunds, next } = await listRefunds(db, { mode, after, limit: exportedAtOnce })
    yield refunds
      .map(({ payer, ...one }) =>
        csvRow(
          [
            ...[one.since.toISOString(), one.why, one.mode, one.cents, one.currency],
            ...[payer?.name ?? null, payer?.account ?? null, payer?.taxId ?? null, payer?.bank ?? null],
            ...[one.bookedOn, one.purpose, one.accountLabel, one.transferId, one.depositId],
            ...[one.orderId, one.merchantName, one.note],
          ],
          ';',
        ),
      )
      .join('')
    if (!next) return
    after = next
  }
}
