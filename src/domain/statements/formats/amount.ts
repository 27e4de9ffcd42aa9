/** Amounts and currencies as banks write them. What is not surely an amount is none: never 0.00, never a guess. */
import { message } from '../../messages/message.ts'
import { type Cents, type Currency, currencies, decimal, isCurrency, mostCents } from '../../money.ts'
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

/** An amount that may have its currency's sign or code before or behind it: `5 000,00 ₸`, `₽ 500`. */
export function amountIn(field: string, text: string, currency: Currency): Cents {
  const [, before = '', amount = text, behind = ''] = signedShape.exec(text) ?? []
  const named = [before, behind].filter((sign) => sign !== '').map(signOf)
  // An unknown sign counts as part of the amount, which is then malformed.
  if (named.includes(undefined)) return writtenAmount(field, text)
  const other = named.find((code) => code !== currency)
  if (other)
    throw new RejectedRow(
      message('amount_in_another_currency', { field, text: quoted(text), other, currency }),
      field,
    )
  return writtenAmount(field, amount)
}

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

function signOf(text: string): Currency | undefined {
  const sign = text
    .toLowerCase()
    .replace(/[’‘ʻʼ`]/g, "'")
    .replace(/\.$/, '')
  return currencies.find((currency) => signs[currency].includes(sign))
}

const signs: Record<Currency, readonly string[]> = {
  RUB: ['₽', 'р', 'руб', 'рублей', 'rub', 'rur'],
  UZS: ["so'm", 'сум', 'сўм', 'uzs'],
  KZT: ['₸', 'тг', 'тенге', 'kzt'],
  TJS: ['сом', 'сомони', 'сомонӣ', 'tjs'],
}

/** Space, no-break space, thin space, narrow no-break space. */
const space = '[ \\u00a0\\u2009\\u202f]'
const groupSpaces = new RegExp(space, 'g')
// No text can match two neighbouring parts of these patterns, so they never backtrack much.
const shape = new RegExp(
  `^${space}*(?:([+-])${space}*)?(\\d+|\\d{1,3}(?:${space}\\d{3})+)(?:([.,])(\\d{1,2})(0{0,10}))?${space}*$`,
)
const signedShape = /^([^\d\s+-]*)\s*((?:[+-]\s*)?\d[\d\s]*(?:[.,]\d+\s*)?)([^\d\s.,].*)?$/
