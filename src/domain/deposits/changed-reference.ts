/**
 * References that another report of a text may show after a bank has changed its characters: it may leave out or replace those that its
 * character set lacks, transliterate them, remove accents, tags or control sequences, or show what an entity stands for. Each character
 * is looked at by itself, because a bank may leave out one and replace the next. Pure.
 */
import { isReference, lookAlikes, type Reference, referenceFor, slips } from './reference.ts'

/**
 * They may be inside a word, as in "акт 48219034", and have any letters among their digits. Ordinary texts contain some by chance, so one
 * counts only if a deposit has it. A text with more readings than are looked at gets `tooMany`, which a person looks at.
 */
export function findChangedReferences(text: string): Reference[] {
  if (!mayBeChanged(text)) return []
  const found = new Set<Reference>()
  const budget = { steps: maxSteps }
  for (const readings of allReadings) {
    const piecesAt = piecesOf(text, readings)
    for (const { index } of text.matchAll(mayBegin)) {
      search(piecesAt, { start: index, length: text.length, found, budget })
      if (budget.steps <= 0) return [...tooMany]
    }
  }
  return [...found]
}

/** More than anybody looks at. */
export const maxChangedReferences = 100
const tooMany = Array.from({ length: maxChangedReferences + 1 }, (_, n) => referenceFor(n))
/** About 10 ms. Ordinary texts of 5,000 characters, also Kazakh and Tajik ones, take fewer. */
const maxSteps = 20_000

/** Whether a text has more than clear references, which need no search: the letters, and digits with single gaps. */
const mayBeChanged = (text: string): boolean =>
  unusual.test(text) || /[<&%\\]/.test(text) || /[KkКк][^A-Za-z\d]*[TtТт]/u.test(text.replace(clear, ' '))
const clear = /(?<![\p{L}\p{N}])[KkКк]\s?[TtТт](?:[\s.-]{0,3}\d){8}(?![\p{L}\p{N}])/gu
/** Anything but the usual characters of Russian and English texts. */
const unusual = /[^\s\x21-\x7eА-Яа-яЁё№«»–—]/
const mayBegin = /[KkКк<&%\\]|[^\x00-\x7fА-Яа-яЁё№«»–—]/gu

/** A piece of the text, and what a bank may make of it: digits, K and T, nothing, or something that ends a reference (#). */
type Piece = { length: number; reads: readonly string[] }
type Readings = (character: string) => readonly string[]

/** Goes through all readings of the text from here on: the letters, and then eight digits. */
function search(
  piecesAt: (index: number) => readonly Piece[],
  {
    start,
    length,
    found,
    budget,
  }: {
    start: number
    length: number
    found: Set<Reference>
    budget: { steps: number }
  },
): void {
  const open = new Map<number, Set<string>>([[start, new Set([''])]])
  for (let at = start; at < length && open.size > 0; at++) {
    const states = open.get(at)
    if (!states) continue
    open.delete(at)
    const [only, ...others] = piecesAt(at)
    // A space or another sign, of which there may be many, changes nothing.
    if (only && others.length === 0 && only.reads.join() === '' && !open.has(at + only.length)) {
      if (at > start) open.set(at + only.length, states)
      budget.steps--
      continue
    }
    for (const piece of piecesAt(at))
      for (const state of states)
        for (const reading of piece.reads) {
          if (budget.steps-- <= 0) return
          const next = readOn(state, reading)
          if (next === undefined || (next === '' && at === start)) continue
          if (next.length === 10) {
            if (isReference(next)) found.add(next)
            continue
          }
          const end = at + piece.length
          const later = open.get(end)
          if (later) later.add(next)
          else open.set(end, new Set([next]))
        }
  }
}

/** What is read of a reference after one more piece; undefined where it is none. */
function readOn(state: string, reading: string): string | undefined {
  let read = state
  for (const character of reading) {
    // A letter that is left out: only among the digits, or every text with a К and a Т would begin a reference.
    if (character === '~') {
      if (read.length < 2) return undefined
      continue
    }
    read += character
    if (!/^K?$|^KT\d{0,8}$/.test(read)) return undefined
  }
  return read
}

