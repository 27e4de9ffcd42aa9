/** The page of one deposit: its facts, what happens next, and its history. */

import {
  type Deposit,
  type FoundDeposit,
  type HistoryEntry,
  isFinal,
  obstacle,
} from '../../../domain/deposits/deposit.ts'
import { payPath } from '../../../domain/deposits/page-paths.ts'
import { depositTimeline } from '../../staff/deposit-timeline.ts'
import { dayOf, moneyOf, timeOf, timeText, wholeId } from '../../staff/frame.ts'
import { methodName } from '../../staff/method-names.ts'
import { depositBadge, labelBadges } from '../../staff/state-badges.ts'
import { stateWords } from '../../staff/state-words.ts'
import { html, type Markup, type Value } from '../../web/html.ts'
import { button, form, pairs, panel, select } from '../../web/pieces.ts'
import { callbackBadge, errorText } from '../callbacks/callback-pages.ts'
import { type ConsoleContext, isAtLeast, merchantPage, orReason, wordIn, wordsOf } from '../frame.ts'
import { consolePath } from '../paths.ts'
import type { CallbackRow, LastAttempts, TransferRow } from '../rows.ts'

type DepositView = FoundDeposit & {
  history: readonly HistoryEntry[]
  transfers: readonly TransferRow[]
  callbacks: readonly CallbackRow[]
  /** By the id of the callback. */
  attempts: ReadonlyMap<string, LastAttempts>
  names: ReadonlyMap<string, string>
}

export function depositPage(context: ConsoleContext, view: DepositView) {
  const words = wordsOf(context)
  const { deposit } = view
  return merchantPage(context, {
    title: `${words.deposit.title} ${deposit.orderId}`,
    section: 'deposits',
    isLive: true,
    actions: html`${depositBadge(context, deposit.state)} ${labelBadges(context, deposit.labels)}`,
    body: html`<p class="big">${moneyOf(context, deposit.amountCents, deposit.currency)}</p>
<div class="callout info"><p><strong>${words.deposit.next}.</strong> ${nextOf(context, view)}</p></div>
<div class="split wide">
<div class="stack">
${panel(words.timeline.title, depositTimeline(context, view, debugLink(context, deposit)))}
${panel(words.deposit.callbacks, callbacks(context, view))}
</div>
<div class="stack">
${panel(words.deposit.facts, facts(context, view))}
${panel(words.deposit.transfers, transfers(context, view.transfers))}
${context.merchant.mode === 'test' && panel(words.deposit.inTest, bankForm(context, deposit))}
${panel(words.deposit.withdraw, withdraw(context, view))}
</div>
</div>`,
  })
}

/** What happens next with this deposit, in one sentence. */
function nextOf(context: ConsoleContext, { deposit, now }: FoundDeposit): string {
  const { nexts } = wordsOf(context).deposit
  const { state, labels, expiresAt, lateUntil, claimedAt, amountCents, receivedCents, currency } = deposit
  if (labels.includes('review')) return nexts.review
  if (state === 'builded') return nexts.builded(timeText(context, expiresAt))
  if (state === 'expired')
    return isFinal(deposit, now) ? nexts.ended : nexts.late(timeText(context, lateUntil))
  if (state !== 'created') return nexts[state]
  if (receivedCents > 0n) return nexts.underpaid(moneyOf(context, amountCents - receivedCents, currency))
  return claimedAt ? nexts.claimed(timeText(context, expiresAt)) : nexts.waiting(timeText(context, expiresAt))
}

