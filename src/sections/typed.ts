/** Reads what a person typed into the fields of an act: all of it, or every fault at its field. */
import { message } from '../domain/messages/message.ts'
import { centsFrom, mostCents } from '../domain/money.ts'
import { isEmail } from '../domain/people/person.ts'
import { isDay } from '../domain/transfers/bank-text/days.ts'
import { Refusal } from '../platform/refusals.ts'
import { isUuid } from '../platform/request-fields.ts'
import type { Choice, Field, Fields, Given, Reads, Two } from './section.ts'

/** Texts by the names of the fields, as typed. A tick that is set is `on`. */
export type Texts = Readonly<Record<string, string>>
export type Problems = Readonly<Record<string, Two>>

/** The typed values cannot be taken: each fault by the name of its field. */
export class FieldsRefused extends Error {
  readonly problems: Problems
  constructor(problems: Problems) {
    super(
      Object.entries(problems)
        .map(([name, [en]]) => `${name}: ${en}`)
        .join(' '),
    )
    this.problems = problems
  }
}

export async function readGiven<Row, F extends Fields<Row>>(
  fields: F,
  texts: Texts,
  context: Reads,
  row: Row,
): Promise<Given<F>> {
  const problems: Record<string, Two> = {}
  const given: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(fields)) {
    const text = (texts[name] ?? '').trim()
    if (field.is === 'seen' && text !== field.value(row))
      throw new Refusal('state_conflict', { detail: message('changed_since_seen') })
    const choices = await choicesOf(field, context, row)
    const read = readField(field, text, choices)
    if ('problem' in read) problems[name] = read.problem
    else given[name] = read.value
  }
  if (Object.keys(problems).length > 0) throw new FieldsRefused(problems)
  return given as Given<F>
}

/** The choices of a field; none for a field of another kind. */
export async function choicesOf<Row>(
  field: Field<Row>,
  context: Reads,
  row: Row,
): Promise<readonly Choice[]> {
  if (field.is !== 'choice') return []
  return typeof field.of === 'function' ? field.of(context, row) : field.of
}

type Read = { value: unknown } | { problem: Two }

function readField<Row>(field: Field<Row>, text: string, choices: readonly Choice[]): Read {
  if (field.is === 'tick') return { value: text === 'on' }
  if (field.is === 'seen') return { value: text }
  if (text === '')
    return field.isOptional ? { value: null } : { problem: ['Fill this in.', 'Заполните поле.'] }
  switch (field.is) {
    case 'text':
    case 'lines':
      return text.length > field.most || (field.is === 'text' && /\p{Cc}/u.test(text))
        ? { problem: [`Enter at most ${field.most} characters.`, `Не больше ${field.most} символов.`] }
        : { value: text }
    case 'id':
      return isUuid(text.toLowerCase())
        ? { value: text.toLowerCase() }
        : { problem: ['This is not an ID.', 'Это не ID.'] }
    case 'email':
      return isEmail(text)
        ? { value: text }
        : { problem: ['Enter an email address.', 'Введите адрес почты.'] }
    case 'day':
      return isDay(text) ? { value: text } : { problem: ['Enter a day.', 'Укажите день.'] }
    case 'cents': {
      const cents = centsFrom(text)
      return cents === null || cents > mostCents
        ? { problem: ['Enter an amount, for example 1500.50.', 'Введите сумму, например 1500,50.'] }
        : { value: cents }
    }
    case 'count': {
      const count = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
      return count >= field.least && count <= field.most
        ? { value: count }
        : {
            problem: [
              `Enter a whole number from ${field.least} to ${field.most}.`,
              `Введите целое число от ${field.least} до ${field.most}.`,
            ],
          }
    }
    default:
      return choices.some(({ value }) => value === text)
        ? { value: text }
        : { problem: ['Choose one of the list.', 'Выберите из списка.'] }
  }
}
