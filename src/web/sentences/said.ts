/**
 * What Inlet says in English, for readers of another language. A refusal, a warning, the reason of a decision and the
 * complaint about a row are English sentences, as the API, the command line and the books have them: none of them changes
 * here. A page looks the whole sentence up; `{name}` stands for what it holds besides, and comes out where the other
 * language has the same name. So what was stored long ago can be read as well. What no table knows stays as it is: above
 * all what a person wrote. `test/sentences.test.ts` holds that no sentence is missing.
 */
import type { ConsoleLanguage } from '../../people/person.ts'
import { type FindingCode, findingTable } from '../../requisites/finding.ts'
import { findingsRu } from '../../requisites/finding-ru.ts'
import { actorsRu, moneyRu, moneyWordsRu } from './ru-money.ts'
import { officeRu } from './ru-office.ts'
import { statementsRu } from './ru-statements.ts'

type Table = Readonly<Record<string, string>>

/** A refusal, a warning, or the reason of a decision. */
export const said = (text: string, language: ConsoleLanguage): string =>
  language === 'ru' ? byProgram(text) : text

/** What is wrong with a bank's file. Its sentences are told apart: they are short, and a person might write the like. */
export const saidOfFile = (text: string, language: ConsoleLanguage): string =>
  language === 'ru' ? byReaders(text) : text

/** Who did it: a person by name, or what works by itself. */
export const saidActor = (actor: string, language: ConsoleLanguage): string =>
  language === 'ru' ? byName(actor) : actor

function sayer(table: Table, words: Table = {}): (text: string) => string {
  const shapes = Object.entries(table).flatMap(([sentence, other]) =>
    sentence.includes('{') ? { ...shapeOf(sentence), other } : [],
  )
  const say = (text: string): string => {
    if (Object.hasOwn(table, text)) return table[text]!
    for (const { landmark, pattern, other } of shapes) {
      const found = text.includes(landmark) && pattern.exec(text)
      if (found) return other.replace(hole, (_, name: string) => value(found.groups![name]!))
    }
    return text
  }
  /** A sentence may hold another one, or words of ours one after another. */
  const value = (text: string): string => {
    const parts = text.split(', ')
    return parts.every((part) => Object.hasOwn(words, part))
      ? parts.map((part) => words[part]).join(', ')
      : say(text)
  }
  return say
}

const hole = /\{(\w+)\}/g

/**
 * The longest piece that never changes is looked for first: a text that lacks it is not tried. What stands in quotes is
 * one value, whatever words it holds.
 */
function shapeOf(sentence: string): { landmark: string; pattern: RegExp } {
  const pieces = sentence.split(/\{\w+\}/)
  const landmark = pieces.reduce((longest, piece) => (piece.length > longest.length ? piece : longest))
  const written = sentence.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(hole, '(?<$1>«.*?»|.+?)')
  return { landmark, pattern: new RegExp(`^${written}$`, 's') }
}

const findings = Object.fromEntries(
  (Object.keys(findingTable) as FindingCode[]).map((code) => [findingTable[code].detail, findingsRu[code]]),
)

const byProgram = sayer({ ...findings, ...moneyRu, ...officeRu }, moneyWordsRu)
const byReaders = sayer(statementsRu)
const byName = sayer(actorsRu)
