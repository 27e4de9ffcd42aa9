/** The page of one transfer: the deposits it may be for, past decisions, and possible ones. */

import type { Deposit } from '../../../domain/deposits/deposit.ts'
import type { Message } from '../../../domain/messages/message.ts'
import type { Holder } from '../../../domain/people/person.ts'
import { dayText } from '../../../domain/people/time.ts'
import { canBecome, type Decision, type Told, type Transfer } from '../../../domain/transfers/transfer.ts'
import { actorName, dayOf, moneyOf, shortId, shortText, timeOf, wholeId } from '../../staff/frame.ts'
import { translate } from '../../staff/sentences/translate.ts'
import { depositBadge, labelBadges, transferBadge } from '../../staff/state-badges.ts'
import { flag, html, type Markup } from '../../web/html.ts'
import { callout, checkbox, field, pairs, panel, tablePanel } from '../../web/pieces.ts'
import { caseWords } from '../case-words.ts'
import { type DeskContext, deskPage, modeBadge } from '../frame.ts'
import { deskPath } from '../paths.ts'
import { type Decided, decideForm, holderBar } from '../queue/item-pieces.ts'
import { dayHref } from './day-page.ts'
import { transferMoney } from './money-pieces.ts'
import { actsOf, moreFields } from './more-pieces.ts'
import { actWords } from './words.ts'

export type Candidate = { deposit: Deposit; merchantName: string; likelihood: number; reason: Message }

type TransferView = {
  transfer: Transfer
  /** Payments that a held one may be; for one that was called the same payment, the one that remains. */
  suspects: readonly Transfer[]
  /** The rows of files that tell it. */
  reports: readonly Told[]
  /** Held transfers that may be this one. */
  heldFor: readonly string[]
  decisions: readonly Decision[]
  candidates: readonly Candidate[]
  /** The deposits that its purpose names, unless it counts for one of them. */
  named: readonly { depositId: string; reference: string }[]
  /** Ids of the open proposals about it. */
  proposals: readonly string[]
  /** The last decision of a person can be undone. */
  canUndo: boolean
  holder: Holder | null
}

export function transferPage(desk: DeskContext, view: TransferView) {
  const { transfer, holder, decisions } = view
  const words = caseWords[desk.language]
  return deskPage(desk, {
    title: `${words.transferNames[transfer.direction]} ${transferMoney(desk, transfer)}`,
    section: 'transfers',
    isLive: true,
    actions: html`<div class="states">${transferBadge(desk, transfer.state)}${modeBadge(desk, transfer.mode)}</div>
${holderBar(desk, { type: 'transfer', id: transfer.id, holder, decided: decidedOf(view) })}`,
    body: html`${view.proposals.map((id) => callout('warn', html`${words.notices.proposed} <a href="${deskPath('/approvals/:id', id)}">${words.open}</a>`))}${
      view.suspects.length > 0
        ? html`${comparison(desk, view)}
${panel(words.decide, decision(desk, view))}`
        : html`<div class="split two">
${panel(words.facts, pairs([...told(factsOf(desk, transfer)), ...toldFacts(desk, view), ['ID', wholeId(desk, transfer.id)]]))}
<div class="stack">
${panel(words.decide, decision(desk, view))}
</div>
</div>`
    }
${tablePanel(
  words.decisions,
  [words.when, words.state, words.who, { head: words.why, is: 'long' }, words.deposit],
  decisions.map((decision) => [
    timeOf(desk, decision.at),
    transferBadge(desk, decision.state),
    actorName(desk, decision.actor),
    translate(decision.reason, desk.language),
    decision.deposit_ids.map((id) => html`<a href="${deskPath('/deposits/:id', id)}">${shortId(id)}</a> `),
  ]),
)}`,
  })
}

/** More columns would be unreadable; the other suspects can still be chosen. */
const mostSuspectsShown = 2

/**
 * Compares rows that may be one payment, fact by fact; differences are marked. On a phone one is below the other.
 */
