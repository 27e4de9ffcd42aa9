/** The JSON of a bank's push: its schema, and a strict reader. Pure. */

import { parseJson } from '../../platform/body.ts'
import { type FieldProblem, Refusal } from '../../platform/refusals.ts'
import { type Static, Type } from '../../platform/schema.ts'
import { type Currency, currencies, mostCents } from '../money.ts'
import { maskedAccount } from '../requisites/masked-account.ts'
import { normalizeAccountNumber } from './bank-text/account-number.ts'
import { withoutControls } from './bank-text/controls.ts'
import { isoDay } from './bank-text/days.ts'
import { maskCards } from './bank-text/masked.ts'
import { directions, type Payment } from './transfer.ts'

const text = (most: number, description: string) =>
  Type.Optional(Type.String({ maxLength: most, description }))

export const PushedTransfer = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 128, description: "The bank's own id of the entry." }),
    version: Type.Optional(
      Type.String({
        pattern: '^[0-9]{1,19}$',
        description:
          'Increases when the bank reports new data about this entry; string or integer. Default: 0.',
      }),
    ),
    revoked: Type.Optional(Type.Boolean({ description: 'The bank revokes the entry.' })),
    account: Type.String({ maxLength: 34, description: 'Number of the receiving account.' }),
    direction: Type.Optional(Type.Enum([...directions], { description: 'Default: credit.' })),
    cents: Type.Integer({ minimum: 1, maximum: Number(mostCents), description: 'Amount in minor units.' }),
    currency: Type.Enum([...currencies], { description: 'Currency code.' }),
    booked_on: Type.String({ format: 'date', description: "The bank's booking date, from 2000 to 2999." }),
    booked_at: Type.Optional(
      Type.String({ format: 'date-time', description: 'The exact time, if the bank reports it.' }),
    ),
    document_number: text(64, 'Number of the payment document.'),
    payer_name: text(300, 'Who paid.'),
    payer_account: text(64, 'Account of the payer; stored masked.'),
    payer_tax_id: text(20, 'Tax id of the payer.'),
    payer_bank: text(200, 'Bank of the payer.'),
    purpose: text(1_000, 'Purpose of the payment.'),
  },
  { additionalProperties: false, title: 'PushedTransfer' },
)

export const PushAnswer = Type.Object(
  {
    taken: Type.Integer({ description: 'New entries.' }),
    paired: Type.Integer({ description: 'Another report of a payment that a statement has told.' }),
    seen: Type.Integer({ description: 'Already reported: nothing new.' }),
    matched: Type.Integer(),
    ambiguous: Type.Integer(),
    unmatched: Type.Integer(),
    held: Type.Integer({ description: 'It may be a payment that is known already: a person decides.' }),
    debit: Type.Integer({ description: 'Money that left the account.' }),
    set_aside: Type.Integer({ description: 'Transfers between own accounts.' }),
    reversal: Type.Integer({
      description: 'Money was taken back, and a person has to decide for which payment.',
    }),
    revoked: Type.Integer({ description: 'Reported and revoked in the same push.' }),
    undone: Type.Integer({
      description: 'Earlier payments that are revoked now; not counted in taken.',
    }),
  },
  { title: 'PushAnswer' },
)

/** A transfer from a push. Payers' accounts and cards are masked. */
export type Pushed = Omit<Payment, 'paidOn'> & {
  pointer: string
  id: string
  version: bigint
  revoked: boolean
  account: string
  /** Whole, to be compared with our own accounts; never stored. */
  payerNumber: string
}

export const pushedMost = 1_000

/**
 * One object, or `{"transfers": [...]}` with up to a thousand. Every problem is named with its place, before the first
 * transfer is made. Masking takes up to 3 ms each, so the reader can let others go first in between.
 */
export function* readPush(body: Uint8Array): Generator<Pushed> {
  const whole = parsed(body)
  const list = isObject(whole) && 'transfers' in whole ? whole.transfers : [whole]
  const isWhole = isObject(whole) && (!('transfers' in whole) || Object.keys(whole).length === 1)
  if (!isWhole || !Array.isArray(list) || list.length === 0 || list.length > pushedMost) {
    throw new Refusal('malformed_body', {
      detail: `The body must be one transfer, or {"transfers": [...]} with 1 to ${pushedMost} of them.`,
    })
  }
  const problems: FieldProblem[] = []
  const pointerOf = (place: number) => ('transfers' in whole ? `#/transfers/${place}` : '#')
  const read = list.map((item, place) => {
    const at = pointerOf(place)
    const found = problemsOf(item).map(({ pointer, ...rest }) => ({ ...rest, pointer: `${at}${pointer}` }))
    problems.push(...found.slice(0, 20))
    return item as Record<string, unknown>
  })
  if (problems.length > 0) {
    const [first] = problems
    throw new Refusal('invalid_value', {
      detail: `${first!.pointer}: ${first!.detail} Nothing was taken.`,
      errors: problems.slice(0, 100),
    })
  }
  for (const [place, item] of read.entries()) yield pushedFrom(item, pointerOf(place))
}

