/**
 * Whether a password is easy to guess. It is split into the pieces that attackers combine:
 * common passwords and words, words about the person and the installation, rows of the keyboard, digits,
 * repetitions. Each piece has points; a few unrelated words have enough, one word with a year has not.
 */
import { sum } from '../../platform/sum.ts'

const pointsNeeded = 6

const pointsOfWord = 2
const shortestWord = 4
const longestWord = 20

export function isEasyToGuess(
  password: string,
  /** Names and addresses of its owner and of the installation. */
  about: readonly string[],
  isCommon: (word: string) => boolean,
): boolean {
  return pointsOf(oncePerRepetition(folded(password)), contextWords(about), isCommon) < pointsNeeded
}

/** In lower case and normal width, with Cyrillic letters replaced by the Latin ones on the same keys, as in lists of passwords. */
const folded = (text: string): string[] =>
  [...text.normalize('NFKC').toLowerCase()].slice(0, 200).map((letter) => sameKey.get(letter) ?? letter)

const sameKey = new Map(
  [...'ёйцукенгшщзхъфывапролджэячсмитьбю'].map((letter, place) => [
    letter,
    "`qwertyuiop[]asdfghjkl;'zxcvbnm,."[place]!,
  ]),
)

const contextWords = (about: readonly string[]): Set<string> =>
  new Set(
    ['inlet', ...about]
      .flatMap((text) => text.normalize('NFKC').split(/[^\p{L}\p{N}]+/u))
      .filter((word) => word.length >= 3)
      .map((word) => folded(word).join('')),
  )

/** `abcabcabcab` is `abc`. */
function oncePerRepetition(text: string[]): string[] {
  for (let length = 1; length * 2 <= text.length; length++)
    if (text.every((letter, place) => letter === text[place % length])) return text.slice(0, length)
  return text
}

type Piece = { text: string; points: number }

/** The points of the cheapest combination of pieces; a repeated piece counts once. */
function pointsOf(text: string[], context: ReadonlySet<string>, isCommon: (word: string) => boolean): number {
  const best: { points: number; last: Piece | null; from: number }[] = [{ points: 0, last: null, from: 0 }]
  for (let end = 1; end <= text.length; end++) {
    const letter = text[end - 1]!
    // All signs between words count as one piece.
    const single = { text: /[\p{L}\p{N}]/u.test(letter) ? letter : ' ', points: 1 }
    let found = { points: best[end - 1]!.points + 1, last: single, from: end - 1 }
    for (let from = Math.max(0, end - longestWord); from < end; from++) {
      const points = pointsOfPiece(text.slice(from, end), context, isCommon)
      if (points === null || best[from]!.points + points >= found.points) continue
      found = {
        points: best[from]!.points + points,
        last: { text: text.slice(from, end).join(''), points },
        from,
      }
    }
    best.push(found)
  }
  const pieces = new Map<string, number>()
  for (let end = text.length; end > 0; end = best[end]!.from) {
    const { last } = best[end]!
    pieces.set(last!.text, last!.points)
  }
  return sum(pieces.values())
}

/** Null: not a piece that an attacker would guess as a whole. */
function pointsOfPiece(
  letters: string[],
  context: ReadonlySet<string>,
  isCommon: (word: string) => boolean,
): number | null {
  const word = letters.join('')
  if (context.has(word)) return 0
  if (letters.length >= 3 && isRow(letters)) return 1
  if (/^\d+$/.test(word)) return Math.ceil(letters.length / 4)
  if (letters.length < shortestWord) return null
  return spellings(word).some(isCommon) ? pointsOfWord : null
}

const rows = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
  'qwertyuiop[]',
  "asdfghjkl;'",
  'zxcvbnm,./',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.0p;/',
]
const rowText = rows.flatMap((row) => [row, [...row].reverse().join('')]).join('\n')

/** Neighbours on the keyboard, in the alphabet or among the digits; or one repeated letter. */
const isRow = (letters: string[]): boolean =>
  letters.every((letter) => letter === letters[0]) || rowText.includes(letters.join(''))

/** The word as written, and with digits and signs replaced by the letters that they stand for. */
function spellings(word: string): string[] {
  if (!/[@0134579$!|]/.test(word) || !/[a-z]/.test(word)) return [word]
  const plain = word.replace(/[@0345$7|9]/g, (sign) => standsFor[sign]!)
  return [word, plain.replace(/[1!]/g, 'i'), plain.replace(/[1!]/g, 'l')]
}

const standsFor: Record<string, string> = {
  '@': 'a',
  '0': 'o',
  '3': 'e',
  '4': 'a',
  '5': 's',
  $: 's',
  '7': 't',
  '9': 'g',
  '|': 'l',
}
