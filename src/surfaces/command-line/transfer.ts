/** `inlet transfer …` and `inlet source …`: transfers from banks, and the bank sources. */

import { type Mode, modes } from '../../domain/merchants/merchant.ts'
import { message } from '../../domain/messages/message.ts'
import { readable } from '../../domain/money.ts'
import {
  addSource,
  type SourceScope,
  setSourceAccounts,
  setSourceNetworks,
  switchSource,
} from '../../domain/transfers/bank-source.ts'
import {
  declareAnother,
  declareGenuine,
  markDuplicate,
  matchByHand,
  refund,
  revokeByHand,
  setAside,
  type TransferAct,
} from '../../domain/transfers/decide-transfer.ts'
import { listRepeats } from '../../domain/transfers/repeat-store.ts'
import { findSource, listSourceAccounts, listSources } from '../../domain/transfers/source-store.ts'
import { type LockedTransfer, listTransfers, readTransfer } from '../../domain/transfers/store.ts'
import { transferStates } from '../../domain/transfers/transfer.ts'
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
  statement: transfer.statementId,
  line: transfer.line,
  deposit: transfer.depositId,
  deposit_cents: transfer.depositCents,
  refund_cents: transfer.refundCents,
  open_cents: transfer.openCents,
})

const outputOf = (transfer: LockedTransfer) => ({
  json: jsonOf(transfer),
  text: `${transfer.id} is ${transfer.state}${transfer.depositId ? `, deposit ${transfer.depositId}` : ''}`,
})

const switchCommand = (word: 'enable' | 'disable'): Command => ({
  usage: `inlet source ${word} ID`,
  summary: word === 'enable' ? "accept a source's pushes again" : "refuse a source's token, immediately",
  example: '$SOURCE',
  words: 1,
  async run({ db }, _values, [id]) {
    const json = await switchSource(db, uuid(id, 'The source'), word === 'enable')
    return { json, text: `${json.id} ${word}d` }
  },
})

const accountsIn = (values: Values): string[] => several(values, 'account').map((id) => uuid(id, '--account'))

const sourceJson = <Source extends { isBound: boolean }>({ isBound, ...rest }: Source) => ({
  ...rest,
  is_bound: isBound,
})

