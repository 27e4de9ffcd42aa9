/** The search field above a list, its menu of filters, and a chip for each filter that is set. All are in the address. */

import { inLanguage, type Two } from '../../sections/section.ts'
import { flag, html, type Markup, type Value } from '../web/html.ts'
import { icons } from '../web/icons.ts'
import { type Choice, checkbox, field, select } from '../web/pieces.ts'
import { consoleWords as words } from './console-words.ts'
import type { StaffContext } from './frame.ts'

/** A filter: its name and value in the address, its input, and the text of the value on its chip. */
type Filter = { name: string; label: string; value: string; text: string; input: Markup }

export const choiceFilter = (options: {
  name: string
  label: string
  value: string | null
  none: string
  choices: readonly Choice[]
}): Filter => {
  const { name, label, value, choices } = options
  const text = choices.find((choice) => choice.value === value)?.text
  return {
    name,
    label,
    value: value ?? '',
    text: text ?? `…${value?.slice(-8)}`,
    input: select({ ...options, value: value ?? '' }),
  }
}

export const fieldFilter = (
  options: Omit<Parameters<typeof field>[0], 'value'> & { value: string | null },
): Filter => {
  const value = options.value ?? ''
  return { name: options.name, label: options.label, value, text: value, input: field({ ...options, value }) }
}

export const switchFilter = (options: { name: string; label: string; isOn: boolean }): Filter => ({
  name: options.name,
  label: '',
  value: options.isOn ? 'on' : '',
  text: options.label,
  input: checkbox(options),
})

type FilterBar = {
  /** The address of the list, and the parameters that it has besides the filters. */
  path: string
  kept?: Record<string, string>
  search?: { name: string; label: string; placeholder: string; value: string; maxLength: number }
  filters?: readonly Filter[]
  /** A filter is invalid: the menu is open, with the problem at its field. */
  isWrong?: boolean
}

export function filterBar(
  { language }: Pick<StaffContext, 'language'>,
  { path, kept = {}, search, filters = [], isWrong = false }: FilterBar,
): Markup {
  const say = (words: Two) => inLanguage(words, language)
  const set = filters.filter(({ value }) => value !== '')
  const all: Record<string, string> = {
    ...kept,
    ...(search && { [search.name]: search.value }),
    ...Object.fromEntries(filters.map(({ name, value }) => [name, value])),
  }
  return html`<form method="get" action="${path}" class="filter-bar" role="search">
${Object.entries(kept).map(([name, value]) => value !== '' && html`<input type="hidden" name="${name}" value="${value}">`)}
${search && html`${field({ ...search, type: 'search', className: 'search' })}<button type="submit" class="button icon-only" aria-label="${say(words.search)}">${icons.search}</button>`}
${
  filters.length > 0 &&
  html`<details class="pop" ${flag('open', isWrong)}><summary class="button">${icons.sliders}<span>${say(words.filter)}</span></summary>
<div class="pop-box stack">${filters.map(({ input }) => input)}
<button type="submit" class="button primary">${say(words.apply)}</button></div></details>`
}
</form>
${(set.length > 0 || (search?.value ?? '') !== '') && chipsOf({ path, kept, all, set }, say)}`
}

function chipsOf(
  {
    path,
    kept,
    all,
    set,
  }: Required<Pick<FilterBar, 'path' | 'kept'>> & { all: Record<string, string>; set: readonly Filter[] },
  say: (words: Two) => string,
): Markup {
  const chipText = ({ label, text }: Filter): Value => (label ? html`${label}: <bdi>${text}</bdi>` : text)
  return html`<ul class="chips" aria-label="${say(words.filters)}">${set.map(
    (filter) =>
      html`<li><a href="${addressWith(path, { ...all, [filter.name]: '' })}" aria-label="${say(words.remove(`${filter.label} ${filter.text}`.trim()))}">${chipText(filter)}${icons.close}</a></li>`,
  )}
<li><a class="clear" href="${addressWith(path, kept)}">${say(words.clear)}</a></li></ul>`
}

/** The address with the values that are not empty. */
function addressWith(path: string, values: Record<string, string>): string {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== '')).toString()
  return query === '' ? path : `${path}?${query}`
}
