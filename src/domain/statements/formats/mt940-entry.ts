/** Reads one `:61:` of MT940 or MT942 with its `:86:`. */

import type { Currency } from '../../money.ts'
import { linesWithoutControls, withoutControls } from '../../transfers/bank-text/controls.ts'
import { maskedSource } from '../../transfers/bank-text/masked.ts'
import { badRow, type Entry, type Part, type ReadContext } from '../entry.ts'
import { statementBounds } from './bounds.ts'
import { type Mark, type StatementLine, statementLine } from './mt940-fields.ts'
import { fromTranslit, nobody, numberIn, readPurposeFields } from './mt940-text.ts'
import { bankId, bounded, documentNumber, textsOf } from './texts.ts'

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
    return badRow(error, written.line, () => ':61:')
  }
}

/** A reversed credit is money that goes; a reversed debit is a payment of ours that comes back. */
const isCredit = (mark: Mark): boolean => mark === 'C' || mark === 'RD'

function entryOf(
  written: WrittenLine,
  { bookedOn, valuedOn, mark, cents, customerReference, bankReference }: StatementLine,
  { account, currency, isTransliterated }: Statement,
  context: ReadContext,
): Entry {
  const supplement = written.supplement.map((part) => withoutControls(part).trim())
  const lines = written.text.map(withoutControls)
  const spoken = (parts: string[]): string[] => (isTransliterated ? fromTranslit(parts) : parts)
  bounded(':86:', spoken([...supplement, ...lines]).join(' '), statementBounds.textCharacters)
  const text = readPurposeFields(lines)
  // A reversal repeats the data of the entry that it reverses.
  const isFromPayer = mark === 'C' || mark === 'RC'
  const payer = isFromPayer || text.isOrdering ? text.payer : nobody
  const [name = '', bank = ''] = [payer.name, payer.bank].flatMap((part) => spoken([part]))
  const purpose = spoken(lines.length > 0 ? text.purposeParts : supplement)
  return {
    line: written.line,
    account,
    direction: isCredit(mark) ? 'credit' : 'debit',
    cents,
    currency,
    bookedOn,
    bookedAt: null,
    paidOn: valuedOn,
    documentNumber: documentNumber(':61:', numberIn(customerReference)),
    ...textsOf(
      ':86:',
      purpose.filter((part) => part !== ''),
      { ...payer, name, bank },
    ),
    bankId: bankId(':61:', numberIn(bankReference)) || null,
    isReversal: mark === 'RC',
    isInternal: mark === 'RD' || (isFromPayer && context.currencyOf(payer.account) !== undefined),
    raw: maskedSource(linesWithoutControls(written.raw)),
  }
}
