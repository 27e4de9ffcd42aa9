/** The queue of what needs a person: its kinds, its items, and who works on which. */

import type { Mode } from '../../../domain/merchants/merchant.ts'
import type { Cents, Currency } from '../../../domain/money.ts'
import type { Holder } from '../../../domain/people/person.ts'
import { deskPath } from '../paths.ts'

/** Kinds that are states of transfers. */
export const stateKinds = ['ambiguous', 'unmatched', 'held', 'reversal'] as const
type StateKind = (typeof stateKinds)[number]

/**
 * `unbooked`: money that counts, told early, and that no file has told, although one has closed its day. `parked`: rows of a file
 * that wait until one closes their days.
 */
export const queueKinds = [...stateKinds, 'unbooked', 'parked', 'claimed', 'review', 'proposal'] as const
export type QueueKind = (typeof queueKinds)[number]

/** How many items of each kind wait, counted to `countedMost` + 1, which stands for more. */
export type QueueCounts = Record<QueueKind, number>

/** Counting stops here, so that a long queue costs no more. */
export const countedMost = 1_000

export type QueueItem = {
  kind: QueueKind
  id: string
  since: Date
  cents: Cents | null
  currency: Currency | null
  mode: Mode | null
  /** The payer, the customer, the proposer, or the file. */
  who: string
  /** The purpose, the order, the kind of proposal, or the number of rows. */
  what: string
  accountId: string | null
  accountLabel: string | null
  /** The merchant; for an unmatched transfer, the merchants it may be for. */
  merchantName: string | null
  holder: Holder | null
}

/** The items that pass the filter, and how many of each kind do. */
export type Queue = {
  items: QueueItem[]
  counts: QueueCounts
  /** More items wait than the filter has looked at. */
  isCut: boolean
}

/** What the filter offers to choose from, and the colleagues who may be given work. */
export type Choices = { accounts: Named[]; merchants: Named[]; colleagues: Named[] }
export type Named = { id: string; name: string; mode: Mode | null }

/** An item that was ticked together with others. */
export type PickedItem = {
  type: 'transfer' | 'deposit'
  id: string
  cents: Cents
  currency: Currency
  who: string
  /** Since when it has waited. */
  since: Date
  /** It still waits for a person. */
  isWaiting: boolean
  /** The payments that this transfer may be. */
  sameAs: string[]
}

type ItemType = 'transfer' | 'deposit' | 'proposal' | 'statement'

export const itemTypeOf = (kind: QueueKind): ItemType => itemTypes[kind]

const itemTypes: Record<QueueKind, ItemType> = {
  ...({
    ambiguous: 'transfer',
    unmatched: 'transfer',
    held: 'transfer',
    reversal: 'transfer',
  } satisfies Record<StateKind, ItemType>),
  unbooked: 'transfer',
  parked: 'statement',
  claimed: 'deposit',
  review: 'deposit',
  proposal: 'proposal',
}

/** Taken by a person, and decided together with others. */
export const isPickable = (kind: QueueKind): boolean =>
  itemTypeOf(kind) === 'transfer' || itemTypeOf(kind) === 'deposit'

/** The name under which an item is taken. */
export const itemKey = (type: ItemType, id: string): string => `${type}:${id}`

/** The page where an item is decided; its address carries the filter of the queue. */
export function hrefOf({ kind, id }: Pick<QueueItem, 'kind' | 'id'>, queue = ''): string {
  const type = itemTypeOf(kind)
  if (type === 'proposal') return deskPath('/approvals/:id', id)
  return withQueue(deskPath(`/${type}s/:id`, id), queue)
}

/** Adds the filter of the queue to an address. */
export const withQueue = (address: string, queue: string): string =>
  queue === '' ? address : `${address}${address.includes('?') ? '&' : '?'}${new URLSearchParams({ queue })}`

/** A number that was counted, and whether there are more. */
export type Counted = { count: number; isMore: boolean }

/** Adds numbers; a number above the maximum stands for more. */
export const countedOf = (...numbers: number[]): Counted => ({
  count: numbers.reduce((sum, number) => sum + Math.min(number, countedMost), 0),
  isMore: numbers.some((number) => number > countedMost),
})

/** Oldest first, over all kinds. */
export const inOrder = (items: readonly QueueItem[]): QueueItem[] =>
  items.toSorted((a, b) => a.since.getTime() - b.since.getTime() || (a.id < b.id ? -1 : 1))

/**
 * The next item after this one that nobody else works on; if this one is gone, the next after its old place. After the
 * last comes the first again.
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
