/**
 * What a payment says of its payer and its purpose, masked. All of it together is limited before it is looked at: hundreds
 * of payments are held at once, and matching searches each text several times.
 */
import { maskCardAsAccount, maskCards, maskParts } from '../../transfers/bank-text/masked.ts'
import type { Entry } from '../entry.ts'
import { statementBounds } from './bounds.ts'
import { bounded } from './identity.ts'

/** `field`: the key, element or column of the purpose, for whoever looks for it in the file. */
export function textsOf(
  field: string,
  parts: string[],
  payer: Entry['payer'],
): Pick<Entry, 'payer' | 'purpose' | 'purposeParts'> {
  bounded(field, [...parts, ...Object.values(payer)].join(' '), statementBounds.textCharacters)
  const purposeParts = maskParts(parts)
  return {
    payer: {
      ...payer,
      name: maskCards(payer.name),
      account: maskCardAsAccount(payer.account),
      bank: maskCards(payer.bank),
    },
    purpose: maskCards(purposeParts.join(' ')),
    purposeParts,
  }
}
