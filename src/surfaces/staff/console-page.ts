/** The frame of every console page: navigation, who is signed in, and the page itself. */

import type { Mode } from '../../domain/merchants/merchant.ts'
import type { Visitor } from '../../domain/people/access.ts'
import type { ConsoleLanguage } from '../../domain/people/person.ts'
import { inLanguage, type Two } from '../../sections/section.ts'
import { html, type Markup, type Value } from '../web/html.ts'
import { icons } from '../web/icons.ts'
import { mark, page, type Stylesheet } from '../web/page.ts'
import { callout, form } from '../web/pieces.ts'
import { consoleWords as words } from './console-words.ts'
import { staffPath } from './paths.ts'

export type ConsoleAssets = { styles: Stylesheet; script: string }

/** Links of the same group stand together, under its name. */
export type RailLink = {
  group: string
  href: string
  text: string
  icon: Markup
  isHere: boolean
  count?: string
}

type Frame = {
  title: string
  language: ConsoleLanguage
  body: Value
  /** What is shown beside the title. */
  actions?: Value
  /** The message about the last act. */
  notice?: string | null | undefined
  /** Scripts that only this page needs. */
  scripts?: readonly string[] | undefined
  /** The page is updated while it is open; its route must be a live one. */
  isLive?: boolean | undefined
  rail: {
    home: string
    /** The merchant's name, or the operator. */
    where: string
    links: readonly RailLink[]
    /** Who is signed in. */
    who: Visitor
    /** The guide that explains this console. */
    guide: string
    /** Other consoles that this person may use. */
    places: readonly { href: string; text: string }[]
  } | null
  mode?: Mode | undefined
}

export function consolePage(frame: Frame, { styles, script }: ConsoleAssets) {
  const { title, language, body, rail, mode } = frame
  const say = (words: Two) => inLanguage(words, language)
  const main = html`<main id="main" tabindex="-1">${rail && headOf(frame)}
${body}</main>`
  return page({
    title: `${title} · Inlet`,
    lang: language,
    styles,
    scripts: [script, ...(frame.scripts ?? [])],
    mayParse: true,
    body: html`<a class="skip" href="#main">${say(words.skip)}</a>
${mode === 'test' && html`<aside class="test-mode" aria-label="${say(words.testMode)}"><p>${say(words.testMode)}</p></aside>`}
${rail ? html`<div class="frame">${railOf(rail, language)}${main}</div>${keysDialog(language)}` : main}`,
  })
}

const headOf = ({
  title,
  actions,
  notice,
  isLive,
  language,
}: Frame): Markup => html`<div class="head"><h1>${title}</h1>
${isLive && html`<button type="button" class="live" data-live="yes" aria-pressed="true" hidden>${inLanguage(words.live, language)}</button>`}${actions}</div>
${notice && html`<div role="status">${callout('ok', notice)}</div>`}`

/** Beside the page where there is room; else a bar above it, whose menu opens without a script too. */
const railOf = (
  rail: NonNullable<Frame['rail']>,
  language: ConsoleLanguage,
): Markup => html`<header class="rail">
<div class="place"><a class="brand" href="${rail.home}">${mark}<span>Inlet</span></a> <span class="where">${rail.where}</span></div>
<details class="menu">
<summary>${icons.menu}${inLanguage(words.menu, language)}${firstCount(rail.links)}</summary>
<nav aria-label="${inLanguage(words.navigation, language)}">
${[...Map.groupBy(rail.links, ({ group }) => group)].map(
  ([name, links], place) => html`<p class="group" id="group-${place}">${name}</p>
<ul aria-labelledby="group-${place}">
${links.map(
  ({ href, text, icon, isHere, count }) =>
    html`<li><a href="${href}" aria-current="${isHere ? 'page' : 'false'}">${icon}<span>${text}</span>${
      count && html` <span class="count">${count}</span>`
    }</a></li>`,
)}
</ul>`,
)}
</nav>
<div class="who">
<ul>
<li><a href="${staffPath('/account')}">${icons.person}<span>${rail.who.person.name}</span></a></li>
${rail.places.map((place) => html`<li><a href="${place.href}">${icons.shop}<span>${place.text}</span></a></li>`)}
</ul>
<div class="tools">
<p class="quiet" title="${inLanguage(words.zone(rail.who.person.timeZone), language)}">${rail.who.person.timeZone}</p>
<a href="${rail.guide}" title="${inLanguage(words.help, language)}">${icons.help}<span>${inLanguage(words.help, language)}</span></a>
<button type="button" data-opens="keys" title="${inLanguage(words.keys, language)}" hidden>${icons.keyboard}<span>${inLanguage(words.keys, language)}</span></button>
${form(rail.who, {
  action: staffPath('/sign-out'),
  className: 'act',
  body: html`<button type="submit" title="${inLanguage(words.signOut, language)}">${icons.leave}<span>${inLanguage(words.signOut, language)}</span></button>`,
})}
</div>
</div>
</details>
</header>`

/** The number of waiting items in the first section that has one, so that a closed menu shows it. */
const firstCount = (links: readonly RailLink[]): Markup | null => {
  const count = links.find((link) => link.count)?.count
  return count ? html` <span class="count">${count}</span>` : null
}

/** A dialog that the script opens. */
const keysDialog = (language: ConsoleLanguage): Markup => html`<dialog id="keys" aria-labelledby="keys-title">
<h2 id="keys-title">${inLanguage(words.keys, language)}</h2>
<dl class="pairs">${Object.entries(words.shortcuts).map(
  ([key, text]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${inLanguage(text, language)}</dd></div>`,
)}</dl>
<form method="dialog"><button type="submit" class="button">${inLanguage(words.close, language)}</button></form>
</dialog>`
