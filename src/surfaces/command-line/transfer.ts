/** `inlet transfer …`: transfers from banks. */

import type { DepositContext } from '../../domain/deposits/change-deposit.ts'
import { message } from '../../domain/messages/message.ts'
import { readable } from '../../domain/money.ts'
import { refund, revokeByHand, setAside, type TransferAct } from '../../domain/transfers/decide-transfer.ts'
import { giveSeveral, giveTransfer, mostTransfers } from '../../domain/transfers/give-transfer.ts'
import { listReports } from '../../domain/transfers/report-store.ts'
import { declareGenuine, samePayment } from '../../domain/transfers/same-payment.ts'
import {
  type LockedTransfer,
  listTransfers,
  listUnbooked,
  readTransfer,
} from '../../domain/transfers/store.ts'
import { type Share, type Told, transferStates } from '../../domain/transfers/transfer.ts'
import { undoDecision } from '../../domain/transfers/undo-decision.ts'
import { foreignText } from '../../platform/foreign-text.ts'
import { Refusal } from '../../platform/refusals.ts'
import type { Command, Values } from './command.ts'
import {
  cents,
  integer,
  oneOf,
  optional,
  required,
  several,
  shown,
  table,
  UsageProblem,
  uuid,
} from './options.ts'

export const actFrom = (values: Values, id: string | undefined): TransferAct => ({
  transferId: uuid(id, 'The transfer'),
  actor: `operator:${optional(values, 'by') ?? 'command line'}`,
  reason: required(values, 'reason'),
})

/** The purpose names another deposit, and the person knows it. */
const despite = (values: Values) => ({ despiteReference: values['despite-reference'] === true })

/** `DEPOSIT=CENTS` */
function shareFrom(text: string): Share {
  const [id = '', amount = ''] = text.split('=')
  if (!/^[1-9]\d{0,14}$/.test(amount))
    throw new UsageProblem('--share must be DEPOSIT=CENTS, in whole minor units.')
  return { depositId: uuid(id, 'The deposit of --share'), cents: BigInt(amount) }
}

const jsonOf = (transfer: LockedTransfer) => ({
  id: transfer.id,
  state: transfer.state,
  account: transfer.accountId,
  direction: transfer.direction,
  cents: transfer.cents,
  currency: transfer.currency,
  booked_on: transfer.bookedOn,
  booked_at: transfer.bookedAt,
  document_number: transfer.documentNumber,
  payer_name: transfer.payerName,
  payer_account: transfer.payerAccount,
  purpose: transfer.purpose,
  bank_id: transfer.bankId,
  told_early_at: transfer.toldEarlyAt,
  told_booked_at: transfer.toldBookedAt,
  held_with: transfer.heldWith,
  duplicate_of: transfer.duplicateOf,
  deposits: transfer.shares.map(({ depositId, cents, keptCents }) => ({
    deposit: depositId,
    cents,
    kept_cents: keptCents,
  })),
  deposit_cents: transfer.depositCents,
  refund_cents: transfer.refundCents,
  open_cents: transfer.openCents,
})

const outputOf = (...transfers: LockedTransfer[]) => ({
  json: transfers.length === 1 ? jsonOf(transfers[0]!) : { transfers: transfers.map(jsonOf) },
  text: transfers
    .map((one) => [`${one.id} is ${one.state}`, ...depositsOf(one).map((id) => `deposit ${id}`)].join(', '))
    .join('\n'),
})

type Act = (context: DepositContext, act: TransferAct, values: Values) => Promise<LockedTransfer>

/** What a person decides about one transfer. `options`: beside the reason. */
const actCommand = (word: string, summary: string, example: string, act: Act, options = ''): Command => ({
  usage: `inlet transfer ${word} ID ${options && `${options} `}--reason TEXT [--by NAME]`,
  summary,
  example: `$TRANSFER ${example}`,
  words: 1,
  run: async ({ db }, values, [id], { publicUrl }) =>
    outputOf(await act({ db, publicUrl, changed: () => {} }, actFrom(values, id), values)),
})

const listOf = (transfers: readonly LockedTransfer[]) => ({
  json: { transfers: transfers.map(jsonOf) },
  text: table(
    ['id', 'account', 'booked', 'state', 'amount', 'payer', 'purpose', 'deposit'],
    transfers.map((transfer) => [
      transfer.id,
      transfer.accountLabel,
      transfer.bookedOn,
      transfer.state,
      `${transfer.direction === 'debit' ? '-' : ''}${readable(transfer.cents, transfer.currency)}`,
      foreignText(transfer.payerName, 24),
      foreignText(transfer.purpose, 40),
      depositsOf(transfer).join(' '),
    ]),
  ),
})

const depositsOf = ({ shares }: LockedTransfer): string[] => shares.map(({ depositId }) => depositId)

/** When it was told early and booked, and which files tell it. */
const toldText = ({ toldEarlyAt, toldBookedAt }: LockedTransfer, reports: readonly Told[]): string =>
  [
    `told early ${toldEarlyAt?.toISOString() ?? 'by nobody'}, booked ${toldBookedAt?.toISOString() ?? 'by nobody'}`,
    ...reports.map(({ fileName, statementId, line, role }) =>
      shown(`  ${role} in ${fileName} (statement ${statementId}), line ${line}`),
    ),
  ].join('\n')

