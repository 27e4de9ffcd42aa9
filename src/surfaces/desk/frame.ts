/**
 * The frame of the desk's pages: navigation with counts of waiting work, how values are written, and what each role may
 * do.
 */

import type { Mode } from '../../domain/merchants/merchant.ts'
import { type OperatorRole, operatorRoles } from '../../domain/people/person.ts'
import { numberFormat } from '../../platform/intl.ts'
import { type StaffContext, type StaffPage, staffPage, timeText } from '../staff/frame.ts'
import { staffPath } from '../staff/paths.ts'
import { type RefusedView, refusedBody } from '../staff/refused-body.ts'
import { html, type Markup } from '../web/html.ts'
import { icons } from '../web/icons.ts'
import { badge, callout, moment } from '../web/pieces.ts'
import { deskPath } from './paths.ts'
import type { Counted } from './queue/queue.ts'
import { deskWords, type Notice } from './words.ts'

/** Roles that may read the desk, auditors included. */
export const everybody = operatorRoles
/** Roles that do the daily work: the queue, statements, refunds, lists, and stops in an emergency. */
export const workers = ['operator', 'approver', 'admin'] as const
/** Roles that may change settings, people and merchants. */
export const admins = ['admin'] as const

export type Section = keyof (typeof deskWords)['en']['sections']

/** What a desk page is made with: the reader, the time, and how much work waits. */
export type DeskContext = StaffContext & {
  now: Date
  waiting: { queue: Counted; approvals: Counted }
  notice: Notice | null
  /** What a declared act says that it has done. */
  said?: string | null
  /** The address of this page, to come back to. */
  here: string
  /** What the person has typed into a form that was refused; empty on a page that is opened. */
  typed: (name: string) => string
  /** Why a form of this page was refused. */
  refused: Markup | null
}

const sections = {
  overview: { group: 'work', path: '/overview', icon: icons.home },
  queue: { group: 'work', path: '/', icon: icons.inbox },
  approvals: { group: 'work', path: '/approvals', icon: icons.check },
  deposits: { group: 'money', path: '/deposits', icon: icons.deposit },
  transfers: { group: 'money', path: '/transfers', icon: icons.arrows },
  refunds: { group: 'money', path: '/refunds', icon: icons.undo },
  reports: { group: 'money', path: '/reports', icon: icons.chart },
  statements: { group: 'money', path: '/statements', icon: icons.document },
  requisites: { group: 'receiving', path: '/requisites', icon: icons.card },
  accounts: { group: 'receiving', path: '/accounts', icon: icons.account },
  types: { group: 'receiving', path: '/payment-types', icon: icons.wallet },
  sources: { group: 'receiving', path: '/sources', icon: icons.send },
  merchants: { group: 'shops', path: '/merchants', icon: icons.shop },
  lists: { group: 'shops', path: '/lists', icon: icons.list },
  people: { group: 'office', path: '/people', icon: icons.people },
  audit: { group: 'office', path: '/audit', icon: icons.history },
  settings: { group: 'office', path: '/settings', icon: icons.sliders },
} as const satisfies Record<Section, { group: string; path: string; icon: Markup }>

/** The section of the navigation that stands at this path, or above it. */
export const sectionAt = (path: string): Section =>
  (Object.keys(sections) as Section[]).find((section) =>
    [path, path.slice(0, path.lastIndexOf('/'))].includes(sections[section].path),
  ) ?? 'overview'

export function deskPage(desk: DeskContext, page: StaffPage<Section>) {
  const { notice } = desk
  const words = deskWords[desk.language]
  const links = (Object.keys(sections) as Section[]).map((section) => ({
    group: words.groups[sections[section].group],
    href: deskPath(sections[section].path),
    text: words.sections[section],
    icon: sections[section].icon,
    isHere: section === page.section,
    ...(section === 'queue' && { count: countText(desk, desk.waiting.queue) }),
    ...(section === 'approvals' && { count: countText(desk, desk.waiting.approvals) }),
  }))
  const place = {
    home: deskPath('/overview'),
    where: words.where,
    links,
    guide: '/docs/guides/operators',
  }
  // A refused form stands at the address of the form, where nothing can be read again.
  const shown = desk.refused ? { ...page, isLive: false, body: html`${desk.refused}${page.body}` } : page
  return staffPage(desk, { ...shown, place, notice: desk.said ?? (notice && words.notices[notice]) })
}

export const may = ({ visitor }: Pick<DeskContext, 'visitor'>, roles: readonly OperatorRole[]): boolean =>
  visitor.person.operatorRole !== null && roles.includes(visitor.person.operatorRole)

/** A notice above a form that sending it will ask for the second factor again; nothing if it was used a moment ago. */
export const freshFactorNotice = (desk: DeskContext): Markup | null =>
  desk.visitor.session.isFresh
    ? null
    : callout(
        'info',
        html`${deskWords[desk.language].proveFirst} <a href="${staffPath('/sign-in/again')}?to=${desk.here}">${deskWords[desk.language].prove}</a>`,
      )

/** `12`, `1,000+`; empty for zero. */
export const countText = ({ language }: Pick<DeskContext, 'language'>, { count, isMore }: Counted): string =>
  count === 0 ? '' : `${numberFormat(language, {}).format(count)}${isMore ? '+' : ''}`

const steps = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** `3 minutes`, `2 days`: whole numbers of the largest unit that fits. */
export function durationText({ language }: Pick<DeskContext, 'language'>, seconds: number): string {
  const [unit, length] = steps.find(([, length]) => seconds >= length) ?? ['second' as const, 1]
  const format = numberFormat(language, { style: 'unit', unit, unitDisplay: 'long' })
  return format.format(Math.max(0, Math.floor(seconds / length)))
}

const secondsSince = ({ now }: DeskContext, at: Date): number => (now.getTime() - at.getTime()) / 1000

/** How long something has waited: `3 minutes`. */
export const waitingFor = (desk: DeskContext, at: Date): Markup =>
  moment(at, durationText(desk, secondsSince(desk, at)), timeText(desk, at))

export const modeBadge = ({ language }: Pick<DeskContext, 'language'>, mode: Mode): Markup | null =>
  mode === 'test' ? html` ${badge(deskWords[language].testBadge, 'warn')}` : null

/** Why a form was refused, above the form that keeps what was typed. */
export const refusedDeskNote = (desk: DeskContext, view: Omit<RefusedView, 'sentence' | 'back'>): Markup =>
  refusedBody(desk, { ...view, sentence: deskWords[desk.language].refusedText[view.code], back: desk.here })

/** The page that says why an act was refused. */
export const refusedDeskPage = (desk: DeskContext, section: Section, view: Omit<RefusedView, 'sentence'>) => {
  const { refusedTitle: title, refusedText } = deskWords[desk.language]
  return deskPage(desk, {
    title,
    section,
    body: refusedBody(desk, { ...view, sentence: refusedText[view.code] }),
  })
}
