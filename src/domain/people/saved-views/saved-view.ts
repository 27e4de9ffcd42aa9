/** A filter of a list that a person saved under a name. Only that person sees it. */
import { bounds } from '../../../platform/bounds.ts'
import type { MerchantId } from '../../merchants/merchant.ts'

/** Which list. */
export type ViewPlace = 'console_deposits' | 'desk_deposits' | 'desk_transfers'

/** One person's views of one list; a list of the console is its merchant's. */
export type ViewOwner = { personId: string; place: ViewPlace; merchantId: MerchantId | null }

export type SavedView = {
  id: string
  name: string
  /** Of the list's address, without the question mark. */
  query: string
}

/** A filter by query parameter; an unused one is empty. */
export type Filtered = Readonly<Record<string, string>>

export const queryOf = (filtered: Filtered): string =>
  new URLSearchParams(Object.entries(filtered).filter(([, value]) => value !== '')).toString()

export const isViewName = (name: string): boolean =>
  /[\p{L}\p{N}\p{P}\p{S}]/u.test(name) &&
  [...name].length <= bounds.viewNameCharacters &&
  !/\p{Cc}/u.test(name)