function comparison(desk: DeskContext, view: TransferView): Markup {
  const words = caseWords[desk.language]
  const { transfer, suspects, decisions } = view
  const isDuplicate = transfer.state === 'duplicate'
  const compared = [transfer, ...suspects.slice(0, mostSuspectsShown)]
  const sides = compared.map((row) => factsOf(desk, row))
  const rows = compared.map((row, side) => {
    const link = html`<a href="${deskPath('/transfers/:id', row.id)}">${shortId(row.id)}</a>`
    return html`<section class="side"><h3>${side === 0 ? words.sideTitles.first : html`${words.sideTitles.other} ${link}`} ${transferBadge(desk, row.state)}</h3>
${pairs(factsOfSide(desk, sides, side))}</section>`
  })
  const title = isDuplicate ? words.wasDuplicate : words.suspected
  const why = decisions.findLast(({ rule }) => rule !== 'by_hand')?.reason
  const pairsOfDay =
    transfer.state === 'held' &&
    transfer.toldBookedAt &&
    html`<p><a href="${dayHref(transfer)}">${actWords[desk.language].wholeDay}</a></p>`
  return panel(
    title,
    html`${why && callout('warn', translate(why, desk.language))}<div class="sides">${rows}</div>${pairs(toldFacts(desk, view))}${pairsOfDay}`,
  )
}

/** `text` is compared, and empty where the fact is missing; `markup` is shown. Our own facts differ even for one payment. */
type Fact = { name: string; text: string; markup: Markup; isOurs?: true }

const told = (facts: readonly Fact[]): [string, Markup][] =>
  facts.flatMap(({ name, text, markup }): [string, Markup][] => (text === '' ? [] : [[name, markup]]))

/** What one side has, without facts that are missing on every side. What the bank reported is marked where it differs. */
const factsOfSide = (desk: DeskContext, sides: readonly Fact[][], side: number): [string, Markup][] =>
  sides[side]!.flatMap(({ name, text, markup, isOurs }, place): [string, Markup][] => {
    const texts = sides.map((facts) => facts[place]!.text)
    if (texts.every((other) => other === '')) return []
    const shown = text === '' ? html`–` : markup
    return [[name, isOurs || text === texts[0] ? shown : differing(desk, shown)]]
  })

const differing = (desk: DeskContext, markup: Markup): Markup =>
  html`<mark><span class="visually-hidden">${caseWords[desk.language].differs} </span>${markup}</mark>`

/** What the bank reported; then how it came to us, and what it counts for. */
function factsOf(desk: DeskContext, row: Transfer): Fact[] {
  const words = caseWords[desk.language]
  const fact = (name: string, value: string | null, markup = html`<bdi>${value}</bdi>`): Fact => ({
    ...{ name, text: value ?? '', markup },
  })
  const time = (name: string, at: Date | null) =>
    fact(name, at?.toISOString() ?? '', at ? timeOf(desk, at) : html``)
  const money = (name: string, cents: bigint) =>
    fact(name, cents > 0n ? moneyOf(desk, cents, row.currency) : '')
  const amount = transferMoney(desk, row)
  return [
    fact(
      words.account,
      row.accountLabel,
      html`<a href="${deskPath('/transfers')}?account=${row.accountId}">${row.accountLabel}</a>`,
    ),
    fact(words.amount, amount, html`<strong>${amount}</strong>`),
    fact(words.booked, row.bookedOn, row.bookedAt ? timeOf(desk, row.bookedAt) : dayOf(desk, row.bookedOn)),
    fact(words.paid, row.paidOn, row.paidOn ? dayOf(desk, row.paidOn) : html``),
    fact(words.payer, row.payerName),
    fact(words.payerAccount, row.payerAccount),
    fact(words.payerTaxId, row.payerTaxId),
    fact(words.payerBank, row.payerBank),
    fact(words.purpose, row.purpose),
    fact(words.document, row.documentNumber),
    fact(words.bankId, row.bankId),
    ...[
      money(words.withDeposit, row.depositCents),
      money(words.givenBack, row.refundCents),
      money(words.stillOpen, row.openCents),
      fact(words.deposit, row.shares.map(({ depositId }) => depositId).join(), sharesOf(desk, row)),
      fact(words.sourceLabel, words.channels[row.channel]),
      time(words.takenAt, row.takenAt),
      time(words.toldEarly, row.toldEarlyAt),
      time(words.toldBooked, row.toldBookedAt),
    ].map((one) => ({ ...one, isOurs: true as const })),
  ]
}

