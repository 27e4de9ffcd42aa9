/** `inlet account …`: receiving accounts, each with its owner on record. */

import { modes } from '../../domain/merchants/merchant.ts'
import { listAccounts } from '../../domain/requisites/account-store.ts'
import { addAccount, changeAccount, changeAccountNumber } from '../../domain/requisites/add-requisite.ts'
import { amountMatchings } from '../../domain/requisites/requisite.ts'
import type { Command } from './command.ts'
import {
  centsLimit,
  currencyOf,
  limit,
  oneOf,
  optional,
  required,
  switchOf,
  table,
  UsageProblem,
  uuid,
} from './options.ts'
import { readAll } from './read-all.ts'

export const accountCommands: Record<string, Command> = {
  'account add': {
    usage:
      'inlet account add --mode live|test --currency CUR --label TEXT --owner LEGAL_NAME --tax-id ID --agreement TEXT --added-by NAME [--public-name NAME] [--merchant ID]',
    summary: 'add a receiving account with its owner',
    example: `--mode live --currency RUB --label Main --owner 'ООО "Пример"' --tax-id 7700000009 --agreement 'No. 1' --added-by anna`,
    async run({ db }, values) {
      const merchant = optional(values, 'merchant')
      const ownerLegalName = required(values, 'owner')
      const { id } = await addAccount(db, {
        mode: oneOf(values, 'mode', modes),
        currency: currencyOf(values),
        merchantId: merchant && uuid(merchant, '--merchant'),
        label: required(values, 'label'),
        ownerLegalName,
        ownerPublicName: optional(values, 'public-name') ?? ownerLegalName,
        ownerTaxId: required(values, 'tax-id'),
        ownerAgreement: required(values, 'agreement'),
        addedBy: required(values, 'added-by'),
      })
      return { json: { account: id }, text: id }
    },
  },
  'account number': {
    usage: 'inlet account number ID NUMBER',
    summary: 'set the number that the account has on bank statements',
    example: '$ACCOUNT 40702810300000000042',
    words: 2,
    async run({ db }, _values, [id, number]) {
      if (!number) throw new UsageProblem('Give the id of the account and its number.')
      const json = await changeAccountNumber(db, uuid(id, 'The account'), number)
      return { json, text: `${json.id} number set` }
    },
  },
  'account set': {
    usage:
      'inlet account set ID [--day-cents N|none] [--month-cents N|none] [--open-deposits N|none] [--silent-hours N|none] [--amount-matching by_kind|always|never] [--enable | --disable]',
    summary:
      'limits of an account, its alarm about missing bank data, and whether the amount alone is enough to match',
    example: '$ACCOUNT --day-cents 50000000 --silent-hours 6',
    words: 1,
    async run({ db }, values, [id]) {
      const accountId = uuid(id, 'The account')
      const enabled = switchOf(values)
      const openDeposits = limit(values, 'open-deposits', { least: 1, most: 1_000_000 })
      const silentHours = limit(values, 'silent-hours', { least: 1, most: 8_760 })
      const [dayCents, monthCents] = [centsLimit(values, 'day-cents'), centsLimit(values, 'month-cents')]
      const changed = await changeAccount(db, accountId, {
        ...(dayCents !== undefined && { dayCents }),
        ...(monthCents !== undefined && { monthCents }),
        ...(openDeposits !== undefined && { openDeposits }),
        ...(silentHours !== undefined && { silentHours }),
        ...(enabled !== undefined && { enabled }),
        ...(values['amount-matching'] !== undefined && {
          amountMatching: oneOf(values, 'amount-matching', amountMatchings),
        }),
      })
      const json = {
        account: changed.id,
        enabled: changed.enabled,
        day_cents: changed.dayCents,
        month_cents: changed.monthCents,
        open_deposits: changed.openDeposits,
        silent_hours: changed.silentHours,
        amount_matching: changed.amountMatching,
      }
      const lines = Object.entries(json).map(([name, value]) => `${name.padEnd(15)} ${value ?? '–'}`)
      return { json, text: lines.join('\n') }
    },
  },
  'account list': {
    usage: 'inlet account list',
    summary: 'all receiving accounts and their owners',
    async run({ db }) {
      const accounts = await readAll((page) => listAccounts(db, page))
      return {
        json: { accounts },
        text: table(
          ['id', 'mode', 'currency', 'on', 'label', 'owner', 'tax id', 'last bank data'],
          accounts.map((row) => [
            row.id,
            row.mode,
            row.currency,
            row.enabled ? 'yes' : 'no',
            row.label,
            row.owner_legal_name,
            row.owner_tax_id,
            row.heard_at?.toISOString() ?? null,
          ]),
        ),
      }
    },
  },
}
