/** What pages of both consoles are made with: the frame, and how values are written for the reader. */

import type { Mode } from '../../domain/merchants/merchant.ts'
import type { Cents, Currency } from '../../domain/money.ts'
import type { Visitor } from '../../domain/people/access.ts'
import type { PersonNames } from '../../domain/people/person.ts'
import { dayText, exactTimeIn, timeIn } from '../../domain/people/time.ts'
import { inLanguage } from '../../sections/section.ts'
import { priceText } from '../web/format.ts'
import { html, type Markup, type Value } from '../web/html.ts'
import { moment } from '../web/pieces.ts'
import { consolePage, type RailLink } from './console-page.ts'
import { consoleWords } from './console-words.ts'
import type { PageContext } from './pages.ts'
import { translateActor } from './sentences/translate.ts'
import { workplaceLinks } from './workplaces.ts'

/** The reader, their language and navigation, and the assets of the consoles. */
export type StaffContext = PageContext & {
  visitor: Visitor
  /** The people whom this page mentions. */
  people?: PersonNames
}
type Reader = Pick<StaffContext, 'language'>

export function staffPage(
  { language, assets, visitor }: StaffContext,
  page: {
    title: string
    /** What is shown beside the title. */
    actions?: Value
    scripts?: readonly string[]
    isLive?: boolean
    body: Value
    notice: string | null
    mode?: Mode
    place: { home: string; where: string; links: readonly RailLink[]; guide: string }
  },
) {
  const places = workplaceLinks(visitor, language)
  const rail = {
    ...page.place,
    who: visitor,
    places: places.filter(({ href }) => href !== page.place.home),
  }
  return consolePage({ ...page, language, rail }, assets)
}

export const timeText = ({ visitor, language }: StaffContext, at: Date): string =>
  timeIn(at, visitor.person.timeZone, language)

export function timeOf(context: StaffContext, at: Date): Markup
export function timeOf(context: StaffContext, at: Date | null): Markup | null
export function timeOf(context: StaffContext, at: Date | null): Markup | null {
  return (
    at &&
    moment(at, timeText(context, at), exactTimeIn(at, context.visitor.person.timeZone, context.language))
  )
}

/** A day as banks book it, such as `2026-11-15`. */
export const dayOf = ({ language }: Reader, day: string): Markup =>
  html`<time datetime="${day}">${dayText(day, language)}</time>`

export const moneyOf = ({ language }: Reader, cents: Cents, currency: Currency): string =>
  cents < 0n ? `−${priceText(-cents, currency, language)}` : priceText(cents, currency, language)

/** Who did something: a person by name, with the address that histories store as its title. */
export function actorName(
  { language, people }: Pick<StaffContext, 'language' | 'people'>,
  actor: string,
): Markup {
  const email = actor.slice(actor.indexOf(':') + 1)
  const name = people?.get(email)
  return name === undefined
    ? html`<bdi>${translateActor(actor, language)}</bdi>`
    : html`<bdi title="${email}">${translateActor(`${actor.slice(0, -email.length)}${name}`, language)}</bdi>`
}

/** Shows the end of an id, with the whole id as its title. */
export const shortId = (id: string): Markup => html`<span class="mono" title="${id}">…${id.slice(-8)}</span>`

/** A foreign id of any length on one line: its beginning and end are shown, and its title has all of it. */
export const shortText = (text: string): Markup =>
  text.length <= 20
    ? html`<bdi>${text}</bdi>`
    : html`<bdi class="id" title="${text}">${text.slice(0, 9)}…${text.slice(-9)}</bdi>`

/** The whole id, to be copied with one press. */
export const wholeId = ({ language }: Reader, id: string): Markup => {
  return html`<span class="mono anywhere" translate="no">${id}</span> <button type="button" class="link" data-copy="${id}" data-copied="${inLanguage(consoleWords.copied, language)}" hidden>${inLanguage(consoleWords.copy, language)}</button>`
}

/** Links to older rows and back to the first page. */
export function pager(
  { language }: Reader,
  { newest, older }: { newest: string | null; older: string | null },
): Markup | null {
  if (!newest && !older) return null
  return html`<nav class="row" aria-label="${inLanguage(consoleWords.older, language)}">${newest && html`<a class="button" href="${newest}">${inLanguage(consoleWords.newest, language)}</a>`}
${older && html`<a class="button" rel="next" href="${older}" data-key="n">${inLanguage(consoleWords.older, language)}</a>`}</nav>`
}