/** Each deposit with its part. */
function sharesOf(desk: DeskContext, { shares, cents, currency }: Transfer): Markup {
  const whole = shares.length === 1 && shares[0]!.cents === cents
  return html`${shares.map(
    (share) =>
      html`<span class="part"><a href="${deskPath('/deposits/:id', share.depositId)}">${shortId(share.depositId)}</a>${!whole && html` ${moneyOf(desk, share.cents, currency)}`}</span>`,
  )}`
}

/** Which files tell it, and which held transfers may be it. */
function toldFacts(desk: DeskContext, { reports, heldFor }: TransferView): [string, Markup][] {
  const words = caseWords[desk.language]
  return told([
    {
      name: words.reportedBy,
      text: reports.map(({ statementId }) => statementId).join(),
      markup: html`${reports.map(
        ({ statementId, fileName, line }) =>
          html`<span class="part"><a href="${deskPath('/statements/:id', statementId)}"><bdi>${words.reportedIn(fileName, line)}</bdi></a></span>`,
      )}`,
    },
    {
      name: words.heldFor,
      text: heldFor.join(),
      markup: html`${heldFor.map((id) => html`<a href="${deskPath('/transfers/:id', id)}">${shortId(id)}</a> `)}`,
    },
  ])
}

/** Of a duplicate and a matched transfer the decision can only be changed. */
function decidedOf({ transfer: { state }, canUndo }: TransferView): Decided {
  if (state === 'duplicate' || state === 'matched') return 'changeable'
  if (canBecome(state, 'set_aside') || canBecome(state, 'refunded')) return 'no'
  return canUndo ? 'changeable' : 'yes'
}

function decision(desk: DeskContext, view: TransferView): Markup {
  const { transfer, candidates, holder, suspects } = view
  const words = caseWords[desk.language]
  const decided = decidedOf(view)
  const decidedText = decided === 'yes' ? words.transferClosed : words.transferDecided
  const acts = actsOf(desk, transfer.id)
  const undo = view.canUndo ? [acts.undo] : []
  if (transfer.state === 'duplicate')
    return decideForm(desk, { holder, decided, decidedText, buttons: [acts.genuine, ...undo] })
  const isOpen = canBecome(transfer.state, 'matched')
  const canRefund = canBecome(transfer.state, 'refunded')
  const canRevoke = transfer.direction === 'credit' && transfer.state !== 'revoked'
  const obstacleUnless = (isPossible: boolean) => (isPossible ? undefined : words.refusedText.state_conflict)
  const list = isOpen && candidateList(desk, candidates)
  const isSuspected = suspects.length > 0 && (isOpen || transfer.state === 'matched')
  const body = html`${list}
${isOpen && namedDeposits(desk, view)}
${isOpen && field({ name: 'deposit', label: words.otherDeposit, hint: words.otherHint, value: desk.typed('deposit'), maxLength: 36 })}
${moreFields(desk, transfer)}
${canRefund && field({ name: 'amount', label: words.refundAmount, hint: words.refundHint, value: desk.typed('amount'), inputmode: 'decimal', maxLength: 20 })}`
  const isMine = holder?.personId === desk.visitor.person.id
  return html`${!isMine && list}${decideForm(desk, {
    holder,
    decided,
    decidedText,
    body,
    first: isSuspected
      ? {
          body: suspectList(desk, suspects),
          otherwise: words.anotherPayment,
          button: {
            ...acts.same,
            ...{ text: suspectText(desk, suspects) ?? acts.same.text, kind: 'primary' },
          },
        }
      : undefined,
    buttons: [
      ...(transfer.state === 'held' ? [acts.genuine] : []),
      { ...acts.match, ...(!isSuspected && { kind: 'primary' }), obstacle: obstacleUnless(isOpen) },
      { ...acts.setAside, obstacle: obstacleUnless(canBecome(transfer.state, 'set_aside')) },
      { ...acts.refund, obstacle: obstacleUnless(canRefund) },
      // Of what most days do not need only what is possible now.
      ...(isOpen ? [acts.split] : []),
      ...(canBecome(transfer.state, 'duplicate') && !isSuspected ? [acts.same] : []),
      ...(canRevoke ? [acts.revoke] : []),
      ...undo,
    ],
  })}`
}

