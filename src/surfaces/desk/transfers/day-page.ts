/** Pages about whole days of an account: the pairs of a day, and the rows that wait until a file closes their day. */

import { dayText } from '../../../domain/people/time.ts'
import type { DayPairs, Parked, Transfer } from '../../../domain/transfers/transfer.ts'
import { dayOf, moneyOf } from '../../staff/frame.ts'
import { html, type Markup } from '../../web/html.ts'
import { button, empty, field, form, panel, table, tablePanel } from '../../web/pieces.ts'
import { type DeskContext, deskPage, freshFactorNotice, may, workers } from '../frame.ts'
import { deskPath } from '../paths.ts'
import type { HeldDay } from './rows.ts'
import { actWords } from './words.ts'

export const dayHref = ({ accountId, bookedOn }: Pick<Transfer, 'accountId' | 'bookedOn'>): string =>
  `${deskPath('/requisites/:id/day', accountId)}?day=${bookedOn}`

/** The parked rows of one account, or all. */
export const parkedHref = (accountId: string | null): string =>
  accountId === null ? deskPath('/parked') : `${deskPath('/parked')}?account=${accountId}`

/** Who paid, what for, and when: the amount stands before it. */
const rowOf = (desk: DeskContext, { id, payerName, purpose, bookedOn }: Transfer): Markup =>
  html`<a href="${deskPath('/transfers/:id', id)}"><bdi>${payerName.slice(0, 60) || '–'}</bdi></a><span class="part quiet">${dayOf(desk, bookedOn)} · <bdi>${purpose.slice(0, 80) || '–'}</bdi></span>`

type DayView = {
  account: { id: string; label: string }
  day: string
  found: DayPairs
  /** A digest of the pairs: where they have changed since, nothing is paired. */
  seen: string
}

export function dayPage(desk: DeskContext, { account, day, found, seen }: DayView) {
  const words = actWords[desk.language]
  const { pairs, heldLeft, earlyLeft } = found
  const money = ({ cents, currency }: Transfer) => moneyOf(desk, cents, currency)
  return deskPage(desk, {
    title: words.dayTitle(account.label),
    section: 'queue',
    actions: html`<strong>${dayOf(desk, day)}</strong>`,
    body: html`${dayForm(desk, account.id, day)}
${
  pairs.length === 0
    ? empty(words.noPairs, words.noPairsText)
    : html`${tablePanel(
        words.pairs,
        [{ head: words.amount, is: 'number' }, words.held, { head: words.early, is: 'long' }],
        pairs.map(({ held, early }) => [money(held), rowOf(desk, held), rowOf(desk, early)]),
      )}
${
  may(desk, workers) &&
  panel(
    words.wholeDay,
    html`<p>${words.dayText}</p>${form(desk.visitor, {
      action: deskPath('/requisites/:id/pair-day', account.id),
      body: html`<input type="hidden" name="day" value="${day}"><input type="hidden" name="seen" value="${seen}">
${field({ name: 'reason', label: words.reason, hint: words.reasonHint, value: desk.typed('reason'), isRequired: true, maxLength: 500 })}
${button(words.pair(pairs.length), 'primary')}`,
    })}`,
  )
}`
}
${
  heldLeft.length + earlyLeft.length > 0 &&
  panel(
    words.left,
    html`<p class="quiet">${words.leftText}</p>${table(
      words.left,
      [{ head: words.amount, is: 'number' }, words.state, { head: words.payer, is: 'long' }],
      [
        ...heldLeft.map((one) => [money(one), words.held, rowOf(desk, one)]),
        ...earlyLeft.map((one) => [money(one), words.early, rowOf(desk, one)]),
      ],
    )}`,
  )
}`,
  })
}

/** Leads to a day of an account. */
const dayForm = (desk: DeskContext, accountId: string, day: string): Markup => {
  const words = actWords[desk.language]
  return html`<form method="get" action="${deskPath('/requisites/:id/day', accountId)}" class="row end">
${field({ name: 'day', label: words.day, type: 'date', value: day, isRequired: true })}${button(words.filter)}
</form>`
}

/** Above the queue of what is held: days of accounts that can be decided together. */
export const heldDaysPanel = (desk: DeskContext, days: readonly HeldDay[]): Markup | false => {
  const words = actWords[desk.language]
  return (
    days.length > 0 &&
    html`<nav aria-label="${words.heldDays}"><p class="quiet">${words.wholeDay}:</p><ul class="chips">${days.map(
      (day) =>
        html`<li><a href="${dayHref(day)}"><bdi>${day.accountLabel}</bdi>, ${dayText(day.bookedOn, desk.language)} · ${words.rowsOn(day.rows)}</a></li>`,
    )}</ul></nav>`
  )
}

type ParkedView = { rows: readonly Parked[]; isCut: boolean; isFiltered: boolean }

/** One form for all: its reason counts for the row or the day whose button is pressed. */
export function parkedPage(desk: DeskContext, { rows, isCut, isFiltered }: ParkedView) {
  const words = actWords[desk.language]
  const isWorker = may(desk, workers)
  const days = [...Map.groupBy(rows, ({ accountId, bookedOn }) => `${accountId}:${bookedOn}`)]
  return deskPage(desk, {
    title: words.parked,
    section: 'queue',
    body: html`${isFiltered && html`<p><a class="button" href="${deskPath('/parked')}">${words.allParked}</a></p>`}
${
  rows.length === 0
    ? empty(words.noParked, words.noParkedText)
    : html`<p>${words.parkedText}</p>
${isCut && html`<p class="quiet">${words.parkedCut(rows.length)}</p>`}
${isWorker && freshFactorNotice(desk)}
<form method="post" action="${deskPath('/parked/take')}" class="stack">
<input type="hidden" name="csrf" value="${desk.visitor.session.csrf}">
${isWorker && field({ name: 'reason', label: words.reason, hint: words.reasonHint, value: desk.typed('reason'), isRequired: true, maxLength: 500 })}
${days.map(([key, own]) => dayOfParked(desk, key, own))}
</form>`
}`,
  })
}

function dayOfParked(desk: DeskContext, key: string, rows: readonly Parked[]): Markup {
  const words = actWords[desk.language]
  const { accountId, accountLabel, bookedOn } = rows[0]!
  const isWorker = may(desk, workers)
  const title = `${accountLabel}, ${dayText(bookedOn, desk.language)}`
  return html`<section class="panel"><h2><bdi>${title}</bdi></h2>
${table(
  title,
  [
    { head: words.amount, is: 'number' },
    words.names,
    { head: words.fileName, is: 'long' },
    { head: words.line, is: 'number' },
    ...(isWorker ? [{ head: words.acts, is: 'last' as const }] : []),
  ],
  rows.map((row) => [
    moneyOf(desk, row.cents, row.currency),
    row.names.join(' ') || '–',
    html`<a href="${deskPath('/statements/:id', row.statementId)}"><bdi>${row.fileName}</bdi></a>`,
    row.line,
    ...(isWorker
      ? [
          html`<button type="submit" class="button" name="row" value="${`${accountId}:${row.statementId}:${row.place}`}" aria-label="${`${words.takeOne}: ${moneyOf(desk, row.cents, row.currency)}, ${row.line}`}">${words.takeOne}</button>`,
        ]
      : []),
  ]),
)}
${isWorker && html`<p><button type="submit" class="button primary" name="day" value="${key}">${words.takeDay(dayText(bookedOn, desk.language))}</button></p>`}
</section>`
}
