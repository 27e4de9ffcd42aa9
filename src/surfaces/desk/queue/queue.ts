/** The queue of what needs a person: its kinds, its items, and who works on which. */

import type { Mode } from '../../../domain/merchants/merchant.ts'
import type { Cents, Currency } from '../../../domain/money.ts'
import type { ConsoleLanguage, Holder } from '../../../domain/people/person.ts'
import { numberFormat } from '../../../platform/intl.ts'
import { sum } from '../../../platform/sum.ts'
import { deskRoot } from '../../staff/paths.ts'
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

/** How many items of a kind wait, and since when the oldest does. */
export type QueueAge = { kind: QueueKind; count: number; since: Date | null }

/** The items that pass the filter, and how many of each kind do. */
export type Queue = {
  items: QueueItem[]
  counts: QueueCounts
  /** More items wait than the filter has looked at. */
  isCut: boolean
}

/** What the filter offers to choose from. */
export type Choices = { accounts: Named[]; merchants: Named[] }
export type Named = { id: string; name: string; mode: Mode | null }

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

/** The name under which an item is taken. */
export const itemKey = ({ kind, id }: Pick<QueueItem, 'kind' | 'id'>): string => `${itemTypeOf(kind)}:${id}`

/** Where an item is decided: transfers and deposits beside the queue, with its filter. */
export function hrefOf({ kind, id }: Pick<QueueItem, 'kind' | 'id'>, queue = ''): string {
  const type = itemTypeOf(kind)
  if (type === 'proposal') return `${deskRoot}/approvals/${id}`
  if (type === 'statement') return `${deskRoot}/statements/${id}`
  const address = deskPath(`/queue/${type}s/:id`, id)
  return queue === '' ? address : `${address}?${queue}`
}

/** The sum of numbers as `12` or `1,000+`: a number above the maximum stands for more. Empty for zero. */
export function countedText(language: ConsoleLanguage, ...numbers: number[]): string {
  const count = sum(numbers.map((number) => Math.min(number, countedMost)))
  const isMore = numbers.some((number) => number > countedMost)
  return count === 0 ? '' : `${numberFormat(language, {}).format(count)}${isMore ? '+' : ''}`
}

/** Oldest first, over all kinds. */
export const inOrder = (items: readonly QueueItem[]): QueueItem[] =>
  items.toSorted((a, b) => a.since.getTime() - b.since.getTime() || (a.id < b.id ? -1 : 1))

/** The next item after this one that nobody else works on; after the last comes the first again. */
export function nextAfter(
  items: readonly QueueItem[],
  { after, personId }: { after: string | null; personId: string },
): QueueItem | undefined {
  const place = items.findIndex((item) => itemKey(item) === after)
  const isFree = (item: QueueItem) => !item.holder || item.holder.personId === personId
  return [...items.slice(place + 1), ...items.slice(0, Math.max(place, 0))].find(isFree)
}
