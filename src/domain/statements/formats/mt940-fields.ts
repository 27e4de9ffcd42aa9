/**
 * The fields of MT940 and MT942 that have a shape of their own, as SWIFT describes them (category 9), and as banks
 * write them: longer references, amounts with leading zeros or without decimals, an entry date of four spaces.
 */

import { message } from '../../messages/message.ts'
import type { Cents, Currency } from '../../money.ts'
import { normalizeAccountNumber } from '../../transfers/bank-text/account-number.ts'
import { quoted } from '../../transfers/bank-text/masked.ts'
import { type ReadContext, RejectedRow } from '../entry.ts'
import { notOurs } from './account.ts'
import { amountOf, currencyOf, writtenAmount } from './amount.ts'
import { dateOf } from './dates.ts'

/** C and D of the standard, what MT942 only expects, and the two reversals. */
export type Mark = 'C' | 'D' | 'RC' | 'RD' | 'EC' | 'ED'

export type StatementLine = {
  bookedOn: string
  /** Null where it is no day: some banks count thirty days in every month. */
  valuedOn: string | null
  mark: Mark
  /** Zero in lines that only carry information. */
  cents: Cents
  /** Of the account's owner, and of the bank. */
  customerReference: string
  bankReference: string
}

/** `6!n[4!n]2a[1!a]15d1!a3!c16x[//16x]`: the third letter of the currency may stand before the amount. */
export function statementLine(text: string): StatementLine {
  const [, valued, entered, mark, amount, references] = statementLineShape.exec(text) ?? []
  if (valued === undefined) throw new RejectedRow(message('entry_line_shape', { text: quoted(text) }))
  const parting = references!.lastIndexOf('//')
  return {
    ...daysOf(text, valued, entered?.trim() ?? ''),
    mark: mark as Mark,
    cents: writtenAmount(':61:', plainAmount(amount!)),
    customerReference: (parting === -1 ? references! : references!.slice(0, parting)).trim(),
    bankReference: parting === -1 ? '' : references!.slice(parting + 2).trim(),
  }
}

const statementLineShape =
  /^(\d{6})(\d{4}| {4})?(R[CD]|E[CD]|[CD])[A-Z]? ?(\d{1,24}(?:[.,]\d{0,3})?)[SNF][A-Z\d ]{3}(.*)$/

/** `000000000012,`: some banks fill the whole field with zeros, and none has to write decimals. */
const plainAmount = (text: string): string => text.replace(/^0+(?=\d)/, '').replace(/[.,]$/, '')

/** The entry date has no year: it is the one that brings it nearest to the value date. */
function daysOf(text: string, valued: string, entered: string): Pick<StatementLine, 'bookedOn' | 'valuedOn'> {
  const valuedOn = dayOf(valued)
  if (valuedOn !== null && entered === '') return { bookedOn: valuedOn, valuedOn }
  const monthsApart = Number(valued.slice(2, 4)) - Number(entered.slice(0, 2))
  const year = Number(valued.slice(0, 2)) + Math.trunc(monthsApart / 7)
  const bookedOn = dayOf(String(year).padStart(2, '0') + entered)
  if (bookedOn === null) throw new RejectedRow(message('entry_line_day', { text: quoted(text) }))
  return { bookedOn, valuedOn }
}

/** `YYMMDD` of this century. */
const dayOf = (text: string): string | null =>
  dateOf(`${text.slice(4, 6)}.${text.slice(2, 4)}.20${text.slice(0, 2)}`, 'dd.mm.yyyy')?.day ?? null

/** Below zero the account is overdrawn. The day is only a hint: banks write zeros there before the first statement. */
export type Balance = { day: string | null; currency: Currency; cents: Cents }

export function balance(field: string, text: string): Balance {
  const [, mark, day, currency, amount = ''] = balanceShape.exec(text.trimEnd()) ?? []
  const cents = amountOf(plainAmount(amount))
  if (cents === undefined) throw new RejectedRow(message('balance_shape', { text: quoted(text) }))
  return { day: dayOf(day!), currency: currencyOf(field, currency!), cents: mark === 'D' ? -cents : cents }
}

const balanceShape = /^([CD])(\d{6})([A-Z]{3})(\d{1,24}(?:[.,]\d{0,3})?)$/

/** How many entries of one direction: `3RUB1500,00`. Their sum is not compared, because a payer's text may have written it. */
export const entriesIn = (text: string): number | null => {
  const count = /^(\d{1,5})[A-Z]{3}/.exec(text)?.[1]
  return count === undefined ? null : Number(count)
}

/** Whether `:28C:` counts on: `1/2` behind `1/1`. */
export function isNextPage(before: string, next: string): boolean {
  const [left, right] = [before, next].map((text) => /^\s*(\d+)\/(\d{1,9})\s*$/.exec(text))
  return !!left && !!right && left[1] === right[1] && Number(right[2]) === Number(left[2]) + 1
}

/** Our account: alone, behind a BIC or a bank code, with a currency behind it. */
export function ownAccount(line: number, text: string, { currencyOf: known }: ReadContext): string {
  const parts = [text, ...text.split('/')].map(normalizeAccountNumber).filter((part) => part !== '')
  const candidates = parts.flatMap((part) => [part, part.replace(/[A-Z]{3}$/, '')])
  const own = candidates.find((candidate) => known(candidate) !== undefined)
  if (own !== undefined) return own
  const [longest] = parts.slice(text.includes('/') ? 1 : 0).toSorted((a, b) => b.length - a.length)
  if (longest !== undefined) throw notOurs(line, longest)
  throw new RejectedRow(message('statement_names_no_account'))
}
