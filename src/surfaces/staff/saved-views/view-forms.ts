/** Reads the forms of saved views, for both consoles. */

import {
  type Filtered,
  isViewName,
  queryOf,
  type SavedView,
  type ViewOwner,
} from '../../../domain/people/saved-views/saved-view.ts'
import { bounds } from '../../../platform/bounds.ts'
import { Refusal } from '../../../platform/refusals.ts'
import { isUuid } from '../../../platform/request-fields.ts'
import type { KnownVisit } from '../guarded-routes.ts'
import { viewWords } from './words.ts'

/** The list's own rules have read the filter, so it holds only known values. */
export function viewFrom({ field, language }: KnownVisit, filtered: Filtered): Omit<SavedView, 'id'> {
  const words = viewWords[language]
  const name = field('name')
  const query = queryOf(filtered)
  if (!isViewName(name))
    throw new Refusal('invalid_value', { detail: words.wrongName(bounds.viewNameCharacters) })
  if (query === '') throw new Refusal('invalid_value', { detail: words.nothing })
  return { name, query }
}

export function viewIdOf({ field }: KnownVisit): string {
  const id = field('view')
  if (!isUuid(id)) throw new Refusal('not_found')
  return id
}

/** The audit line of a saved view: it has the name, but not the search text. */
export const viewLine = (
  word: 'save' | 'drop',
  { personId, place }: ViewOwner,
  { name }: { name: string },
) => ({
  act: `view_${word}`,
  subject: `person:${personId}`,
  ...(word === 'save' ? { after: { place, name } } : { before: { place, name } }),
})
