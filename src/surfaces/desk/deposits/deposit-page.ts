/** The page of one deposit: its history, and what a person can do about it. */

import type { TypeNames } from '../../../domain/catalogue/payment-type.ts'
import { type Deposit, type HistoryEntry, obstacle } from '../../../domain/deposits/deposit.ts'
import type { Mode } from '../../../domain/merchants/merchant.ts'
import type { Holder } from '../../../domain/people/person.ts'
import { depositTimeline } from '../../staff/deposit-timeline.ts'
import { dayOf, moneyOf, timeOf, wholeId } from '../../staff/frame.ts'
import { methodName } from '../../staff/method-names.ts'
import { translate } from '../../staff/sentences/translate.ts'
import { depositBadge, labelBadges, transferBadge } from '../../staff/state-badges.ts'
import { html, type Markup, type Value } from '../../web/html.ts'
import { callout, pairs, panel, tablePanel } from '../../web/pieces.ts'
import { caseWords } from '../case-words.ts'
import { type DeskContext, deskPage, modeBadge } from '../frame.ts'
import { deskPath } from '../paths.ts'
import { type Decided, decideForm, holderBar } from '../queue/item-pieces.ts'
import type { CallbackRow, DepositTransferRow } from './rows.ts'

type DepositView = {
  deposit: Deposit
  merchantName: string
  mode: Mode
  accountLabel: string | null
  names: TypeNames
  history: readonly HistoryEntry[]
  transfers: readonly DepositTransferRow[]
  callbacks: readonly CallbackRow[]
  /** Ids of the open proposals about it. */
  proposals: readonly string[]
  needsSecond: boolean
  holder: Holder | null
}

export function depositPage(desk: DeskContext, view: DepositView) {
  const { deposit, holder, transfers, callbacks } = view
  const words = caseWords[desk.language]
  return deskPage(desk, {
    title: `${words.deposit} ${moneyOf(desk, deposit.amountCents, deposit.currency)}`,
    section: 'deposits',
    isLive: true,
    actions: html`<div class="states">${depositBadge(desk, deposit.state)}${labelBadges(desk, deposit.labels)}${modeBadge(desk, view.mode)}</div>
${holderBar(desk, { type: 'deposit', id: deposit.id, holder, decided: decidedOf(desk, deposit) })}`,
    body: html`${view.proposals.map((id) => callout('warn', html`${words.notices.proposed} <a href="${deskPath('/approvals/:id', id)}">${words.open}</a>`))}
<div class="split two beside-both">
${panel(words.deposit, factsOf(desk, view))}
<div class="stack">
${panel(words.decide, decision(desk, view))}
${
  transfers.length > 0 &&
  tablePanel(
    words.transfersOf,
    [{ head: words.amount, is: 'number' }, words.state, words.booked, words.payer],
    transfers.map((transfer) => [
      html`<a href="${deskPath('/transfers/:id', transfer.id)}">${moneyOf(desk, transfer.shareCents, transfer.currency)}</a>${transfer.shareCents < transfer.cents && html` <span class="quiet">${words.partOf(moneyOf(desk, transfer.cents, transfer.currency))}</span>`}`,
      transferBadge(desk, transfer.state),
      dayOf(desk, transfer.bookedOn),
      html`<bdi>${transfer.payerName || '–'}</bdi>`,
    ]),
  )
}
${
  callbacks.length > 0 &&
  tablePanel(
    words.callbacksOf,
    [words.what, words.when, words.state],
    callbacks.map((callback) => [
      callback.type,
      timeOf(desk, callback.madeAt),
      `${callback.ackedAt ? words.delivered : callback.lacksAddress ? words.waitingAddress : words.waitingDelivery}${callback.lastStatus ? ` · ${callback.lastStatus}` : ''} · ${words.attempts(callback.hasMoreAttempts ? `${callback.attempts}+` : callback.attempts)}`,
    ]),
  )
}
</div>
${panel(words.timeline.title, depositTimeline(desk, view))}
</div>`,
  })
}

function factsOf(desk: DeskContext, { deposit, merchantName, accountLabel, names }: DepositView): Markup {
  const words = caseWords[desk.language]
  const { shown, currency } = deposit
  const rows: [string, Value][] = [
    [
      words.merchant,
      html`<a href="${deskPath('/merchants/:id', deposit.merchantId)}"><bdi>${merchantName}</bdi></a>`,
    ],
    [words.order, html`<bdi>${deposit.orderId}</bdi>`],
    [words.amount, html`<strong>${moneyOf(desk, deposit.amountCents, currency)}</strong>`],
    [words.received, moneyOf(desk, deposit.receivedCents, currency)],
    [words.method, methodName(desk, names, deposit.paymentType)],
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
    ['ID', wholeId(desk, deposit.id)],
  ]
  return pairs(rows.filter(([, value]) => value !== null && value !== ''))
}

/** A confirmed deposit can only be reversed, and a closed one stays closed. */
function decidedOf({ now }: DeskContext, deposit: Deposit): Decided {
  if (!obstacle(deposit, 'confirm', now) || !obstacle(deposit, 'reject', now)) return 'no'
  return obstacle(deposit, 'reverse', now) ? 'yes' : 'changeable'
}

function decision(desk: DeskContext, { deposit, holder, needsSecond }: DepositView): Markup {
  const words = caseWords[desk.language]
  const impossible = (action: 'confirm' | 'reject' | 'reverse') => {
    const why = obstacle(deposit, action, desk.now)
    return why && translate(why, desk.language)
  }
  const decided = decidedOf(desk, deposit)
  return decideForm(desk, {
    holder,
    hint: words.evidenceHint,
    decided,
    decidedText: decided === 'yes' ? words.depositClosed : words.depositConfirmed,
    buttons: [
      {
        text: words.confirm,
        effect: needsSecond ? words.confirmSecond : words.confirmText,
        action: deskPath('/deposits/:id/confirm', deposit.id),
        key: 'c',
        presets: 'confirm',
        kind: 'primary',
        obstacle: impossible('confirm'),
      },
      {
        text: words.reject,
        effect: words.rejectText,
        action: deskPath('/deposits/:id/reject', deposit.id),
        key: 'r',
        presets: 'reject',
        kind: 'danger',
        obstacle: impossible('reject'),
      },
      {
        text: words.reverse,
        effect: words.reverseText,
        action: deskPath('/deposits/:id/reverse', deposit.id),
        key: 'v',
        presets: 'reverse',
        kind: 'danger',
        obstacle: impossible('reverse'),
      },
    ],
  })
}
