/** A cell of a section as a person reads it on a page. */

import { isList } from '../../sections/cell-values.ts'
import { both, type Cell, inLanguage, isTwo, type Section } from '../../sections/section.ts'
import { actorName, dayOf, moneyOf, shortText, timeOf } from '../staff/frame.ts'
import { translate } from '../staff/sentences/translate.ts'
import { fullAmount } from '../web/format.ts'
import { html, type Markup, type Value } from '../web/html.ts'
import { messages } from '../web/messages/languages.ts'
import { badge } from '../web/pieces.ts'
import { type OfficeContext, pastOf, waitOf } from './context.ts'

export function cellMarkup(office: OfficeContext, cell: Cell): Value {
  if (cell === null) return '–'
  if (isList(cell))
    return cell
      .filter((part) => part !== null)
      .map((part) => html`<span class="part">${cellMarkup(office, part)}</span>`)
  const { language } = office
  switch (cell.is) {
    case 'text':
      return html`${cell.text}${cell.detail && html`<span class="part quiet">${cell.detail}</span>`}`
    case 'foreign':
      return html`<bdi>${cell.text || '–'}</bdi>${cell.detail && html`<span class="part quiet"><bdi>${cell.detail}</bdi></span>`}`
    case 'message':
      return html`<bdi>${translate(cell.text, language)}</bdi>`
    case 'words':
      return inLanguage(cell.words, language)
    case 'code':
      return shortText(cell.text)
    case 'number':
      return cell.number
    case 'money':
      return html`<span class="money">${signed(cell.cents, office)} <span class="unit">${messages[language].signs[cell.currency]}</span></span>`
    case 'share':
      return html`${moneyOf(office, cell.cents, cell.currency)}${
        cell.of !== null &&
        html`<span class="part quiet">${inLanguage(['of', 'из'], language)} ${moneyOf(office, cell.of, cell.currency)}</span>`
      }`
    case 'time':
      return timeOf(office, cell.at) ?? '–'
    case 'age':
      return cell.at ? waitOf(office, cell.at) : '–'
    case 'since':
      return cell.at ? pastOf(office, cell.at) : inLanguage(['Never', 'Никогда'], language)
    case 'day':
      return dayOf(office, cell.day)
    case 'state':
      return badge(inLanguage(cell.words, language), cell.tone)
    case 'link':
      return html`<a href="${linkOf(office, cell)}">${shownText(cell.text, office)}</a>`
    case 'person':
      return actorName(office, cell.actor)
  }
}

const signed = (cents: bigint, { language }: Pick<OfficeContext, 'language'>): string =>
  cents < 0n ? `−${fullAmount(-cents, language)}` : fullAmount(cents, language)

const shownText = (text: Extract<Cell, { is: 'link' }>['text'], { language }: OfficeContext): Markup =>
  html`<bdi>${isTwo(text) ? inLanguage(text, language) : translate(text, language)}</bdi>`

/** The address of a row, or of a list with a filter. */
function linkOf(office: OfficeContext, { to, id, filter }: Extract<Cell, { is: 'link' }>): string {
  const path = office.place.pathOf(to ?? office.section?.path ?? '')
  return filter ? `${path}?${new URLSearchParams({ [filter]: id })}` : `${path}/${encodeURIComponent(id)}`
}

/** The addresses of people in these cells, whose names the page needs. */
export function actorsIn(cells: readonly Cell[]): string[] {
  return cells.flatMap((cell) =>
    cell === null ? [] : isList(cell) ? actorsIn(cell) : cell.is === 'person' ? [cell.actor] : [],
  )
}

export const titleOf = <Row>({ title, name }: Section<Row>, row: Row, office: OfficeContext): string => {
  const text = title?.(row) ?? name
  return inLanguage(typeof text === 'string' ? both(text) : text, office.language)
}
