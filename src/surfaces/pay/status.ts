/** The status line: icon, word and colour together, and what it means for the customer. */
import type { Deposit } from '../../domain/deposits/deposit.ts'
import { carriesReference } from '../../domain/requisites/requisite.ts'
import { clockTime, priceText } from '../web/format.ts'
import { html, type Markup } from '../web/html.ts'
import { icons } from '../web/icons.ts'
import { type Language, messages } from '../web/messages/languages.ts'
import type { Messages } from '../web/messages/ru.ts'
import type { Screen } from './screen.ts'

type StatusView = { deposit: Deposit; screen: Screen; gaveUp: boolean }

const tones: Record<Screen, { tone: 'plain' | 'info' | 'ok' | 'warn' | 'bad'; icon: Markup }> = {
  choose: { tone: 'plain', icon: icons.clock },
  pay: { tone: 'plain', icon: icons.clock },
  checking: { tone: 'info', icon: icons.search },
  short: { tone: 'warn', icon: icons.warning },
  success: { tone: 'ok', icon: icons.check },
  rejected: { tone: 'bad', icon: icons.cross },
  expired: { tone: 'warn', icon: icons.warning },
  closed: { tone: 'warn', icon: icons.cross },
  canceled: { tone: 'bad', icon: icons.cross },
  reversed: { tone: 'bad', icon: icons.cross },
}

/** There at load and filled in place later, so that a reader hears what changes. */
export function statusBlock(view: StatusView, language: Language): Markup {
  const words = messages[language]
  const { tone, icon } = tones[view.screen]
  const hasTimer = ['choose', 'pay', 'short'].includes(view.screen)
  return html`
<div class="status ${tone}">
${icon}
<div>
${hasTimer && html`<p class="timer" id="timer" role="timer" aria-live="off" hidden data-five="${words.minutesLeft(5)}" data-one="${words.minutesLeft(1)}"><span class="unseen">${words.left}</span> <span id="timer-left"></span></p>`}
<p role="status" id="status"><strong>${statusHead(view, words)}</strong> <span id="status-text">${statusText(view, language)}</span></p>
</div>
${progress(view, words)}
</div>`
}

/** A customer who gave up is not told that somebody else rejected the payment. */
export const statusHead = (
  { screen, gaveUp }: Pick<StatusView, 'screen' | 'gaveUp'>,
  words: Messages,
): string => (screen === 'rejected' && gaveUp ? words.rejected.byCustomer : words.status[screen])

const stages = ['sent', 'received', 'confirmed'] as const

/**
 * How far the money has come: a step is marked once all of the money has reached it, never before. While a part is
 * missing the page asks for it instead.
 */
function progress({ deposit, screen }: StatusView, { progress: words }: Messages): Markup | null {
  if (screen !== 'checking' && screen !== 'success') return null
  const isAllReceived = deposit.receivedCents >= deposit.amountCents
  const reached = screen === 'success' ? 3 : isAllReceived ? 2 : 1
  return html`
<ol class="progress">
${stages.map((stage, place) =>
  place === reached - 1
    ? html`<li class="done" aria-current="step">${words[stage]}</li>`
    : html`<li class="${place < reached ? 'done' : place === reached && 'awaited'}">${words[stage]}</li>`,
)}
</ol>`
}

/** The sentences after the status, as plain text with line breaks, because the script inserts them too. */
export function statusText({ deposit, screen, gaveUp }: StatusView, language: Language): string {
  const words = messages[language]
  const { currency, amountCents, receivedCents, labels, claimedAt } = deposit
  const money = (cents: bigint) => priceText(cents, currency, language)
  const time = (at: Date) => clockTime(at, currency, language)
  const sentences: Record<Screen, () => (string | false)[]> = {
    choose: () => [`${words.choose.until(time(deposit.expiresAt))}.`],
    pay: () => [`${words.until(time(deposit.expiresAt))}.`],
    checking: () => [checkingText(deposit, language), words.checking.mayClose],
    short: () => [
      words.short.text(money(receivedCents), money(amountCents)),
      deposit.shown && carriesReference(deposit.shown.kind) ? words.short.same : words.short.samePayer,
      `${words.until(time(deposit.expiresAt))}.`,
    ],
    success: () => [
      words.success.text,
      labels.includes('overpaid') && words.success.overpaid,
      labels.includes('late') && words.success.late,
    ],
    rejected: () => [!gaveUp && words.rejected.byOther, deposit.shown !== null && words.rejected.money],
    expired: () => [
      receivedCents > 0n && words.checking.part(money(receivedCents), money(amountCents)),
      claimedAt !== null && words.expired.claimed,
      `${words.expired.sent(time(deposit.lateUntil))}\n\n${words.expired.notSent}`,
    ],
    closed: () =>
      deposit.shown
        ? [
            words.closed.text,
            receivedCents > 0n && words.checking.part(money(receivedCents), money(amountCents)),
            words.closed.money,
          ]
        : [words.closed.unchosen],
    canceled: () => [words.canceled.text, deposit.shown !== null && words.rejected.money],
    reversed: () => [words.reversed.text],
  }
  return sentences[screen]().filter(Boolean).join(' ')
}

function checkingText(deposit: Deposit, language: Language): string {
  const { currency, amountCents, receivedCents, labels, claimedAt } = deposit
  const { checking } = messages[language]
  const money = (cents: bigint) => priceText(cents, currency, language)
  if (receivedCents === 0n) return checking.looking(money(amountCents))
  if (!labels.includes('review') && claimedAt && receivedCents < amountCents) {
    return checking.looking(money(amountCents - receivedCents))
  }
  if (receivedCents < amountCents) return checking.part(money(receivedCents), money(amountCents))
  return labels.includes('review') ? checking.review : checking.looking(money(amountCents))
}
