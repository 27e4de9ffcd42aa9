/**
 * Translates messages into the reader's language. A message is a code with values; its sentence comes from the
 * dictionary of the language, which must have every code to compile. What is stored as English text alone is found by
 * its sentence. A text that is not found stays as it is, because a person wrote it.
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
export const translate = (sentence: Sentence, language: ConsoleLanguage): string =>
  language === 'ru'
    ? inRussian(sentence instanceof Message ? sentence : ofProgram(`${sentence}`))
    : `${sentence}`

/**
 * What is wrong with a bank's file. These sentences are looked up separately: they are short, and a person might write
 * the same words.
 */
export const translateFileText = (sentence: Sentence, language: ConsoleLanguage): string =>
  language === 'ru'
    ? inRussian(sentence instanceof Message ? sentence : ofReaders(`${sentence}`))
    : `${sentence}`

/** Parts of the system that have another name than their code. */
const actorsEn: Readonly<Record<string, string>> = { matcher: 'automatic matching' }

/** Who did something: a person (`operator:anna`), or a part of the system. */
export function translateActor(actor: string, language: ConsoleLanguage): string {
  const [kind, who] = [actor.split(':', 1)[0]!, actor.slice(actor.indexOf(':') + 1)]
  if (!Object.hasOwn(actorsRu, kind)) return actor
  const word = (name: string) => (language === 'ru' ? actorsRu[name]! : (actorsEn[name] ?? name))
  return Object.hasOwn(actorsRu, who) ? word(who) : `${word(kind)} ${who}`
}

const inRussian = (message: MessageOrText): string =>
  typeof message === 'string'
    ? message
    : fill(russian[message.code], message.values, (value, name) =>
        value instanceof Message ? inRussian(value) : wordsRu(`${value}`, valuesRu[name]),
      )

/** Translates states, labels and kinds, one or several. */
function wordsRu(text: string, words: Readonly<Record<string, string>> = {}): string {
  const parts = text.split(', ')
  return parts.every((part) => Object.hasOwn(words, part))
    ? parts.map((part) => words[part]).join(', ')
    : text
}

/** How deeply sentences may be nested in each other. */
const mostNested = 3
/** Values with these names are themselves sentences. */
const sentences = ['why', 'rest', 'ask']

type Sentences = readonly (readonly [english: string, code: MessageCode])[]

/** Returns a function that finds the message of an English text. */
function finder(known: Sentences): (text: string) => MessageOrText {
  const plain = new Map(known)
  // A sentence that is only values would fit anything that a person wrote.
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

/** The longest fixed piece is looked for first, so that most texts are rejected quickly. */
function shapeOf([sentence, code]: Sentences[number]) {
  const pieces = sentence.split(/\{\w+\}/)
  const landmark = pieces.reduce((longest, piece) => (piece.length > longest.length ? piece : longest))
  return { code, landmark, pieces, names: [...sentence.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!) }
}

/**
 * The texts between the fixed pieces of a sentence, each as short as possible; a quoted part is one value. There is no
 * backtracking: parts of these texts come from strangers, and trying all ways once took half a second per form.
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

const sentencesOf = (table: object): Sentences =>
  (Object.keys(table) as MessageCode[]).map((code) => [english[code], code] as const)

const ofProgram = finder(sentencesOf({ ...requisitesRu, ...moneyRu, ...officeRu }))
const ofReaders = finder(sentencesOf({ ...tablesRu, ...statementsRu }))
