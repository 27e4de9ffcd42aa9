/**
 * The ids and texts of a payment, bounded and masked. A longer id is not a bank's, and would not fit an index. Hundreds of
 * payments are in memory together, and matching searches each text several times.
 */

import { message } from '../../messages/message.ts'
import { maskCardAsAccount, maskCards, maskParts, quoted } from '../../transfers/bank-text/masked.ts'
import { DamagedStatement, type Entry, type Payer, RejectedRow } from '../entry.ts'
import { statementBounds } from './bounds.ts'

/** `field`: the key, element or column of the purpose, for a person who looks for it in the file. */
export function textsOf(
  field: string,
  parts: string[],
  payer: Payer,
): Payer & Pick<Entry, 'purpose' | 'purposeParts'> {
  bounded(field, [...parts, ...Object.values(payer)].join(' '), statementBounds.textCharacters)
  const purposeParts = maskParts(parts)
  return {
    payerName: maskCards(payer.payerName),
    payerAccount: maskCardAsAccount(payer.payerAccount),
    payerTaxId: payer.payerTaxId,
    payerBank: maskCards(payer.payerBank),
    purpose: maskCards(purposeParts.join(' ')),
    purposeParts,
  }
}

export const documentNumber = (field: string, text: string): string =>
  bounded(field, text, statementBounds.numberCharacters)

export const bankId = (field: string, text: string): string =>
  bounded(field, text, statementBounds.bankIdCharacters)

export function bounded(field: string, text: string, most: number): string {
  if (text.length > most)
    throw new RejectedRow(message('field_too_long', { field, most, text: quoted(text) }), field)
  return text
}

/** Shows the number as written, so that a person finds it in the file or the mapping; a card is masked. */
export const notOurs = (line: number, written: string, at?: string): DamagedStatement =>
  new DamagedStatement(line, message('account_not_ours', { account: quoted(written) }), {
    code: 'statement_account_unknown',
    ...(at && { at }),
  })
