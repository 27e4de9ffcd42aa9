/** One deposit: what it is, what happens next, and everything that has happened. */

import { type Deposit, type FoundDeposit, isFinal, obstacle } from '../../domain/deposits/deposit.ts'
import { endpointOf, sentRequestFrom } from '../../domain/deposits/sent-request.ts'
import type { MessageOrText } from '../../domain/messages/message.ts'
import type { Cents, Currency } from '../../domain/money.ts'
import { translate, translateActor } from '../staff/sentences/translate.ts'
import { depositBadge, depositTone, labelBadges } from '../staff/state-badges.ts'
import { stateWords } from '../staff/state-words.ts'
import { html, type Markup, type Value } from '../web/html.ts'
import { button, code, form, pairs, panel, select, type Tone } from '../web/pieces.ts'
import { type AttemptLine, type CallbackLine, callbackBadge, errorText } from './callback-pages.ts'
import {
  baseOf,
  type ConsoleContext,
  isAtLeast,
  merchantPage,
  methodName,
  money,
  orReason,
  placeOf,
  time,
  timeText,
  wordsOf,
} from './frame.ts'

export type HistoryLine = {
  at: Date
  action: string
  fromState: string | null
  toState: string
  actor: string
  reason: MessageOrText | null
  evidence: unknown
}

export type TransferLine = {
  id: string
  takenAt: Date
  bookedOn: string
  cents: Cents
  depositCents: Cents
  currency: Currency
  payerName: string
  purpose: string
  rule: string | null
}

export type DepositView = FoundDeposit & {
  history: readonly HistoryLine[]
  transfers: readonly TransferLine[]
  callbacks: readonly CallbackLine[]
  attempts: readonly AttemptLine[]
  names: ReadonlyMap<string, string>
}

export function depositPage(of: ConsoleContext, view: DepositView) {
  const words = wordsOf(of)
  const { deposit } = view
  return merchantPage(of, {
    title: `${words.deposit.title} ${deposit.orderId}`,
    section: 'deposits',
    isLive: true,
    actions: html`${depositBadge(of, deposit.state)} ${labelBadges(of, deposit.labels)}`,
    body: html`<p class="big">${money(of, deposit.amountCents, deposit.currency)}</p>
<div class="callout info"><p><strong>${words.deposit.next}.</strong> ${nextOf(of, view)}</p></div>
<div class="split wide">
<div class="stack">
${panel(words.deposit.timeline, timeline(of, view))}
${panel(words.deposit.callbacks, callbacks(of, view))}
</div>
<div class="stack">
${panel(words.deposit.facts, facts(of, view))}
${panel(words.deposit.transfers, transfers(of, view.transfers))}
${of.merchant.mode === 'test' && panel(words.deposit.inTest, bankForm(of, deposit))}
${panel(words.deposit.withdraw, withdraw(of, view))}
</div>
</div>`,
  })
}

/** The one sentence that a support desk asks for. */
function nextOf(of: ConsoleContext, { deposit, now }: FoundDeposit): string {
  const { nexts } = wordsOf(of).deposit
  const { state, labels, expiresAt, lateUntil, claimedAt, amountCents, receivedCents, currency } = deposit
  if (labels.includes('review')) return nexts.review
  if (state === 'builded') return nexts.builded(timeText(of, expiresAt))
  if (state === 'expired') return isFinal(deposit, now) ? nexts.ended : nexts.late(timeText(of, lateUntil))
  if (state !== 'created') return nexts[state]
  if (receivedCents > 0n) return nexts.underpaid(money(of, amountCents - receivedCents, currency))
  return claimedAt ? nexts.claimed(timeText(of, expiresAt)) : nexts.waiting(timeText(of, expiresAt))
}

function facts(of: ConsoleContext, { deposit, names }: DepositView): Markup {
  const { deposit: words } = wordsOf(of)
  const { shown, amountCents, receivedCents, currency } = deposit
  const missing = amountCents - receivedCents
  const known: [string, Value][] = [
    [words.reference, deposit.reference && html`<span class="mono">${deposit.reference}</span>`],
    [words.id, html`<span class="mono">${deposit.id}</span>`],
    [words.order, html`<bdi>${deposit.orderId}</bdi>`],
    [words.customer, deposit.customer && html`<bdi>${deposit.customer}</bdi>`],
    [words.phone, deposit.customerPhoneNumber],
    [words.method, methodName(of, names, deposit.paymentType)],
    [words.received, receivedCents > 0n && money(of, receivedCents, currency)],
    [words.missing, receivedCents > 0n && missing > 0n && money(of, missing, currency)],
    [words.made, time(of, deposit.createdAt)],
    [words.deadline, time(of, deposit.expiresAt)],
    [words.lateUntil, time(of, deposit.lateUntil)],
    [words.final, time(of, deposit.finalAt)],
    [
      words.shown,
      shown && html`<p class="mono">${shown.number}</p><p>${shown.name}</p><p>${shown.bank_name}</p>`,
    ],
    [words.callbackUrl, deposit.callbackUrl && html`<span class="anywhere">${deposit.callbackUrl}</span>`],
    [words.returns, [deposit.successUrl, deposit.rejectUrl].filter(Boolean).join(' · ')],
    [words.page, html`<a href="${`/pay/${deposit.pageToken}`}">${words.openPage}</a>`],
  ]
  return pairs(
    known.filter(([, value]) => value !== null && value !== false && value !== '' && value !== undefined),
  )
}

