/** How long ids and texts of payments may be. A longer id is not a bank's, and would not fit an index. */

import { message } from '../../messages/message.ts'
import { quoted } from '../../transfers/bank-text/masked.ts'
import { RejectedRow } from '../entry.ts'
import { statementBounds } from './bounds.ts'

export const documentNumber = (field: string, text: string): string =>
  bounded(field, text, statementBounds.numberCharacters)

export const bankId = (field: string, text: string): string =>
  bounded(field, text, statementBounds.bankIdCharacters)

/** A short number may be used again on another day. */
export const uniqueReference = (reference: string, day: string): string =>
  reference.length >= 8 ? reference : `${day}/${reference}`

export function bounded(field: string, text: string, most: number): string {
  if (text.length > most)
    throw new RejectedRow(message('field_too_long', { field, most, text: quoted(text) }), field)
  return text
}
