/** Why something could not be done, with the way back. */
import { html } from '../web/html.ts'
import { callout } from '../web/pieces.ts'
import { merchantPage, placeOf, type Section, type Standing, wordsOf } from './frame.ts'

export function refusedConsolePage(
  of: Standing,
  { section, text, detail }: { section: Section; text: string; detail: string | null },
) {
  const { refused } = wordsOf(of)
  return merchantPage(of, {
    title: refused.title!,
    section,
    body: html`<div role="alert">${callout('bad', text)}</div>
${detail && detail !== text && html`<p class="quiet" lang="en">${detail}</p>`}
<p><a class="button" href="${placeOf(of, section)}">${refused.back}</a></p>`,
  })
}