/** The payer's reference is stronger evidence than a guess: to match another deposit, the operator ticks a box. */
function namedDeposits(desk: DeskContext, { named }: TransferView): Markup | false {
  const words = caseWords[desk.language]
  if (named.length === 0) return false
  const links = named.map(
    ({ depositId, reference }) => html` <a href="${deskPath('/deposits/:id', depositId)}">${reference}</a>`,
  )
  return html`${callout('warn', html`${words.namesDeposit}${links}.`)}
${checkbox({ name: 'despite', label: words.despiteReference, isOn: desk.typed('despite') === 'on' })}`
}

/** Non-breaking spaces keep a date on one line of the button. */
const paymentText = (desk: DeskContext, row: Transfer): string =>
  caseWords[desk.language].ofDay(
    moneyOf(desk, row.cents, row.currency),
    dayText(row.bookedOn, desk.language).replaceAll(' ', '\u00a0'),
  )

/** The button names the payment, if there is only one. */
const suspectText = (desk: DeskContext, [only, second]: readonly Transfer[]): string | undefined =>
  only && !second ? caseWords[desk.language].samePayment(paymentText(desk, only)) : undefined

function suspectList(desk: DeskContext, suspects: readonly Transfer[]): Markup {
  const words = caseWords[desk.language]
  const [only, second] = suspects
  if (!second) return html`<input type="hidden" name="of" value="${only!.id}">`
  return html`<fieldset class="stack"><legend>${words.whichOf}</legend>
${suspects.map(
  (
    row,
  ) => html`<div class="choice"><input type="radio" name="of" value="${row.id}" id="of-${row.id}" ${flag('checked', desk.typed('of') === row.id)}>
<label for="of-${row.id}"><strong>${paymentText(desk, row)}</strong> · <bdi>${row.payerName || '–'}</bdi> · ${shortId(row.id)}</label></div>`,
)}
</fieldset>`
}

/** The likeliest candidate comes first; a single one is preselected, unless only its account matches. */
function candidateList(desk: DeskContext, candidates: readonly Candidate[]): Markup {
  const words = caseWords[desk.language]
  if (candidates.length === 0) return html`<p class="quiet">${words.noCandidates}</p>`
  return html`<fieldset class="stack"><legend>${words.candidates}</legend>
${candidates.map((candidate) => choiceOf(desk, candidate, isChosen(desk, candidate, candidates.length)))}
</fieldset>`
}

/** A single likely one is chosen for the person. */
function isChosen(desk: DeskContext, { deposit, likelihood }: Candidate, count: number): boolean {
  if (desk.refused) return desk.typed('candidate') === deposit.id
  return count === 1 && likelihood > 0
}

/** Amount, shop and state; who pays and by which reference; when and for which order; why it may be this one. */
function choiceOf(desk: DeskContext, { deposit, merchantName, reason }: Candidate, isOn: boolean): Markup {
  const words = caseWords[desk.language]
  const { id, customer, reference } = deposit
  const who = [customer && html`<bdi>${customer}</bdi>`, reference].filter((part) => part)
  return html`<div class="choice">
<input type="radio" name="candidate" value="${id}" id="candidate-${id}" aria-labelledby="head-${id} facts-${id}" ${flag('checked', isOn)}>
<div>
<p id="head-${id}"><a href="${deskPath('/deposits/:id', id)}"><strong>${moneyOf(desk, deposit.amountCents, deposit.currency)}</strong></a> · <bdi>${merchantName}</bdi> ${depositBadge(desk, deposit.state)}${labelBadges(desk, deposit.labels)}</p>
<label for="candidate-${id}" id="facts-${id}">
${who.length > 0 && html`<span class="part">${who.map((part, place) => html`${place > 0 && ' · '}${part}`)}</span>`}
<span class="part quiet">${words.created} ${timeOf(desk, deposit.createdAt)} · ${words.order} ${shortText(deposit.orderId)}</span>
<span class="part">${translate(reason, desk.language)}</span>
</label>
</div>
</div>`
}