const scopeText = ({ isBound, accounts, networks }: SourceScope): string =>
  [
    isBound
      ? `reports ${accounts.length} receiving accounts`
      : 'reports every account of its mode: list the allowed ones with "inlet source set"',
    ...accounts.map(
      (account) => `  ${account.id}  ${account.number ?? 'without a number'}  ${shown(account.label)}`,
    ),
    networks.length > 0 ? `calls from ${networks.join(', ')}` : 'calls from anywhere',
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
      return {
        json: { transfers: transfers.map(jsonOf) },
        text: table(
          ['id', 'booked', 'state', 'amount', 'payer', 'purpose', 'deposit'],
          transfers.map((transfer) => [
            transfer.id,
            transfer.bookedOn,
            transfer.state,
            `${transfer.direction === 'debit' ? '-' : ''}${readable(transfer.cents, transfer.currency)}`,
            foreignText(transfer.payerName, 24),
            foreignText(transfer.purpose, 40),
            transfer.depositId,
          ]),
        ),
      }
    },
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
      const repeats = await listRepeats(db, { transferId: transfer.id })
      return {
        json: { ...jsonOf(transfer), raw: transfer.raw, decisions, repeats },
        text: [
          `${transfer.id}  ${transfer.state}  ${readable(transfer.cents, transfer.currency)}  ${transfer.bookedOn}`,
          `from ${shown(transfer.payerName) || '–'} ${shown(transfer.payerAccount)}`,
          `purpose: ${shown(transfer.purpose) || '–'}`,
          `with a deposit ${readable(transfer.depositCents, transfer.currency)}, given back ${readable(transfer.refundCents, transfer.currency)}, open ${readable(transfer.openCents, transfer.currency)}`,
          '',
          ...decisions.map((decision) =>
            shown(
              `${decision.at.toISOString()}  ${decision.state.padEnd(10)} ${decision.actor}: ${decision.rule}. ${decision.reason}`,
            ),
          ),
          ...repeats.map(
            (repeat) =>
              `repeated in statement ${repeat.statementId}, line ${repeat.line}${repeat.became ? `, imported as ${repeat.became}` : ''}`,
          ),
        ].join('\n'),
      }
    },
  },
  'transfer match': {
    usage: 'inlet transfer match ID --deposit ID --reason TEXT [--despite-reference] [--by NAME]',
    summary: 'match a transfer to a deposit',
    example: "$TRANSFER --deposit $DEPOSIT --reason 'The payer wrote to us'",
    words: 1,
    async run({ db }, values, [id], { publicUrl }) {
      const context = { db, publicUrl, changed: () => {} }
      const depositId = uuid(required(values, 'deposit'), '--deposit')
      return outputOf(await matchByHand(context, { ...actFrom(values, id), ...despite(values), depositId }))
    },
  },
  'transfer set-aside': {
    usage: 'inlet transfer set-aside ID --reason TEXT [--by NAME]',
    summary: 'take a transfer out of the queue; its money is due for a refund',
    example: "$TRANSFER --reason 'Nobody knows it'",
    words: 1,
    async run({ db }, values, [id], { publicUrl }) {
      return outputOf(await setAside({ db, publicUrl, changed: () => {} }, actFrom(values, id)))
    },
  },
  'transfer refund': {
    usage: 'inlet transfer refund ID --reason TEXT [--cents N [--reverse]] [--by NAME]',
    summary: 'record a refund, whole or in part',
    example: "$TRANSFER --reason 'Given back' --cents 5000",
    words: 1,
    async run({ db }, values, [id], { publicUrl }) {
      const context = { db, publicUrl, changed: () => {} }
      const mayReverse = values.reverse === true
      return outputOf(
        await refund(context, { ...actFrom(values, id), cents: cents(values, 'cents'), mayReverse }),
      )
    },
  },
  'transfer revoke': {
    usage: 'inlet transfer revoke ID --reason TEXT [--by NAME]',
    summary: 'the bank took the money back: reverse what the transfer settled',
    example: "$TRANSFER --reason 'The bank took it back'",
    words: 1,
    async run({ db }, values, [id], { publicUrl }) {
      return outputOf(await revokeByHand({ db, publicUrl, changed: () => {} }, actFrom(values, id)))
    },
  },
  'transfer duplicate': {
    usage: 'inlet transfer duplicate ID OF --reason TEXT [--despite-reference] [--by NAME]',
    summary: 'mark a transfer as a duplicate of the transfer OF',
    example: "$TRANSFER $OTHER_TRANSFER --reason 'The same payment'",
    words: 2,
    async run({ db }, values, [id, originalId], { publicUrl }) {
      const context = { db, publicUrl, changed: () => {} }
      return outputOf(
        await markDuplicate(context, {
          ...actFrom(values, id),
          ...despite(values),
          duplicateOf: uuid(originalId, 'OF'),
        }),
      )
    },
  },
  'transfer genuine': {
    usage: 'inlet transfer genuine ID --reason TEXT [--by NAME]',
    summary: 'mark a duplicate as a separate payment',
    example: "$TRANSFER --reason 'Paid twice on purpose'",
    words: 1,
    async run({ db }, values, [id], { publicUrl }) {
      return outputOf(await declareGenuine({ db, publicUrl, changed: () => {} }, actFrom(values, id)))
    },
  },
  'transfer another': {
    usage: 'inlet transfer another ID --statement ID --line N --reason TEXT [--by NAME]',
    summary: 'mark a repeated row of a file as a separate payment',
    example: "$TRANSFER --statement $STATEMENT --line 12 --reason 'Two equal payments'",
    words: 1,
    async run({ db }, values, [id], { publicUrl }) {
      const context = { db, publicUrl, changed: () => {} }
      const statementId = uuid(required(values, 'statement'), '--statement')
      const line = integer(values, 'line', 0, 2_147_483_647) ?? 0
      const transfer = await declareAnother(context, { ...actFrom(values, id), statementId, line })
      return { json: { transfer }, text: `${transfer} is ambiguous` }
    },
  },
  'source add': {
    usage: 'inlet source add --name NAME --mode live|test --account ID … [--network 203.0.113.0/24 …]',
    summary: 'add a bank source for these receiving accounts; prints its token once',
    example: "--name 'My bank' --mode live --account $ACCOUNT",
    async run({ db }, values) {
      const mode: Mode = oneOf(values, 'mode', modes)
      const accounts = accountsIn(values)
      if (accounts.length === 0) {
        throw new UsageProblem('--account is required: a bank source may report only the accounts you list.')
      }
      const networks = several(values, 'network')
      const name = required(values, 'name').slice(0, 100)
      const { id, token } = await addSource(db, { name, mode, accounts, networks })
      return {
        json: { source: id, token },
        text: `source  ${id}\ntoken   ${token}\n\nThe token is shown only once. Keep it safe.`,
      }
    },
  },
  'source set': {
    usage: 'inlet source set ID [--account ID …] [--network 203.0.113.0/24 … | --any-network]',
    summary: 'set the accounts a bank source may report and the networks it may call from',
    example: '$SOURCE --account $ACCOUNT --network 203.0.113.0/24',
    words: 1,
    async run({ db }, values, [word]) {
      const id = uuid(word, 'The source')
      const accounts = accountsIn(values)
      const networks = several(values, 'network')
      const isAny = values['any-network'] === true
      if (isAny && networks.length > 0) throw new UsageProblem('Give --network or --any-network, not both.')
      if (accounts.length === 0 && networks.length === 0 && !isAny) {
        throw new UsageProblem('Say what to change: --account, --network or --any-network.')
      }
      let after: SourceScope | undefined
      if (accounts.length > 0) after = (await setSourceAccounts(db, id, () => accounts)).after
      if (networks.length > 0 || isAny)
        after = (await db.transaction((tx) => setSourceNetworks(tx, id, networks))).after
      return { json: { id, ...sourceJson(after!) }, text: scopeText(after!) }
    },
  },
  'source show': {
    usage: 'inlet source show ID',
    summary: 'a bank source with its accounts and networks',
    example: '$SOURCE',
    words: 1,
    async run({ db }, _values, [word]) {
      const source = await findSource(db, uuid(word, 'The source'))
      if (!source) throw new Refusal('not_found', { detail: message('no_bank_source_with_id') })
      const accounts = await listSourceAccounts(db, source.id)
      return {
        json: { ...sourceJson(source), accounts },
        text: `${source.id}  ${source.mode}  ${source.kind}  ${shown(source.name)}\n${source.kind === 'push' ? scopeText({ ...source, accounts }) : ''}`.trimEnd(),
      }
    },
  },
  'source list': {
    usage: 'inlet source list',
    summary: 'all bank sources, and when each last sent data',
    async run({ db }) {
      const sources = await listSources(db)
      return {
        json: { sources: sources.map(sourceJson) },
        text: table(
          ['id', 'mode', 'kind', 'on', 'last data', 'accounts', 'networks', 'name'],
          sources.map((source) => [
            source.id,
            source.mode,
            source.kind,
            source.enabled ? 'yes' : 'no',
            source.last_used_at?.toISOString() ?? null,
            source.isBound ? source.accounts : 'all',
            source.networks.join(' ') || 'any',
            source.name,
          ]),
        ),
      }
    },
  },
  'source disable': switchCommand('disable'),
  'source enable': switchCommand('enable'),
}