function facts(context: ConsoleContext, { deposit, names }: DepositView): Markup {
  const { deposit: words } = wordsOf(context)
  const { shown, amountCents, receivedCents, currency } = deposit
  const missing = amountCents - receivedCents
  const known: [string, Value][] = [
    [words.reference, deposit.reference && html`<span class="mono">${deposit.reference}</span>`],
    [words.id, wholeId(context, deposit.id)],
    [words.order, html`<bdi>${deposit.orderId}</bdi>`],
    [words.customer, deposit.customer && html`<bdi>${deposit.customer}</bdi>`],
    [words.phone, deposit.customerPhoneNumber],
    [words.method, methodName(context, names, deposit.paymentType)],
    [words.received, receivedCents > 0n && moneyOf(context, receivedCents, currency)],
    [words.missing, receivedCents > 0n && missing > 0n && moneyOf(context, missing, currency)],
    [words.made, timeOf(context, deposit.createdAt)],
    [words.deadline, timeOf(context, deposit.expiresAt)],
    [words.lateUntil, timeOf(context, deposit.lateUntil)],
    [words.final, timeOf(context, deposit.finalAt)],
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

/** Developers get a link that opens the request in the signature debugger. */
const debugLink = (context: ConsoleContext, { id }: Deposit): Value =>
  isAtLeast(context, 'developer') &&
  html`<p><a href="${consolePath('/signature', context.merchant.id)}?deposit=${id}">${wordsOf(context).deposit.debug}</a></p>`

function transfers(context: ConsoleContext, lines: readonly TransferRow[]): Markup {
  const { deposit: words } = wordsOf(context)
  if (lines.length === 0) return html`<p class="quiet">${words.noTransfers}</p>`
  return html`${lines.map((line) =>
    pairs([
      [words.amount, moneyOf(context, line.depositCents, line.currency)],
      [words.booked, dayOf(context, line.bookedOn)],
      [words.payer, html`<bdi>${line.payerName}</bdi>`],
      [words.purpose, html`<bdi>${line.purpose}</bdi>`],
      [words.rule, (line.rule && wordIn(words.rules, line.rule)) || '–'],
    ]),
  )}`
}

function callbacks(context: ConsoleContext, { callbacks: found, attempts }: DepositView): Markup {
  const { deposit: words, callbacks: callbackWords } = wordsOf(context)
  if (found.length === 0) return html`<p class="quiet">${words.noCallbacks}</p>`
  return html`<ul class="plain">${found.map(
    (
      one,
    ) => html`<li><a href="${consolePath('/callbacks/:number', context.merchant.id, one.sequence)}">${one.type} · ${one.sequence}</a>
${callbackBadge(context, one)}
${attempts.get(one.id)?.hasOlder && html`<p class="quiet">${callbackWords.lastAttempts(attempts.get(one.id)!.attempts.length)}</p>`}
<ol class="plain quiet">${attempts
      .get(one.id)
      ?.attempts.map(
        (attempt) =>
          html`<li>${timeOf(context, attempt.at)} · ${attempt.status ?? errorText(context, attempt.error)} · ${callbackWords.took(attempt.ms)}</li>`,
      )}</ol></li>`,
  )}</ul>`
}

const bankForm = (context: ConsoleContext, { id }: Deposit): Value =>
  orReason(context, 'developer', () => {
    const { bank } = wordsOf(context)
    return form(context.visitor, {
      action: consolePath('/bank/pay', context.merchant.id),
      body: html`<input type="hidden" name="deposit" value="${id}"><input type="hidden" name="back" value="deposit">
${select({ name: 'play', label: bank.what, choices: Object.entries(bank.plays).map(([value, text]) => ({ value, text })) })}
${button(bank.go, 'primary')}`,
    })
  })

/** If the deposit cannot be canceled, the button is disabled and the reason is shown. */
function withdraw(context: ConsoleContext, { deposit, now }: FoundDeposit): Value {
  const { deposit: words } = wordsOf(context)
  const isImpossible = obstacle(deposit, 'cancel', now) !== undefined
  const reason =
    deposit.receivedCents > 0n
      ? words.withdrawPaid
      : words.withdrawNot(stateWords[context.language].depositStates[deposit.state])
  return orReason(context, 'developer', () =>
    form(context.visitor, {
      action: consolePath('/deposits/:id/cancel', context.merchant.id, deposit.id),
      body: html`<p>${words.withdrawText}</p>
${isImpossible && html`<p class="quiet">${reason}</p>`}
${button(words.withdraw, 'danger', isImpossible)}`,
    }),
  )
}
