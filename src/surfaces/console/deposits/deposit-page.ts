/** One deposit: what it is, what happens next, and everything that has happened. */

import {
  type Deposit,
  type FoundDeposit,
  type HistoryEntry,
  isFinal,
  obstacle,
} from '../../../domain/deposits/deposit.ts'
import { payPath } from '../../../domain/deposits/page-paths.ts'
import type { Cents, Currency } from '../../../domain/money.ts'
import { depositTimeline } from '../../staff/deposit-timeline.ts'
import { moneyOf, timeOf, timeText } from '../../staff/frame.ts'
import { depositBadge, labelBadges } from '../../staff/state-badges.ts'
import { stateWords } from '../../staff/state-words.ts'
import { html, type Markup, type Value } from '../../web/html.ts'
import { button, form, pairs, panel, select } from '../../web/pieces.ts'
import { type AttemptLine, type CallbackLine, callbackBadge, errorText } from '../callbacks/callback-pages.ts'
import { type ConsoleContext, isAtLeast, merchantPage, methodName, orReason, wordsOf } from '../frame.ts'
import { consolePath } from '../paths.ts'

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

type DepositView = FoundDeposit & {
  history: readonly HistoryEntry[]
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
    body: html`<p class="big">${moneyOf(of, deposit.amountCents, deposit.currency)}</p>
<div class="callout info"><p><strong>${words.deposit.next}.</strong> ${nextOf(of, view)}</p></div>
<div class="split wide">
<div class="stack">
${panel(words.timeline.title, depositTimeline(of, view, debugLink(of, deposit)))}
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
  if (receivedCents > 0n) return nexts.underpaid(moneyOf(of, amountCents - receivedCents, currency))
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
    [words.received, receivedCents > 0n && moneyOf(of, receivedCents, currency)],
    [words.missing, receivedCents > 0n && missing > 0n && moneyOf(of, missing, currency)],
    [words.made, timeOf(of, deposit.createdAt)],
    [words.deadline, timeOf(of, deposit.expiresAt)],
    [words.lateUntil, timeOf(of, deposit.lateUntil)],
    [words.final, timeOf(of, deposit.finalAt)],
    [
      words.shown,
      shown && html`<p class="mono">${shown.number}</p><p>${shown.name}</p><p>${shown.bank_name}</p>`,
    ],
    [words.callbackUrl, deposit.callbackUrl && html`<span class="anywhere">${deposit.callbackUrl}</span>`],
    [words.returns, [deposit.successUrl, deposit.rejectUrl].filter(Boolean).join(' · ')],
    [words.page, html`<a href="${payPath('/:token', deposit.pageToken)}">${words.openPage}</a>`],
  ]
  return pairs(
    known.filter(([, value]) => value !== null && value !== false && value !== '' && value !== undefined),
  )
}

/** A developer may see the request signed once more. */
const debugLink = (of: ConsoleContext, { id }: Deposit): Value =>
  isAtLeast(of, 'developer') &&
  html`<p><a href="${consolePath('/signature', of.merchant.id)}?deposit=${id}">${wordsOf(of).deposit.debug}</a></p>`

function transfers(of: ConsoleContext, lines: readonly TransferLine[]): Markup {
  const { deposit: words } = wordsOf(of)
  if (lines.length === 0) return html`<p class="quiet">${words.noTransfers}</p>`
  return html`${lines.map((line) =>
    pairs([
      [words.amount, moneyOf(of, line.depositCents, line.currency)],
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
    (
      one,
    ) => html`<li><a href="${consolePath('/callbacks/:number', of.merchant.id, one.sequence)}">${one.type} · ${one.sequence}</a>
${callbackBadge(of, one)}
<ol class="plain quiet">${attempts
      .filter((attempt) => attempt.callbackId === one.id)
      .map(
        (attempt) =>
          html`<li>${timeOf(of, attempt.at)} · ${attempt.status ?? errorText(of, attempt.error)} · ${told.took(attempt.ms)}</li>`,
      )}</ol></li>`,
  )}</ul>`
}

const bankForm = (of: ConsoleContext, { id }: Deposit): Value =>
  orReason(of, 'developer', () => {
    const { bank } = wordsOf(of)
    return form(of.visitor, {
      action: consolePath('/bank/pay', of.merchant.id),
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
    form(of.visitor, {
      action: consolePath('/deposits/:id/cancel', of.merchant.id, deposit.id),
      body: html`<p>${words.withdrawText}</p>
${isImpossible && html`<p class="quiet">${reason}</p>`}
${button(words.withdraw, 'danger', isImpossible)}`,
    }),
  )
}
