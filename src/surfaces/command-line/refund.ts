/** `inlet refund …`: what has to be paid back, and that it was. */

import { modes } from '../../domain/merchants/merchant.ts'
import { readable } from '../../domain/money.ts'
import { declareNotOwed, payBack } from '../../domain/refunds/pay-back.ts'
import { placeFrom, placeText } from '../../domain/refunds/refund.ts'
import { listRefunds, sumRefunds } from '../../domain/refunds/store.ts'
import type { LockedTransfer } from '../../domain/transfers/store.ts'
import { foreignText } from '../../platform/foreign-text.ts'
import type { Command } from './command.ts'
import { cents, integer, oneOf, optional, table, UsageProblem } from './options.ts'
import { actFrom } from './transfer.ts'

const outputOf = ({ id, state, refundCents, currency }: LockedTransfer) => ({
  json: { transfer: id, state, refunded_cents: refundCents },
  text: `${id} is ${state}, given back ${readable(refundCents, currency)}`,
})

export const refundCommands: Record<string, Command> = {
  'refund list': {
    usage: 'inlet refund list [--mode live|test] [--after PLACE] [--limit 1..200]',
    summary: 'refunds due to payers, oldest first',
    example: '--mode live',
    async run({ db }, values) {
      const mode = values.mode === undefined ? null : oneOf(values, 'mode', modes)
      const place = optional(values, 'after')
      const after = place === null ? null : placeFrom(place)
      if (place !== null && after === null)
        throw new UsageProblem('--after is the "next" of the page before.')
      const limit = integer(values, 'limit', 1, 200) ?? 50
      const { refunds, next } = await listRefunds(db, { mode, after, limit })
      const totals = await sumRefunds(db, mode)
      return {
        json: {
          refunds: refunds.map((row) => ({
            since: row.since,
            why: row.why,
            mode: row.mode,
            cents: row.cents,
            currency: row.currency,
            transfer: row.transferId,
            deposit: row.depositId,
            payer_name: row.payer?.name ?? null,
            payer_account: row.payer?.account ?? null,
            note: row.note,
          })),
          totals,
          next: next && placeText(next),
        },
        text: [
          table(
            ['since', 'why', 'amount', 'payer', 'transfer', 'deposit'],
            refunds.map((row) => [
              row.since.toISOString(),
              row.why,
              readable(row.cents, row.currency),
              foreignText(row.payer?.name ?? '', 24),
              row.transferId,
              row.depositId,
            ]),
          ),
          ...totals.map((row) => `${row.mode}: ${row.refunds} owed, ${readable(row.cents, row.currency)}`),
          ...(next ? [`--after ${placeText(next)}`] : []),
        ].join('\n'),
      }
    },
  },
  'refund paid': {
    usage: 'inlet refund paid TRANSFER_ID --reason TEXT [--cents N] [--by NAME]',
    summary: 'record that a refund was paid, whole or in part',
    example: "$TRANSFER --cents 5000 --reason 'Paid back by order 12'",
    words: 1,
    async run({ db }, values, [id], { publicUrl }) {
      const context = { db, publicUrl, changed: () => {} }
      return outputOf(await payBack(context, { ...actFrom(values, id), cents: cents(values, 'cents') }))
    },
  },
  'refund none': {
    usage: 'inlet refund none TRANSFER_ID --reason TEXT [--by NAME]',
    summary: 'mark a refund as not due',
    example: "$TRANSFER --reason 'Credited to another order'",
    words: 1,
    async run({ db }, values, [id], { publicUrl }) {
      return outputOf(await declareNotOwed({ db, publicUrl, changed: () => {} }, actFrom(values, id)))
    },
  },
}
