/** One transfer beside the deposits it may be for, with what was decided about it and what can be. */
import type { Deposit } from '../../deposits/deposit.ts'
import type { Match } from '../../transfers/matching.ts'
import type { Transfer } from '../../transfers/transfer.ts'
import { flag, html, type Markup } from '../../web/html.ts'
import { field, pairs, panel, table } from '../../web/pieces.ts'
import { said, saidActor } from '../../web/sentences/said.ts'
import {
  type Desk,
  depositState,
  deskPage,
  labelBadges,
  modeBadge,
  moneyOf,
  proofAsked,
  shortId,
  timeOf,
  transferState,
} from '../frame.ts'
import { deskWords } from '../words.ts'
import { decideForm, holderBar } from './item-pieces.ts'
import type { Holder } from './queue.ts'
import { caseWords } from './words.ts'

export type Candidate = { deposit: Deposit; merchantName: string; score: number; rule: Match['rule'] }

export type TransferView = {
  transfer: Transfer & {
    mode: 'live' | 'test'
    depositCents: bigint
    refundCents: bigint
    openCents: bigint
  }
  accountLabel: string
  decisions: readonly {
    at: Date
    state: Transfer['state']
    deposit_id: string | null
    actor: string
    rule: string
    reason: string
  }[]
  candidates: readonly Candidate[]
  holder: Holder | null
}

export function transferPage(desk: Desk, view: TransferView) {
  const { transfer, holder, decisions } = view
  const words = caseWords[desk.language]
  const shared = deskWords[desk.language]
  const page = `/operator/transfers/${transfer.id}`
  return deskPage(desk, {
    title: `${words.transfer} ${moneyOf(desk, transfer.cents, transfer.currency)}`,
    section: 'transfers',
    isLive: true,
    actions: html`${transferState(desk, transfer.state)}${modeBadge(desk, transfer.mode)}
${holderBar(desk, { page, item: `transfer:${transfer.id}`, holder })}`,
    body: html`<div class="split two">
${panel(words.facts, factsOf(desk, view))}
<div class="stack">
${panel(words.decide, html`${proofAsked(desk)}${decision(desk, view, page)}`)}
</div>
</div>
${panel(
  words.decisions,
  table(
    words.decisions,
    [
      { head: shared.when },
      { head: shared.state },
      { head: shared.who },
      { head: shared.why, is: 'long' },
      { head: words.deposit },
    ],
    decisions.map((one) => [
      timeOf(desk, one.at),
      transferState(desk, one.state),
      saidActor(one.actor, desk.language),
      said(one.reason, desk.language),
      one.deposit_id && html`<a href="/operator/deposits/${one.deposit_id}">${shortId(one.deposit_id)}</a>`,
    ]),
  ),
)}`,
  })
}

function factsOf(desk: Desk, { transfer, accountLabel }: TransferView): Markup {
  const words = caseWords[desk.language]
  const { currency } = transfer
  const rows: [string, Markup | string | null | false][] = [
    [words.account, html`<a href="/operator/transfers?account=${transfer.accountId}">${accountLabel}</a>`],
    [
      deskWords[desk.language].amount,
      html`<strong>${moneyOf(desk, transfer.cents, currency)}</strong> ${words.direction[transfer.direction]}`,
    ],
    [words.booked, transfer.bookedAt ? timeOf(desk, transfer.bookedAt) : transfer.bookedOn],
    [words.paid, transfer.paidOn],
    [words.payer, html`<bdi>${transfer.payerName || '–'}</bdi>`],
    [words.payerAccount, transfer.payerAccount],
    [words.payerTaxId, transfer.payerTaxId],
    [words.payerBank, transfer.payerBank && html`<bdi>${transfer.payerBank}</bdi>`],
    [words.purpose, html`<bdi>${transfer.purpose || '–'}</bdi>`],
    [words.document, transfer.documentNumber],
    [words.bankId, transfer.bankId],
    [words.withDeposit, transfer.depositCents > 0n && moneyOf(desk, transfer.depositCents, currency)],
    [words.givenBack, transfer.refundCents > 0n && moneyOf(desk, transfer.refundCents, currency)],
    [words.stillOpen, transfer.openCents > 0n && moneyOf(desk, transfer.openCents, currency)],
    [
      words.deposit,
      transfer.depositId &&
        html`<a href="/operator/deposits/${transfer.depositId}">${shortId(transfer.depositId)}</a>`,
    ],
    ['id', html`<span class="mono">${transfer.id}</span>`],
  ]
  return pairs(rows.filter((row): row is [string, Markup | string] => Boolean(row[1])))
}

function decision(desk: Desk, { transfer, candidates, holder }: TransferView, page: string): Markup {
  const words = caseWords[desk.language]
  const isOpen = ['unmatched', 'ambiguous', 'set_aside'].includes(transfer.state)
  const canRefund = isOpen || transfer.state === 'matched'
  const impossible = (isPossible: boolean) =>
    isPossible ? undefined : deskWords[desk.language].refusedText.state_conflict
  const list = candidateList(desk, candidates)
  const body = html`${list}
${isOpen && field({ name: 'deposit', label: words.otherDeposit, hint: words.otherHint, maxLength: 36 })}
${canRefund && field({ name: 'amount', label: words.refundAmount, hint: words.refundHint, inputmode: 'decimal', maxLength: 20 })}`
  const isMine = holder?.personId === desk.visitor.person.id
  return html`${!isMine && list}${decideForm(desk, {
    holder,
    body,
    buttons: [
      {
        text: words.match,
        effect: words.matchText,
        action: `${page}/match`,
        key: 'm',
        kind: 'primary',
        obstacle: impossible(isOpen),
      },
      {
        text: words.setAside,
        effect: words.setAsideText,
        action: `${page}/set-aside`,
        key: 's',
        obstacle: impossible(['unmatched', 'ambiguous', 'reversal'].includes(transfer.state)),
      },
      {
        text: words.refund,
        effect: words.refundText,
        action: `${page}/refund`,
        key: 'r',
        kind: 'danger',
        obstacle: impossible(canRefund),
      },
    ],
  })}`
}

/** The likeliest first; alone it is chosen already. */
function candidateList(desk: Desk, candidates: readonly Candidate[]): Markup {
  const words = caseWords[desk.language]
  if (candidates.length === 0) return html`<p class="quiet">${words.noCandidates}</p>`
  return html`<fieldset class="stack"><legend>${words.candidates}</legend>
${candidates.map(
  ({ deposit, merchantName, score, rule }) => html`<div class="choice">
<input type="radio" name="candidate" value="${deposit.id}" id="candidate-${deposit.id}" ${flag('checked', candidates.length === 1)}>
<div>
<label for="candidate-${deposit.id}"><strong>${moneyOf(desk, deposit.amountCents, deposit.currency)}</strong> · <bdi>${merchantName}</bdi> · <bdi>${deposit.orderId}</bdi></label>
<p>${depositState(desk, deposit.state)}${labelBadges(desk, deposit.labels)} ${words.score} ${score}: ${words.rules[rule] ?? rule}</p>
<p class="quiet">${words.created} ${timeOf(desk, deposit.createdAt)} · ${deposit.reference ?? '–'} · <bdi>${deposit.customer ?? '–'}</bdi> · <a href="/operator/deposits/${deposit.id}">${shortId(deposit.id)}</a></p>
</div>
</div>`,
)}
</fieldset>`
}
