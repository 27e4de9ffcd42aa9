/** The form of a mapping, and the first rows of the file that it is about. */

import { currencies } from '../../../../domain/money.ts'
import type { Sample } from '../../../../domain/statements/formats/csv-guess.ts'
import {
  csvEncodings,
  dateFormats,
  type NumberedAccount,
} from '../../../../domain/statements/formats/csv-mapping.ts'
import { maskCards } from '../../../../domain/transfers/bank-text/masked.ts'
import { columnWords } from '../../../../sections/mappings.ts'
import { inLanguage } from '../../../../sections/section.ts'
import { html, type Markup } from '../../../web/html.ts'
import { checkbox, field, pairs, select, table } from '../../../web/pieces.ts'
import type { DeskContext } from '../../frame.ts'
import { deskWords } from '../../words.ts'
import { columnNames, type MappingValues, purposeNames } from './mapping-values.ts'
import { mappingWords } from './words.ts'

export type MappingForm = {
  values: MappingValues
  /** The names of invalid fields; `taken` means that the mapping's name exists already. */
  wrong: readonly string[]
  header: readonly string[]
  accounts: readonly NumberedAccount[]
}

/** Label, last digits and currency: enough to tell accounts apart. */
export const accountText = (desk: DeskContext, { label, number, currency, mode }: NumberedAccount): string =>
  [
    cut(label),
    `…${number.slice(-4)}`,
    currency,
    ...(mode === 'test' ? [deskWords[desk.language].modes.test] : []),
  ].join(' · ')

const cellCharacters = 40
const cut = (text: string): string =>
  text.length > cellCharacters ? `${[...text].slice(0, cellCharacters).join('')}…` : text

export const sampleTable = (desk: DeskContext, { header, rows }: Sample): Markup => {
  const words = mappingWords[desk.language]
  const list = table(
    words.sample,
    [{ head: words.line, is: 'number' }, ...header.map((name, at) => cut(name) || String(at + 1))],
    rows.map(({ line, fields }) => [
      line,
      ...header.map((_, at) => html`<bdi>${cut(maskCards(fields[at] ?? ''))}</bdi>`),
    ]),
  )
  return html`<div class="as-written">${list}</div>`
}

type FieldOf = { name: string; markup: Markup }

/** Asks for what the file does not say; what was recognised is shown, and can be changed. */
export function mappingFields(desk: DeskContext, form: MappingForm): Markup {
  const words = mappingWords[desk.language]
  const { values, header } = form
  const missing = [...missingIn(values), ...form.wrong.flatMap((name) => fieldsOf[name] ?? [name])]
  const [asked, known] = [true, false].map((isAsked) =>
    fieldsIn(desk, form).filter(({ name }) => missing.includes(name) === isAsked),
  ) as [FieldOf[], FieldOf[]]
  const grid = (fields: readonly FieldOf[]) =>
    html`<div class="grid">${fields.map(({ markup }) => markup)}</div>`
  const places = [...columnNames, ...purposeNames(values)].filter((name) => values[name] !== '')
  const columns = places.map((name): [string, Markup] => [
    columnLabel(desk, name),
    html`<bdi>${cut(header[Number(values[name])] ?? '') || String(Number(values[name]) + 1)}</bdi>`,
  ])
  return html`${asked.length > 0 && html`<fieldset class="stack"><legend>${words.needed}</legend>${asked.some(({ name }) => amountNames.includes(name)) && html`<p class="quiet">${words.amountHint}</p>`}${asked.some(({ name }) => wordNames.includes(name)) && html`<p class="quiet">${words.wordsHint}</p>`}${grid(asked)}</fieldset>`}
${places.length > 0 && html`<h3>${words.recognised}</h3>${pairs(columns)}`}
<details><summary>${words.change}</summary><p class="quiet">${words.amountHint} ${words.purposeHint} ${words.wordsHint}</p>${grid(known)}</details>`
}

const amountNames = ['amount', 'credit', 'debit']
const wordNames = ['directionsIn', 'directionsOut', 'booked']
/** The fields of what can be wrong, where they have another name. */
const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  header: ['skipRows', 'separator'],
  directions: ['directionsIn', 'directionsOut'],
  booked: ['booked', 'bookedEmpty'],
  amount: amountNames,
}

/** What nobody has said yet, and without which the file cannot be read. */
function missingIn(values: MappingValues): string[] {
  const has = (name: string): boolean => (values[name] ?? '') !== ''
  const hasAmount = has('amount') || (has('credit') && has('debit'))
  return [
    ...['account', 'date'].filter((name) => !has(name)),
    ...(hasAmount ? [] : amountNames),
    ...(has('direction') ? ['directionsIn', 'directionsOut'].filter((name) => !has(name)) : []),
    ...(has('status') && !has('booked') && !has('bookedEmpty') ? ['booked', 'bookedEmpty'] : []),
  ]
}

function columnLabel({ language }: Pick<DeskContext, 'language'>, name: string): string {
  const nth = /^purpose(\d+)$/.exec(name)?.[1]
  const known = nth ? 'purpose' : name === 'currencyColumn' ? 'currency' : name
  return `${inLanguage(columnWords[known]!, language)}${nth ? ` ${nth}` : ''}`
}

function fieldsIn(desk: DeskContext, { values, wrong, header, accounts }: MappingForm): FieldOf[] {
  const words = mappingWords[desk.language]
  const error = (...names: string[]) => words.wrong[names.find((name) => wrong.includes(name)) ?? '']
  const columns = [
    { value: '', text: words.notThere },
    ...header.map((name, at) => ({ value: String(at), text: `${at + 1}. ${cut(name)}` })),
  ]
  const choice = (name: string, rest: Omit<Parameters<typeof select>[0], 'name' | 'value' | 'error'>) => ({
    name,
    markup: select({ name, value: values[name], error: error(name), ...rest }),
  })
  const typed = (name: string, label: string, ...wrongNames: string[]) => ({
    name,
    markup: field({ name, label, value: values[name], error: error(...wrongNames) }),
  })
  const same = (texts: readonly string[]) => texts.map((text) => ({ value: text, text }))
  return [
    choice('account', {
      label: words.account,
      hint: accounts.length > 0 ? words.accountHint : words.noAccounts,
      none: '–',
      choices: accounts.map((account) => ({ value: account.id, text: accountText(desk, account) })),
    }),
    ...[...columnNames, ...purposeNames(values)].map((name) =>
      choice(name, { label: columnLabel(desk, name), choices: columns }),
    ),
    typed('directionsIn', words.directionsIn, 'directions'),
    typed('directionsOut', words.directionsOut),
    typed('booked', words.booked, 'booked'),
    {
      name: 'bookedEmpty',
      markup: checkbox({ name: 'bookedEmpty', label: words.bookedEmpty, isOn: values.bookedEmpty === 'on' }),
    },
    choice('dateFormat', { label: words.dateFormat, choices: same(dateFormats) }),
    choice('currency', { label: words.currency, none: words.currencyOfAccount, choices: same(currencies) }),
    choice('encoding', {
      label: words.encoding,
      choices: csvEncodings.map((csvEncoding) => ({
        value: csvEncoding,
        text: words.encodings[csvEncoding],
      })),
    }),
    choice('separator', {
      label: words.separator,
      choices: Object.entries(words.separators).map(([value, text]) => ({ value, text })),
    }),
    typed('skipRows', words.skipRows, 'skipRows', 'header'),
  ]
}
