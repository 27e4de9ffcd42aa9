/** The frame around every page of the merchant's console, and texts that several pages share. */
import type { Merchant } from '../../domain/merchants/merchant.ts'
import { type MerchantRole, merchantRoles } from '../../domain/people/person.ts'
import { type StaffContext, type StaffPage, staffPage } from '../staff/frame.ts'
import { html, type Markup, type Value } from '../web/html.ts'
import { icons } from '../web/icons.ts'
import { consolePath } from './paths.ts'
import { type ConsoleWords, consoleWords } from './words.ts'

/** The merchant whose console it is, and who looks at it in which role. */
export type ConsoleContext = StaffContext & {
  merchant: Merchant
  role: MerchantRole
  /** Names the message about the last act; it comes from the address. */
  notice: string
  /** What a declared act says that it has done. */
  said?: string | null
}

export type Section = keyof ConsoleWords['sections']

const sections = {
  overview: { group: 'payments', path: '/overview', icon: icons.home },
  deposits: { group: 'payments', path: '/deposits', icon: icons.deposit },
  callbacks: { group: 'integration', path: '/callbacks', icon: icons.send },
  endpoints: { group: 'integration', path: '/endpoints', icon: icons.list },
  keys: { group: 'integration', path: '/keys', icon: icons.key },
  bank: { group: 'integration', path: '/bank', icon: icons.account },
  limits: { group: 'account', path: '/limits', icon: icons.gauge },
  people: { group: 'account', path: '/people', icon: icons.people },
  settings: { group: 'account', path: '/settings', icon: icons.sliders },
} as const satisfies Record<Section, { group: string; path: string; icon: Markup }>

/** The section of the navigation that stands at this path. */
export const sectionAt = (path: string): Section =>
  (Object.keys(sections) as Section[]).find((section) => sections[section].path === path) ?? 'overview'

export const wordsOf = ({ language }: Pick<ConsoleContext, 'language'>): ConsoleWords =>
  consoleWords[language]

export const sectionPath = ({ merchant }: ConsoleContext, section: Section): string =>
  consolePath(sections[section].path, merchant.id)

export function merchantPage(context: ConsoleContext, page: StaffPage<Section>) {
  const words = wordsOf(context)
  const { merchant, notice } = context
  const links = sectionsOf(context).map((section) => ({
    group: words.groups[sections[section].group],
    href: sectionPath(context, section),
    text: words.sections[section],
    icon: sections[section].icon,
    isHere: section === page.section,
  }))
  const place = {
    home: sectionPath(context, 'overview'),
    where: merchant.name,
    links,
    guide: '/docs/guides/merchants',
  }
  return staffPage(context, {
    ...page,
    place,
    mode: merchant.mode,
    notice: context.said ?? wordIn(words.notices, notice),
  })
}

/** The test bank exists in test mode only. */
const sectionsOf = (context: ConsoleContext): Section[] =>
  (Object.keys(sections) as Section[]).filter(
    (section) => section !== 'bank' || context.merchant.mode === 'test',
  )

export const isAtLeast = ({ role }: Pick<ConsoleContext, 'role'>, least: MerchantRole): boolean =>
  merchantRoles.indexOf(role) >= merchantRoles.indexOf(least)

/** Shows the body to those whose role allows it, and the reason to everybody else. */
export const orReason = (context: ConsoleContext, least: MerchantRole, body: () => Value): Value => {
  const words = wordsOf(context)
  return isAtLeast(context, least) ? body() : html`<p class="quiet">${words.needs(words.roles[least])}</p>`
}

/** Looks up own properties only, because the name comes from outside and may be `constructor` or the like. */
const wordIn = (words: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(words, name) ? words[name] : undefined
