/** `inlet deposit …` */
import { type DepositState, depositStates } from '../deposits/deposit.ts'
import { recordOf } from '../deposits/record.ts'
import { listDeposits, readTimeline } from '../deposits/store.ts'
import { readable } from '../money.ts'
import { Refusal } from '../refusals.ts'
import type { Command } from './inlet.ts'
import { integer, oneOf, optional, table, uuid } from './options.ts'

export const depositCommands: Record<string, Command> = {
  'deposit show': {
    usage: 'inlet deposit show ID',
    summary: 'one deposit with its timeline',
    options: {},
    async run({ db }, _values, [id], { publicUrl }) {
      const found = await readTimeline(db, uuid(id, 'The deposit'))
      if (!found) throw new Refusal('not_found', { detail: 'There is no deposit with this id.' })
      const { deposit, now, history } = found
      const record = recordOf(deposit, now, publicUrl)
      return {
        json: { ...record, reference: deposit.reference, history },
        text: [
          `${deposit.id}  ${deposit.state}  ${readable(deposit.amountCents, deposit.currency)}  ${deposit.paymentType}`,
          `order ${deposit.orderId}, reference ${deposit.reference ?? '–'}, received ${readable(deposit.receivedCents, deposit.currency)}`,
          `page ${record.payment_data.url}`,
          '',
          table(
            ['when', 'what', 'state', 'who', 'why'],
            history.map((entry) => [
              entry.at.toISOString(),
              entry.action,
              entry.to_state,
              entry.actor,
              entry.reason,
            ]),
          ),
        ].join('\n'),
      }
    },
  },
  'deposit list': {
    usage: 'inlet deposit list [--merchant ID] [--state STATE] [--after ID] [--limit 1..200]',
    summary: 'deposits, newest first',
    options: {
      merchant: { type: 'string' },
      state: { type: 'string' },
      after: { type: 'string' },
      limit: { type: 'string' },
    },
    async run({ db }, values, _words, { publicUrl }) {
      const merchant = optional(values, 'merchant')
      const after = optional(values, 'after')
      const found = await listDeposits(db, {
        merchantId: merchant && uuid(merchant, '--merchant'),
        state: values.state === undefined ? null : oneOf<DepositState>(values, 'state', depositStates),
        from: null,
        to: null,
        after: after && uuid(after, '--after'),
        limit: integer(values, 'limit', 1, 200) ?? 50,
      })
      return {
        json: { deposits: found.map(({ deposit, now }) => recordOf(deposit, now, publicUrl)) },
        text: table(
          ['id', 'created', 'state', 'amount', 'type', 'order'],
          found.map(({ deposit }) => [
            deposit.id,
            deposit.createdAt.toISOString(),
            deposit.state,
            readable(deposit.amountCents, deposit.currency),
            deposit.paymentType,
            deposit.orderId,
          ]),
        ),
      }
    },
  },
}
