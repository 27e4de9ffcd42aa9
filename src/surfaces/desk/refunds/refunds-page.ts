/** Refunds that are owed, oldest first, and what a person does about them. */

import { type Mode, modes } from '../../../domain/merchants/merchant.ts'
import { placeText, type Refund, type RefundPlace, type RefundTotal } from '../../../domain/refunds/refund.ts'
import { typedAmount } from '../../staff/amount.ts'
import { choiceFilter, filterBar } from '../../staff/filter-bar.ts'
import { moneyOf, shortId } from '../../staff/frame.ts'
import { translate } from '../../staff/sentences/translate.ts'
import { html, type Markup } from '../../web/html.ts'
import { act, badge, empty, factsTable, tiles } from '../../web/pieces.ts'
import { caseWords } from '../case-words.ts'
import {
  type DeskContext,
  deskPage,
  freshFactorNotice,
  may,
  modeBadge,
  waitingFor,
  workers,
} from '../frame.ts'
import { deskPath } from '../paths.ts'
import { type Holder, itemKey } from '../queue/queue.ts'
import { withMode } from '../transfers/money-pieces.ts'
import { refundWords } from './words.ts'

type Holders = ReadonlyMap<string, Holder>
/** The named deposits, by the purpose that names them. */
type NamedDeposits = ReadonlyMap<string, readonly { depositId: string; reference: string }[]>

type RefundsView = {
  refunds: readonly Refund[]
  /** Who has taken which refund, by the name of the item. */
  holders: Holders
  /** The deposits that a payer has named: the money may be theirs. */
  named: NamedDeposits
  totals: readonly RefundTotal[]
  mode: Mode | null
  next: RefundPlace | null
  isFirst: boolean
}

export function refundsPage(
  desk: DeskContext,
  { refunds, holders, named, totals, mode, next, isFirst }: RefundsView,
) {
  const words = refundWords[desk.language]
  const chosen: [string, string][] = mode ? [['mode', mode]] : []
  const address = (path: string, more: [string, string][] = []) => {
    const query = new URLSearchParams([...chosen, ...more]).toString()
    return query === '' ? path : `${path}?${query}`
  }
  return deskPage(desk, {
    title: words.sections.refunds,
    section: 'refunds',
    isLive: true,
    actions: html`<a class="button" href="${address(deskPath('/refunds/export.csv'))}">${words.download}</a>`,
    body: html`<p class="reading">${words.text}</p>
${filterBar(desk, {
  path: deskPath('/refunds'),
  filters: [
    choiceFilter({
      name: 'mode',
      label: words.mode,
      value: mode,
      none: words.all,
      choices: modes.map((mode) => ({ value: mode, text: words.modes[mode] })),
    }),
  ],
})}
${
  totals.length > 0 &&
  html`<div class="money">${tiles(
    totals.map((total) => [
      words.total(total.refunds),
      html`${moneyOf(desk, total.cents, total.currency)}${modeBadge(desk, total.mode)}`,
    ]),
  )}</div>`
}
${refunds.length === 0 ? empty(words.noneOwed, words.noneText) : html`${may(desk, workers) && freshFactorNotice(desk)}${rows(desk, refunds, { holders, named })}`}
${
  (!isFirst || next) &&
  html`<nav class="row" aria-label="${words.later}">
${!isFirst && html`<a class="button" href="${address(deskPath('/refunds'))}">${words.first}</a>`}
${next && html`<a class="button" rel="next" href="${address(deskPath('/refunds'), [['after', placeText(next)]])}">${words.later}</a>`}
</nav>`
}`,
  })
}

function rows(
  desk: DeskContext,
  refunds: readonly Refund[],
  { holders, named }: Pick<RefundsView, 'holders' | 'named'>,
): Markup {
  const words = refundWords[desk.language]
  return factsTable(
    words.sections.refunds,
    [
      { head: words.amount, is: 'number' },
      { head: caseWords[desk.language].waits, is: 'state' },
      { head: words.payer, is: 'long' },
      { head: words.why, is: 'long' },
      ...(may(desk, workers) ? [{ head: words.acts, is: 'last long' } as const] : []),
    ],
    refunds.map((refund) => [
      withMode(
        desk,
        refund.mode,
        refund.transferId
          ? html`<a href="${deskPath('/transfers/:id', refund.transferId)}">${moneyOf(desk, refund.cents, refund.currency)}</a>`
          : moneyOf(desk, refund.cents, refund.currency),
      ),
      waitingFor(desk, refund.since),
      refund.payer
        ? html`<bdi>${refund.payer.name.slice(0, 60) || '–'}</bdi><span class="part quiet"><bdi>${refund.payer.account || '–'}</bdi></span><span class="part quiet extra">${words.cameTo} <bdi>${refund.accountLabel}</bdi></span>`
        : '–',
      html`${words.reasons[refund.why]}
${refund.note !== '' && html`<bdi class="part">${translate(refund.note, desk.language)}</bdi>`}
${refund.depositId && html`<span class="part"><a href="${deskPath('/deposits/:id', refund.depositId)}">${words.deposit} ${shortId(refund.depositId)}</a> <bdi class="quiet extra">${refund.merchantName}</bdi></span>`}
${namedDeposits(desk, refund, named)}`,
      ...(may(desk, workers) ? [acts(desk, refund, holders)] : []),
    ]),
  )
}

/** Deposits that the purpose names, other than the deposit of the refund. */
function namedDeposits(desk: DeskContext, { purpose, depositId }: Refund, named: NamedDeposits): Markup[] {
  const { namesDeposit } = caseWords[desk.language]
  return (named.get(purpose) ?? [])
    .filter((other) => other.depositId !== depositId)
    .map(
      (other) =>
        html`<span class="part"><strong>${namesDeposit}</strong> <a href="${deskPath('/deposits/:id', other.depositId)}">${other.reference}</a></span>`,
    )
}

/** The person to whom a refund is assigned pays it at the bank, then records how much was refunded, or that nothing is owed. */
function acts(desk: DeskContext, { transferId, cents, currency }: Refund, holders: Holders): Markup {
  const words = refundWords[desk.language]
  const taking = caseWords[desk.language]
  if (!transferId) return html`<span class="quiet">${words.byHand}</span>`
  const { csrf } = desk.visitor.session
  const hidden = { transfer: transferId }
  const holder = holders.get(itemKey('transfer', transferId))
  if (!holder) return act(desk.visitor, { action: deskPath('/refunds/take'), text: taking.take, hidden })
  if (holder.personId !== desk.visitor.person.id) return badge(taking.takenByShort(holder.name), 'warn')
  const named = `${moneyOf(desk, cents, currency)}, …${transferId.slice(-8)}`
  return html`<form method="post" action="${deskPath('/refunds/paid')}" class="row">
<input type="hidden" name="csrf" value="${csrf}"><input type="hidden" name="transfer" value="${transferId}">
<input type="text" name="amount" class="inline" inputmode="decimal" value="${typedAmount(cents, desk.language)}" aria-label="${words.amountPaidBack}: ${named}" maxlength="20" autocomplete="off">
<input type="text" name="reason" class="inline" aria-label="${words.evidence}: ${named}" placeholder="${words.evidence}" required maxlength="500" autocomplete="off">
<button type="submit" class="button primary">${words.paid}</button>
<button type="submit" class="button" formaction="${deskPath('/refunds/none')}">${words.notOwed}</button>
<button type="submit" class="button" formaction="${deskPath('/refunds/release')}" formnovalidate>${taking.letGo}</button>
</form>`
}
