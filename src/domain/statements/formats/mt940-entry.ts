/** Reads one `:61:` of MT940 or MT942 with its `:86:`. */

import type { Currency } from '../../money.ts'
import { normalizeAccountNumber } from '../../transfers/bank-text/account-number.ts'
import { linesWithoutControls, withoutControls } from '../../transfers/bank-text/controls.ts'
import { maskedSource } from '../../transfers/bank-text/masked.ts'
import { findBesidePurpose, namesAnother } from '../../transfers/purpose-references.ts'
import { type Entry, type Part, type ReadContext, RejectedRow } from '../entry.ts'
import { statementBounds } from './bounds.ts'
import { bankId, bounded, documentNumber, uniqueReference } from './identity.ts'
import { type Mark, type StatementLine, statementLine } from './mt940-fields.ts'
import { numberIn, type Party, readPurposeFields } from './mt940-text.ts'
import { fromTranslit } from './mt940-translit.ts'
import { textsOf } from './texts.ts'

/** The lines as they stood: the first without its tag, what supplements it, and the text about it. */
export type WrittenLine = { line: number; first: string; supplement: string[]; text: string[]; raw: string }

type Statement = {
  account: string
  currency: Currency
  /** Its texts are Russian in Latin letters. */
  isTransliterated: boolean
}

/** One row of the file. Expected entries and zero amounts are skipped. */
export function partOf(written: WrittenLine, statement: Statement, context: ReadContext): Part {
  try {
    const line = statementLine(withoutControls(written.first))
    if (line.mark.startsWith('E')) return { skipped: { line: written.line, reason: 'pending' } }
    if (line.cents === 0n) return { skipped: { line: written.line, reason: 'not_booked' } }
    return { entry: entryOf(written, line, statement, context) }
  } catch (error) {
    if (!(error instanceof RejectedRow)) throw error
    return { bad: { line: written.line, at: ':61:', detail: error.detail } }
  }
}

/** A reversed credit is money that goes; a reversed debit is a payment of ours that comes back. */
const directions: Record<Mark, Entry['direction']> = {
  C: 'credit',
  RD: 'credit',
  EC: 'credit',
  D: 'debit',
  RC: 'debit',
  ED: 'debit',
}

function entryOf(
  written: WrittenLine,
  { bookedOn, valuedOn, mark, cents, ...references }: StatementLine,
  { account, currency, isTransliterated }: Statement,
  context: ReadContext,
): Entry {
  const direction = directions[mark]
  const supplement = written.supplement.map(withoutControls)
  const lines = written.text.map(withoutControls)
  const spoken = (parts: string[]): string[] => (isTransliterated ? fromTranslit(parts) : parts)
  const whole = bounded(':86:', spoken([...supplement, ...lines]).join(' '), statementBounds.textCharacters)
  const text = readPurposeFields(lines)
  // A reversal repeats the data of the entry that it reverses.
  const isFromPayer = mark === 'C' || mark === 'RC'
  const counterpart = (isFromPayer ? text.ordering : text.receiving) ?? text.other ?? nobody
  const numbered = accountAlone([references.customerReference])
  // A payer may have written the text, but not the line before it.
  const other = numbered || accountAlone(supplement) || counterpart.account
  const payer = isFromPayer ? { ...counterpart, account: other } : (text.ordering ?? nobody)
  const hasText = written.text.length > 0
  const purpose = spoken(hasText ? text.purposeParts : trimmed(supplement)).filter(isNotEmpty)
  const beside = spoken(hasText ? [...trimmed(supplement), ...text.beside] : []).filter(isNotEmpty)
  const isAllPurpose = namesAnother(beside, purpose)
  const reference = referenceOf(references.bankReference, bookedOn)
  return {
    line: written.line,
    account,
    direction,
    cents,
    currency,
    bookedOn,
    bookedAt: null,
    paidOn: valuedOn,
    documentNumber: documentNumber(':61:', numbered === '' ? numberIn(references.customerReference) : ''),
    ...textsOf(':86:', isAllPurpose ? [...purpose, ...beside] : purpose, {
      ...payer,
      name: spoken([payer.name])[0]!,
      bank: spoken([payer.bank])[0]!,
    }),
    ...(beside.length > 0 && { referencesBeside: findBesidePurpose(whole) }),
    bankId: reference,
    bankEntry: reference === null ? null : { reference, cents },
    isReversal: mark === 'RC',
    isInternal: mark === 'RD' || context.currencyOf(other) !== undefined,
    raw: maskedSource(linesWithoutControls(written.raw)),
  }
}

const nobody: Party = { name: '', account: '', taxId: '', bank: '' }

/** Some banks write the other side's account where a reference belongs, or alone in the line behind `:61:`. */
function accountAlone(supplement: readonly string[]): string {
  const account = supplement.length === 1 ? normalizeAccountNumber(supplement[0]!) : ''
  return /^(?:[A-Z]{2}\d{2}[A-Z\d]{11,30}|\d{20})$/.test(account) ? account : ''
}

/** Words such as NONREF name nothing. */
function referenceOf(written: string, day: string): string | null {
  const reference = bankId(':61:', numberIn(written))
  return reference === '' ? null : uniqueReference(reference, day)
}

const trimmed = (parts: readonly string[]): string[] => parts.map((part) => part.trim())
const isNotEmpty = (part: string): boolean => part !== ''
