/** The list of a section: its filters, its rows by rank, its pages, and the acts that need no row. */

import type { Cell } from '../../sections/section.ts'
import {
  type Choice,
  type Chosen,
  inLanguage,
  type Page,
  type Part,
  type Section,
  type Two,
} from '../../sections/section.ts'
import { choiceFilter, fieldFilter, filterBar, switchFilter } from '../staff/filter-bar.ts'
import { pager } from '../staff/frame.ts'
import { html, type Markup, type Value } from '../web/html.ts'
import { empty, table, tiles } from '../web/pieces.ts'
import { cellMarkup } from './cells.ts'
import type { OfficeContext } from './context.ts'
import { partMarkup } from './thing-page.ts'

type ListView<Row> = {
  section: Section<Row>
  page: Page<Row>
  chosen: Chosen
  /** The choices of filters that are read. */
  choices: ReadonlyMap<string, readonly Choice[]>
  totals: readonly (readonly [Two, Cell])[]
  notes: readonly Part[]
  isFirst: boolean
  /** The acts without a row that this person may do, and the other pages. */
  acts: readonly { href: string; name: Two; kind?: string | undefined }[]
  notice: string | null
}

export function listPage<Row>(office: OfficeContext, view: ListView<Row>) {
  const { section, page, chosen, totals, acts } = view
  const { language, place } = office
  const path = place.pathOf(section.path)
  const say = (words: Two) => inLanguage(words, language)
  const address = (more: Record<string, string>) => addressOf(path, { ...chosen, ...more })
  const isChosen = Object.values(chosen).some((value) => value !== '')
  const [emptyTitle, emptyText] = isChosen ? nothingFound : section.empty
  return place.page({
    title: say(section.name),
    path: section.path,
    ...(section.isLive && { isLive: true }),
    notice: view.notice,
    actions: html`${section.isExported && html`<a class="button" href="${addressOf(`${path}/export.csv`, chosen)}">${say(download)}</a>`}
${acts.map(({ href, name, kind }) => html`<a class="button ${kind === 'primary' ? 'primary' : ''}" href="${href}">${say(name)}</a>`)}`,
    body: html`${view.notes.map((part) => partMarkup(office, part))}${section.about && html`<p class="reading">${say(section.about)}</p>`}
${filters(office, view)}
${totals.length > 0 && html`<div class="money">${tiles(totals.map(([head, cell]) => [say(head), cellMarkup(office, cell)]))}</div>`}
${page.rows.length === 0 ? empty(say(emptyTitle), say(emptyText)) : rowsTable(office, section, page.rows)}
${pager(office, { newest: view.isFirst ? null : address({}), older: page.next && address({ after: page.next }) })}`,
  })
}

const download: Two = ['Download CSV', 'Скачать CSV']
const nothingFound = [
  ['Nothing found', 'Ничего не найдено'],
  ['Check the search and the filters.', 'Проверьте поиск и фильтры.'],
] as const satisfies readonly [Two, Two]

function addressOf(path: string, values: Chosen): string {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== '')).toString()
  return query === '' ? path : `${path}?${query}`
}

function filters<Row>(office: OfficeContext, { section, chosen, choices }: ListView<Row>): Markup | null {
  const { language, place } = office
  const say = (words: Two) => inLanguage(words, language)
  if (section.filters.length === 0) return null
  const search = section.filters.find((filter) => filter.is === 'search')
  return filterBar(office, {
    path: place.pathOf(section.path),
    ...(search?.is === 'search' && {
      search: {
        name: search.name,
        label: say(search.head),
        placeholder: say(search.hint),
        value: chosen[search.name] ?? '',
        maxLength: 200,
      },
    }),
    filters: section.filters.flatMap((filter) => {
      const [name, label, value] = [filter.name, say(filter.head), chosen[filter.name] ?? '']
      if (filter.is === 'search') return []
      if (filter.is === 'tick') return [switchFilter({ name, label, isOn: value === 'on' })]
      if (filter.is !== 'choice')
        return [fieldFilter({ name, label, value, ...(filter.is === 'day' && { type: 'date' as const }) })]
      const of = (choices.get(name) ?? []).map((choice) => ({ value: choice.value, text: say(choice.words) }))
      return [choiceFilter({ name, label, value, none: say(['All', 'Все']), choices: of })]
    }),
  })
}

export function rowsTable<Row>(office: OfficeContext, section: Section<Row>, rows: readonly Row[]): Markup {
  const columns = Object.values(section.columns).filter(({ isExtra }) => !isExtra)
  const say = (words: Two) => inLanguage(words, office.language)
  const linked = (row: Row, markup: Value): Value => {
    const id = section.find ? section.idOf(row) : null
    if (id === null) return markup
    return html`<a href="${`${office.place.pathOf(section.path)}/${encodeURIComponent(id)}`}">${markup}</a>`
  }
  return table(
    say(section.name),
    columns.map(({ head, rank, is }) => ({ head: say(head), rank, is: is && 'number' })),
    rows.map((row) =>
      columns.map(({ cell }, place) => {
        const value = cell(row)
        if (place === 0) return linked(row, cellMarkup(office, value))
        return value && cellMarkup(office, value)
      }),
    ),
  )
}
