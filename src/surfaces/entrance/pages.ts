/** The front page, and the page for refused requests of browsers. Both link to shop, consoles and reference. */

import type { ConsoleLanguage } from '../../domain/people/person.ts'
import { deskRoot, staffPath } from '../staff/paths.ts'
import { html, type Markup } from '../web/html.ts'
import { mark, page, type Stylesheet } from '../web/page.ts'
import { entranceWords, type RefusedKind, type Way } from './words.ts'

const addresses: Record<Way, string> = {
  shop: '/demo',
  console: staffPath('/console'),
  desk: staffPath(deskRoot),
  signIn: staffPath('/sign-in'),
  docs: '/docs',
}

type EntranceView = { language: ConsoleLanguage; ways: readonly Way[]; styles: Stylesheet }

export function frontPage({ language, ways, styles }: EntranceView) {
  const words = entranceWords[language]
  return page({
    title: 'Inlet',
    lang: language,
    styles,
    body: html`<main class="front">
<h1 class="brand">${mark} Inlet</h1>
<p class="lead">${words.lead}</p>
${entranceLinks(language, ways)}
${ways.includes('shop') && ways.includes('console') && html`<p class="small">${words.demoLinks}</p>`}
</main>`,
  })
}

export function refusedPage(
  { language, ways, styles }: EntranceView,
  { kind, requestId }: { kind: RefusedKind; requestId: string },
) {
  const words = entranceWords[language]
  const [title, text] = words.refused[kind]
  return page({
    title: `${title} · Inlet`,
    lang: language,
    styles,
    body: html`<main class="front">
<p class="brand">${mark} Inlet</p>
<h1>${title}</h1>
<p>${text}</p>
<p class="small">${words.request} <code>${requestId}</code></p>
<h2>${words.onward}</h2>
${entranceLinks(language, ways)}
</main>`,
  })
}

const entranceLinks = (language: ConsoleLanguage, ways: readonly Way[]): Markup =>
  html`<ul class="ways">${ways.map((way) => {
    const [name, text] = entranceWords[language].ways[way]
    return html`<li><a class="way" href="${addresses[way]}"><strong>${name}</strong> <span>${text}</span></a></li>`
  })}</ul>`
