/** What needs a person: its kinds, its items, and who works on which. */

import type { Mode } from '../../../domain/merchants/merchant.ts'
import type { Cents, Currency } from '../../../domain/money.ts'
import { deskPath } from '../paths.ts'

export const queueKinds = ['ambiguous', 'unmatched', 'reversal', 'claimed', 'review', 'proposal'] as const
export type QueueKind = (typeof queueKinds)[number]

/** How many wait, of each kind: counted to one more than `countedMost`, which stands for more. */
export type QueueCounts = Record<QueueKind, number>

/** Further than this nobody counts: the queue is long. */
export const countedMost = 1_000

export type Holder = { personId: string; name: string; until: Date }

export type QueueItem = {
  kind: QueueKind
  id: string
  since: Date
  cents: Cents | null
  currency: Currency | null
  mode: Mode | null
  /** Who pays, or who asks. */
  who: string
  /** The purpose, the order, or the kind of proposal. */
  what: string
  accountId: string | null
  accountLabel: string | null
  /** Whose it is; of a transfer that nobody has placed, those it may be for. */
  merchantName: string | null
  holder: Holder | null
}

/** What the queue shows of a filter, and how many of each kind it lets through. */
export type Queue = {
  items: QueueItem[]
  counts: QueueCounts
  /** More wait than the filter has looked at. */
  isCut: boolean
}

/** What a filter offers to choose from, and who may be given work. */
export type Choices = { accounts: Named[]; merchants: Named[]; colleagues: Named[] }
export type Named = { id: string; name: string; mode: Mode | null }

/** An item that was chosen with others. */
export type PickedItem = {
  type: 'transfer' | 'deposit'
  id: string
  cents: Cents
  currency: Currency
  who: string
  /** Since when it waits, or has waited. */
  since: Date
  /** It still waits for a person. */
  isWaiting: boolean
  /** The payments that this one is suspected to repeat or to correct. */
  sameAs: string[]
}

type ItemType = 'transfer' | 'deposit' | 'proposal'

export const itemTypeOf = (kind: QueueKind): ItemType =>
  kind === 'proposal' ? 'proposal' : kind === 'claimed' || kind === 'review' ? 'deposit' : 'transfer'

/** Under this name an item is taken. */
export const itemKey = (type: ItemType, id: string): string => `${type}:${id}`

/** Where an item is decided; it remembers which part of the queue it was opened from. */
export function hrefOf({ kind, id }: Pick<QueueItem, 'kind' | 'id'>, queue = ''): string {
  const type = itemTypeOf(kind)
  if (type === 'proposal') return deskPath('/approvals/:id', id)
  return withQueue(deskPath(`/${type}s/:id`, id), queue)
}

/** The same address, with the part of the queue that its person works through. */
export const withQueue = (address: string, queue: string): string =>
  queue === '' ? address : `${address}${address.includes('?') ? '&' : '?'}${new URLSearchParams({ queue })}`

/** As many as were counted, and whether there are more. */
export type Counted = { count: number; isMore: boolean }

/** Each of the numbers stands for more where it is above the bound. */
export const countedOf = (...numbers: number[]): Counted => ({
  count: numbers.reduce((sum, number) => sum + Math.min(number, countedMost), 0),
  isMore: numbers.some((number) => number > countedMost),
})

/** Oldest first, over all kinds. */
export const inOrder = (items: readonly QueueItem[]): QueueItem[] =>
  items.toSorted((a, b) => a.since.getTime() - b.since.getTime() || (a.id < b.id ? -1 : 1))

/**
 * The next that nobody else works on, after this one; where this one waits no more, after its old place. What was passed
 * over comes again at the end.
 */
export function nextAfter(
  items: readonly QueueItem[],
  { after, since, personId }: { after: string; since: Date | undefined; personId: string },
): QueueItem | undefined {
  const place = items.findIndex((item) => itemKey(itemTypeOf(item.kind), item.id) === after)
  const later = since ? items.findIndex((item) => item.since > since) : 0
  const from = place >= 0 ? place + 1 : later >= 0 ? later : items.length
  const isFree = (item: QueueItem) => !item.holder || item.holder.personId === personId
  return [...items.slice(from), ...items.slice(0, place >= 0 ? place : from)].find(isFree)
}
