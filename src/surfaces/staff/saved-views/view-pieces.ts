/** The saved views above a list: links, and the forms that save and delete them. */

import { type Filtered, queryOf, type SavedView } from '../../../domain/people/saved-views/saved-view.ts'
import { bounds } from '../../../platform/bounds.ts'
import { html, type Markup } from '../../web/html.ts'
import { button, field, form } from '../../web/pieces.ts'
import type { StaffContext } from '../frame.ts'
import { viewWords } from './words.ts'

type ViewBar = {
  /** The address of the list, and those of the forms. */
  path: string
  action: (verb: 'save-view' | 'drop-view') => string
  filtered: Filtered
  views: readonly SavedView[]
}

export function viewBar(
  reader: Pick<StaffContext, 'language' | 'visitor'>,
  { path, action, filtered, views }: ViewBar,
): Markup | null {
  const words = viewWords[reader.language]
  const here = queryOf(filtered)
  if (views.length === 0 && here === '') return null
  return html`${views.length > 0 && chips(words.views, { path, here, views })}
<details><summary>${words.manage}</summary>
<div class="stack">
${
  here === ''
    ? html`<p class="quiet">${words.nothing}</p>`
    : form(reader.visitor, {
        action: action('save-view'),
        className: 'stack reading',
        body: html`${Object.entries(filtered).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${field({ name: 'name', label: words.name, hint: words.nameHint, isRequired: true, maxLength: bounds.viewNameCharacters })}
${button(words.save)}`,
      })
}
${
  views.length > 0 &&
  html`<ul class="plain">${views.map(
    ({ id, name }) =>
      html`<li>${form(reader.visitor, {
        action: action('drop-view'),
        className: 'row',
        body: html`<input type="hidden" name="view" value="${id}"><button type="submit" class="button danger" aria-describedby="view-${id}">${words.remove}</button> <bdi class="anywhere" id="view-${id}">${name}</bdi>`,
      })}</li>`,
  )}</ul>`
}
</div></details>`
}

const chips = (
  title: string,
  { path, here, views }: { path: string; here: string; views: readonly SavedView[] },
): Markup =>
  html`<nav aria-label="${title}"><ul class="chips">${views.map(
    ({ name, query }) =>
      html`<li><a href="${`${path}?${query}`}" aria-current="${query === here ? 'page' : 'false'}"><bdi>${name}</bdi></a></li>`,
  )}</ul></nav>`
