/** Links between the pages of a list. */

import { pager } from '../staff/frame.ts'
import type { Markup } from '../web/html.ts'
import type { DeskContext } from './frame.ts'

/** Links to the page after the last row, or back to the newest rows. */
export function listPager(
  desk: Pick<DeskContext, 'language'>,
  list: { path: string; params: Record<string, string>; next: string | null; isFirst: boolean },
): Markup | null {
  const { path, params, next, isFirst } = list
  const query = (more: Record<string, string>) => {
    const all = Object.entries({ ...params, ...more }).filter(([, value]) => value !== '')
    return all.length > 0 ? `${path}?${new URLSearchParams(all)}` : path
  }
  return pager(desk, { newest: isFirst ? null : query({}), older: next && query({ before: next }) })
}
