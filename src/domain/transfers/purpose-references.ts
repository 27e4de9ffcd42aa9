/** The references in the purpose of a payment, as it is reported and as another report may cut it. Pure. */
import {
  findChangedReferences,
  findHiddenDigits,
  findPossibleReferences,
  findReferences,
  foldText,
  hasLettersForDigits,
  isReference,
  looksLikeReference,
  type Reference,
} from '../deposits/reference.ts'
import type { TransferFacts } from './transfer.ts'

/**
 * Payment references in a purpose: in our format, or as eight bare digits; `hasMalformed`: something looks like a reference but is not valid. Beside
 * those, what another report that cuts the text or changes its characters may show instead: `possible` in our format, `changed` in our format
 * if a deposit of the account has it, `hidden` as digits alone.
 */
export type References = {
  written: Reference[]
  bare: Reference[]
  hasMalformed: boolean
  possible: Reference[]
  changed: Reference[]
  hidden: Reference[]
}

type Texts = Pick<TransferFacts, 'purpose' | 'purposeParts' | 'referencesBeside'>

/** Every reference that the purpose may contain: as written, and with its parts joined. */
export function referencesIn({ purpose, purposeParts, referencesBeside = [] }: Texts): References {
  const texts = [...new Set([purpose, purposeParts.join('')])].map(foldText)
  const written = texts.flatMap(findReferences)
  const bare = [...purpose.matchAll(/(?<!\d)[1-9]\d{7}(?!\d)/g)]
    .map(([digits]) => `KT${digits}`)
    .filter(isReference)
  // A bank that writes the text in other characters may make other digits of such letters: a person reads them.
  const hasMalformed =
    written.length === 0 && texts.some((text) => looksLikeReference(text) || hasLettersForDigits(text))
  const references = { written: [...new Set(written)], bare: [...new Set(bare)], hasMalformed }
  const named = [...references.written, ...references.bare]
  const isNamed = named.length > 0
  const possible = isNamed ? texts.flatMap(findPossibleReferences) : []
  const changed = isNamed ? findChangedReferences(purpose) : []
  const hidden = isNamed ? [...new Set([...findHiddenDigits(purpose), ...referencesBeside])] : []
  const others = {
    possible: [...new Set(possible)].filter((reference) => !written.includes(reference)),
    changed: changed.filter((reference) => !written.includes(reference)),
    hidden: hidden.filter((reference) => !named.includes(reference)),
  }
  const isList =
    [references.written, references.bare, others.possible].some((found) => found.length > referencesMost) ||
    [others.changed, others.hidden].some((found) => found.length > hiddenMost)
  return isList
    ? { written: [], bare: [], hasMalformed: true, possible: [], changed: [], hidden: [] }
    : { ...references, ...others }
}

/** What counts in a whole text where a deposit has it, although only a part of the text is the purpose. */
export const findBesidePurpose = (wholeText: string): Reference[] =>
  [...new Set([...findChangedReferences(wholeText), ...findHiddenDigits(wholeText)])].slice(0, hiddenMost + 1)

/**
 * Whether a text beside the purpose may name another deposit than the purpose does: a report that shows more or less of the
 * text would show that one.
 */
export function namesAnother(beside: readonly string[], purposeParts: readonly string[]): boolean {
  if (beside.length === 0) return false
  const [{ written }, { hasMalformed }] = [purposeParts, beside].map((parts) =>
    referencesIn({ purpose: parts.join(' '), purposeParts: parts }),
  ) as [References, References]
  const found = [beside.join(' '), beside.join('')].flatMap((text) => [
    ...findPossibleReferences(foldText(text)),
    ...findChangedReferences(text),
  ])
  return found.some((reference) => !written.includes(reference)) || (written.length === 0 && hasMalformed)
}

/** Whoever writes more means a list of deposits, or tries what is there: all of them would be locked. A person decides. */
const referencesMost = 10
const hiddenMost = 100
