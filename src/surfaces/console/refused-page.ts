/** Why something could not be done, with the way back. */

import type { Sentence } from '../../platform/refusals.ts'
import { translate } from '../staff/sentences/translate.ts'
import { html } from '../web/html.ts'
import { callout } from '../web/pieces.ts'
import { type ConsoleContext, merchantPage, type Section, sectionPath, wordsOf } from './frame.ts'

export function refusedConsolePage(
  of: ConsoleContext,
  { section, text, detail }: { section: Section; text: string; detail: Sentence | null },
) {
  const words = wordsOf(of)
  const more = detail && translate(detail, of.language)
  const isForeign = of.language === 'ru' && more !== null && !/\p{Script=Cyrillic}/u.test(more)
  return merchantPage(of, {
    title: words.refusedTitle,
    section,
    body: html`<div role="alert">${callout('bad', text)}</div>
${more && more !== text && html`<p class="quiet" lang="${isForeign ? 'en' : of.language}">${more}</p>`}
<p><a class="button" href="${sectionPath(of, section)}">${words.back}</a></p>`,
  })
}
