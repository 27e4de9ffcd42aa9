/** `inlet source …`: the bank sources. */

import { type Mode, modes } from '../../domain/merchants/merchant.ts'
import { message } from '../../domain/messages/message.ts'
import { addSource, changeSource } from '../../domain/transfers/bank-source.ts'
import type { BankSource } from '../../domain/transfers/source.ts'
import { findSource, listSources } from '../../domain/transfers/source-store.ts'
import { Refusal } from '../../platform/refusals.ts'
import type { Command, Values } from './command.ts'
import { oneOf, required, several, shown, table, UsageProblem, uuid } from './options.ts'

const switchCommand = (word: 'enable' | 'disable'): Command => ({
  usage: `inlet source ${word} ID`,
  summary: word === 'enable' ? "accept a source's pushes again" : "refuse a source's token, immediately",
  example: '$SOURCE',
  words: 1,
  async run({ db }, _values, [id]) {
    const enabled = word === 'enable'
    const { after } = await changeSource(db, uuid(id, 'The source'), { enabled })
    return { json: sourceJson(after), text: `${after.id} ${word}d` }
  },
})

const accountsIn = (values: Values): string[] => several(values, 'account').map((id) => uuid(id, '--account'))

const sourceJson = ({ isBound, ...rest }: BankSource) => ({
  ...rest,
  is_bound: isBound,
})

const scopeText = ({ isBound, accounts, networks }: BankSource): string =>
  [
    isBound
      ? `reports ${accounts.length} receiving accounts`
      : 'reports every account of its mode: list the allowed ones with "inlet source set"',
    ...accounts.map(
      (account) => `  ${account.id}  ${account.number ?? 'without a number'}  ${shown(account.label)}`,
    ),
    networks.length > 0 ? `calls from ${networks.join(', ')}` : 'calls from anywhere',
  ].join('\n')

export const sourceCommands: Record<string, Command> = {
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
      const { after } = await changeSource(db, id, {
        ...(accounts.length > 0 && { accounts: () => accounts }),
        ...((networks.length > 0 || isAny) && { networks }),
      })
      return { json: sourceJson(after), text: scopeText(after) }
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
      return {
        json: sourceJson(source),
        text: `${source.id}  ${source.mode}  ${source.kind}  ${shown(source.name)}\n${source.kind === 'push' ? scopeText(source) : ''}`.trimEnd(),
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
            source.isBound ? source.accounts.length : 'all',
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
