/**
 * What Inlet says to a person: a code with values. The English sentence goes with it, for the API, the command line and
 * people who read the tables by hand; consoles make the sentence in the reader's language, from one dictionary per language.
 */
import { moneyEn } from './money.ts'
import { officeEn } from './office.ts'
import { requisitesEn } from './requisites.ts'
import { statementsEn } from './statements.ts'

export const english = { ...requisitesEn, ...moneyEn, ...officeEn, ...statementsEn } as const

export type MessageCode = keyof typeof english

type Placeholder<Sentence extends string> = Sentence extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholder<Rest>
  : never

type Value = string | number | bigint | Message
type ValuesOf<Code extends MessageCode> = Record<Placeholder<(typeof english)[Code]>, Value>

/** Printed, and in JSON, it is its English sentence. */
export class Message {
  readonly code: MessageCode
  readonly values: Readonly<Record<string, Value>>
  readonly text: string

  /** With the text that was said then, where it is read back. */
  constructor(code: MessageCode, values: Message['values'], text?: string) {
    this.code = code
    this.values = values
    this.text = text || fill(english[code], values)
  }

  toString(): string {
    return this.text
  }

  toJSON(): string {
    return this.text
  }
}

/** What a person wrote stays as it was written. */
export type MessageOrText = Message | string

export const message = <Code extends MessageCode>(
  code: Code,
  ...[values]: keyof ValuesOf<Code> extends never ? [] : [ValuesOf<Code>]
): Message => new Message(code, values ?? {})

/** Puts the values into a sentence; one that is missing, as after a change of the sentence, leaves its name. */
export const fill = (
  sentence: string,
  values: Message['values'],
  write: (value: Value, name: string) => string = String,
): string =>
  sentence.replace(/\{(\w+)\}/g, (hole, name: string) =>
    Object.hasOwn(values, name) ? write(values[name]!, name) : hole,
  )

type Stored = { code: string; values?: Record<string, string | number | Stored> }

/** What the tables keep beside the English sentence: nothing of what a person wrote. */
function storedMessage(message: MessageOrText | null): Stored | null {
  if (!(message instanceof Message)) return null
  const values = Object.entries(message.values).map(([name, value]) => [
    name,
    value instanceof Message ? storedMessage(value) : typeof value === 'bigint' ? `${value}` : value,
  ])
  return { code: message.code, ...(values.length > 0 && { values: Object.fromEntries(values) }) }
}

/** The same for a column. */
export const messageJson = (message: MessageOrText | null): string | null =>
  message instanceof Message ? JSON.stringify(storedMessage(message)) : null

/** A text that a person wrote has no code. */
export function readMessage(stored: unknown, text: string): MessageOrText {
  const { code, values = {} } = (stored ?? { code: '' }) as Stored
  if (!Object.hasOwn(english, code)) return text
  const read = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'object' ? readMessage(value, '') : value,
  ])
  return new Message(code as MessageCode, Object.fromEntries(read), text)
}

/** JSON of something that contains messages: in plain JSON they would be only their English sentences. */
export const jsonWithMessages = (value: unknown): string =>
  JSON.stringify(value, function (this: Record<string, unknown>, name, plain) {
    const inner = this[name]
    return inner instanceof Message ? { $message: storedMessage(inner), text: inner.text } : plain
  })

export const fromJsonWithMessages = (json: string): unknown =>
  JSON.parse(json, (_name, value) =>
    value !== null && typeof value === 'object' && '$message' in value
      ? readMessage(value.$message, value.text)
      : value,
  )

/** A row whose reason the table has in two columns: its text, and the message where it is one. */
export function withReason<Row extends { reason: MessageOrText | null }>({
  message,
  ...row
}: Row & { message?: unknown }): Row {
  const { reason } = row
  return { ...row, reason: typeof reason === 'string' ? readMessage(message, reason) : reason } as Row
}
