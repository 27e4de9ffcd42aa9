/** Amounts and currencies as banks write them. What is not surely an amount is none: never 0.00, never a guess. */
import { message } from '../../messages/message.ts'
import { type Cents, type Currency, decimal, isCurrency, mostCents } from '../../money.ts'
import { quoted } from '../../transfers/bank-text/masked.ts'
import { RejectedRow } from '../entry.ts'

/** `isDotDecimal`: the format defines the dot as the decimal sign, as XML and 1C do. */
type AmountRule = { isDotDecimal?: boolean }

/**
 * `1 234,56`, `7745.7`, `-300`. A comma or a dot is the decimal sign, and spaces part groups of three digits;
 * `1,234.56`, `1.005` and `12 34` could be read in two ways. Zeros behind two decimals change nothing (`1500.0000`),
 * but where exactly three digits follow up to three others they may be a group of thousands: `8.850` is read only where
 * a dot can be nothing else. A total may be greater than any amount of a row.
 */
export function amountOf(text: string, { isDotDecimal = false }: AmountRule = {}): Cents | undefined {
  const [, sign, written, mark, fraction = '', zeros = ''] = shape.exec(text) ?? []
  const whole = written?.replace(groupSpaces, '')
  if (whole === undefined || whole.length > 15) return undefined
  const mayBeGroup = fraction.length + zeros.length === 3 && /^[1-9]\d{0,2}$/.test(written!)
  if (mayBeGroup && !(isDotDecimal && mark === '.')) return undefined
  const cents = BigInt(whole + fraction.padEnd(2, '0'))
  return sign === '-' ? -cents : cents
}

/** An amount that may have the sign or code of its row's currency behind it: `5 000,00 ₸`. */
export const amountIn = (field: string, text: string, currency: Currency): Cents =>
  writtenAmount(field, text.replace(signs[currency], ''))

/** An amount of money that moved: above zero, or the row is rejected. */
export function movedAmount(field: string, text: string, rule: AmountRule = {}): Cents {
  const cents = writtenAmount(field, text, rule)
  if (cents <= 0n) throw new RejectedRow(message('amount_expected', { field, text: quoted(text) }), field)
  return cents
}

export function writtenAmount(field: string, text: string, rule: AmountRule = {}): Cents {
  const cents = amountOf(text, rule)
  if (cents === undefined)
    throw new RejectedRow(
      text.trim() === ''
        ? message('field_empty', { field })
        : message('amount_digits_expected', { field, text: quoted(text) }),
      field,
    )
  if (cents > mostCents || cents < -mostCents)
    throw new RejectedRow(
      message('amount_too_large', { field, text: quoted(text), most: decimal(mostCents) }),
      field,
    )
  return cents
}

/** ISO 4217 by letters or digits, with the rouble's old codes. */
export function currencyOf(field: string, text: string): Currency {
  const code = text.trim().toUpperCase()
  const currency = codes[code] ?? code
  if (!isCurrency(currency))
    throw new RejectedRow(message('currency_expected', { field, text: quoted(text) }), field)
  return currency
}

const codes: Record<string, Currency> = {
  RUR: 'RUB',
  '810': 'RUB',
  '643': 'RUB',
  '860': 'UZS',
  '398': 'KZT',
  '972': 'TJS',
}

const signs: Record<Currency, RegExp> = {
  RUB: /\s?(?:₽|р\.?|руб\.?|RUB|RUR)$/i,
  UZS: /\s?(?:so['’‘ʻʼ`]m|сум|сўм|UZS)$/i,
  KZT: /\s?(?:₸|тг\.?|тенге|KZT)$/i,
  TJS: /\s?(?:сом\.?|сомон[иӣ]|TJS)$/i,
}

/** Space, no-break space, thin space, narrow no-break space. */
const space = '[ \\u00a0\\u2009\\u202f]'
const groupSpaces = new RegExp(space, 'g')
// No text can match two neighbouring parts of this pattern, so it never backtracks much.
const shape = new RegExp(
  `^${space}*(?:([+-])${space}*)?(\\d+|\\d{1,3}(?:${space}\\d{3})+)(?:([.,])(\\d{1,2})(0{0,10}))?${space}*$`,
)