function timeline(of: ConsoleContext, { history, deposit }: DepositView): Markup {
  const { deposit: words } = wordsOf(of)
  const states: Record<string, string> = stateWords[of.language].depositStates
  const word = (state: string) => states[state] ?? state
  return html`<ol class="timeline">${history.map(
    (line) => html`<li class="${line.fromState === line.toState ? '' : dotOf(depositTone(line.toState))}">
<strong>${words.actions[line.action] ?? line.action}</strong>
${line.fromState && line.fromState !== line.toState && html` · ${word(line.fromState)} → ${word(line.toState)}`}
<p class="quiet">${time(of, line.at)} · ${words.by} <bdi>${translateActor(line.actor, of.language)}</bdi></p>
${line.reason && html`<p><bdi>${translate(line.reason, of.language)}</bdi></p>`}
${line.fromState === null ? requestOf(of, deposit, line.evidence) : evidence(words.evidence, line.evidence)}
</li>`,
  )}</ol>`
}

/** The request that made it, in words; a developer may see it signed once more. */
function requestOf(of: ConsoleContext, { id, flow }: Deposit, kept: unknown): Markup {
  const { deposit: words } = wordsOf(of)
  const { request, key, scheme } = sentRequestFrom(kept)
  const known: [string, Value][] = [
    [words.endpoint, html`<code class="anywhere">POST ${endpointOf(flow)}</code>`],
    [words.request, request && html`<bdi class="mono anywhere">${request}</bdi>`],
    [words.key, key && html`<bdi class="mono anywhere">${key}</bdi>`],
    [words.scheme, scheme && words.schemes[scheme]],
  ]
  return html`${pairs(known.filter(([, value]) => value !== null))}
${isAtLeast(of, 'developer') && html`<p><a href="${placeOf(of, 'signature')}?deposit=${id}">${words.debug}</a></p>`}`
}

const dotOf = (tone: Tone): string => (tone === 'ok' || tone === 'bad' || tone === 'warn' ? tone : '')

function evidence(title: string, value: unknown): Markup | null {
  if (value === null || value === undefined) return null
  const text = JSON.stringify(value, null, 1)
  if (text === '{}') return null
  return html`<details><summary>${title}</summary>${code(text)}</details>`
}

function transfers(of: ConsoleContext, lines: readonly TransferLine[]): Markup {
  const { deposit: words } = wordsOf(of)
  if (lines.length === 0) return html`<p class="quiet">${words.noTransfers}</p>`
  return html`${lines.map((line) =>
    pairs([
      [words.amount, money(of, line.depositCents, line.currency)],
      [words.booked, line.bookedOn],
      [words.payer, html`<bdi>${line.payerName}</bdi>`],
      [words.purpose, html`<bdi>${line.purpose}</bdi>`],
      [words.rule, line.rule && (words.rules[line.rule] ?? line.rule)],
    ]),
  )}`
}

function callbacks(of: ConsoleContext, { callbacks: found, attempts }: DepositView): Markup {
  const { deposit: words, callbacks: told } = wordsOf(of)
  if (found.length === 0) return html`<p class="quiet">${words.noCallbacks}</p>`
  return html`<ul class="plain">${found.map(
    (one) => html`<li><a href="${`${baseOf(of)}/callbacks/${one.sequence}`}">${one.type} · ${one.sequence}</a>
${callbackBadge(of, one)}
<ol class="plain quiet">${attempts
      .filter((attempt) => attempt.callbackId === one.id)
      .map(
        (attempt) =>
          html`<li>${time(of, attempt.at)} · ${attempt.status ?? errorText(of, attempt.error)} · ${told.took(attempt.ms)}</li>`,
      )}</ol></li>`,
  )}</ul>`
}

const bankForm = (of: ConsoleContext, { id }: Deposit): Value =>
  orReason(of, 'developer', () => {
    const { bank } = wordsOf(of)
    return form({
      action: `${baseOf(of)}/bank/pay`,
      csrf: of.visitor.session.csrf,
      body: html`<input type="hidden" name="deposit" value="${id}"><input type="hidden" name="back" value="deposit">
${select({ name: 'play', label: bank.what, choices: Object.entries(bank.plays).map(([value, text]) => ({ value, text })) })}
${button(bank.go, 'primary')}`,
    })
  })

/** What cannot be done stays, with the reason that the table of transitions gives. */
function withdraw(of: ConsoleContext, { deposit, now }: FoundDeposit): Value {
  const { deposit: words } = wordsOf(of)
  const isImpossible = obstacle(deposit, 'cancel', now) !== undefined
  const reason =
    deposit.receivedCents > 0n
      ? words.withdrawPaid
      : words.withdrawNot(stateWords[of.language].depositStates[deposit.state])
  return orReason(of, 'developer', () =>
    form({
      action: `${baseOf(of)}/deposits/${deposit.id}/cancel`,
      csrf: of.visitor.session.csrf,
      body: html`<p>${words.withdrawText}</p>
${isImpossible && html`<p class="quiet">${reason}</p>`}
${button(words.withdraw, 'danger', isImpossible)}`,
    }),
  )
}
