/** The body of a refused page: why nothing was done, in the reader's language first, and the way back. */
import { html, type Markup } from '../web/html.ts'
import { callout } from '../web/pieces.ts'
import type { StaffContext } from './frame.ts'
import { sharedWords } from './shared-words.ts'

export type RefusedView = {
  code: string
  /** The console's sentence for every refusal of this code. */
  sentence: string | undefined
  /** The sentence about this particular refusal. */
  detail: string | undefined
  errors?: readonly string[]
  back: string
}

export function refusedBody({ language }: StaffContext, view: RefusedView): Markup {
  const { code, sentence, detail, errors = [], back } = view
  // A detail without Cyrillic is not translated: Russian readers see it second, marked as English.
  const isForeign = language === 'ru' && detail !== undefined && !/\p{Script=Cyrillic}/u.test(detail)
  const first = (isForeign ? sentence : detail) ?? sentence ?? code
  const rest = isForeign ? detail : detail && sentence
  return html`<div role="alert">${callout('bad', first)}</div>
${errors.length > 0 && html`<ul>${errors.map((error) => html`<li>${error}</li>`)}</ul>`}
${rest && rest !== first && html`<p class="quiet" lang="${isForeign ? 'en' : language}">${rest}</p>`}
<p><a class="button" href="${back}">${sharedWords[language].back}</a></p>`
}
