/** What every page of a merchant's console stands in, and the few things that all of them say alike. */
import { isDefaultName } from '../../domain/catalogue/payment-type.ts'
import type { Merchant } from '../../domain/merchants/merchant.ts'
import { type MerchantRole, merchantRoles } from '../../domain/people/person.ts'
import { type StaffContext, type StaffPage, staffPage } from '../staff/frame.ts'
import { html, type Markup, type Value } from '../web/html.ts'
import { consolePath } from './paths.ts'
import { type ConsoleWords, consoleWords } from './words.ts'

/** Where a page stands: whose console, and who looks at it in which role. */
export type ConsoleContext = StaffContext & {
  merchant: Merchant
  role: MerchantRole
  /** What was done a moment ago, by the name in the address. */
  notice: string
}

export type Section = keyof ConsoleWords['sections']

const sectionPaths = {
  deposits: '/',
  charts: '/charts',
  callbacks: '/callbacks',
  events: '/events',
  keys: '/keys',
  limits: '/limits',
  signature: '/signature',
  bank: '/bank',
  settings: '/settings',
} as const satisfies Record<Section, string>

export const wordsOf = ({ language }: Pick<ConsoleContext, 'language'>): ConsoleWords =>
  consoleWords[language]

export const sectionPath = ({ merchant }: ConsoleContext, section: Section): string =>
  consolePath(sectionPaths[section], merchant.id)

export function merchantPage(context: ConsoleContext, page: StaffPage<Section>) {
  const words = wordsOf(context)
  const { merchant, notice } = context
  const links = sectionsOf(context).map((section) => ({
    href: sectionPath(context, section),
    text: words.sections[section],
    isHere: section === page.section,
  }))
  const place = {
    home: sectionPath(context, 'deposits'),
    where: merchant.name,
    links,
    guide: '/docs/guides/merchants',
  }
  return staffPage(context, { ...page, place, mode: merchant.mode, notice: wordIn(words.notices, notice) })
}

/** What every signed request names, where it can be taken from. */
export const merchantId = (context: ConsoleContext): Markup => {
  const { merchantId: label, keys } = wordsOf(context)
  const { id } = context.merchant
  return html`<p class="copied-id"><span class="quiet">${label}</span> <code class="anywhere" translate="no">${id}</code>
<button type="button" class="link" data-copy="${id}" data-copied="${keys.copied}" hidden>${keys.copy}</button></p>`
}

/** The test bank is there in test mode, and whoever only looks signs nothing. */
const sectionsOf = (context: ConsoleContext): Section[] =>
  (Object.keys(sectionPaths) as Section[]).filter(
    (section) =>
      (section !== 'bank' || context.merchant.mode === 'test') &&
      (section !== 'signature' || isAtLeast(context, 'developer')),
  )

export const isAtLeast = ({ role }: Pick<ConsoleContext, 'role'>, least: MerchantRole): boolean =>
  merchantRoles.indexOf(role) >= merchantRoles.indexOf(least)

/** What somebody may not do stays to be seen, with the reason. */
export const orReason = (context: ConsoleContext, least: MerchantRole, body: () => Value): Value => {
  const words = wordsOf(context)
  return isAtLeast(context, least) ? body() : html`<p class="quiet">${words.needs(words.roles[least])}</p>`
}

/** The word that we have for it, else the operator's. */
export const methodName = (
  context: ConsoleContext,
  names: ReadonlyMap<string, string>,
  code: string,
): string =>
  isDefaultName(code, names.get(code) ?? '') ? wordsOf(context).methods[code]! : (names.get(code) ?? code)

/** A name that others chose may be that of something every object has. */
export const wordIn = (words: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(words, name) ? words[name] : undefined
