/**
 * What Inlet says, in the reader's language. A message is a code with values: its sentence is made from the dictionary of
 * the language, which has every code, or it does not compile. What was stored before codes were is looked up by the English
 * sentences. What is found nowhere stays as it is: above all what a person wrote.
 */
import {
  english,
  fill,
  Message,
  type MessageCode,
  type MessageOrText,
} from '../../../domain/messages/message.ts'
import type { ConsoleLanguage } from '../../../domain/people/person.ts'
import type { Sentence } from '../../../platform/refusals.ts'
import { moneyRu } from './ru-money.ts'
import { officeRu } from './ru-office.ts'
import { requisitesRu } from './ru-requisites.ts'
import { statementsRu } from './ru-statements.ts'
import { tablesRu } from './ru-tables.ts'
import { actorsRu, valuesRu } from './ru-words.ts'

export const russian: Record<MessageCode, string> = {
  ...requisitesRu,
  ...moneyRu,
  ...officeRu,
  ...statementsRu,
  ...tablesRu,
}

/** A refusal, a warning, or the reason of a decision. */
export const translate = (said: Sentence, language: ConsoleLanguage): string =>
  language === 'ru' ? inRussian(said instanceof Message ? said : ofProgram(`${said}`)) : `${said}`

/** What is wrong with a bank's file. Its sentences are told apart: they are short, and a person might write the like. */
export const translateFileText = (said: Sentence, language: ConsoleLanguage): string =>
  language === 'ru' ? inRussian(said instanceof Message ? said : ofReaders(`${said}`)) : `${said}`

/** Who did it: a person by name (`operator:anna`), or what works by itself. */
export function translateActor(actor: string, language: ConsoleLanguage): string {
  const [kind, who] = [actor.split(':', 1)[0]!, actor.slice(actor.indexOf(':') + 1)]
  if (language !== 'ru' || !Object.hasOwn(actorsRu, kind)) return actor
  return kind === actor ? actorsRu[kind]! : `${actorsRu[kind]} ${who}`
}

const inRussian = (said: MessageOrText): string =>
  typeof said === 'string'
    ? said
    : fill(russian[said.code], said.values, (value, name) =>
        value instanceof Message ? inRussian(value) : wordsRu(`${value}`, valuesRu[name]),
      )

/** States, labels and kinds, one or several. */
function wordsRu(text: string, words: Readonly<Record<string, string>> = {}): string {
  const parts = text.split(', ')
  return parts.every((part) => Object.hasOwn(words, part))
    ? parts.map((part) => words[part]).join(', ')
    : text
}

/** A sentence may hold another one, which may hold a third; more deeply nobody speaks. */
const mostNested = 3
/** What stands in a sentence under these names is a sentence. */
const sentences = ['why', 'rest', 'ask']

type Sentences = readonly (readonly [english: string, code: MessageCode])[]

/** Finds the message that an English text is, if it is one of these. */
function finder(known: Sentences): (text: string) => MessageOrText {
  const plain = new Map(known)
  // One that is only values would fit whatever a person wrote.
  const shapes = known
    .map(shapeOf)
    .filter(({ names, landmark }) => names.length > 0 && /\p{L}/u.test(landmark))
  const find = (text: string, nested = 0): MessageOrText => {
    const code = plain.get(text)
    if (code) return new Message(code, {}, text)
    if (nested > mostNested) return text
    for (const { landmark, pieces, names, code } of shapes) {
      const found = text.includes(landmark) && valuesIn(text, pieces)
      if (!found) continue
      const values = names.map((name, place) => [
        name,
        sentences.includes(name) ? find(found[place]!, nested + 1) : found[place]!,
      ])
      return new Message(code, Object.fromEntries(values), text)
    }
    return text
  }
  return (text) => find(text)
}

/** The longest piece that never changes is looked for first: a text that lacks it is not tried. */
function shapeOf([sentence, code]: Sentences[number]) {
  const pieces = sentence.split(/\{\w+\}/)
  const landmark = pieces.reduce((longest, piece) => (piece.length > longest.length ? piece : longest))
  return { code, landmark, pieces, names: [...sentence.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!) }
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

/** English of before, which rows without a code may have: the old wording of a sentence that has changed belongs here. */
const retired: Sentences = []

const sentencesOf = (table: object): Sentences => [
  ...(Object.keys(table) as MessageCode[]).map((code) => [english[code], code] as const),
  ...retired.filter(([, code]) => Object.hasOwn(table, code)),
]

const ofProgram = finder(sentencesOf({ ...requisitesRu, ...moneyRu, ...officeRu }))
const ofReaders = finder(sentencesOf({ ...tablesRu, ...statementsRu }))
