/** The queue page: what needs a person, oldest first, with a filter and acts on several items at once. */

import type { Cents } from '../../../domain/money.ts'
import { numberFormat } from '../../../platform/intl.ts'
import { sum } from '../../../platform/sum.ts'
import { choiceFilter, fieldFilter, filterBar } from '../../staff/filter-bar.ts'
import { moneyOf, shortText } from '../../staff/frame.ts'
import { listWords } from '../../staff/list-words.ts'
import { amountText } from '../../web/format.ts'
import { html, type Markup } from '../../web/html.ts'
import { badge, callout, empty, panel, previewed, select, table } from '../../web/pieces.ts'
import { caseWords } from '../case-words.ts'
import {
  countText,
  type DeskContext,
  deskPage,
  durationText,
  may,
  modeBadge,
  waitingFor,
  workers,
} from '../frame.ts'
import { deskPath } from '../paths.ts'
import { heldDaysPanel, parkedHref } from '../transfers/day-page.ts'
import type { HeldDay } from '../transfers/rows.ts'
import { ages, amountsFrom, isNarrowed, type QueueFilter, queryOf, queueAt } from './filter.ts'
import { reasonField } from './preset-pieces.ts'
import {
  type Choices,
  countedOf,
  hrefOf,
  isPickable,
  itemKey,
  itemTypeOf,
  type Named,
  type Queue,
  type QueueItem,
  queueKinds,
} from './queue.ts'
import { queueWords } from './words.ts'

type QueueView = {
  queue: Queue
  filter: QueueFilter
  choices: Choices
  /** How many items of each kind the filter looks at. */
  lookedAt: number
  /** Changes of approval rules and desk people in the last day. */
  acts: Markup | null
  heldDays: readonly HeldDay[]
}

export function queuePage(desk: DeskContext, view: QueueView) {
  const { queue, filter } = view
  const { items } = queue
  const words = queueWords[desk.language]
  const isWorker = may(desk, workers) && items.some(({ kind }) => isPickable(kind))
  const number = (count: number) => numberFormat(desk.language, {}).format(count)
  const counts =
    filter.kind === null ? queueKinds.map((kind) => queue.counts[kind]) : [queue.counts[filter.kind]]
  const hidden = sum(counts) - items.length
  return deskPage(desk, {
    title: words.sections.queue,
    section: 'queue',
    isLive: true,
    actions:
      items.length > 0 &&
      html`<a class="button primary" href="${queueAt(filter, deskPath('/next'))}" data-key="n">${caseWords[desk.language].next} <kbd>N</kbd></a>`,
    body: html`${view.acts}${tabsOf(desk, view)}
${filterOf(desk, view)}
${filter.kind === 'held' && heldDaysPanel(desk, view.heldDays)}
${(filter.kind === 'parked' || filter.kind === null) && queue.counts.parked > 0 && html`<p><a href="${parkedHref(filter.accountId)}">${words.parkedList}</a></p>`}
${queue.isCut && callout('warn', words.cut(number(view.lookedAt)))}
${
  items.length > 0
    ? listOf(desk, view, isWorker)
    : isNarrowed(filter)
      ? empty(
          words.nothingFits,
          html`${words.nothingFitsText} <a href="${deskPath('/')}">${words.showAll}</a>`,
        )
      : empty(caseWords[desk.language].emptyQueue, caseWords[desk.language].emptyQueueText)
}
${hidden > 0 && html`<p class="quiet">${words.more(number(items.length))}</p>`}
${isWorker && selectedPanel(desk, view)}`,
  })
}

/** One tab per kind, with the number of items that pass the filter. */
function tabsOf(desk: DeskContext, { queue, filter }: QueueView): Markup {
  const words = caseWords[desk.language]
  return html`<nav class="tabs many" aria-label="${words.sections.queue}">
<a href="${queueAt({ ...filter, kind: null })}" aria-current="${filter.kind === null ? 'page' : 'false'}">${words.all}</a>
${queueKinds.map(
  (kind) =>
    html`<a href="${queueAt({ ...filter, kind })}" aria-current="${filter.kind === kind ? 'page' : 'false'}">${words.kinds[kind]} · ${countText(desk, countedOf(queue.counts[kind])) || 0}</a>`,
)}
</nav>`
}

function filterOf(desk: DeskContext, { filter, choices }: QueueView): Markup {
  const words = queueWords[desk.language]
  const isWrong = amountsFrom(filter.amount) === null
  const named = (list: readonly Named[]) =>
    list.map(({ id, name, mode }) => ({
      value: id,
      text: mode === 'test' ? `${name} · ${words.modes.test}` : name,
    }))
  return filterBar(desk, {
    path: deskPath('/'),
    kept: { kind: filter.kind ?? '' },
    search: {
      name: 'payer',
      label: words.payer,
      placeholder: words.payerHint,
      value: filter.payer,
      maxLength: 100,
    },
    filters: [
      {
        ...fieldFilter({
          name: 'amount',
          label: words.amount,
          value: filter.amount,
          maxLength: 40,
          placeholder: words.amountHint,
          ...(isWrong && { error: words.amountWrong }),
        }),
        text: amountsText(desk, filter.amount),
      },
      choiceFilter({
        name: 'account',
        label: words.account,
        value: filter.accountId,
        none: words.anyAccount,
        choices: named(choices.accounts),
      }),
      choiceFilter({
        name: 'merchant',
        label: words.merchant,
        value: filter.merchantId,
        none: words.anyMerchant,
        choices: named(choices.merchants),
      }),
      choiceFilter({
        name: 'older',
        label: words.olderThan,
        value: filter.olderThan === null ? null : String(filter.olderThan),
        none: words.anyAge,
        choices: ages.map((hours) => ({ value: String(hours), text: durationText(desk, hours * 3_600) })),
      }),
    ],
    isWrong,
  })
}

