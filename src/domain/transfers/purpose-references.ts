/** The references in the purpose of a payment, and what resembles one. Pure. */
import {
  type FoldedText,
  findReferences,
  foldText,
  hasDamagedReference,
  hasLettersForDigits,
  isReference,
  looksLikeReference,
  type Reference,
} from '../deposits/reference.ts'
import type { TransferFacts } from './transfer.ts'

/**
 * References in a purpose: `written` in our format, `bare` as eight digits; `hasMalformed`: something else looks like a reference
 * but is not valid, or beside a valid one may be meant as another.
 */
export type References = { written: Reference[]; bare: Reference[]; hasMalformed: boolean }

type Texts = Pick<TransferFacts, 'purpose' | 'purposeParts'>

/** Every reference that the purpose may contain: as written, and with its parts joined. */
export function referencesIn({ purpose, purposeParts }: Texts): References {
  const texts = [...new Set([purpose, purposeParts.join('')])].map(foldText)
  const { written, bare } = writtenIn(texts, purpose)
  // A bank that changes the characters may turn such letters into other digits, so a person decides. Beside a good reference the
  // payer may have written the damaged one. A text that joins the pieces may join two that do not belong together.
  const hasMalformed =
    written.length === 0
      ? texts.some((text) => looksLikeReference(text) || hasLettersForDigits(text))
      : hasDamagedReference(texts[0]!)
  return [written, bare].some(isList)
    ? { written: [], bare: [], hasMalformed: true }
    : { written, bare, hasMalformed }
}

function writtenIn(texts: readonly FoldedText[], purpose: string): Omit<References, 'hasMalformed'> {
  const bare = [...purpose.matchAll(/(?<!\d)[1-9]\d{7}(?!\d)/g)]
    .map(([digits]) => `KT${digits}`)
    .filter(isReference)
  return { written: [...new Set(texts.flatMap(findReferences))], bare: [...new Set(bare)] }
}

/** A payer who writes more gives a list of deposits, or is guessing. All of them would be locked, so a person decides. */
const isList = (found: readonly Reference[]): boolean => found.length > 10
