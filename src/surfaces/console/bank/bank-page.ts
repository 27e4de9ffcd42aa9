/** The test bank page: a person pays a deposit as the customer's bank would, through the same code as real money. */

import type { FoundRow } from '../../../domain/deposits/merchant-search-store.ts'
import { mostMinutes, plays } from '../../../domain/sandbox/record.ts'
import { developer } from '../../../sections/roles.ts'
import { inLanguage, type Two } from '../../../sections/section.ts'
import { depositState, labels } from '../../../sections/states.ts'
import { cellMarkup } from '../../office/cells.ts'
import type { OfficeContext } from '../../office/context.ts'
import { moneyOf, timeOf } from '../../staff/frame.ts'
import { html, type Markup } from '../../web/html.ts'
import { button, callout, empty, field, form, panel, select, table } from '../../web/pieces.ts'
import { consolePath } from '../paths.ts'
import { bankWords as words } from './words.ts'

type BankView = {
  merchantId: string
  lines: readonly FoundRow[]
  idOrOrder: string
  problem: string | null
  canPassTime: boolean
  /** The test clock was moved a moment ago. */
  isMoved: boolean
}

export function bankPage(office: OfficeContext, view: BankView) {
  const say = (words: Two) => inLanguage(words, office.language)
  return office.place.page({
    title: say(words.title),
    path: '/bank',
    notice: view.isMoved ? say(words.moved) : null,
    body: html`<p class="reading">${say(words.text)}</p>
${view.problem && html`<div role="alert">${callout('bad', view.problem)}</div>`}
${
  office.isOpen(developer)
    ? html`<div class="split">${panel(say(words.pay), payForm(office, view))}${view.canPassTime && panel(say(words.time), timeForm(office, view))}</div>`
    : html`<p class="quiet">${say(words.needsDeveloper)}</p>`
}
<h2>${say(words.recent)}</h2>
${view.lines.length > 0 ? recent(office, view) : empty(say(words.emptyTitle), html`${say(words.emptyText)} <a href="/docs">/docs</a>`)}`,
  })
}

function payForm({ language, visitor }: OfficeContext, { merchantId, lines, idOrOrder }: BankView): Markup {
  const say = (words: Two) => inLanguage(words, language)
  const open = lines.find((line) => line.state === 'created')
  return form(visitor, {
    action: consolePath('/bank/pay', merchantId),
    body: html`${field({ name: 'deposit', label: say(words.payField), value: idOrOrder || open?.orderId, isRequired: true, maxLength: 128 })}
${select({ name: 'play', label: say(words.what), choices: plays.map((play) => ({ value: play, text: say(words.plays[play]) })) })}
${button(say(words.go), 'primary')}`,
  })
}

function timeForm({ language, visitor }: OfficeContext, { merchantId }: BankView): Markup {
  const say = (words: Two) => inLanguage(words, language)
  return form(visitor, {
    action: consolePath('/bank/time', merchantId),
    body: html`<p class="quiet">${say(words.timeText)}</p>
${field({ name: 'minutes', label: say(words.minutes), hint: say(words.range(mostMinutes)), inputmode: 'numeric', value: '30', isRequired: true, maxLength: 5 })}
${button(say(words.time))}`,
  })
}

function recent(office: OfficeContext, { merchantId, lines }: BankView): Markup {
  const say = (words: Two) => inLanguage(words, office.language)
  return table(
    say(words.recent),
    [
      say(words.order),
      { head: say(words.amount), is: 'number', rank: 1 },
      say(words.state),
      say(words.created),
      say(words.payThis),
    ],
    lines.map((line) => [
      html`<a href="${`${office.place.pathOf('/deposits')}/${line.id}`}"><bdi>${line.orderId}</bdi></a>`,
      moneyOf(office, line.amountCents, line.currency),
      [depositState(line.state), ...labels(line.labels)].map((cell) => html`${cellMarkup(office, cell)} `),
      timeOf(office, line.createdAt),
      html`<a href="${consolePath('/bank', merchantId)}?deposit=${line.id}">${say(words.payThis)}</a>`,
    ]),
  )
}
