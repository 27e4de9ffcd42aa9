/** The result of each item that was decided together with others. */

import { moneyOf } from '../../staff/frame.ts'
import { html } from '../../web/html.ts'
import { badge, callout, table } from '../../web/pieces.ts'
import { caseWords } from '../case-words.ts'
import { type DeskContext, deskPage } from '../frame.ts'
import { deskPath } from '../paths.ts'
import { type QueueFilter, queryOf, queueAt } from './filter.ts'
import { type PickedItem, withQueue } from './queue.ts'
import { queueWords } from './words.ts'

export type Outcome = { is: 'done' | 'taken' | 'busy' | 'refused'; detail: string }
export type Acted = { item: Pick<PickedItem, 'type' | 'id'> & Partial<PickedItem>; outcome: Outcome }

const tones = { done: 'ok', taken: 'warn', busy: 'warn', refused: 'bad' } as const

export function severalPage(
  desk: DeskContext,
  { acted, filter }: { acted: readonly Acted[]; filter: QueueFilter },
) {
  const words = queueWords[desk.language]
  const done = acted.filter(({ outcome }) => outcome.is === 'done').length
  return deskPage(desk, {
    title: words.result,
    section: 'queue',
    actions: html`<a class="button primary" href="${queueAt(filter)}">${words.backToQueue}</a>
<a class="button" href="${queueAt(filter, deskPath('/next'))}" data-key="n">${caseWords[desk.language].next} <kbd>N</kbd></a>`,
    body: html`<div role="status">${callout(done === acted.length ? 'ok' : 'warn', words.doneOf(done, acted.length))}</div>
<div class="queue outcomes">${table(
      words.result,
      [
        caseWords[desk.language].item,
        words.outcome,
        { head: caseWords[desk.language].from, is: 'middle' },
        { head: words.why, is: 'long' },
      ],
      acted.map(({ item, outcome }) => [
        html`<a href="${withQueue(deskPath(`/${item.type}s/:id`, item.id), queryOf(filter))}">${item.cents === undefined ? `…${item.id.slice(-8)}` : moneyOf(desk, item.cents, item.currency!)}</a>`,
        badge(words.outcomes[outcome.is], tones[outcome.is]),
        html`<bdi>${item.who?.slice(0, 80) || '–'}</bdi>`,
        outcome.detail,
      ]),
    )}</div>`,
  })
}
