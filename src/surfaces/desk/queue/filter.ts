/** The filter of the queue: kind, account, merchant, amount, payer and age. It is stored in the address. */

import type { Cents } from '../../../domain/money.ts'
import { centsFrom } from '../../../domain/money.ts'
import { isUuid } from '../../../platform/request-fields.ts'
import { textPattern } from '../../../platform/text-pattern.ts'
import { deskRoot } from '../../staff/paths.ts'
import { type QueueKind, queueKinds } from './queue.ts'

/** Minimum ages to choose from, in hours. */
export const ages = [1, 4, 24, 72] as const
type Age = (typeof ages)[number]

export type QueueFilter = {
  kind: QueueKind | null
  accountId: string | null
  merchantId: string | null
  /** The amount as it was typed, even if it cannot be read. */
  amount: string
  payer: string
  olderThan: Age | null
}

export const wholeQueue: QueueFilter = {
  kind: null,
  accountId: null,
  merchantId: null,
  amount: '',
  payer: '',
  olderThan: null,
}

/** Invalid values are ignored, except an amount that cannot be read, which is shown again. */
export const filterFrom = (say: (name: string) => string): QueueFilter => ({
  kind: queueKinds.find((queueKind) => queueKind === say('kind')) ?? null,
  accountId: isUuid(say('account')) ? say('account') : null,
  merchantId: isUuid(say('merchant')) ? say('merchant') : null,
  amount: say('amount').trim().slice(0, 40),
  payer: say('payer').normalize('NFC').replace(/\s+/g, ' ').trim().slice(0, 100),
  olderThan: ages.find((age) => String(age) === say('older')) ?? null,
})

/** The filter as a query string; empty for the whole queue. */
export const queryOf = (filter: QueueFilter): string =>
  new URLSearchParams(
    Object.entries({
      kind: filter.kind ?? '',
      account: filter.accountId ?? '',
      merchant: filter.merchantId ?? '',
      amount: filter.amount,
      payer: filter.payer,
      older: filter.olderThan === null ? '' : String(filter.olderThan),
    }).filter(([, value]) => value !== ''),
  ).toString()

export const queueAt = (filter: QueueFilter, page: string = deskRoot): string => {
  const query = queryOf(filter)
  return query === '' ? page : `${page}?${query}`
}

/** Whether anything except the kind is filtered; the kind has its own tabs. */
export const isNarrowed = (filter: QueueFilter): boolean => queryOf({ ...filter, kind: null }) !== ''

type Amounts = { least: Cents | null; most: Cents | null }

/** Reads `1500.50`, `1000–2000`, `1000–` and `–2000`; null for anything else. */
export function amountsFrom(text: string): Amounts | null {
  if (text === '') return { least: null, most: null }
  const exact = centsFrom(text)
  if (exact !== null) return { least: exact, most: exact }
  const [, from, to] = /^([^–—-]*)\s*(?:–|—|-|\.\.)\s*([^–—-]*)$/.exec(text) ?? []
  if (from === undefined || to === undefined || (from + to).trim() === '') return null
  const [least, most] = [from, to].map((text) => (text.trim() === '' ? null : centsFrom(text)))
  if ((least === null && from.trim() !== '') || (most === null && to.trim() !== '')) return null
  if (least != null && most != null && least > most) return { least: most, most: least }
  return { least: least ?? null, most: most ?? null }
}

export const payerPattern = (payer: string): string | null => (payer === '' ? null : textPattern(payer))
