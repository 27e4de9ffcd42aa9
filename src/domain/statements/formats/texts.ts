/**
 * The texts of a payment about its payer and purpose, masked, and the references that they had before masking. Their total
 * length is limited first: hundreds of payments are in memory together, and matching searches each text several times.
 */
import { maskCardAsAccount, maskCards, maskParts } from '../../transfers/bank-text/masked.ts'
import { referencesBeforeMasking } from '../../transfers/purpose-references.ts'
import type { Entry } from '../entry.ts'
import { statementBounds } from './bounds.ts'
import { bounded } from './identity.ts'

/** `field`: the key, element or column of the purpose, for whoever looks for it in the file. */
export function textsOf(
  field: string,
  parts: string[],
  payer: Entry['payer'],
): Pick<Entry, 'payer' | 'purpose' | 'purposeParts' | 'referencesBeside'> {
  bounded(field, [...parts, ...Object.values(payer)].join(' '), statementBounds.textCharacters)
  const purposeParts = maskParts(parts)
  const purpose = maskCards(purposeParts.join(' '))
  return {
    payer: {
      ...payer,
      name: maskCards(payer.name),
      account: maskCardAsAccount(payer.account),
      bank: maskCards(payer.bank),
    },
    purpose,
    purposeParts,
    ...referencesBeforeMasking(parts.join(' '), purpose),
  }
}
