/**
 * A cache of what every signed request needs: the merchant, its keys, its catalogue, whether lists
 * apply to its customers, and the database's time. Read together and cached for a second, so that a
 * busy merchant costs one read a second and a disabled key stops working within one.
 */

import type { Catalogue } from '../../domain/catalogue/payment-type.ts'
import { readCatalogue } from '../../domain/catalogue/store.ts'
import type { ApiKey } from '../../domain/merchants/api-key.ts'
import type { Merchant, MerchantId } from '../../domain/merchants/merchant.ts'
import {
  findEndedKeys,
  findExistingMerchants,
  findKeyOwners,
  findMerchant,
  liveKeys,
} from '../../domain/merchants/store.ts'
import type { MerchantRules } from '../../domain/rules/listing.ts'
import { readRules } from '../../domain/rules/store.ts'
import { batched } from '../../platform/batched.ts'
import { bounds } from '../../platform/bounds.ts'
import { monotonicMs } from '../../platform/clock.ts'
import { type Db, readClock } from '../../platform/db.ts'
import { ownText } from '../../platform/own-text.ts'
import { isUuid } from '../../platform/request-fields.ts'
import type { Vault } from '../../platform/vault.ts'

export type KnownMerchant = {
  merchant: Merchant
  keys: ApiKey[]
  catalogue: Catalogue
  rules: MerchantRules
  now: () => Date
}

export type Directory = {
  byId(id: MerchantId): Promise<KnownMerchant | undefined>
  byKey(keyId: string): Promise<KnownMerchant | undefined>
  /** The keys that ended last, to explain a refused signature. */
  endedKeys(id: MerchantId): Promise<ApiKey[]>
  /**
   * Clears what this process knows of one merchant, or of all; other processes follow within a second. Merchants' people
   * can cause it as often as they like, so what they change clears their own only.
   */
  forget(id?: MerchantId): void
}

export function createDirectory(db: Db, vault: Vault): Directory {
  // A merchant that was found before is read at once; unknown ids are looked up together, so
  // that a flood of invented ones takes one connection, not all.
  const found = new Set<MerchantId>()
  const exists = batched((ids) => findExistingMerchants(db, ids))
  const merchants = cached(async (id: MerchantId): Promise<KnownMerchant | undefined> => {
    if (!found.has(id) && !(await exists(id))) return undefined
    if (found.size < bounds.merchantCacheEntries) found.add(id)
    const merchant = await findMerchant(db, id)
    if (!merchant) return undefined
    const [keys, catalogue, rules, now] = await Promise.all([
      liveKeys(db, vault, id, 'request'),
      readCatalogue(db, id),
      readRules(db, id),
      readClock(db),
    ])
    return { merchant, keys, catalogue, rules, now }
  })
  const byId: Directory['byId'] = async (id) => (isUuid(id) ? merchants.ask(id) : undefined)
  const ended = cached((id) => findEndedKeys(db, vault, id))
  const { ask: owner } = cached(batched((keyIds) => findKeyOwners(db, keyIds)))
  return {
    byId,
    endedKeys: ended.ask,
    forget(id) {
      merchants.forget(id)
      ended.forget(id)
    },
    async byKey(keyId) {
      const id = await owner(keyId)
      return id === undefined ? undefined : byId(id)
    },
  }
}

/** Caches answers briefly; concurrent requests share one query. Faults are not cached. */
function cached<Answer>(read: (key: string) => Promise<Answer>) {
  const answers = new Map<string, { answer: Promise<Answer>; at: number }>()
  const ask = (asked: string): Promise<Answer> => {
    const known = answers.get(asked)
    if (known && monotonicMs() - known.at < bounds.merchantCacheMs) return known.answer
    // An unknown key id may be a part of a long body or header, which would stay in memory with it.
    const key = ownText(asked)
    const answer = read(key)
    answers.delete(key)
    answers.set(key, { answer, at: monotonicMs() })
    if (answers.size > bounds.merchantCacheEntries) answers.delete(answers.keys().next().value!)
    answer.catch(() => answers.delete(key))
    return answer
  }
  const forget = (key?: string) => (key === undefined ? answers.clear() : void answers.delete(key))
  return { ask, forget }
}
