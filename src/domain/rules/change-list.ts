/** The operator adds an entry to a list or ends one. The actor and the reason are stored. */

import { newId } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { violates } from '../../platform/db-errors.ts'
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
  try {
    await perform(db, hooks, (tx) => insertEntry(tx, { ...entry, id, value }))
    return { id, value }
  } catch (error) {
    if (violates(error, 'list_entry_once')) {
      throw new Refusal('already_exists', { detail: message('value_listed_already') })
    }
    if (violates(error, 'list_entry_merchant')) {
      throw new Refusal('not_found', { detail: message('no_merchant_with_id') })
    }
    if (violates(error, 'list_entry_words')) throw wordsTooLong()
    throw error
  }
}

export async function removeListing(
  db: Db,
  removed: { id: string; by: string; reason: string },
  hooks?: Hooks,
): Promise<void> {
  try {
    await perform(db, hooks, async (tx) => {
      if (await removeEntry(tx, removed)) return
      throw new Refusal('not_found', { detail: message('no_list_entry_with_id') })
    })
  } catch (error) {
    if (violates(error, 'list_entry_words')) throw wordsTooLong()
    throw error
  }
}

const wordsTooLong = () => new Refusal('invalid_value', { detail: message('list_entry_length') })
