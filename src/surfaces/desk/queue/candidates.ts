/** The deposits that a transfer may be for, each with what speaks for it and one button that matches it. */
import type { Deposit } from '../../../domain/deposits/deposit.ts'
import type { DepositRow } from '../../../domain/deposits/search.ts'
import type { Candidate } from '../../../domain/transfers/find-candidates.ts'
import { work } from '../../../sections/roles.ts'
import { inLanguage, type Two } from '../../../sections/section.ts'
import { depositState, labels } from '../../../sections/states.ts'
import type { TransferRow } from '../../../sections/transfer-acts.ts'
import type { RefusedAct } from '../../office/act-form.ts'
import { cellMarkup } from '../../office/cells.ts'
import type { OfficeContext } from '../../office/context.ts'
import { moneyOf, timeOf } from '../../staff/frame.ts'
import { translate } from '../../staff/sentences/translate.ts'
import { html, type Markup } from '../../web/html.ts'
import { button, callout, checkbox, field, form, panel } from '../../web/pieces.ts'
import { queueWords } from './words.ts'

type CandidatesView = {
  row: TransferRow
  candidates: readonly Candidate[]
  /** What was searched for, and what is found by it. */
  find: string
  found: readonly DepositRow[]
  /** The deposits that the purpose names. */
  named: readonly { depositId: string; reference: string }[]
  /** The address of the decision, and the query that its acts keep. */
  href: string
  query: string
  /** Nobody else works on it. */
  isFree: boolean
  /** A refused match of one of these deposits. */
  refused: RefusedAct | null
}

export function candidatesPanel(office: OfficeContext, view: CandidatesView): Markup {
  const say = (words: Two) => inLanguage(words, office.language)
  const { candidates, named, find, found, href } = view
  const kept = [...new URLSearchParams(view.query)]
  return panel(
    say(queueWords.candidates),
    html`${view.refused?.detail && html`<div role="alert">${callout('bad', view.refused.detail)}</div>`}
${named.length > 0 && callout('warn', html`${say(queueWords.namesOther)}${named.map(({ depositId, reference }) => html` <a href="${`${office.place.pathOf('/deposits')}/${depositId}`}">${reference}</a>`)}`)}
${candidates.length === 0 && html`<p class="quiet">${say(queueWords.noCandidates)}</p>`}
${candidates.map((one) => candidateCard(office, view, { ...one, reason: translate(one.reason, office.language) }))}
<form method="get" action="${href}" class="filter-bar" role="search" aria-label="${say(queueWords.find)}">
${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${field({ name: 'find', label: say(queueWords.find), placeholder: say(queueWords.findHint), value: find, type: 'search', className: 'search', maxLength: 128 })}${button(say(queueWords.find))}
</form>
${find !== '' && found.length === 0 && html`<p>${say(queueWords.notFound)}</p>`}
${found.map(({ deposit, merchantName }) => candidateCard(office, view, { deposit, merchantName, reason: '' }))}`,
  )
}

type Card = { deposit: Deposit; merchantName: string; reason: string }

/** Amount, state and order; shop, customer and reference; why it may be this one. */
function candidateCard(
  office: OfficeContext,
  view: CandidatesView,
  { deposit, merchantName, reason }: Card,
): Markup {
  const say = (words: Two) => inLanguage(words, office.language)
  const { id, customer, reference, amountCents, currency } = deposit
  const isOther = view.named.length > 0 && !view.named.some(({ depositId }) => depositId === id)
  const refused = view.refused?.texts.deposit === id ? view.refused : null
  const who = [merchantName, customer, reference].filter((part) => part)
  return html`<div class="candidate">
<p><a href="${`${office.place.pathOf('/deposits')}/${id}`}"><strong>${moneyOf(office, amountCents, currency)}</strong> · <bdi>${deposit.orderId}</bdi></a> ${[depositState(deposit.state), ...labels(deposit.labels)].map((cell) => html`${cellMarkup(office, cell)} `)}</p>
<p class="quiet">${who.map((part, place) => html`${place > 0 && ' · '}<bdi>${part}</bdi>`)} · ${timeOf(office, deposit.createdAt)}</p>
${
  view.isFree &&
  office.isOpen(work) &&
  form(office.visitor, {
    action: `${view.href}/match${view.query === '' ? '' : `?${view.query}`}`,
    className: 'row end',
    body: html`<input type="hidden" name="deposit" value="${id}">
${field({ name: 'reason', id: `reason-${id}`, label: say(queueWords.reason), value: refused?.texts.reason ?? reason, isRequired: true, maxLength: 500 })}
${isOther && checkbox({ name: 'despite', label: say(queueWords.despite), isOn: refused?.texts.despite === 'on' })}
${button(say(queueWords.match), 'primary')}`,
  })
}
${!view.isFree && html`<p>${reason}</p>`}
</div>`
}
