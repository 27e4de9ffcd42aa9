/**
 * SVG breaks no lines: this does, with the true widths of the letters. One ruler serves all faces: each letter is
 * as wide as in the widest of them, so it errs towards the shorter line.
 */
import { lazy } from '../../../platform/remembered.ts'
import type { LetterWidths } from './true-type.ts'

export type Ruler = {
  /** In the picture's units, at this font size. */
  width(text: string, size: number): number
  /** Lines no wider than `most`; a word that fits no line is cut. */
  lines(text: string, size: number, most: number): string[]
  /** The text, or as much of it as fits with an ellipsis. */
  cut(text: string, size: number, most: number): string
}

export function rulerOf(faces: readonly LetterWidths[]): Ruler {
  const known = new Map<string, number>()
  const measured = (letter: string): number => {
    // What our font does not have, a browser takes from another one: an em is wide enough for all but a few.
    const width = Math.max(...faces.map((face) => face.widthOf(letter.codePointAt(0)!) ?? unknownLetter))
    if (known.size < mostLetters) known.set(letter, width)
    return width
  }
  const width = (text: string, size: number) => {
    let sum = 0
    for (const letter of text) sum += known.get(letter) ?? measured(letter)
    return sum * size
  }

  function lines(text: string, size: number, most: number): string[] {
    const done: string[] = []
    let line = ''
    for (const word of text.split(/(?<= )/)) {
      if (width((line + word).trimEnd(), size) <= most) {
        line += word
        continue
      }
      if (line !== '') done.push(line.trimEnd())
      line = ''
      for (const letter of lettersOf(word)) {
        if (line !== '' && width((line + letter).trimEnd(), size) > most) {
          done.push(line)
          line = ''
        }
        line += letter
      }
    }
    return [...done, line.trimEnd()]
  }

  function cut(text: string, size: number, most: number): string {
    if (width(text, size) <= most) return text
    let kept = ''
    for (const letter of lettersOf(text)) {
      if (width(`${kept}${letter}…`, size) > most) break
      kept += letter
    }
    return `${kept.trimEnd()}…`
  }

  return { width, lines, cut }
}

const unknownLetter = 1.1
const mostLetters = 2_000

const graphemes = lazy(() => new Intl.Segmenter('ru', { granularity: 'grapheme' }))

const lettersOf = (text: string): string[] => [...graphemes().segment(text)].map(({ segment }) => segment)
