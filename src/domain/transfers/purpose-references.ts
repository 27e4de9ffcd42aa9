/** The references in the purpose of a payment, and what resembles one. Pure. */
import { findChangedReferences, maxChangedReferences } from '../deposits/changed-reference.ts'
import {
  type FoldedText,
  findHiddenDigits,
  findPossibleReferences,
  findReferences,
  foldText,
  hasDamagedReference,
  hasLettersForDigits,
  isReference,
  looksLikeReference,
  type Reference,
} from '../deposits/reference.ts'
import type { TransferFacts } from './transfer.ts'

type NamedReferences = { written: Reference[]; bare: Reference[] }

/**
 * References in a purpose: `written` in our format, `bare` as eight digits; `hasMalformed`: something else looks like a reference
 * but is not valid. The others are those that the payer may have written before a bank cut the text or changed its characters:
 * `possible` in our format; `doubtful` in characters that were changed, or among other digits, if a deposit of the account has it.
 */
export type References = NamedReferences & {
  hasMalformed: boolean
  possible: Reference[]
  doubtful: Reference[]
}

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
  const named = [...written, ...bare]
  const isNamed = named.length > 0
  const possible = isNamed ? texts.flatMap(findPossibleReferences) : []
  const changed = isNamed ? findChangedReferences(purpose) : []
  const hidden = isNamed ? findHiddenDigits(purpose) : []
  const others = {
    possible: [...new Set(possible)].filter((reference) => !written.includes(reference)),
    doubtful: [
      ...changed.filter((reference) => !written.includes(reference)),
      ...hidden.filter((reference) => !named.includes(reference)),
    ],
  }
  return [written, bare, others.possible].some(isList) || others.doubtful.length > maxChangedReferences
    ? { written: [], bare: [], hasMalformed: true, possible: [], doubtful: [] }
    : { written, bare, hasMalformed, ...others }
}

function writtenIn(texts: readonly FoldedText[], purpose: string): NamedReferences {
  const bare = [...purpose.matchAll(/(?<!\d)[1-9]\d{7}(?!\d)/g)]
    .map(([digits]) => `KT${digits}`)
    .filter(isReference)
  return { written: [...new Set(texts.flatMap(findReferences))], bare: [...new Set(bare)] }
}

/** A payer who writes more gives a list of deposits, or is guessing. All of them would be locked, so a person decides. */
const isList = (found: readonly Reference[]): boolean => found.length > 10
