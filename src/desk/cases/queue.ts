/** What needs a person: its kinds, its items, and who works on which. */
import type { Mode } from '../../merchants/merchant.ts'
import type { Cents, Currency } from '../../money.ts'

export const queueKinds = ['ambiguous', 'unmatched', 'reversal', 'claimed', 'review', 'proposal'] as const
export type QueueKind = (typeof queueKinds)[number]

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
  merchantName: string | null
  holder: Holder | null
}

export type ItemOf = 'transfer' | 'deposit' | 'proposal'

export const itemOf = (kind: QueueKind): ItemOf =>
  kind === 'proposal' ? 'proposal' : kind === 'claimed' || kind === 'review' ? 'deposit' : 'transfer'

/** Under this name an item is taken. */
export const itemKey = (of: ItemOf, id: string): string => `${of}:${id}`

export const hrefOf = ({ kind, id }: Pick<QueueItem, 'kind' | 'id'>): string =>
  ({
    transfer: `/operator/transfers/${id}`,
    deposit: `/operator/deposits/${id}`,
    proposal: `/operator/approvals/${id}`,
  })[itemOf(kind)]

/** Oldest first, over all kinds. */
export const inOrder = (items: readonly QueueItem[]): QueueItem[] =>
  items.toSorted((a, b) => a.since.getTime() - b.since.getTime() || (a.id < b.id ? -1 : 1))

/** The next that nobody else works on, after this one where it still waits. */
export function nextAfter(
  items: readonly QueueItem[],
  { after, personId }: { after: string; personId: string },
): QueueItem | undefined {
  const place = items.findIndex((one) => itemKey(itemOf(one.kind), one.id) === after)
  const isFree = (one: QueueItem) => !one.holder || one.holder.personId === personId
  const rest = place < 0 ? items : [...items.slice(place + 1), ...items.slice(0, place)]
  return rest.find(isFree)
}
