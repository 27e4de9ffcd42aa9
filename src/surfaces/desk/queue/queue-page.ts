/** The queue: what needs a person, oldest first, at the left, and the decision about one item at the right. */

import type { Cents } from '../../../domain/money.ts'
import { numberFormat } from '../../../platform/intl.ts'
import { sum } from '../../../platform/sum.ts'
import { requestName } from '../../../sections/decide-request.ts'
import { inLanguage, type Part, type Two } from '../../../sections/section.ts'
import { allSections } from '../../../sections/sections.ts'
import { durationText, type OfficeContext, testBadge, waitOf } from '../../office/context.ts'
import { partMarkup } from '../../office/thing-page.ts'
import { choiceFilter, fieldFilter, filterBar } from '../../staff/filter-bar.ts'
import { moneyOf, shortText } from '../../staff/frame.ts'
import { amountText } from '../../web/format.ts'
import { html, type Markup, type Value } from '../../web/html.ts'
import { badge, callout, empty } from '../../web/pieces.ts'
import { ages, amountsFrom, isNarrowed, type QueueFilter, queryOf, queueAt } from './filter.ts'
import {
  type Choices,
  countedText,
  hrefOf,
  itemKey,
  itemTypeOf,
  type Named,
  nextAfter,
  type Queue,
  type QueueItem,
  queueKinds,
} from './queue.ts'
import { cutWords, kindWords, moreWords, queueWords, rowsWords } from './words.ts'

export type QueueView = {
  queue: Queue
  filter: QueueFilter
  choices: Choices
  /** How many items of each kind the filter looks at. */
  lookedAt: number
  notice: string | null
  /** Changes of approval rules and desk people in the last day. */
  notes: readonly Part[]
  /** The item that is open: `transfer:…`; its title, who holds it, and the decision. A form that is open stands still. */
  open: { key: string; title: Value; actions: Value; body: Markup; isStill: boolean } | null
}

const sayIn =
  ({ language }: Pick<OfficeContext, 'language'>) =>
  (words: Two): string =>
    inLanguage(words, language)

export function queuePage(office: OfficeContext, view: QueueView) {
  const { queue, filter, open } = view
  const { items } = queue
  const say = sayIn(office)
  const number = (count: number) => numberFormat(office.language, {}).format(count)
  const counts =
    filter.kind === null ? queueKinds.map((kind) => queue.counts[kind]) : [queue.counts[filter.kind]]
  const hidden = sum(counts) - items.length
  const next = nextAfter(items, { after: open?.key ?? null, personId: office.visitor.person.id })
  return office.place.page({
    title: say(queueWords.title),
    path: '',
    notice: view.notice,
    isLive: !open?.isStill,
    actions:
      next &&
      html`<a class="button" href="${hrefOf(next, queryOf(filter))}" data-key="n">${say(queueWords.next)} <kbd>N</kbd></a>`,
    body: html`${view.notes.map((note) => partMarkup(office, note))}
<div class="work ${open ? 'open' : ''}">
<div class="work-list">${tabsOf(office, view)}
${filterOf(office, view)}
${filter.kind === 'held' && html`<p><a href="${office.place.pathOf('/held-days')}">${say(queueWords.heldDays)}</a></p>`}
${(filter.kind === 'parked' || filter.kind === null) && queue.counts.parked > 0 && html`<p><a href="${office.place.pathOf('/parked')}">${say(queueWords.parkedList)}</a></p>`}
${queue.isCut && callout('warn', say(cutWords(number(view.lookedAt))))}
${items.length > 0 ? listOf(office, view) : emptyList(office, filter)}
${hidden > 0 && html`<p class="quiet">${say(moreWords(number(items.length)))}</p>`}
</div>
<section class="work-item">${open ? html`<div class="row"><h2>${open.title}</h2>${open.actions}</div>${open.body}` : items.length > 0 && html`<p class="quiet">${say(queueWords.choose)}</p>`}</section>
</div>`,
  })
}

const emptyList = (office: OfficeContext, filter: QueueFilter): Markup => {
  const say = sayIn(office)
  return isNarrowed(filter)
    ? empty(say(queueWords.nothingFits), say(queueWords.nothingFitsText))
    : empty(say(queueWords.empty), say(queueWords.emptyText))
}

/** One tab per kind, with the number of items that pass the filter. */
function tabsOf(office: OfficeContext, { queue, filter }: QueueView): Markup {
  const say = sayIn(office)
  const kinds = queueKinds.filter((kind) => queue.counts[kind] > 0 || kind === filter.kind)
  return html`<nav class="tabs many" aria-label="${say(queueWords.title)}">
<a href="${queueAt({ ...filter, kind: null })}" aria-current="${filter.kind === null ? 'page' : 'false'}">${say(queueWords.all)}</a>
${kinds.map(
  (kind) =>
    html`<a href="${queueAt({ ...filter, kind })}" aria-current="${filter.kind === kind ? 'page' : 'false'}">${say(kindWords[kind])} · ${countedText(office.language, queue.counts[kind]) || 0}</a>`,
)}
</nav>`
}

