/** The references in the purpose of a payment, as it is reported and as another report may cut it. Pure. */
import { findChangedReferences, maxChangedReferences } from '../deposits/changed-reference.ts'
import {
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

/**
 * References in a purpose: `written` in our format, `bare` as eight digits; `hasMalformed`: something else looks like a reference
 * but is not valid. The others are those that another report may show instead, because it cuts the text or changes its
 * characters: `possible` in our format, `changed` in our format if a deposit of the account has it, `hidden` as digits alone.
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
  // A bank that changes the characters may turn such letters into other digits, so a person decides. Beside a good reference another report
  // may show the damaged one, whole, and not the good one. A text that joins the pieces may join two that do not belong together.
  const hasMalformed =
    written.length === 0
      ? texts.some((text) => looksLikeReference(text) || hasLettersForDigits(text))
      : hasDamagedReference(texts[0]!)
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
    [references.written, references.bare, others.possible].some((found) => found.length > maxReferences) ||
    [others.changed, others.hidden].some((found) => found.length > maxChangedReferences)
  return isList
    ? { written: [], bare: [], hasMalformed: true, possible: [], changed: [], hidden: [] }
    : { ...references, ...others }
}

/** The references in our format in a purpose whose original parts are not known. */
export const referencesWrittenIn = (purpose: string): Reference[] =>
  referencesIn({ purpose, purposeParts: [purpose] }).written

/** References in a whole text of which the purpose is only a part. They count only if a deposit has them. */
export const findBesidePurpose = (wholeText: string): Reference[] =>
  [...new Set([...findChangedReferences(wholeText), ...findHiddenDigits(wholeText)])].slice(
    0,
    maxChangedReferences + 1,
  )

/**
 * References in a text before its digits were masked: the digits of a reference and others after them may look like a card
 * number. A report that cuts the text or changes its characters may show the reference, and mask another one.
 */
export const referencesBeforeMasking = (text: string, masked: string): { referencesBeside?: Reference[] } =>
  text === masked ? {} : { referencesBeside: findBesidePurpose(text) }

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

/** A payer who writes more gives a list of deposits, or is guessing. All of them would be locked, so a person decides. */
const maxReferences = 10
