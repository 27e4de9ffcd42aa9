/** The references in the purpose of a payment, as it is reported and as another report may cut it. Pure. */
import { findChangedReferences, maxChangedReferences, mayBeChanged } from '../deposits/changed-reference.ts'
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
 * but is not valid. The others are those that another report may show instead, because it cuts the text or changes its
 * characters: `possible` in our format, `changed` in our format if a deposit of the account has it, `hidden` as digits alone.
 */
export type References = NamedReferences & {
  hasMalformed: boolean
  possible: Reference[]
  changed: Reference[]
  hidden: Reference[]
}

type Texts = Pick<TransferFacts, 'purpose' | 'purposeParts' | 'referencesBeside'>

/**
 * What names a deposit in a purpose; nothing where it is a list. One new payment is compared with thousands of stored ones: of these
 * nothing else is read, because the other references of a hostile text take milliseconds to find.
 */
export function namedReferencesIn({
  purpose,
  purposeParts,
}: Omit<Texts, 'referencesBeside'>): NamedReferences {
  const names = writtenIn(textsOf({ purpose, purposeParts }), purpose)
  return isList(names.written) || isList(names.bare) ? { written: [], bare: [] } : names
}

const textsOf = ({ purpose, purposeParts }: Omit<Texts, 'referencesBeside'>): FoldedText[] =>
  [...new Set([purpose, purposeParts.join('')])].map(foldText)

function writtenIn(texts: readonly FoldedText[], purpose: string): NamedReferences {
  const bare = [...purpose.matchAll(/(?<!\d)[1-9]\d{7}(?!\d)/g)]
    .map(([digits]) => `KT${digits}`)
    .filter(isReference)
  return { written: [...new Set(texts.flatMap(findReferences))], bare: [...new Set(bare)] }
}

/** Every reference that the purpose may contain: as written, and with its parts joined. */
export function referencesIn({ purpose, purposeParts, referencesBeside = [] }: Texts): References {
  const texts = textsOf({ purpose, purposeParts })
  const { written, bare } = writtenIn(texts, purpose)
  // A bank that changes the characters may turn such letters into other digits, so a person decides. Beside a good reference another report
  // may show the damaged one, whole, and not the good one. A text that joins the pieces may join two that do not belong together.
  const hasMalformed =
    written.length === 0
      ? texts.some((text) => looksLikeReference(text) || hasLettersForDigits(text))
      : hasDamagedReference(texts[0]!)
  const named = [...written, ...bare]
  const isNamed = named.length > 0
  const possible = isNamed ? texts.flatMap(findPossibleReferences) : []
  const changed = isNamed ? findChangedReferences(purpose) : []
  const hidden = isNamed ? [...new Set([...findHiddenDigits(purpose), ...referencesBeside])] : []
  const others = {
    possible: [...new Set(possible)].filter((reference) => !written.includes(reference)),
    changed: changed.filter((reference) => !written.includes(reference)),
    hidden: hidden.filter((reference) => !named.includes(reference)),
  }
  return [written, bare, others.possible].some(isList) ||
    [others.changed, others.hidden].some((found) => found.length > maxChangedReferences)
    ? { written: [], bare: [], hasMalformed: true, possible: [], changed: [], hidden: [] }
    : { written, bare, hasMalformed, ...others }
}

/** The references in our format in a purpose whose original parts are not known. */
export const referencesWrittenIn = (purpose: string): Reference[] =>
  namedReferencesIn({ purpose, purposeParts: [purpose] }).written

/**
 * Whether another report of a purpose may show a reference that is not written in it, judged by its characters: what it would be takes
 * too long to find where many payments are compared.
 */
export function mayNameMore(purpose: string): boolean {
  const { written, bare } = writtenIn([foldText(purpose)], purpose)
  const isOther = (reference: Reference) => !written.includes(reference) && !bare.includes(reference)
  return (
    mayBeChanged(purpose) ||
    isList(written) ||
    isList(bare) ||
    hasDamagedReference(foldText(purpose)) ||
    [...findPossibleReferences(foldText(purpose)), ...findHiddenDigits(purpose)].some(isOther)
  )
}

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
const isList = (found: readonly Reference[]): boolean => found.length > 10
