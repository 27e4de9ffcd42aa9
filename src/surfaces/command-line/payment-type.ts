/** `inlet payment-type …` */

import { changePaymentType } from '../../domain/catalogue/change-payment-type.ts'
import { listPaymentTypes } from '../../domain/catalogue/store.ts'
import { requisiteGroups } from '../../domain/requisites/requisite.ts'
import type { Command } from './command.ts'
import { cents, currencyOf, oneOf, optional, switchOf, table, UsageProblem, uuid } from './options.ts'

const limitOptions = ['min-cents', 'max-cents', 'merchant']

export const paymentTypeCommands: Record<string, Command> = {
  'payment-type set': {
    usage:
      'inlet payment-type set CODE [--currency CUR [--min-cents N] [--max-cents N] [--merchant ID]] [--name TEXT] [--group card|phone|account [--bank-code CODE]] [--enable | --disable]',
    summary: 'add or change a payment type, or its limits in a currency',
    example: 'sbp --currency RUB --min-cents 10000 --max-cents 10000000',
    words: 1,
    async run({ db }, values, [code]) {
      if (!code || !/^[a-z][a-z0-9_]{0,31}$/.test(code)) {
        throw new UsageProblem('CODE is a word of lower-case letters, digits and _.')
      }
      if (values.currency === undefined && limitOptions.some((name) => values[name] !== undefined)) {
        throw new UsageProblem(`--${limitOptions.join(', --')} belong to a limit: name its --currency.`)
      }
      const merchant = optional(values, 'merchant')
      const { after: json } = await changePaymentType(db, {
        code,
        name: optional(values, 'name'),
        group: values.group === undefined ? null : oneOf(values, 'group', requisiteGroups),
        bankCode: optional(values, 'bank-code'),
        enabled: switchOf(values) ?? null,
        limit:
          values.currency === undefined
            ? null
            : {
                currency: currencyOf(values),
                minCents: cents(values, 'min-cents'),
                maxCents: cents(values, 'max-cents'),
                merchantId: merchant && uuid(merchant, '--merchant'),
              },
      })
      return { json, text: `${code} saved` }
    },
  },
  'payment-type list': {
    usage: 'inlet payment-type list',
    summary: 'payment types and their limits',
    async run({ db }) {
      const types = await listPaymentTypes(db)
      return {
        json: { payment_types: types },
        text: table(
          ['code', 'name', 'requisites', 'currency', 'min cents', 'max cents', 'on'],
          types.map((row) => [
            row.code,
            row.name,
            row.bank_code ? `${row.requisite_group} of ${row.bank_code}` : row.requisite_group,
            row.currency,
            row.min_cents,
            row.max_cents,
            row.type_enabled && row.enabled ? 'yes' : 'no',
          ]),
        ),
      }
    },
  },
}
