/** Amounts and currencies as banks write them. What is not surely an amount is none: never 0.00, never a guess. */
import { type Cents, type Currency, isCurrency } from '../../money.ts'
import { RejectedRow } from '../entry.ts'
import { quoted } from './masked.ts'

/**
 * `1 234,56`, `7745.7`, `-300`. A comma or a dot is the decimal sign, and spaces part the groups; `1,234.56` and
 * `1.005` could be read in two ways. Fifteen digits are more than any account holds and fit a bigint column.
 */
export function amountOf(text: string): Cents | undefined {
  const written = shape.exec(text.replace(groupSpaces, ''))
  if (!written) return undefined
  const [, sign, whole, fraction = ''] = written
  const cents = BigInt(whole! + fraction.padEnd(2, '0'))
  return sign === '-' ? -cents : cents
}

/** An amount of money that moved: above zero, or the row is rejected. */
export function movedAmount(field: string, text: string): Cents {
  const cents = writtenAmount(field, text)
  if (cents <= 0n)
    throw new RejectedRow(`${field} is ${quoted(text)}: an amount above zero is expected here.`)
  return cents
}

export function writtenAmount(field: string, text: string): Cents {
  const cents = amountOf(text)
  if (cents === undefined)
    throw new RejectedRow(
      text.trim() === ''
        ? `${field} is empty.`
        : `${field} is ${quoted(text)}: digits are expected, with at most two decimals and no thousands mark.`,
    )
  return cents
}

/** ISO 4217 by letters or digits, with the rouble's old codes. */
export function currencyOf(field: string, text: string): Currency {
  const code = text.trim().toUpperCase()
  const currency = codes[code] ?? code
  if (!isCurrency(currency))
    throw new RejectedRow(`${field} is ${quoted(text)}: RUB, UZS, KZT or TJS is expected.`)
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

/** Space, no-break space, thin space, narrow no-break space. */
const groupSpaces = /[ \u00a0\u2009\u202f]/g
const shape = /^([+-]?)(\d{1,15})(?:[.,](\d{1,2}))?$/
