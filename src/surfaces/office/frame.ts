/** The frame of the desk and of a merchant's console: the navigation by groups, and the message about the last act. */
import type { Mode } from '../../domain/merchants/merchant.ts'
import { inLanguage, type Two } from '../../sections/section.ts'
import { type StaffContext, staffPage } from '../staff/frame.ts'
import type { Markup } from '../web/html.ts'
import type { Place } from './context.ts'

export type Entry = { path: string; name: Two; icon: Markup; count?: string }

type Frame = {
  /** Where the surface begins: `/operator`. */
  root: string
  where: string
  guide: string
  groups: readonly (readonly [name: Two, entries: readonly Entry[]])[]
  mode?: Mode
}

export function placeOf(context: StaffContext, { root, groups, ...frame }: Frame): Place {
  const say = (words: Two) => inLanguage(words, context.language)
  const linksFrom = (path: string) => {
    const above = groups.flatMap(([, entries]) =>
      entries.filter(({ path: at }) => `${path}/`.startsWith(`${at}/`)),
    )
    // A page without an entry of its own belongs to the nearest one above it.
    const here = above.toSorted((one, other) => other.path.length - one.path.length)[0]?.path
    return groups.flatMap(([group, entries]) =>
      entries.map(({ path, name, ...entry }) => ({
        ...{ ...entry, group: say(group), text: say(name), href: `${root}${path}`, isHere: path === here },
      })),
    )
  }
  return {
    pathOf: (path) => `${root}${path}`,
    page: ({ path, notice = null, ...page }) =>
      staffPage(context, {
        ...{ ...page, notice, ...(frame.mode && { mode: frame.mode }) },
        place: { ...frame, home: `${root}/overview`, links: linksFrom(path) },
      }),
  }
}
