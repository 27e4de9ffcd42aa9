/** A part of the queue: which kind, whose account, whose merchant, how much, who paid and how old. Its words are the address. */

import type { Cents } from '../../../domain/money.ts'
import { isUuid } from '../../../platform/request-fields.ts'
import { centsFrom } from '../amount.ts'
import { deskPath } from '../paths.ts'
import { type QueueKind, queueKinds } from './queue.ts'

/** Older than so many hours. */
export const ages = [1, 4, 24, 72] as const
type Age = (typeof ages)[number]

export type QueueFilter = {
  kind: QueueKind | null
  accountId: string | null
  merchantId: string | null
  /** As it was written, also where it cannot be read. */
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

/** What an address says wrongly counts as not said; only an amount that cannot be read is shown again. */
export const filterFrom = (say: (name: string) => string): QueueFilter => ({
  kind: queueKinds.find((queueKind) => queueKind === say('kind')) ?? null,
  accountId: isUuid(say('account')) ? say('account') : null,
  merchantId: isUuid(say('merchant')) ? say('merchant') : null,
  amount: say('amount').trim().slice(0, 40),
  payer: say('payer').normalize('NFC').replace(/\s+/g, ' ').trim().slice(0, 100),
  olderThan: ages.find((age) => String(age) === say('older')) ?? null,
})

/** The part of the queue that an item's address remembers, in our own words again. */
export const rememberedQueue = (text: string): string => {
  const said = new URLSearchParams(text.slice(0, 1_000))
  return queryOf(filterFrom((name) => said.get(name) ?? ''))
}

/** Empty for the whole queue. */
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

export const queueAt = (filter: QueueFilter, page = deskPath('/')): string => {
  const query = queryOf(filter)
  return query === '' ? page : `${page}?${query}`
}

/** Anything but the kind, which has its own tab. */
export const isNarrowed = (filter: QueueFilter): boolean => queryOf({ ...filter, kind: null }) !== ''

type Amounts = { least: Cents | null; most: Cents | null }

/** `1500.50`, `1000–2000`, `1000–` and `–2000`; null when it is none of them. */
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

/**
 * A part of a text as a pattern of PostgreSQL: each letter in both cases, because a database without a locale knows none
 * for Cyrillic, and Ё as Е, as banks write it.
 */
export const textPattern = (text: string): string => [...text].map(letterPattern).join('')

function letterPattern(letter: string): string {
  if (letter === ' ') return '\\s+'
  const cases = new Set([letter, letter.toLowerCase(), letter.toUpperCase()])
  if (/[её]/i.test(letter)) for (const spelling of 'еЕёЁ') cases.add(spelling)
  const all = [...cases].filter((spelling) => [...spelling].length === 1)
  if (all.length > 1) return `[${all.join('')}]`
  // ASCII alone means something to a pattern; before what its locale calls a letter PostgreSQL refuses a backslash.
  return /[!-/:-@[-`{-~]/.test(letter) ? `\\${letter}` : letter
}
