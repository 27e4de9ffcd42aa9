/** `inlet account …`: receiving accounts, each with its owner on record. */
import { modes } from '../merchants/merchant.ts'
import { addAccount } from '../requisites/add-requisite.ts'
import { listAccounts } from '../requisites/store.ts'
import type { Command } from './inlet.ts'
import { currencyOf, oneOf, optional, required, table, uuid } from './options.ts'

export const accountCommands: Record<string, Command> = {
  'account add': {
    usage:
      'inlet account add --mode live|test --currency CUR --label TEXT --owner LEGAL_NAME --tax-id ID --agreement TEXT --added-by NAME [--public-name NAME] [--merchant ID]',
    summary: 'add a receiving account with its owner',
    options: {
      mode: { type: 'string' },
      currency: { type: 'string' },
      label: { type: 'string' },
      owner: { type: 'string' },
      'public-name': { type: 'string' },
      'tax-id': { type: 'string' },
      agreement: { type: 'string' },
      'added-by': { type: 'string' },
      merchant: { type: 'string' },
    },
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
  'account list': {
    usage: 'inlet account list',
    summary: 'all receiving accounts and their owners',
    options: {},
    async run({ db }) {
      const accounts = await listAccounts(db)
      return {
        json: { accounts },
        text: table(
          ['id', 'mode', 'currency', 'on', 'label', 'owner', 'tax id'],
          accounts.map((one) => [
            one.id,
            one.mode,
            one.currency,
            one.enabled ? 'yes' : 'no',
            one.label,
            one.owner_legal_name,
            one.owner_tax_id,
          ]),
        ),
      }
    },
  },
}
