/** One deposit with everything that happened to it, and what a person can do about it. */

import { type Deposit, obstacle } from '../../../domain/deposits/deposit.ts'
import { endpointOf, sentRequestFrom } from '../../../domain/deposits/sent-request.ts'
import type { Mode } from '../../../domain/merchants/merchant.ts'
import type { MessageOrText } from '../../../domain/messages/message.ts'
import { translate, translateActor } from '../../staff/sentences/translate.ts'
import { depositBadge, labelBadges, transferBadge } from '../../staff/state-badges.ts'
import { html, type Markup, type Value } from '../../web/html.ts'
import { callout, pairs, panel, table } from '../../web/pieces.ts'
import { type DeskContext, deskPage, modeBadge, moneyOf, proofAsked, timeOf } from '../frame.ts'
import type { Holder } from '../queue/queue.ts'
import { deskWords } from '../words.ts'
import { decideForm, holderBar } from './item-pieces.ts'
import type { CallbackRow, SettledRow } from './rows.ts'
import { caseWords } from './words.ts'

export type HistoryLine = {
  at: Date
  action: string
  from_state: Deposit['state'] | null
  to_state: Deposit['state']
  actor: string
  reason: MessageOrText | null
  evidence: unknown
}

export type DepositView = {
  deposit: Deposit
  merchantName: string
  mode: Mode
  accountLabel: string | null
  history: readonly HistoryLine[]
  transfers: readonly SettledRow[]
  callbacks: readonly CallbackRow[]
  /** Ids of what was asked for and not decided. */
  proposals: readonly string[]
  needsSecond: boolean
  holder: Holder | null
}

export function depositPage(desk: DeskContext, view: DepositView) {
  const { deposit, holder, transfers, callbacks } = view
  const words = caseWords[desk.language]
  const shared = deskWords[desk.language]
  const page = `/operator/deposits/${deposit.id}`
  return deskPage(desk, {
    title: `${words.deposit} ${moneyOf(desk, deposit.amountCents, deposit.currency)}`,
    section: 'deposits',
    isLive: true,
    actions: html`${depositBadge(desk, deposit.state)}${labelBadges(desk, deposit.labels)}${modeBadge(desk, view.mode)}
${holderBar(desk, { page, item: `deposit:${deposit.id}`, holder })}`,
    body: html`${view.proposals.map((id) => callout('warn', html`${shared.notices.proposed} <a href="/operator/approvals/${id}">${shared.open}</a>`))}
<div class="split two">
${panel(words.deposit, factsOf(desk, view))}
${panel(words.decide, html`${proofAsked(desk)}${decision(desk, view, page)}`)}
</div>
<div class="split two">
${panel(words.timeline, timeline(desk, view))}
<div class="stack">
${
  transfers.length > 0 &&
  panel(
    words.transfersOf,
    table(
      words.transfersOf,
      [
        { head: shared.amount, is: 'number' },
        { head: shared.state },
        { head: words.booked },
        { head: words.payer },
      ],
      transfers.map((one) => [
        html`<a href="/operator/transfers/${one.id}">${moneyOf(desk, one.cents, one.currency)}</a>`,
        transferBadge(desk, one.state),
        one.bookedOn,
        html`<bdi>${one.payerName || '–'}</bdi>`,
      ]),
    ),
  )
}
${
  callbacks.length > 0 &&
  panel(
    words.callbacksOf,
    table(
      words.callbacksOf,
      [{ head: shared.what }, { head: shared.when }, { head: shared.state }],
      callbacks.map((one) => [
        one.type,
        timeOf(desk, one.madeAt),
        `${one.ackedAt ? words.delivered : one.lacksAddress ? words.waitingAddress : words.waitingDelivery}${one.lastStatus ? ` · ${one.lastStatus}` : ''} · ${words.attempts(one.attempts)}`,
      ]),
    ),
  )
}
</div>
</div>`,
  })
}