/** `100–20,000`: the amounts of the filter as people write them; what cannot be read stays as it was typed. */
function amountsText({ language }: DeskContext, typed: string): string {
  const amounts = amountsFrom(typed)
  if (!amounts) return typed
  const text = (cents: Cents | null) => (cents === null ? '' : amountText(cents, language))
  const [least, most] = [text(amounts.least), text(amounts.most)]
  return least === most ? least : `${least}–${most}`
}

function listOf(desk: DeskContext, { queue, filter }: QueueView, isWorker: boolean): Markup {
  const words = caseWords[desk.language]
  const query = queryOf(filter)
  const titleOf = (item: QueueItem): string =>
    item.cents === null ? item.what : moneyOf(desk, item.cents, item.currency!)
  const rows = queue.items.map((item) => [
    html`${isWorker && isPickable(item.kind) && checkboxOf(desk, item, titleOf(item))}<a href="${hrefOf(item, query)}">${titleOf(item)}</a>${item.mode && modeBadge(desk, item.mode)}`,
    html`${words.kinds[item.kind]}${holderOf(desk, item)}`,
    waitingFor(desk, item.since),
    html`<bdi>${item.who.slice(0, 80) || '–'}</bdi>`,
    purposeOf(desk, item),
    item.accountId &&
      html`<a href="${queueAt({ ...filter, accountId: item.accountId })}"><bdi>${item.accountLabel}</bdi></a>`,
    item.merchantName && html`<bdi>${item.merchantName.slice(0, 80)}</bdi>`,
  ])
  return previewed(
    html`<div class="queue">${table(
      words.sections.queue,
      [
        words.item,
        words.what,
        words.waits,
        { head: words.from, is: 'middle' },
        { head: words.purpose, is: 'long' },
        { head: words.account, is: 'middle extra' },
        { head: words.merchant, is: 'middle extra' },
      ],
      rows,
    )}</div>`,
    listWords[desk.language],
  )
}

/** The purpose of a transfer, the order of a deposit, or the number of rows. */
function purposeOf(desk: DeskContext, { kind, what }: QueueItem): Markup | string {
  if (kind === 'parked') return caseWords[desk.language].parkedRows(what)
  if (itemTypeOf(kind) === 'deposit') return shortText(what)
  return kind === 'proposal' || what === '' ? '–' : html`<bdi>${what.slice(0, 120)}</bdi>`
}

const holderOf = (desk: DeskContext, { holder }: QueueItem): Markup | null => {
  const words = caseWords[desk.language]
  if (holder === null) return null
  const { personId, name } = holder
  const isMine = personId === desk.visitor.person.id
  const title = isMine ? words.yours : words.takenByShort(name)
  return html` <span title="${title}">${isMine ? badge(words.you, 'info') : badge(name)}</span>`
}

/** The checkbox is named after its item, so that a browser that restores the page ticks no other one. */
const checkboxOf = (desk: DeskContext, item: QueueItem, name: string): Markup =>
  html`<input type="checkbox" class="pick" form="several" name="${itemKey(itemTypeOf(item.kind), item.id)}" value="on" aria-label="${queueWords[desk.language].select(`${name}, ${item.who}`)}"> `

function selectedPanel(desk: DeskContext, { filter, choices }: QueueView): Markup {
  const words = queueWords[desk.language]
  const { person, session } = desk.visitor
  const action = (verb: 'set-aside' | 'duplicate' | 'assign') => queueAt(filter, deskPath(`/queue/${verb}`))
  const colleagues = choices.colleagues.filter((colleague) => colleague.id !== person.id)
  const buttons = [
    ['set-aside', words.setAside, words.setAsideText],
    ['duplicate', words.duplicate, words.duplicateText],
  ] as const
  return html`<p class="picked"><a class="button primary" href="#several">${words.toSelected} <span data-picked></span></a> <button type="button" class="button" data-picks="all" hidden>${words.selectAll}</button> <button type="button" class="button" data-picks="none" hidden>${words.selectNone}</button></p>
<div class="several">${panel(
    words.selected,
    html`<p>${words.selectedText}</p>
<form method="post" action="${action('set-aside')}" id="several" class="stack" tabindex="-1">
<input type="hidden" name="csrf" value="${session.csrf}">
${reasonField(desk, ['set_aside', 'duplicate'])}
<dl class="acts">${buttons.map(
      ([
        verb,
        text,
        effect,
      ]) => html`<div><dt><button type="submit" class="button" formaction="${action(verb)}">${text}</button></dt>
<dd class="quiet">${effect}</dd></div>`,
    )}
<div><dt><button type="submit" class="button" formnovalidate formaction="${action('assign')}">${words.assign}</button></dt>
<dd><p class="quiet">${words.assignText}</p>${select({
      name: 'to',
      label: words.assignTo,
      value: person.id,
      choices: [
        { value: person.id, text: words.me(person.name) },
        ...colleagues.map(({ id, name }) => ({ value: id, text: name })),
      ],
    })}</dd></div></dl>
</form>`,
  )}</div>`
}
