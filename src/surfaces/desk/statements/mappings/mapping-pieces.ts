/** The form of a mapping, and the first rows of the file that it is about. */

import { currencies } from '../../../../domain/money.ts'
import type { Sample } from '../../../../domain/statements/formats/csv-guess.ts'
import { csvEncodings, dateFormats } from '../../../../domain/statements/formats/csv-mapping.ts'
import { maskCards } from '../../../../domain/transfers/bank-text/masked.ts'
import { html, type Markup } from '../../../web/html.ts'
import { checkbox, field, select, table } from '../../../web/pieces.ts'
import type { DeskContext } from '../../frame.ts'
import { deskWords } from '../../words.ts'
import { columnNames, type MappingValues, type NumberedAccount, purposeNames } from './mapping-values.ts'
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

export function mappingFields(desk: DeskContext, { values, wrong, header, accounts }: MappingForm): Markup {
  const words = mappingWords[desk.language]
  const error = (...names: string[]) => words.wrong[names.find((name) => wrong.includes(name)) ?? '']
  const choices = [
    { value: '', text: words.notThere },
    ...header.map((name, at) => ({ value: String(at), text: `${at + 1}. ${cut(name)}` })),
  ]
  const column = (name: string, label: string) =>
    select({ name, label, choices, value: values[name], error: error(name) })
  const same = (texts: readonly string[]) => texts.map((text) => ({ value: text, text }))
  return html`<fieldset class="stack"><legend>${words.writing}</legend><div class="grid">
${select({
  name: 'account',
  label: words.account,
  hint: accounts.length > 0 ? words.accountHint : words.noAccounts,
  value: values.account,
  error: error('account'),
  none: '–',
  choices: accounts.map((account) => ({ value: account.id, text: accountText(desk, account) })),
})}
${select({
  name: 'currency',
  label: words.currency,
  value: values.currency,
  error: error('currency'),
  none: words.currencyOfAccount,
  choices: same(currencies),
})}
${select({ name: 'dateFormat', label: words.dateFormat, value: values.dateFormat, error: error('dateFormat'), choices: same(dateFormats) })}
${select({
  name: 'encoding',
  label: words.encoding,
  value: values.encoding,
  error: error('encoding'),
  choices: csvEncodings.map((csvEncoding) => ({ value: csvEncoding, text: words.encodings[csvEncoding] })),
})}
${select({
  name: 'separator',
  label: words.separator,
  value: values.separator,
  error: error('separator'),
  choices: Object.entries(words.separators).map(([value, text]) => ({ value, text })),
})}
${field({ name: 'skipRows', label: words.skipRows, value: values.skipRows, inputmode: 'numeric', maxLength: 4, error: error('skipRows', 'header') })}
</div></fieldset>
<fieldset class="stack"><legend>${words.columns}</legend><p class="quiet">${words.amountHint} ${words.purposeHint}</p><div class="grid">
${columnNames.map((name) => column(name, words.fields[name]))}
${purposeNames(values).map((name, nth) => column(name, `${words.fields.purpose} ${nth + 1}`))}
</div></fieldset>
<fieldset class="stack"><legend>${words.meanings}</legend><p class="quiet">${words.wordsHint}</p><div class="grid">
${field({ name: 'directionsIn', label: words.directionsIn, value: values.directionsIn, error: error('directions') })}
${field({ name: 'directionsOut', label: words.directionsOut, value: values.directionsOut })}
${field({ name: 'booked', label: words.booked, value: values.booked, error: error('booked') })}
</div>
${checkbox({ name: 'bookedEmpty', label: words.bookedEmpty, isOn: values.bookedEmpty === 'on' })}
</fieldset>`
}