function piecesOf(text: string, readings: Readings): (index: number) => readonly Piece[] {
  const known = new Map<number, readonly Piece[]>()
  const knownReads = new Map<string, readonly string[]>()
  const read = (character: string): readonly string[] => {
    const before = knownReads.get(character)
    if (before) return before
    const reads = [
      ...new Set([
        ...[...character.normalize('NFKD').replace(/\p{M}/gu, '').toUpperCase()]
          .slice(0, 4)
          .map(readings)
          .reduce((all, next) => all.flatMap((start) => next.map((end) => start + end)), ['']),
        ...(unusual.test(character) || leftOut.test(character) ? [''] : []),
      ]),
    ]
    knownReads.set(character, reads)
    return reads
  }
  return (index) => {
    const before = known.get(index)
    if (before) return before
    const character = String.fromCodePoint(text.codePointAt(index)!)
    const pieces: Piece[] = [{ length: character.length, reads: read(character) }]
    if (/[<&%\\]/.test(character)) {
      sequence.lastIndex = index
      const [written, decimal, ...hex] = sequence.exec(text) ?? []
      const code = decimal ? Number(decimal) : Number.parseInt(hex.find(Boolean) ?? 'no', 16)
      if (written)
        pieces.push({
          length: written.length,
          reads: code <= 0x10ffff ? ['', ...read(String.fromCodePoint(code))] : [''],
        })
    }
    known.set(index, pieces)
    return pieces
  }
}

/** A tag, an entity, a character by its number in a URL or a program, or one behind a backslash. */
const sequence =
  /<[^<>]{0,200}>|&#(\d{1,7});?|&#x([0-9a-f]{1,6});?|&[a-z]{2,8}\d{0,2};?|%([0-9a-f]{2})|\\[ux]([0-9a-f]{2,4})|\\[\s\S]/iuy

const leftOut = /[ёЁъЪьЬ№Nn]/
const isSign = (character: string): boolean => !/[\p{L}\p{N}]/u.test(character)

/** How SWIFT transliterates Cyrillic: only the letters that become K, T or a letter that looks like a digit. */
const inLatin: Record<string, string> = {
  Б: 'B',
  Д: 'D',
  З: 'Z',
  И: 'I',
  І: 'I',
  К: 'K',
  Л: 'L',
  О: 'O',
  С: 'S',
  Ѕ: 'S',
  Т: 'T',
  Щ: 'Q',
}
/** Some Greek and Kazakh letters look like others too. */
const asLatin: Record<string, string> = { ...lookAlikes, Κ: 'K', Қ: 'K', Τ: 'T' }

const digitsLike = (letter: string | undefined): string[] =>
  letter === undefined
    ? []
    : letter === 'K' || letter === 'T'
      ? [letter]
      : slips[letter]
        ? [slips[letter]]
        : []

/** Letters that look like digits are digits; any other letter ends a reference. */
const byLetters: Readings = (character) => {
  if (/\d/.test(character)) return [character]
  const read = [character, asLatin[character], inLatin[character]].flatMap(digitsLike)
  if (character === '|' || leftOut.test(character)) return [...read, '']
  // "No" for a number sign.
  if (character === 'O') return [...read, '']
  if (isSign(character)) return ['']
  return read.length > 0 ? read : ['#']
}

/** A file without Cyrillic letters. */
const withoutCyrillic: Readings = (character) =>
  /\p{Script=Cyrillic}/u.test(character) ? [''] : byLetters(character)

/** Digits alone, and letters of any kind left out. */
const byDigits: Readings = (character) => {
  if (/\d/.test(character)) return [character]
  const letter = [character, asLatin[character]].find((one) => one === 'K' || one === 'T')
  if (letter) return [letter, '~']
  return isSign(character) ? [''] : ['~']
}

const allReadings = [byLetters, withoutCyrillic, byDigits]
