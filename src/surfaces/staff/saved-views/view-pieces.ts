/** The views of a list as tabs: all rows, usual filters, filters that this person saved, and a menu to save and delete them. */

import { type Filtered, queryOf, type SavedView } from '../../../domain/people/saved-views/saved-view.ts'
import { bounds } from '../../../platform/bounds.ts'
import { html, type Markup, type Value } from '../../web/html.ts'
import { icons } from '../../web/icons.ts'
import { button, field, form } from '../../web/pieces.ts'
import type { StaffContext } from '../frame.ts'
import { viewWords } from './words.ts'

type ViewTabs = {
  /** The address of the list, and those of the forms. */
  path: string
  action: (verb: 'save-view' | 'drop-view') => string
  filtered: Filtered
  /** Filters that everybody has. */
  usual?: readonly { name: string; filtered: Filtered }[]
  views: readonly SavedView[]
}

export function viewTabs(reader: Pick<StaffContext, 'language' | 'visitor'>, tabs: ViewTabs): Markup | null {
  const { path, filtered, usual = [], views } = tabs
  const words = viewWords[reader.language]
  const here = queryOf(filtered)
  const common = [
    { name: words.all, query: '' },
    ...usual.map((view) => ({ name: view.name, query: queryOf(view.filtered) })),
  ]
  if (common.length + views.length === 1 && here === '') return null
  const isKnown = [...common, ...views].some(({ query }) => query === here)
  const tab = (name: Value, query: string) =>
    html`<a href="${query === '' ? path : `${path}?${query}`}" aria-current="${query === here ? 'page' : 'false'}">${name}</a>`
  return html`<div class="view-tabs"><nav class="tabs" aria-label="${words.views}">${common.map(({ name, query }) => tab(name, query))}${views.map(({ name, query }) => tab(html`<bdi>${name}</bdi>`, query))}</nav>
${(views.length > 0 || !isKnown) && menuOf(reader, tabs, isKnown)}</div>`
}

function menuOf(
  reader: Pick<StaffContext, 'language' | 'visitor'>,
  { action, filtered, views }: ViewTabs,
  isKnown: boolean,
): Markup {
  const words = viewWords[reader.language]
  return html`<details class="pop end"><summary class="button">${icons.bookmark}${isKnown ? words.manage : words.save}</summary>
<div class="pop-box stack">
${
  !isKnown &&
  form(reader.visitor, {
    action: action('save-view'),
    body: html`${Object.entries(filtered).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${field({ name: 'name', label: words.name, hint: words.nameHint, isRequired: true, maxLength: bounds.viewNameCharacters })}
${button(words.save, 'primary')}`,
  })
}
${
  views.length > 0 &&
  html`<ul class="plain">${views.map(
    ({ id, name }) =>
      html`<li>${form(reader.visitor, {
        action: action('drop-view'),
        className: 'row',
        body: html`<input type="hidden" name="view" value="${id}"><bdi class="anywhere grow" id="view-${id}">${name}</bdi> <button type="submit" class="button danger" aria-describedby="view-${id}">${words.remove}</button>`,
      })}</li>`,
  )}</ul>`
}
</div></details>`
}