/** Versions go up to 2⁶³, which a JavaScript number cannot hold exactly. */
const parsed = (body: Uint8Array): unknown =>
  parseJson(body, (_key, value, context) =>
    typeof value === 'number' && /^\d{1,19}$/.test(context?.source ?? '') ? BigInt(context!.source!) : value,
  )

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

type Rule = [isRight: (value: unknown) => boolean, code: string, detail: string]

const rules: Record<string, Rule> = {
  cents: [
    (value) => /^[1-9]\d{0,14}$/.test(integerIn(value)),
    'range',
    'It must be a whole number above zero.',
  ],
  version: [
    (value) => isVersion(integerIn(value)),
    'range',
    'It must be a whole number up to 9223372036854775807.',
  ],
  revoked: [(value) => typeof value === 'boolean', 'invalid_type', 'It must be true or false.'],
  direction: oneOf(directions, 'format'),
  currency: oneOf(currencies, 'currency_not_supported'),
  booked_on: [
    (value) => typeof value === 'string' && isoDay(value) === value,
    'format',
    'It must be an existing day from 2000 to 2999, such as 2026-11-15.',
  ],
  booked_at: [
    (value) => typeof value === 'string' && isMoment(value),
    'format',
    'It must be a time with zone from 2000 to 2999, such as 2026-11-15T09:00:00Z.',
  ],
}

function oneOf(values: readonly unknown[], code: string): Rule {
  return [(value) => values.includes(value), code, `It must be one of ${values.join(', ')}.`]
}

function problemsOf(item: unknown): FieldProblem[] {
  if (!isObject(item)) return [{ pointer: '', code: 'invalid_type', detail: 'A transfer is an object.' }]
  const { properties, required = [] } = PushedTransfer
  const unknown = Object.keys(item).filter((name) => !Object.hasOwn(properties, name))
  const wrong = Object.entries(properties).flatMap(([name, field]): FieldProblem[] => {
    const value = item[name]
    const isRequired = required.includes(name)
    if (value === undefined && !isRequired) return []
    const [isRight, code, detail] = rules[name] ?? textRule(field as { maxLength: number }, isRequired)
    return isRight(value) ? [] : [{ pointer: `/${name}`, code, detail }]
  })
  return [
    ...unknown.map((name) => ({
      ...{ pointer: `/${name.slice(0, 64)}`, code: 'unknown_field', detail: 'A transfer has no such field.' },
    })),
    ...wrong,
  ]
}

/** PostgreSQL keeps neither U+0000 nor half of a character; any other control character of a payer's becomes a space. */
const textRule = ({ maxLength }: { maxLength: number }, isRequired: boolean): Rule => [
  (value) =>
    typeof value === 'string' &&
    value.length <= maxLength &&
    value.isWellFormed() &&
    (isRequired ? value !== '' && withoutControls(value) === value : !value.includes('\0')),
  'format',
  isRequired
    ? `It is a text of 1 to ${maxLength} characters, without control characters and halves of a character.`
    : `It is a text of at most ${maxLength} characters, without U+0000 and halves of a character.`,
]

const integerIn = (value: unknown): string =>
  typeof value === 'bigint' || typeof value === 'string' ? String(value) : ''
const isVersion = (text: string): boolean => /^\d{1,19}$/.test(text) && BigInt(text) < 2n ** 63n
const isMoment = (value: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)$/.test(value) &&
  isoDay(value.slice(0, 10)) !== null &&
  !Number.isNaN(Date.parse(value))

function pushedFrom(item: Record<string, unknown>, pointer: string): Pushed {
  const textOf = (name: keyof Static<typeof PushedTransfer>) => withoutControls((item[name] as string) ?? '')
  return {
    pointer,
    id: item.id as string,
    version: BigInt(integerIn(item.version ?? 0n)),
    revoked: item.revoked === true,
    account: normalizeAccountNumber(item.account as string),
    payerNumber: normalizeAccountNumber((item.payer_account as string) ?? ''),
    direction: (item.direction as Payment['direction']) ?? 'credit',
    cents: BigInt(integerIn(item.cents)),
    currency: item.currency as Currency,
    bookedOn: item.booked_on as string,
    bookedAt: item.booked_at === undefined ? null : new Date(item.booked_at as string),
    documentNumber: textOf('document_number'),
    payerName: maskCards(textOf('payer_name')),
    payerAccount: maskedAccount(textOf('payer_account')),
    payerTaxId: textOf('payer_tax_id'),
    payerBank: textOf('payer_bank'),
    purpose: maskCards(textOf('purpose')),
  }
}