export const transferCommands: Record<string, Command> = {
  'transfer list': {
    usage: `inlet transfer list [--state ${transferStates.join('|')}] [--account ID] [--deposit ID] [--before ID] [--limit 1..200]`,
    summary: 'bank transfers, newest first',
    example: '--state unmatched',
    async run({ db }, values) {
      const id = (name: string) => {
        const text = optional(values, name)
        return text === null ? null : uuid(text, `--${name}`)
      }
      const transfers = await listTransfers(db, {
        state: values.state === undefined ? null : oneOf(values, 'state', transferStates),
        accountId: id('account'),
        depositId: id('deposit'),
        before: id('before'),
        limit: integer(values, 'limit', 1, 200) ?? 50,
      })
      return listOf(transfers)
    },
  },
  'transfer unbooked': {
    usage: 'inlet transfer unbooked [--limit 1..1000]',
    summary: 'payments told early that no file has, although one has closed their day; oldest first',
    example: '--limit 50',
    run: async ({ db }, values) => listOf(await listUnbooked(db, integer(values, 'limit', 1, 1000) ?? 200)),
  },
  'transfer show': {
    usage: 'inlet transfer show ID',
    summary: 'one transfer with every decision about it',
    example: '$TRANSFER',
    words: 1,
    async run({ db }, _values, [id]) {
      const found = await readTransfer(db, uuid(id, 'The transfer'))
      if (!found) throw new Refusal('not_found', { detail: message('no_transfer_with_id') })
      const { transfer, decisions } = found
      const reports = await listReports(db, transfer.id)
      return {
        json: { ...jsonOf(transfer), raw: transfer.raw, decisions, reports },
        text: [
          `${transfer.id}  ${transfer.state}  ${readable(transfer.cents, transfer.currency)}  ${transfer.bookedOn}`,
          `from ${shown(transfer.payerName) || '–'} ${shown(transfer.payerAccount)}`,
          `purpose: ${shown(transfer.purpose) || '–'}`,
          `with deposits ${readable(transfer.depositCents, transfer.currency)}, given back ${readable(transfer.refundCents, transfer.currency)}, open ${readable(transfer.openCents, transfer.currency)}`,
          ...transfer.shares.map(
            ({ depositId, cents }) => `  deposit ${depositId}: ${readable(cents, transfer.currency)}`,
          ),
          ...transfer.heldWith.map((other) => `may be ${other}`),
          ...(transfer.duplicateOf ? [`the same payment as ${transfer.duplicateOf}`] : []),
          toldText(transfer, reports),
          '',
          ...decisions.map((decision) =>
            shown(
              `${decision.at.toISOString()}  ${decision.state.padEnd(10)} ${decision.actor}: ${decision.rule}. ${decision.reason}`,
            ),
          ),
        ].join('\n'),
      }
    },
  },
  'transfer match': {
    usage: 'inlet transfer match ID [ID …] --deposit ID --reason TEXT [--despite-reference] [--by NAME]',
    summary: 'match a transfer to a deposit, or several transfers, all of them or none',
    example: "$TRANSFER --deposit $DEPOSIT --reason 'The payer wrote to us'",
    words: mostTransfers,
    async run({ db }, values, ids, { publicUrl }) {
      const context = { db, publicUrl, changed: () => {} }
      const depositId = uuid(required(values, 'deposit'), '--deposit')
      const { transferId, ...act } = { ...actFrom(values, ids[0]), ...despite(values) }
      if (ids.length < 2) return outputOf(await giveTransfer(context, { ...act, transferId, depositId }))
      const transferIds = ids.map((id) => uuid(id, 'Each transfer'))
      const { hooks: _none, ...several } = act
      return outputOf(...(await giveSeveral(context, { ...several, transferIds, depositId })))
    },
  },
  'transfer split': actCommand(
    'split',
    'split a transfer over deposits of one merchant: one --share for each, together the whole amount',
    "--share $DEPOSIT=100000 --share $OTHER_DEPOSIT=50000 --reason 'The payer paid both'",
    (context, act, values) => {
      const shares = several(values, 'share').map(shareFrom)
      if (shares.length === 0)
        throw new UsageProblem('--share is required: DEPOSIT=CENTS, once for each deposit.')
      return giveTransfer(context, { ...act, ...despite(values), shares })
    },
    '--share DEPOSIT=CENTS … [--despite-reference]',
  ),
  'transfer set-aside': actCommand(
    'set-aside',
    'take a transfer out of the queue; its money is due for a refund',
    "--reason 'Nobody knows it'",
    setAside,
  ),
  'transfer refund': actCommand(
    'refund',
    'record a refund, whole or in part',
    "--reason 'Given back' --cents 5000",
    (context, act, values) =>
      refund(context, { ...act, cents: cents(values, 'cents'), mayReverse: values.reverse === true }),
    '[--cents N [--reverse]]',
  ),
  'transfer revoke': actCommand(
    'revoke',
    'the bank took the money back: reverse what the transfer settled',
    "--reason 'The bank took it back'",
    revokeByHand,
  ),
  'transfer same': actCommand(
    'same',
    'the transfer is the same payment as another, which remains with the reports of both',
    "--as $OTHER_TRANSFER --reason 'The same payment'",
    (context, act, values) =>
      samePayment(context, { ...act, ...despite(values), sameAs: uuid(required(values, 'as'), '--as') }),
    '--as ID [--despite-reference]',
  ),
  'transfer genuine': actCommand(
    'genuine',
    'mark a held transfer, or a duplicate, as a payment of its own',
    "--reason 'Paid twice on purpose'",
    declareGenuine,
  ),
  'transfer undo': actCommand(
    'undo',
    'undo the last decision of a person, while no refund and no bank followed',
    "--reason 'The wrong deposit'",
    undoDecision,
  ),
}
