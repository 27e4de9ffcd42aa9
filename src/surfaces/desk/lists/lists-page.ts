/** The block and watch lists: who is on them, why, and since when. */

import { type List, type ListEntry, type ListKind, listKinds, lists } from '../../../domain/rules/listing.ts'
import { choiceFilter, filterBar, switchFilter } from '../../staff/filter-bar.ts'
import { colleagueName, shortId, timeOf } from '../../staff/frame.ts'
import { html, type Markup } from '../../web/html.ts'
import { badge, button, empty, factsTable, field, form, panel, select } from '../../web/pieces.ts'
import { type DeskContext, deskPage, freshFactorNotice, may, workers } from '../frame.ts'
import { listPager } from '../list-pager.ts'
import { deskPath } from '../paths.ts'
import { deskWords } from '../words.ts'
import { ruleWords } from './words.ts'

type ListsView = {
  rows: readonly ListEntry[]
  list: List | null
  kind: ListKind | null
  q: string
  includesRemoved: boolean
  next: string | null
  isFirst: boolean
}

export function listsPage(desk: DeskContext, view: ListsView) {
  const words = ruleWords[desk.language]
  const { rows, list, kind, q, includesRemoved } = view
  const isNarrowed = q !== '' || list !== null || kind !== null
  const params = { list: list ?? '', kind: kind ?? '', q, ended: includesRemoved ? 'on' : '' }
  return deskPage(desk, {
    title: words.sections.lists,
    section: 'lists',
    body: html`<p>${words.listsText}</p>
${filterBar(desk, {
  path: deskPath('/lists'),
  search: { name: 'q', label: words.search, placeholder: words.searchHint, value: q, maxLength: 200 },
  filters: [
    choiceFilter({
      name: 'list',
      label: words.list,
      value: list,
      none: words.all,
      choices: listChoices(desk),
    }),
    choiceFilter({
      name: 'kind',
      label: words.kind,
      value: kind,
      none: words.all,
      choices: kindChoices(desk),
    }),
    switchFilter({ name: 'ended', label: words.includesRemoved, isOn: includesRemoved }),
  ],
})}
${rows.length > 0 ? entries(desk, rows) : isNarrowed ? empty(words.nothingFound, words.nothingFoundText) : empty(words.noEntries, words.noEntriesText)}
${listPager(desk, { path: deskPath('/lists'), params, next: view.next, isFirst: view.isFirst })}
${may(desk, workers) && panel(words.addEntry, addForm(desk))}`,
  })
}

const listChoices = ({ language }: DeskContext) =>
  lists.map((list) => ({ value: list, text: ruleWords[language].lists[list] }))
const kindChoices = ({ language }: DeskContext) =>
  listKinds.map((listKind) => ({ value: listKind, text: ruleWords[language].kinds[listKind] }))

function entries(desk: DeskContext, rows: readonly ListEntry[]): Markup {
  const words = ruleWords[desk.language]
  const isWorker = may(desk, workers)
  // People who may not remove an entry see the last column for removed ones only.
  const hasLast = isWorker || rows.some(({ removedAt }) => removedAt !== null)
  return html`${isWorker && freshFactorNotice(desk)}${factsTable(
    words.sections.lists,
    [
      words.value,
      { head: words.list, is: 'state' },
      words.kind,
      { head: words.why, is: 'long' },
      { head: words.since, is: 'extra' },
      ...(hasLast ? [{ head: isWorker ? words.acts : words.ended, is: 'last long' } as const] : []),
    ],
    rows.map((row) => [
      html`<bdi>${row.value}</bdi>`,
      badge(words.lists[row.list], row.list === 'block' ? 'bad' : 'warn'),
      html`${words.kinds[row.kind]}<span class="part quiet">${
        row.merchantId
          ? html`<a href="${deskPath('/merchants/:id', row.merchantId)}">${shortId(row.merchantId)}</a>`
          : words.everyMerchant
      }</span>`,
      html`<bdi>${row.reason}</bdi>`,
      html`${timeOf(desk, row.addedAt)}<br><span class="quiet">${colleagueName(desk, row.addedBy)}</span>`,
      ...(hasLast
        ? [row.removedAt ? removal(desk, row, row.removedAt) : isWorker && endForm(desk, row)]
        : []),
    ]),
  )}`
}

const removal = (desk: DeskContext, { removedBy, removedReason }: ListEntry, at: Date): Markup =>
  html`${ruleWords[desk.language].ended}: ${timeOf(desk, at)}, ${colleagueName(desk, removedBy ?? '')}. <bdi>${removedReason}</bdi>`

const endForm = (desk: DeskContext, { id, value }: ListEntry): Markup => {
  const words = ruleWords[desk.language]
  const { reason } = deskWords[desk.language]
  return form(desk.visitor, {
    action: deskPath('/lists/end'),
    className: 'row',
    body: html`<input type="hidden" name="entry" value="${id}">
<input type="text" name="reason" class="inline" aria-label="${reason}: ${value}" placeholder="${reason}" required maxlength="500" autocomplete="off">${button(words.end)}`,
  })
}

function addForm(desk: DeskContext): Markup {
  const words = ruleWords[desk.language]
  const choice = (name: string, label: string, choices: readonly { value: string; text: string }[]) =>
    select({ name: `new-${name}`, label, choices })
  return form(desk.visitor, {
    action: deskPath('/lists/add'),
    body: html`<p class="quiet">${words.valueHint}</p>
<div class="grid">
${choice('list', words.list, listChoices(desk))}
${choice('kind', words.kind, kindChoices(desk))}
${field({ name: 'value', label: words.value, isRequired: true, maxLength: 200 })}
${field({ name: 'merchant', label: words.forMerchant, hint: words.forMerchantHint, maxLength: 36 })}
</div>
${field({ name: 'reason', label: words.reason, hint: words.reasonHint, isRequired: true, maxLength: 500 })}
${button(words.add, 'primary')}`,
  })
}
