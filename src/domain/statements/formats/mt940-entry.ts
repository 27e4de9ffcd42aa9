/** Reads one `:61:` of MT940 with its `:86:`. */

import type { Currency } from '../../money.ts'
import { withoutControls } from '../../transfers/bank-text/controls.ts'
import { badRow, type Entry, type Part, type ReadContext } from '../entry.ts'
import { statementBounds } from './bounds.ts'
import { statementLine } from './mt940-fields.ts'
import { nobody, numberIn, readPurposeFields } from './mt940-text.ts'
import { bankId, bounded, documentNumber, textsOf } from './texts.ts'

/** The lines as they stood: the first without its tag, what supplements it, and the text about it. */
export type WrittenLine = { line: number; first: string; supplement: string[]; text: string[]; size: number }

type Statement = { account: string; currency: Currency }

export function partOf(written: WrittenLine, statement: Statement, context: ReadContext): Part {
  try {
    return { entry: entryOf(written, statement, context) }
  } catch (error) {
    return badRow(error, written.line, () => ':61:')
  }
}

function entryOf(written: WrittenLine, { account, currency }: Statement, context: ReadContext): Entry {
  const { bookedOn, valuedOn, mark, cents, customerReference, bankReference } = statementLine(
    withoutControls(written.first),
  )
  const supplement = written.supplement.map((part) => withoutControls(part).trim())
  const lines = written.text.map(withoutControls)
  bounded(':86:', [...supplement, ...lines].join(' '), statementBounds.textCharacters)
  const text = readPurposeFields(lines)
  // A reversal repeats the data of the entry that it reverses.
  const isFromPayer = mark === 'C' || mark === 'RC'
  const payer = isFromPayer || text.isOrdering ? text.payer : nobody
  const purpose = lines.length > 0 ? text.purposeParts : supplement.filter((part) => part !== '')
  return {
    line: written.line,
    account,
    // A reversed credit is money that goes; a reversed debit is a payment of ours that comes back.
    direction: mark === 'C' || mark === 'RD' ? 'credit' : 'debit',
    cents,
    currency,
    bookedOn,
    bookedAt: null,
    paidOn: valuedOn,
    documentNumber: documentNumber(':61:', numberIn(customerReference)),
    ...textsOf(':86:', purpose, payer),
    bankId: bankId(':61:', numberIn(bankReference)) || null,
    isReversal: mark === 'RC',
    isInternal: mark === 'RD' || (isFromPayer && context.currencyOf(payer.payerAccount) !== undefined),
  }
}