function filterOf(office: OfficeContext, { filter, choices }: QueueView): Markup {
  const say = sayIn(office)
  const isWrong = amountsFrom(filter.amount) === null
  const named = (list: readonly Named[]) =>
    list.map(({ id, name, mode }) => ({ value: id, text: mode === 'test' ? `${name} · test` : name }))
  return filterBar(office, {
    path: office.place.pathOf(''),
    kept: { kind: filter.kind ?? '' },
    search: {
      name: 'payer',
      label: say(queueWords.payer),
      placeholder: say(queueWords.payerHint),
      value: filter.payer,
      maxLength: 100,
    },
    filters: [
      {
        ...fieldFilter({
          name: 'amount',
          label: say(queueWords.amount),
          value: filter.amount,
          maxLength: 40,
          placeholder: say(queueWords.amountHint),
          ...(isWrong && { error: say(queueWords.amountWrong) }),
        }),
        text: amountsText(office, filter.amount),
      },
      choiceFilter({
        name: 'account',
        label: say(queueWords.account),
        value: filter.accountId,
        none: say(queueWords.anyAccount),
        choices: named(choices.accounts),
      }),
      choiceFilter({
        name: 'merchant',
        label: say(queueWords.merchant),
        value: filter.merchantId,
        none: say(queueWords.anyMerchant),
        choices: named(choices.merchants),
      }),
      choiceFilter({
        name: 'older',
        label: say(queueWords.olderThan),
        value: filter.olderThan === null ? null : String(filter.olderThan),
        none: say(queueWords.anyAge),
        choices: ages.map((hours) => ({ value: String(hours), text: durationText(office, hours * 3_600) })),
      }),
    ],
    isWrong,
  })
}

/** `100–20,000`: the amounts of the filter as people write them; what cannot be read stays as it was typed. */
function amountsText({ language }: OfficeContext, typed: string): string {
  const amounts = amountsFrom(typed)
  if (!amounts) return typed
  const text = (cents: Cents | null) => (cents === null ? '' : amountText(cents, language))
  const [least, most] = [text(amounts.least), text(amounts.most)]
  return least === most ? least : `${least}–${most}`
}

const listOf = (office: OfficeContext, { queue, filter, open }: QueueView): Markup =>
  html`<ol class="items" aria-label="${sayIn(office)(queueWords.title)}">${queue.items.map(
    (item) =>
      html`<li><a href="${hrefOf(item, queryOf(filter))}" aria-current="${itemKey(item) === open?.key ? 'true' : 'false'}">${itemOf(office, item)}</a></li>`,
  )}</ol>`

/** How much and since when; why it waits, and who holds it; who paid, and what for. */
function itemOf(office: OfficeContext, item: QueueItem): Markup {
  const say = sayIn(office)
  const { kind, cents, currency, mode, who, accountLabel, merchantName } = item
  const money =
    cents === null
      ? inLanguage(requestName(allSections, item.what), office.language)
      : moneyOf(office, cents, currency!)
  const purpose = purposeOf(office, item)
  return html`<span class="item-head"><strong>${money}</strong>${mode && testBadge(office, mode)} <span class="quiet">${waitOf(office, item.since)}</span></span>
<span class="item-head"><bdi>${who.slice(0, 80) || '–'}</bdi> <span class="quiet">${say(kindWords[kind])}</span>${holderOf(office, item)}</span>
${purpose && html`<span class="quiet part">${purpose}</span>`}
${(accountLabel || merchantName) && html`<span class="quiet part"><bdi>${[accountLabel, merchantName].filter(Boolean).join(' · ').slice(0, 120)}</bdi></span>`}`
}

/** The purpose of a transfer, the order of a deposit, or the number of rows. */
function purposeOf(office: OfficeContext, { kind, what }: QueueItem): Markup | string | null {
  if (kind === 'parked') return sayIn(office)(rowsWords(what))
  if (itemTypeOf(kind) === 'deposit') return shortText(what)
  return kind === 'proposal' || what === '' ? null : html`<bdi>${what.slice(0, 120)}</bdi>`
}

const holderOf = (office: OfficeContext, { holder }: QueueItem): Markup | null => {
  if (holder === null) return null
  const isMine = holder.personId === office.visitor.person.id
  return html` ${isMine ? badge(sayIn(office)(queueWords.mine), 'info') : badge(holder.name)}`
}