function factsOf(desk: DeskContext, { deposit, merchantName, accountLabel }: DepositView): Markup {
  const words = caseWords[desk.language]
  const shared = deskWords[desk.language]
  const { shown, currency } = deposit
  const rows: [string, Value][] = [
    [
      shared.merchant,
      html`<a href="/operator/merchants/${deposit.merchantId}"><bdi>${merchantName}</bdi></a>`,
    ],
    [words.order, html`<bdi>${deposit.orderId}</bdi>`],
    [shared.amount, html`<strong>${moneyOf(desk, deposit.amountCents, currency)}</strong>`],
    [words.received, moneyOf(desk, deposit.receivedCents, currency)],
    [words.method, deposit.paymentType],
    [words.reference, deposit.reference],
    [words.customer, deposit.customer && html`<bdi>${deposit.customer}</bdi>`],
    [words.phone, deposit.customerPhoneNumber],
    [words.created, timeOf(desk, deposit.createdAt)],
    [words.expires, timeOf(desk, deposit.expiresAt)],
    [words.claimed, deposit.claimedAt && timeOf(desk, deposit.claimedAt)],
    [
      words.shownTo,
      shown && html`<bdi>${shown.bank_name}</bdi> · …${shown.number.slice(-4)} · <bdi>${shown.name}</bdi>`,
    ],
    [words.account, accountLabel],
    ['id', html`<span class="mono">${deposit.id}</span>`],
  ]
  return pairs(rows.filter(([, value]) => value !== null && value !== ''))
}

function decision(desk: DeskContext, { deposit, holder, needsSecond }: DepositView, page: string): Markup {
  const words = caseWords[desk.language]
  const impossible = (action: 'confirm' | 'reject' | 'reverse') => {
    const why = obstacle(deposit, action, desk.now)
    return why && translate(why, desk.language)
  }
  return decideForm(desk, {
    holder,
    hint: words.evidenceHint,
    buttons: [
      {
        text: words.confirm,
        effect: needsSecond ? words.confirmSecond : words.confirmText,
        action: `${page}/confirm`,
        key: 'c',
        presets: 'confirm',
        kind: 'primary',
        obstacle: impossible('confirm'),
      },
      {
        text: words.reject,
        effect: words.rejectText,
        action: `${page}/reject`,
        key: 'r',
        presets: 'reject',
        kind: 'danger',
        obstacle: impossible('reject'),
      },
      {
        text: words.reverse,
        effect: words.reverseText,
        action: `${page}/reverse`,
        key: 'v',
        presets: 'reverse',
        kind: 'danger',
        obstacle: impossible('reverse'),
      },
    ],
  })
}

const timeline = (desk: DeskContext, { history, deposit }: DepositView): Markup => {
  const words = caseWords[desk.language]
  return html`<ol class="timeline">${history.map((line) => {
    const tone = line.to_state === 'confirmed' ? 'ok' : line.to_state === 'reversed' ? 'bad' : ''
    return html`<li class="${tone}"><p><strong>${words.actions[line.action] ?? line.action}</strong> ${depositBadge(desk, line.to_state)} <span class="quiet">${translateActor(line.actor, desk.language)}</span></p>
${line.reason && html`<p><bdi>${translate(line.reason, desk.language)}</bdi></p>`}
${line.from_state === null && requestOf(desk, deposit, line.evidence)}
${
  line.from_state !== null &&
  isSomething(line.evidence) &&
  html`<details><summary>${words.evidence}</summary><pre class="code" tabindex="0"><code>${JSON.stringify(line.evidence, null, 1)}</code></pre></details>`
}
<p>${timeOf(desk, line.at)}</p></li>`
  })}</ol>`
}

/** The request that made it, in words. */
function requestOf(desk: DeskContext, { flow }: Deposit, kept: unknown): Markup {
  const words = caseWords[desk.language]
  const { request, key, scheme } = sentRequestFrom(kept)
  const known: [string, Value][] = [
    [words.endpoint, html`<code class="anywhere">POST ${endpointOf(flow)}</code>`],
    [words.request, request && html`<bdi class="mono anywhere">${request}</bdi>`],
    [words.key, key && html`<bdi class="mono anywhere">${key}</bdi>`],
    [words.scheme, scheme && words.schemes[scheme]],
  ]
  return pairs(known.filter(([, value]) => value !== null))
}

const isSomething = (evidence: unknown): boolean =>
  typeof evidence === 'object' && evidence !== null && Object.keys(evidence).length > 0
