/** The form of a mapping, and the first rows of the file that it is about. */

import type { Sample } from '../../../../domain/statements/formats/csv-guess.ts'
import {
  csvEncodings,
  dateFormats,
  type NumberedAccount,
} from '../../../../domain/statements/formats/csv-mapping.ts'
import { maskCards } from '../../../../domain/transfers/bank-text/masked.ts'
import { columnWords } from '../../../../sections/mappings.ts'
import { inLanguage, type Two } from '../../../../sections/section.ts'
import type { OfficeContext } from '../../../office/context.ts'
import { html, type Markup } from '../../../web/html.ts'
import { checkbox, field, pairs, select, table } from '../../../web/pieces.ts'
import { columnNames, type MappingValues, purposeNames } from './mapping-values.ts'
import { mappingWords as words, wrongWords } from './words.ts'

export type MappingForm = {
  values: MappingValues
  /** The names of invalid fields; `taken` means that the mapping's name exists already. */
  wrong: readonly string[]
  header: readonly string[]
  accounts: readonly NumberedAccount[]
}

/** Label, last digits and currency: enough to tell accounts apart. */
export const accountText = (
  office: OfficeContext,
  { label, number, currency, mode }: NumberedAccount,
): string =>
  [
    cut(label),
    `…${number.slice(-4)}`,
    currency,
    ...(mode === 'test' ? [inLanguage(['Test', 'Тестовый'], office.language)] : []),
  ].join(' · ')

const cellCharacters = 40
const cut = (text: string): string =>
  text.length > cellCharacters ? `${[...text].slice(0, cellCharacters).join('')}…` : text

export const sampleTable = (office: OfficeContext, { header, rows }: Sample): Markup => {
  const say = (words: Two) => inLanguage(words, office.language)
  const list = table(
    say(words.sample),
    [{ head: say(words.line), is: 'number' }, ...header.map((name, at) => cut(name) || String(at + 1))],
    rows.map(({ line, fields }) => [
      line,
      ...header.map((_, at) => html`<bdi>${cut(maskCards(fields[at] ?? ''))}</bdi>`),
    ]),
  )
  return html`<div class="as-written">${list}</div>`
}

export const wrongText = ({ language }: Pick<OfficeContext, 'language'>, name = ''): string | undefined =>
  wrongWords[name] && inLanguage(wrongWords[name], language)

type FieldOf = { name: string; markup: Markup }

/** Asks for what the file does not say; what was recognised is shown, and can be changed. */
export function mappingFields(office: OfficeContext, form: MappingForm): Markup {
  const say = (words: Two) => inLanguage(words, office.language)
  const { values, header } = form
  const missing = [...missingIn(values), ...form.wrong.flatMap((name) => fieldsOf[name] ?? [name])]
  const [asked, known] = [true, false].map((isAsked) =>
    fieldsIn(office, form).filter(({ name }) => missing.includes(name) === isAsked),
  ) as [FieldOf[], FieldOf[]]
  const grid = (fields: readonly FieldOf[]) =>
    html`<div class="grid">${fields.map(({ markup }) => markup)}</div>`
  const places = [...columnNames, ...purposeNames(values)].filter((name) => values[name] !== '')
  const columns = places.map((name): [string, Markup] => [
    columnLabel(office, name),
    html`<bdi>${cut(header[Number(values[name])] ?? '') || String(Number(values[name]) + 1)}</bdi>`,
  ])
  return html`${asked.length > 0 && html`<fieldset class="stack"><legend>${say(words.needed)}</legend>${asked.some(({ name }) => amountNames.includes(name)) && html`<p class="quiet">${say(words.amountHint)}</p>`}${asked.some(({ name }) => wordNames.includes(name)) && html`<p class="quiet">${say(words.wordsHint)}</p>`}${grid(asked)}</fieldset>`}
${places.length > 0 && html`<h3>${say(words.recognised)}</h3>${pairs(columns)}`}
<details><summary>${say(words.change)}</summary><p class="quiet">${say(words.amountHint)} ${say(words.purposeHint)} ${say(words.wordsHint)}</p>${grid(known)}</details>`
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

function columnLabel({ language }: Pick<OfficeContext, 'language'>, name: string): string {
  const nth = /^purpose(\d+)$/.exec(name)?.[1]
  return `${inLanguage(columnWords[nth ? 'purpose' : name]!, language)}${nth ? ` ${nth}` : ''}`
}

function fieldsIn(office: OfficeContext, { values, wrong, header, accounts }: MappingForm): FieldOf[] {
  const say = (words: Two) => inLanguage(words, office.language)
  const error = (...names: string[]) =>
    wrongText(
      office,
      names.find((name) => wrong.includes(name)),
    )
  const columns = [
    { value: '', text: say(words.notThere) },
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
      label: say(words.account),
      hint: accounts.length > 0 ? say(words.accountHint) : say(words.noAccounts),
      none: '–',
      choices: accounts.map((account) => ({ value: account.id, text: accountText(office, account) })),
    }),
    ...[...columnNames, ...purposeNames(values)].map((name) =>
      choice(name, { label: columnLabel(office, name), choices: columns }),
    ),
    typed('directionsIn', say(words.directionsIn), 'directions'),
    typed('directionsOut', say(words.directionsOut)),
    typed('booked', say(words.booked), 'booked'),
    {
      name: 'bookedEmpty',
      markup: checkbox({
        name: 'bookedEmpty',
        label: say(words.bookedEmpty),
        isOn: values.bookedEmpty === 'on',
      }),
    },
    choice('dateFormat', { label: say(words.dateFormat), choices: same(dateFormats) }),
    choice('encoding', {
      label: say(words.encoding),
      choices: csvEncodings.map((csvEncoding) => ({
        value: csvEncoding,
        text: say(words.encodings[csvEncoding]),
      })),
    }),
    choice('separator', {
      label: say(words.separator),
      choices: Object.entries(words.separators).map(([value, text]) => ({ value, text: say(text) })),
    }),
    typed('skipRows', say(words.skipRows), 'skipRows', 'header'),
  ]
}
