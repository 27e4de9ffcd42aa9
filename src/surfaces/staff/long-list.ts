/** Long lists in pages, in the order in which they grew: what one request renders has a bound, however long the list is. */
import type { ConsoleLanguage } from '../../domain/people/person.ts'
import { bounds } from '../../platform/bounds.ts'
import type { ListPage } from '../../platform/list-page.ts'
import { isUuid } from '../../platform/request-fields.ts'
import { html, type Markup } from '../web/html.ts'
import { sharedWords } from './shared-words.ts'

export type ListPart<Row> = {
  rows: readonly Row[]
  /** The last row, if others follow it. */
  next: string | null
  isFirst: boolean
}

/** The page that the address names: the rows behind this one. */
export async function readPart<Row extends { id: string }>(
  { query }: { query(name: string): string },
  name: string,
  read: (page: ListPage) => Promise<Row[]>,
): Promise<ListPart<Row>> {
  const after = isUuid(query(name)) ? query(name) : null
  const found = await read({ after, limit: bounds.listRows + 1 })
  const rows = found.slice(0, bounds.listRows)
  return { rows, next: found.length > rows.length ? rows.at(-1)!.id : null, isFirst: after === null }
}

/** Links to the rows that follow, and back to the first; `path` may have a query. */
export function partPager(
  { language }: { language: ConsoleLanguage },
  { next, isFirst }: Omit<ListPart<unknown>, 'rows'>,
  { path, name }: { path: string; name: string },
): Markup | null {
  if (isFirst && !next) return null
  const words = sharedWords[language]
  const behind = (id: string) => `${path}${path.includes('?') ? '&' : '?'}${name}=${id}`
  return html`<nav class="row" aria-label="${words.nextRows}">${!isFirst && html`<a class="button" href="${path}">${words.firstRows}</a>`}
${next && html`<a class="button" rel="next" href="${behind(next)}">${words.nextRows}</a>`}</nav>`
}
