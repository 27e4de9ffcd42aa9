/** The queue: what needs a person, oldest first, and how many of each kind. */
import { html } from '../../web/html.ts'
import { badge, empty, table } from '../../web/pieces.ts'
import { type Desk, deskPage, modeBadge, moneyOf, sinceOf } from '../frame.ts'
import { deskWords } from '../words.ts'
import { hrefOf, type QueueItem, type QueueKind, queueKinds } from './queue.ts'
import { caseWords } from './words.ts'

export type QueueView = {
  items: readonly QueueItem[]
  counts: Record<string, number>
  kind: QueueKind | null
}

export function queuePage(desk: Desk, { items, counts, kind }: QueueView) {
  const words = caseWords[desk.language]
  const shared = deskWords[desk.language]
  const tabs = html`<nav class="tabs" aria-label="${shared.sections.queue}">
<a href="/operator" aria-current="${kind === null ? 'page' : 'false'}">${shared.all}</a>
${queueKinds.map(
  (one) =>
    html`<a href="/operator?kind=${one}" aria-current="${kind === one ? 'page' : 'false'}">${words.kinds[one]} · ${words.counted(counts[one] ?? 0)}</a>`,
)}
</nav>`
  const rows = items.map((item) => [
    html`<a href="${hrefOf(item)}">${item.cents === null ? words.proposals[item.what as 'confirm'] : moneyOf(desk, item.cents, item.currency!)}</a>`,
    html`${words.kinds[item.kind]}${item.mode && modeBadge(desk, item.mode)}`,
    sinceOf(desk, item.since),
    html`<bdi>${item.who || '–'}</bdi>`,
    html`<bdi>${item.kind === 'proposal' ? (item.merchantName ?? '–') : [item.merchantName, item.what].filter(Boolean).join(' · ').slice(0, 120) || '–'}</bdi>`,
    item.holder &&
      (item.holder.personId === desk.visitor.person.id
        ? badge(words.yours, 'info')
        : badge(words.takenByShort(item.holder.name))),
  ])
  return deskPage(desk, {
    title: shared.sections.queue,
    section: 'queue',
    isLive: true,
    actions:
      items.length > 0 &&
      html`<a class="button primary" href="/operator/next" data-key="n">${words.next}</a>`,
    body: html`${tabs}
${
  items.length === 0
    ? empty(words.emptyQueue, words.emptyQueueText)
    : table(
        shared.sections.queue,
        [
          { head: words.item },
          { head: shared.what },
          { head: words.waits },
          { head: words.from },
          { head: words.purpose, is: 'long' },
          { head: words.taken },
        ],
        rows,
      )
}`,
  })
}
