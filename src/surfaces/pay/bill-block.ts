/** The bill on the page: rows to copy from while it can be paid, a receipt with masked numbers afterwards. */

import type { Shown } from '../../domain/deposits/deposit.ts'
import { maskedNumber } from '../../domain/requisites/requisite.ts'
import { foreignText } from '../../platform/foreign-text.ts'
import { clockTime, numberGroups, priceText } from '../web/format.ts'
import { html, type Markup } from '../web/html.ts'
import { icons } from '../web/icons.ts'
import type { Language } from '../web/messages/languages.ts'
import type { Messages } from '../web/messages/ru.ts'
import { qrMarkup } from '../web/qr.ts'
import { codeOf } from './bill/payment-code.ts'
import { numberLabel } from './bill/rows.ts'
import { quotedReference } from './screen.ts'
import type { PayView } from './view.ts'

type Row = { label: string; value: Markup; copy: string | null; note?: string; isImportant?: boolean }

export function billBlock({ deposit }: PayView, words: Messages): Markup | null {
  const { shown } = deposit
  if (!shown) return null
  const rows: Row[] = [
    {
      label: numberLabel(shown, words),
      value: grouped(numberGroups(shown.number, shown.kind)),
      copy: shown.number,
    },
    { ...textRow(words.rows.recipient, shown.name, 160), note: words.safety.compareName },
    textRow(words.rows.bank, shown.bank_name, 100, shown.kind === 'account_ru'),
    ...detailsOf(shown, words),
  ]
  return html`
<dl class="bill">
${rows.map(rowMarkup(words))}
</dl>`
}

/** A text as its owner wrote it. It can be copied if a bank's form asks for it. */
const textRow = (label: string, text: string, most: number, hasCopy = true): Row => ({
  label,
  value: html`<bdi>${foreignText(text, most)}</bdi>`,
  copy: hasCopy ? text : null,
})

/** What a transfer to an account needs besides, in the order in which banks ask for it. */
function detailsOf(shown: Shown, { rows, keepPurpose }: Messages): Row[] {
  const plain = (label: string, text: string | undefined): Row[] =>
    text ? [{ label, value: grouped(text.length > 12 ? text.match(/.{1,4}/g)! : [text]), copy: text }] : []
  return [
    ...plain(shown.kind === 'account_uz' ? rows.mfo : rows.bic, shown.bic),
    ...plain(rows.corrAccount, shown.corr_account),
    ...plain(shown.kind === 'account_kz' ? rows.taxIdKz : rows.taxId, shown.tax_id),
    ...plain(rows.kpp, shown.kpp),
    ...plain(rows.kbe, shown.kbe),
    ...plain(rows.knp, shown.knp),
    ...(shown.payment_reason
      ? [{ ...textRow(rows.purpose, shown.payment_reason, 210), note: keepPurpose, isImportant: true }]
      : []),
  ]
}

const rowMarkup =
  (words: Messages) =>
  ({ label, value, copy, note, isImportant }: Row): Markup =>
    html`
<div><dt>${label}</dt><dd>${value}${note && html`<small class="${isImportant ? 'important' : 'quiet'}">${note}</small>`}</dd>
${copy !== null && html`<dd class="act">${copyButton(label, copy, words)}</dd>`}</div>`

/** Copying needs a script: the button is hidden until one runs. */
export const copyButton = (label: string, copy: string, words: Messages): Markup =>
  html`<button class="copy" type="button" hidden data-copy="${copy}" data-done="${words.copied}" data-failed="${words.copyFailed}" aria-label="${words.copyOf(label)}">${icons.copy}</button>`

/** The groups are separated by margins, so that a number copied by hand contains no spaces. */
const grouped = (groups: readonly string[]): Markup =>
  html`<span class="number ${groups.join('').length > 16 && 'long'}">${groups.map((group) => html`<span>${group}</span>`)}</span>`

/** The QR code, for customers at a wide screen who pay with their phone. */
export function qrFigure(
  { deposit, pageUrl, screen }: PayView,
  words: Messages,
  language: Language,
): Markup | null {
  const { shown, amountCents, receivedCents, currency } = deposit
  // A customer who has claimed the payment is not asked to pay again.
  if (!shown || screen === 'checking') return null
  const due = amountCents - receivedCents
  const code = codeOf(deposit, pageUrl)
  const isBank = code.kind === 'bank'
  const name = isBank
    ? words.bankCode(priceText(due, currency, language), foreignText(shown.name, 160))
    : words.pageCode
  return html`
<figure class="qr">
${qrMarkup(code.payload, name)}
<figcaption>${isBank ? words.scanWithBank : words.continueOnPhone}</figcaption>
</figure>`
}

/** The summary of a deposit that can no longer be paid. */
export function receipt({ deposit, screen }: PayView, words: Messages, language: Language): Markup {
  const { rows } = words
  const { shown, amountCents, receivedCents, currency, finalAt } = deposit
  const isPaid = screen === 'success'
  const pairs: [label: string, value: string | null | false][] = [
    [rows.amount, isPaid && priceText(amountCents, currency, language)],
    [
      rows.received,
      receivedCents > 0n && receivedCents !== amountCents && priceText(receivedCents, currency, language),
    ],
    [rows.paidAt, isPaid && finalAt && clockTime(finalAt, currency, language)],
    [shown ? numberLabel(shown, words) : '', shown && maskedNumber(shown.number)],
    [rows.recipient, shown && foreignText(shown.name, 160)],
    [rows.reference, quotedReference(deposit)],
  ]
  return html`
<dl class="bill">
${isPaid && html`<div><dt class="title">${words.success.receipt}</dt><dd></dd></div>`}
${pairs.map(([label, value]) => value && html`<div><dt>${label}</dt><dd><bdi class="whole">${value}</bdi></dd></div>`)}
</dl>`
}
