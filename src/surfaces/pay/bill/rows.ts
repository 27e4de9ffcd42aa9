/** What the bill says line by line. Whole numbers stand here only while somebody may still pay by them. */

import type { Deposit, Shown } from '../../../domain/deposits/deposit.ts'
import { maskedNumber } from '../../../domain/requisites/requisite.ts'
import { foreignText } from '../../../platform/foreign-text.ts'
import { clockTime, numberGroups, priceText } from '../../web/format.ts'
import type { Language } from '../../web/messages/languages.ts'
import type { Messages } from '../../web/messages/ru.ts'
import { quotedReference, type Screen, showsRequisites } from '../screen.ts'

export type Row = {
  label: string
  value: string
  note?: string
  /** The number itself is set larger than what belongs to it; a short value shares its line with the next. */
  size?: 'large' | 'half'
}

export function rowsOf(deposit: Deposit, screen: Screen, words: Messages, language: Language): Row[] {
  const { shown, currency, amountCents, receivedCents, finalAt } = deposit
  const { rows } = words
  const isWhole = showsRequisites(deposit, screen)
  const isPart = receivedCents > 0n && receivedCents !== amountCents
  const paidAt = screen === 'success' && finalAt && clockTime(finalAt, currency, language)
  return [
    ...(isPart ? [{ label: rows.received, value: priceText(receivedCents, currency, language) }] : []),
    ...(shown && isWhole ? requisites(shown, words) : []),
    ...(shown && !isWhole ? remains(shown, words) : []),
    ...(paidAt ? [{ label: rows.paidAt, value: paidAt }] : []),
    ...(shown ? [{ label: rows.reference, value: quotedReference(deposit) }] : []),
    { label: words.order, value: foreignText(deposit.orderId, 128) },
  ]
}

/** In the order in which the forms of banks ask for them. */
function requisites(shown: Shown, words: Messages): Row[] {
  const { rows } = words
  const half = (label: string, value: string | undefined): Row[] =>
    value ? [{ label, value, size: 'half' }] : []
  const corrAccount = shown.corr_account && numberGroups(shown.corr_account, shown.kind).join(' ')
  return [
    // A picture is not copied from: here the groups may be parted by spaces.
    {
      label: numberLabel(shown, words),
      value: numberGroups(shown.number, shown.kind).join(' '),
      size: 'large',
    },
    { label: rows.recipient, value: foreignText(shown.name, 160) },
    ...half(shown.kind === 'account_kz' ? rows.taxIdKz : rows.taxId, shown.tax_id),
    ...half(rows.kpp, shown.kpp),
    ...half(rows.kbe, shown.kbe),
    { label: rows.bank, value: foreignText(shown.bank_name, 100) },
    ...half(shown.kind === 'account_uz' ? rows.mfo : rows.bic, shown.bic),
    ...half(rows.knp, shown.knp),
    ...(corrAccount ? [{ label: rows.corrAccount, value: corrAccount }] : []),
    ...(shown.payment_reason
      ? [{ label: rows.purpose, value: foreignText(shown.payment_reason, 210), note: words.keepPurpose }]
      : []),
  ]
}

/** What a customer may have to quote once nobody pays by the requisites any more. */
function remains(shown: Shown, words: Messages): Row[] {
  const { rows } = words
  return [
    { label: numberLabel(shown, words), value: maskedNumber(shown.number) },
    { label: rows.recipient, value: foreignText(shown.name, 160) },
  ]
}

export function numberLabel({ kind }: Shown, { rows }: Messages): string {
  if (kind === 'card' || kind === 'phone') return rows[kind]
  return kind === 'account_kz' ? rows.iban : rows.account
}
