/** `inlet deposit …` */

import {
  type Changed,
  cancelDeposit,
  confirmDeposit,
  type DepositAct,
  type DepositContext,
  receiveMoney,
} from '../../domain/deposits/change-deposit.ts'
import { type DepositState, depositStates } from '../../domain/deposits/deposit.ts'
import { listDeposits, readTimeline } from '../../domain/deposits/read-store.ts'
import { recordOf } from '../../domain/deposits/record.ts'
import { message } from '../../domain/messages/message.ts'
import { readable } from '../../domain/money.ts'
import { rejectDeposit, reverseDeposit } from '../../domain/transfers/end-deposit.ts'
import { noteMoney } from '../../domain/transfers/note-money.ts'
import { Refusal } from '../../platform/refusals.ts'
import type { Command, Values } from './command.ts'
import { integer, oneOf, optional, required, shown, table, UsageProblem, uuid } from './options.ts'

/** What an operator does to one deposit, by name and with a reason. */
const act = (
  word: string,
  summary: string,
  run: (context: DepositContext, act: DepositAct, values: Values) => Promise<Changed>,
  more = { usage: '', example: '' },
): Command => ({
  usage: `inlet deposit ${word} ID --reason TEXT [--by NAME] [--evidence TEXT]${more.usage}`,
  summary,
  example: `$DEPOSIT --reason 'Seen in the bank' --by anna${more.example}`,
  words: 1,
  async run({ db }, values, [id], { publicUrl }) {
    const depositId = uuid(id, 'The deposit')
    const actor = `operator:${optional(values, 'by') ?? 'command line'}`
    const context = { db, publicUrl, changed: () => {} }
    const given = optional(values, 'evidence')
    const said = { reason: required(values, 'reason'), evidence: given && { given } }
    const { deposit, now } = await run(context, { depositId, actor, ...said }, values)
    const record = recordOf(deposit, now, publicUrl)
    return { json: record, text: `${deposit.id} is ${deposit.state} ${deposit.labels.join(', ')}`.trimEnd() }
  },
})

export const depositCommands: Record<string, Command> = {
  'deposit confirm': act('confirm', 'confirm manually: the money has arrived', confirmDeposit),
  'deposit reject': act('reject', 'refuse a deposit', rejectDeposit),
  'deposit reverse': act('reverse', 'the bank took confirmed money back', reverseDeposit),
  'deposit cancel': act('cancel', 'cancel a deposit for its merchant', (context, given) =>
    cancelDeposit(context, { ...given, merchantId: null }),
  ),
  'deposit receive': act(
    'receive',
    'record money that arrived, before a bank tells it; the policy of the merchant decides what follows',
    (context, given, values) => {
      const text = required(values, 'cents')
      if (!/^-?[1-9]\d{0,14}$/.test(text))
        throw new UsageProblem('--cents must be whole minor units, not zero.')
      const cents = BigInt(text)
      const { hooks: _none, ...act } = given
      return cents > 0n ? noteMoney(context, { ...act, cents }) : receiveMoney(context, { ...act, cents })
    },
    { usage: ' --cents N', example: ' --cents 150000' },
  ),
  'deposit show': {
    usage: 'inlet deposit show ID',
    summary: 'one deposit with its timeline',
    example: '$DEPOSIT',
    words: 1,
    async run({ db }, _values, [id], { publicUrl }) {
      const found = await readTimeline(db, uuid(id, 'The deposit'))
      if (!found) throw new Refusal('not_found', { detail: message('no_deposit_with_id') })
      const { deposit, now, history } = found
      const record = recordOf(deposit, now, publicUrl)
      return {
        json: { ...record, reference: deposit.reference, history },
        text: [
          `${deposit.id}  ${deposit.state}  ${readable(deposit.amountCents, deposit.currency)}  ${deposit.paymentType}`,
          `order ${shown(deposit.orderId)}, reference ${deposit.reference ?? '–'}, received ${readable(deposit.receivedCents, deposit.currency)}`,
          `page ${record.payment_data.url}`,
          '',
          table(
            ['when', 'what', 'state', 'who', 'why'],
            history.map((entry) => [
              entry.at.toISOString(),
              entry.action,
              entry.to_state,
              entry.actor,
              entry.reason && `${entry.reason}`,
            ]),
          ),
        ].join('\n'),
      }
    },
  },
  'deposit list': {
    usage: 'inlet deposit list [--merchant ID] [--state STATE] [--after ID] [--limit 1..200]',
    summary: 'deposits, newest first',
    example: '--merchant $MERCHANT --state confirmed',
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
