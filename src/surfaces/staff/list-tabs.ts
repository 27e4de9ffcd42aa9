/** The usual filters of a list as tabs; each is an address of the list. */

import { html, type Markup } from '../web/html.ts'
import type { StaffContext } from './frame.ts'
import { listWords } from './list-words.ts'

type ListTabs = {
  /** The address of the list. */
  path: string
  /** The filter in use by query parameter; an unused one is empty. */
  filtered: Readonly<Record<string, string>>
  /** States that are asked for most. */
  states: readonly { state: string; name: string }[]
}

export function listTabs(
  { language }: Pick<StaffContext, 'language'>,
  { path, filtered, states }: ListTabs,
): Markup {
  const { all, usualFilters } = listWords[language]
  const here = Object.entries(filtered).flatMap(([name, value]) => (value === '' ? [] : [`${name}=${value}`]))
  const tab = (name: string, query: string) =>
    html`<a href="${query === '' ? path : `${path}?${query}`}" aria-current="${query === here.join('&') ? 'page' : 'false'}">${name}</a>`
  return html`<nav class="tabs" aria-label="${usualFilters}">${tab(all, '')}${states.map(({ state, name }) => tab(name, `state=${state}`))}</nav>`
}
