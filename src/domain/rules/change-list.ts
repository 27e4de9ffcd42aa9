/** The operator adds an entry to a list or ends one. The actor and the reason are stored. */

import { newId } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { naming } from '../../platform/db-errors.ts'
import { Refusal } from '../../platform/refusals.ts'
import { type Hooks, perform } from '../audit/perform.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import { message } from '../messages/message.ts'
import { type List, type ListKind, listValue } from './listing.ts'
import { insertEntry, removeEntry } from './store.ts'

type AddToList = {
  list: List
  kind: ListKind
  value: string
  reason: string
  addedBy: string
  /** Null: for all merchants. */
  merchantId: MerchantId | null
}

export async function addToList(
  db: Db,
  { value: text, ...entry }: AddToList,
  hooks?: Hooks,
): Promise<{ id: string; value: string }> {
  const value = listValue(entry.kind, text)
  if (value === null) {
    const detail = entry.kind === 'phone' ? message('listed_phone_too_short') : message('listed_value_empty')
    throw new Refusal('invalid_value', { detail: message('value_cannot_be_listed', { why: detail }) })
  }
  const id = newId()
  await naming(wrong, () => perform(db, hooks, (tx) => insertEntry(tx, { ...entry, id, value })))
  return { id, value }
}

export const removeListing = (
  db: Db,
  removed: { id: string; by: string; reason: string },
  hooks?: Hooks,
): Promise<void> =>
  naming(wrong, () =>
    perform(db, hooks, async (tx) => {
      if (await removeEntry(tx, removed)) return
      throw new Refusal('not_found', { detail: message('no_list_entry_with_id') })
    }),
  )

/** What is wrong, by the constraint of the database that finds it. */
const wrong = {
  list_entry_once: () => new Refusal('already_exists', { detail: message('value_listed_already') }),
  list_entry_merchant: () => new Refusal('not_found', { detail: message('no_merchant_with_id') }),
  list_entry_words: () => new Refusal('invalid_value', { detail: message('list_entry_length') }),
}
