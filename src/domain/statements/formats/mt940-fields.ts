/** The fields of MT940 that have a shape of their own, as SWIFT describes them (category 9). */

import { message } from '../../messages/message.ts'
import type { Cents, Currency } from '../../money.ts'
import { normalizeAccountNumber } from '../../transfers/bank-text/account-number.ts'
import { quoted } from '../../transfers/bank-text/masked.ts'
import { type ReadContext, RejectedRow } from '../entry.ts'
import { amountOf, currencyOf, movedAmount } from './amount.ts'
import { dateOf } from './dates.ts'
import { notOurs } from './texts.ts'

/** `6!n[4!n]2a[1!a]15d1!a3!c16x[//16x]`: the third letter of the currency may stand before the amount. */
export function statementLine(text: string) {
  const [, valued, entered, mark, amount, references] = statementLineShape.exec(text) ?? []
  if (valued === undefined) throw new RejectedRow(message('entry_line_shape', { text: quoted(text) }))
  const parting = references!.lastIndexOf('//')
  return {
    ...daysOf(text, valued, entered),
    mark: mark as 'C' | 'D' | 'RC' | 'RD',
    cents: movedAmount(':61:', plainAmount(amount!)),
    /** Of the account's owner. */
    customerReference: (parting === -1 ? references! : references!.slice(0, parting)).trim(),
    bankReference: parting === -1 ? '' : references!.slice(parting + 2).trim(),
  }
}

const statementLineShape = /^(\d{6})(\d{4})?(R[CD]|[CD])[A-Z]?(\d{1,15}(?:[.,]\d{0,3})?)[SNF][A-Z\d ]{3}(.*)$/

/** No bank has to write decimals: `12,`. */
const plainAmount = (text: string): string => text.replace(/[.,]$/, '')

/** The entry date has no year: it is the one that brings it nearest to the value date. */
function daysOf(text: string, valued: string, entered?: string) {
  const monthsApart = entered === undefined ? 0 : Number(valued.slice(2, 4)) - Number(entered.slice(0, 2))
  const year = Number(valued.slice(0, 2)) + Math.trunc(monthsApart / 7)
  const valuedOn = dayOf(valued)
  const bookedOn = dayOf(String(year).padStart(2, '0') + (entered ?? valued.slice(2)))
  if (valuedOn === null || bookedOn === null)
    throw new RejectedRow(message('entry_line_day', { text: quoted(text) }))
  return { bookedOn, valuedOn }
}

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

const balanceShape = /^([CD])(\d{6})([A-Z]{3})(\d{1,15}(?:[.,]\d{0,3})?)$/

/** Our account: alone, behind a BIC or a bank code, with a currency behind it. */
export function ownAccount(line: number, text: string, { currencyOf: known }: ReadContext): string {
  const parts = [text, ...text.split('/')].map(normalizeAccountNumber).filter((part) => part !== '')
  const candidates = parts.flatMap((part) => [part, part.replace(/[A-Z]{3}$/, '')])
  const own = candidates.find((candidate) => known(candidate) !== undefined)
  if (own !== undefined) return own
  const longest = parts.slice(text.includes('/') ? 1 : 0).toSorted((a, b) => b.length - a.length)[0]
  if (longest !== undefined) throw notOurs(line, longest)
  throw new RejectedRow(message('statement_names_no_account'))
}
