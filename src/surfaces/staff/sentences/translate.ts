/**
 * What Inlet says in English, for readers of another language. A refusal, a warning, the reason of a decision and the
 * complaint about a row are English sentences, as the API, the command line and the books have them: none of them changes
 * here. A page looks the whole sentence up; `{name}` stands for what it holds besides, and comes out where the other
 * language has the same name. So what was stored long ago can be read as well. What no table knows stays as it is: above
 * all what a person wrote. `test/sentences.test.ts` holds that no sentence is missing.
 */
import type { ConsoleLanguage } from '../../../domain/people/person.ts'
import { type FindingCode, findingTable } from '../../../domain/requisites/finding.ts'
import { findingsRu } from '../../../domain/requisites/finding-ru.ts'
import { actorsRu, moneyRu, moneyWordsRu } from './ru-money.ts'
import { officeRu } from './ru-office.ts'
import { statementsRu } from './ru-statements.ts'

type Table = Readonly<Record<string, string>>

/** A refusal, a warning, or the reason of a decision. */
export const translate = (text: string, language: ConsoleLanguage): string =>
  language === 'ru' ? byProgram(text) : text

/** What is wrong with a bank's file. Its sentences are told apart: they are short, and a person might write the like. */
export const translateFileText = (text: string, language: ConsoleLanguage): string =>
  language === 'ru' ? byReaders(text) : text

/** Who did it: a person by name, or what works by itself. */
export const translateActor = (actor: string, language: ConsoleLanguage): string =>
  language === 'ru' ? byName(actor) : actor

/** A sentence may hold another one, and that one words of ours; more deeply nobody speaks. */
const mostNested = 3

function translator(table: Table, words: Table = {}): (text: string) => string {
  const shapes = Object.entries(table).flatMap(([sentence, other]) =>
    sentence.includes('{') ? { ...shapeOf(sentence), other } : [],
  )
  const say = (text: string, nested = 0): string => {
    if (Object.hasOwn(table, text)) return table[text]!
    if (nested > mostNested) return text
    for (const { landmark, pieces, names, other } of shapes) {
      const found = text.includes(landmark) && valuesIn(text, pieces)
      if (found)
        return other.replace(hole, (_, name: string) => value(found[names.indexOf(name)]!, nested + 1))
    }
    return text
  }
  const value = (text: string, nested: number): string => {
    const parts = text.split(', ')
    return parts.every((part) => Object.hasOwn(words, part))
      ? parts.map((part) => words[part]).join(', ')
      : say(text, nested)
  }
  return (text) => say(text)
}

const hole = /\{(\w+)\}/g

/** The longest piece that never changes is looked for first: a text that lacks it is not tried. */
function shapeOf(sentence: string): { landmark: string; pieces: string[]; names: string[] } {
  const pieces = sentence.split(/\{\w+\}/)
  const landmark = pieces.reduce((longest, piece) => (piece.length > longest.length ? piece : longest))
  return { landmark, pieces, names: [...sentence.matchAll(hole)].map(([, name]) => name!) }
}

/**
 * What stands between the pieces of a sentence, each as short as can be; what stands in quotes is one value, whatever
 * words it holds. No second way is tried: strangers choose parts of what is refused, and a pattern tried every way to
 * part them, half a second for a form.
 */
function valuesIn(text: string, [first = '', ...others]: readonly string[]): string[] | undefined {
  if (!text.startsWith(first)) return undefined
  const values: string[] = []
  let at = first.length
  for (const [place, piece] of others.entries()) {
    const end = place === others.length - 1 ? endBefore(text, piece) : endOfValue(text, at, piece)
    if (end <= at) return undefined
    values.push(text.slice(at, end))
    at = end + piece.length
  }
  return values
}

const endBefore = (text: string, piece: string): number =>
  text.endsWith(piece) ? text.length - piece.length : -1

function endOfValue(text: string, at: number, piece: string): number {
  const quote = text[at] === '«' ? text.indexOf(`»${piece}`, at) : -1
  return quote < 0 ? text.indexOf(piece, at + 1) : quote + 1
}

const findings = Object.fromEntries(
  (Object.keys(findingTable) as FindingCode[]).map((code) => [findingTable[code].detail, findingsRu[code]]),
)

const byProgram = translator({ ...findings, ...moneyRu, ...officeRu }, moneyWordsRu)
const byReaders = translator(statementsRu)
const byName = translator(actorsRu)
