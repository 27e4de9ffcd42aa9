/**
 * Translates messages into the reader's language. A message is a code with values; its sentence comes from the
 * dictionary of the language, which must have every code to compile. A text stays as it is: a person wrote it.
 */
import { fill, Message, type MessageCode } from '../../../domain/messages/message.ts'
import type { ConsoleLanguage } from '../../../domain/people/person.ts'
import type { Sentence } from '../../../platform/refusals.ts'
import { moneyRu } from './ru-money.ts'
import { officeRu } from './ru-office.ts'
import { requisitesRu } from './ru-requisites.ts'
import { statementsRu } from './ru-statements.ts'
import { actorsRu, valuesRu } from './ru-words.ts'

export const russian: Record<MessageCode, string> = {
  ...requisitesRu,
  ...moneyRu,
  ...officeRu,
  ...statementsRu,
}

export const translate = (sentence: Sentence, language: ConsoleLanguage): string =>
  language === 'ru' && sentence instanceof Message ? inRussian(sentence) : `${sentence}`

/** Parts of the system that have another name than their code. */
const actorsEn: Readonly<Record<string, string>> = { matcher: 'automatic matching' }

/** Who did something: a person (`operator:anna`), or a part of the system. */
export function translateActor(actor: string, language: ConsoleLanguage): string {
  const [kind, who] = [actor.split(':', 1)[0]!, actor.slice(actor.indexOf(':') + 1)]
  if (!Object.hasOwn(actorsRu, kind)) return actor
  const word = (name: string) => (language === 'ru' ? actorsRu[name]! : (actorsEn[name] ?? name))
  return Object.hasOwn(actorsRu, who) ? word(who) : `${word(kind)} ${who}`
}

const inRussian = ({ code, values }: Message): string =>
  fill(russian[code], values, (value, name) =>
    value instanceof Message ? inRussian(value) : wordsRu(`${value}`, valuesRu[name]),
  )

/** Translates states, labels and kinds, one or several. */
function wordsRu(text: string, words: Readonly<Record<string, string>> = {}): string {
  const parts = text.split(', ')
  return parts.every((part) => Object.hasOwn(words, part))
    ? parts.map((part) => words[part]).join(', ')
    : text
}
