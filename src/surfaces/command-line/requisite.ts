/** `inlet requisite …` */

import { addRequisite, changeRequisite, setRequisite } from '../../domain/requisites/add-requisite.ts'
import { detailFields, maskedNumber, requisiteKinds } from '../../domain/requisites/requisite.ts'
import { listRequisites } from '../../domain/requisites/store.ts'
import type { Command } from './command.ts'
import { cents, centsLimit, integer, limit, oneOf, optional, required, table, uuid } from './options.ts'
import { readAll } from './read-all.ts'

/** The fields by their options: corrAccount is --corr-account. */
const details = Object.fromEntries(
  [...detailFields, 'link'].map((field) => [
    field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    field,
  ]),
)

const setEnabled = (word: 'enable' | 'disable'): Command => ({
  usage: `inlet requisite ${word} ID`,
  summary: word === 'enable' ? 'offer a requisite again' : 'stop offering a requisite, immediately',
  example: '$REQUISITE',
  words: 1,
  async run({ db }, _values, [id]) {
    const requisite = await setRequisite(db, uuid(id, 'The requisite'), word === 'enable')
    return { json: { id: requisite.id, enabled: requisite.enabled }, text: `${requisite.id} ${word}d` }
  },
})

export const requisiteCommands: Record<string, Command> = {
  'requisite add': {
    usage: `inlet requisite add --account ID --kind ${requisiteKinds.join('|')} --number N --holder NAME --bank NAME [--bank-code CODE] [--bic …] [--corr-account …] [--tax-id …] [--kpp …] [--kbe …] [--knp …] [--link TEXT] [--min-cents N] [--max-cents N] [--daily-cents N] [--open-deposits N] [--confirm]`,
    summary: 'add a requisite to a receiving account',
    example:
      "--account $ACCOUNT --kind card --number 2200000000000004 --holder 'IVAN IVANOV' --bank 'My bank'",
    async run({ db }, values) {
      const given = Object.entries(details)
        .map(([option, field]) => [field, optional(values, option)] as const)
        .filter(([, value]) => value !== null)
      const json = await addRequisite(db, {
        accountId: uuid(required(values, 'account'), '--account'),
        draft: {
          kind: oneOf(values, 'kind', requisiteKinds),
          number: required(values, 'number'),
          holder: required(values, 'holder'),
          bankName: required(values, 'bank'),
          ...Object.fromEntries(given),
        },
        bankCode: optional(values, 'bank-code'),
        limits: {
          minCents: cents(values, 'min-cents'),
          maxCents: cents(values, 'max-cents'),
          dailyCents: cents(values, 'daily-cents'),
          openDeposits: integer(values, 'open-deposits', 1, 1_000_000),
        },
        confirmed: values.confirm === true,
      })
      return { json: { requisite: json.id, warnings: json.warnings }, text: json.id }
    },
  },
  'requisite list': {
    usage: 'inlet requisite list',
    summary: 'all requisites with their limits and load',
    async run({ db }) {
      const rows = await readAll((page) => listRequisites(db, page))
      const requisites = rows.map(({ number, ...row }) => ({ ...row, number: maskedNumber(number) }))
      return {
        json: { requisites },
        text: table(
          ['id', 'mode', 'currency', 'kind', 'number', 'bank', 'on', 'open', 'today, cents', 'owner'],
          requisites.map((row) => [
            row.id,
            row.mode,
            row.currency,
            row.kind,
            row.number,
            row.bank_name,
            row.enabled ? 'yes' : 'no',
            `${row.open_deposits}/${row.open_limit ?? '–'}`,
            `${row.day_cents}/${row.daily_cents ?? '–'}`,
            row.owner_legal_name,
          ]),
        ),
      }
    },
  },
  'requisite set': {
    usage:
      'inlet requisite set ID [--min-cents N|none] [--max-cents N|none] [--daily-cents N|none] [--open-deposits N|none]',
    summary: 'change limits of a requisite; omitted ones stay',
    example: '$REQUISITE --daily-cents 30000000 --open-deposits none',
    words: 1,
    async run({ db }, values, [id]) {
      const wanted = {
        minCents: centsLimit(values, 'min-cents'),
        maxCents: centsLimit(values, 'max-cents'),
        dailyCents: centsLimit(values, 'daily-cents'),
        openDeposits: limit(values, 'open-deposits', { least: 1, most: 1_000_000 }),
      }
      const named = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined))
      const changed = await db.transaction((tx) => changeRequisite(tx, uuid(id, 'The requisite'), named))
      const json = {
        requisite: changed.id,
        min_cents: changed.minCents,
        max_cents: changed.maxCents,
        daily_cents: changed.dailyCents,
        open_deposits: changed.openDeposits,
      }
      const lines = Object.entries(json).map(([name, value]) => `${name.padEnd(14)} ${value ?? '–'}`)
      return { json, text: lines.join('\n') }
    },
  },
  'requisite disable': setEnabled('disable'),
  'requisite enable': setEnabled('enable'),
}
