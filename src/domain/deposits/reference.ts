/**
 * The short payment reference a customer writes into a transfer's purpose: KT, seven digits and a Luhn digit.
 * Both letters look the same in Latin and Cyrillic; the first digit is never 0, because payers drop it. The search
 * accepts the ways in which people and banks write a reference, but never a wrong digit.
 */
import { luhnDigit, luhnHolds } from '../requisites/luhn.ts'

export type Reference = string & { readonly brand: 'Reference' }

/** Seven digits, the first 1–9. */
export const referenceSpace = 9_000_000

/** The n-th reference. References repeat after the space is used up; the store refuses one that is still in use. */
export function referenceFor(n: number): Reference {
  if (!Number.isSafeInteger(n) || n < 0)
    throw new RangeError('a reference is drawn by a non-negative integer')
  const digits = String(smallest + ((start + (n % referenceSpace) * stride) % referenceSpace))
  return `KT${digits}${luhnDigit(digits)}` as Reference
}

/** Whether the text is a reference exactly as we write it. */
export function isReference(text: string): text is Reference {
  return /^KT[1-9]\d{7}$/.test(text) && luhnHolds(text.slice(2))
}

/** A reference typed into a search field, if the text holds nothing else. */
export function readReference(text: string): Reference | null {
  const [found = null] = findReferences(foldText(text))
  return text.replace(gaps, '').length === 10 ? found : null
}

/** A text in Latin capitals where letters look like them: empty if nothing in it can be a reference. */
export type FoldedText = string & { readonly brand: 'FoldedText' }

export const foldText = (text: string): FoldedText =>
  (bothLetters.test(text)
    ? text.toUpperCase().replace(/[АВСЕНКМОРТХ]/g, (letter) => lookAlikes[letter]!)
    : '') as FoldedText

/** Every reference in a purpose, each once, in order of appearance. */
export function findReferences(purpose: FoldedText): Reference[] {
  const found = new Set<Reference>()
  for (const [written] of purpose.matchAll(tolerant)) {
    const text = written.replace(/[^KT\d]/g, '')
    if (isReference(text)) found.add(text)
  }
  return [...found]
}

/** Whether a text has a reference in which letters stand for digits that look like them, as scanners misread them. */
export const hasLettersForDigits = (purpose: FoldedText): boolean =>
  [...purpose.matchAll(slipped)].some(([written]) =>
    isReference(`KT${correctedDigits(written.slice(2).replace(gaps, ''))}`),
  )

/**
 * Whether a text has something that was meant as a reference, right or wrong: the letters, and six to ten digits or
 * letters that look like digits. A payment with a wrong reference must not be matched as one without any.
 */
export const looksLikeReference = (purpose: FoldedText): boolean =>
  [...purpose.matchAll(alike)].some(([written]) => (written.match(/\d/g)?.length ?? 0) >= 5)

/**
 * Whether something else in the text may be meant as another reference: one that is wrong or masked, or the beginning of one at the end
 * of the text.
 */
export function hasDamagedReference(purpose: FoldedText): boolean {
  const good = findReferences(purpose)
  const rest = purpose.replace(possible, (written) => {
    const text = written.replace(gaps, '')
    return isReference(text) && good.includes(text) ? ' ' : written
  }) as FoldedText
  return looksLikeReference(rest) || hasLettersForDigits(rest) || maskedOrCut.test(rest)
}

const smallest = 1_000_000

// A permutation, because the stride shares no factor with the space (2⁶·3²·5⁶). No digit of it is 0 or 9, so
// neighbours differ in all seven places, whatever is carried. Number 0 is the reference our documents print.
const stride = 5_562_317
const start = 3_821_903

/** The beginning of every pattern below. Most texts do not contain it, and folding them takes longer than this search. */
const bothLetters = /(?<![\p{L}\p{N}])[KkКк]\s{0,20}[TtТт]/u

const lookAlikes: Record<string, string> = {
  А: 'A',
  В: 'B',
  С: 'C',
  Е: 'E',
  Н: 'H',
  К: 'K',
  М: 'M',
  О: 'O',
  Р: 'P',
  Т: 'T',
  Х: 'X',
}

// Gaps are allowed between any two digits, and a space between the letters, because banks break long purposes
// inside a word. Not a dot between the letters: К. Т. are somebody's initials, and a date may follow them. Gaps
// are bounded and hold no letter or digit, so the search stays linear.
const gap = '[\\s.\\p{Pd}№]'
const tolerant = new RegExp(
  `(?<![\\p{L}\\p{N}])K\\s{0,2}T${gap}{0,5}[1-9](?:${gap}{0,3}\\d){7}(?![\\p{L}\\p{N}])`,
  'gu',
)

/** After folding: Cyrillic О is a Latin O by now, З stays itself. */
const slips: Record<string, string> = {
  O: '0',
  Q: '0',
  D: '0',
  I: '1',
  L: '1',
  '|': '1',
  Z: '2',
  З: '3',
  Э: '3',
  S: '5',
  Б: '6',
  B: '8',
}
const correctedDigits = (text: string): string => text.replace(/\D/g, (letter) => slips[letter] ?? letter)
const like = `[\\d${Object.keys(slips).join('')}]`
const gaps = new RegExp(gap, 'gu')
const slipped = new RegExp(
  `(?<![\\p{L}\\p{N}])KT${gap}{0,5}${like}(?:${gap}{0,3}${like}){7}(?![\\p{L}\\p{N}])`,
  'gu',
)
const maskedOrCut = new RegExp(
  `(?<![\\p{L}\\p{N}])K\\s{0,2}T${gap}{0,5}(?:\\d{0,7}(?:[*#•xXХ]\\s?){4}|(?:\\d${gap}{0,3}){1,7}$)`,
  'u',
)
const sign = '[\\s\\p{P}\\p{S}]'
const alike = new RegExp(
  `(?<![\\p{L}\\p{N}])K\\s{0,20}T${sign}{0,20}${like}(?:${sign}{0,3}${like}){5,}`,
  'gu',
)
const possible = new RegExp(
  `(?<![\\p{L}\\p{N}])K\\s{0,20}T${gap}{0,20}${like}(?:${gap}{0,20}${like}){7}`,
  'gu',
)
