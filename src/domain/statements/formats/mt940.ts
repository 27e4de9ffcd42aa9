/**
 * MT940 of SWIFT: fields of a number between colons at the start of a line, in a fixed order, with or
 * without the envelope `{1:…}{2:…}{4:…-}`. This file holds the order; what an entry says is in mt940-entry.ts. The
 * last field is the payer's text, and a payer may write what looks like a field: one at an impossible place
 * is damage, and the rest is proved by the balances: each message has to agree with its own, and totals.ts compares all of them.
 */
import { message as sentence } from '../../messages/message.ts'
import type { Cents, Currency } from '../../money.ts'
import { daysAfter } from '../../transfers/bank-text/days.ts'
import {
  badRow,
  DamagedStatement,
  type Part,
  type ReadContext,
  RejectedRow,
  type StatementFormat,
} from '../entry.ts'
import { statementBounds } from './bounds.ts'
import { earliest } from './dates.ts'
import { type Encoding, russianEncodingOf } from './decode.ts'
import { type Line, type LineReader, readLines } from './lines.ts'
import { partOf, type WrittenLine } from './mt940-entry.ts'
import { type Balance, balance, ownAccount } from './mt940-fields.ts'

export const mt940: StatementFormat = {
  name: 'mt940',
  read: (bytes, context) => readLines(bytes, (head) => new Mt940Reader(head, context)),
}

type Parts = Generator<Part, void, undefined>

/** `isIntermediate`: between two messages of one statement (`:60M:`, `:62M:`). */
type StatedBalance = Balance & { isIntermediate: boolean }

class Message {
  readonly line: number
  account = ''
  currency: Currency | undefined
  opening: StatedBalance | undefined
  closing: StatedBalance | undefined
  /** What its entries add up to, and whether some could not be read. */
  moved: Cents = 0n
  hasBad = false
  firstDay: string | undefined
  /** The place of the last field in the order of fields. */
  rank = 0
  /** The tag of the last field, which the next line may go on with; `86` only behind an entry. */
  last = '20'
  entry: WrittenLine | undefined

  constructor(line: number) {
    this.line = line
  }
}

export class Mt940Reader implements LineReader {
  readonly encoding: Encoding
  readonly areEven = true
  readonly #context: ReadContext
  #line = 0
  #message: Message | undefined
  #messages = 0
  /** The first message that does not agree with its own balances. */
  #wrongLine: number | undefined
  /** The message before, if its statement goes on in the next one. */
  #page: { account: string; closing: StatedBalance; from: string | null } | undefined

  constructor(head: Uint8Array, context: ReadContext) {
    this.encoding = russianEncodingOf(head)
    this.#context = context
  }

  *end(): Parts {
    yield* this.#close()
    if (this.#messages === 0) throw this.#damage(sentence('file_holds_no_statement'))
    // Of a single message the totals say it.
    if (this.#wrongLine !== undefined && this.#messages > 1)
      yield { warning: sentence('message_does_not_add_up', { line: this.#wrongLine }) }
  }

  *take({ line, text }: Line): Parts {
    this.#line = line
    const tag = tagShape.exec(text)?.[1] ?? ''
    const isEnd = (!this.#message || this.#message.closing) && text.trim() !== '' && betweenShape.test(text)
    if (ranks[tag] !== undefined) yield* this.#field(tag, text.slice(tag.length + 2))
    else if (this.#message !== undefined && !isEnd) this.#goOn(this.#message, text)
    else {
      yield* this.#close()
      this.#between(text)
    }
  }

  /** Envelopes, and what banks write between messages. */
  #between(text: string): void {
    const type = /\{2:[IO](\d{3})/.exec(text)?.[1]
    if (type !== undefined && type !== '940')
      throw new DamagedStatement(this.#line, sentence('mt_type_not_read', { type }), {
        code: 'statement_format_unsupported',
      })
    if (!betweenShape.test(text)) throw this.#damage(sentence('line_belongs_to_no_statement'))
  }

  *#field(tag: string, value: string): Parts {
    const message = this.#message
    if (tag === '20' ? message && !message.closing : message === undefined || !isAllowed(message, tag))
      throw this.#damage(sentence('field_out_of_place'), `:${tag}:`)
    if (tag === '20') {
      yield* this.#close()
      this.#messages++
      this.#message = new Message(this.#line)
      return
    }
    // A text behind an entry is the payer's, any other one is the bank's own and about the whole statement.
    const isOfEntry = tag === '86' && message!.last === '61'
    if (!isOfEntry) yield* this.#closeEntry(message!)
    if (tag !== '86' || isOfEntry) message!.rank = ranks[tag]!
    message!.last = tag === '86' && !isOfEntry ? 'information' : tag
    try {
      this.#fill(message!, message!.last, value)
    } catch (error) {
      const { detail } = badRow(error, this.#line).bad
      throw this.#damage(detail as DamagedStatement['detail'], `:${tag}:`)
    }
    this.#bound(message!, value)
  }

  #damage(detail: DamagedStatement['detail'], at?: string): DamagedStatement {
    return new DamagedStatement(this.#line, detail, { ...(at && { at }) })
  }

  #fill(message: Message, tag: string, value: string): void {
    if (tag.startsWith('25')) message.account = ownAccount(this.#line, value, this.#context)
    else if (tag.startsWith('60') || tag.startsWith('62')) {
      const stated = { ...balance(`:${tag}:`, value), isIntermediate: tag.endsWith('M') }
      message.currency ??= stated.currency
      if (stated.currency !== message.currency) throw new RejectedRow(sentence('balances_in_two_currencies'))
      message[tag.startsWith('60') ? 'opening' : 'closing'] = stated
    } else if (tag === '61')
      message.entry = { line: this.#line, first: value, supplement: [], text: [], size: 0 }
    else if (tag === '86') message.entry!.text.push(value)
  }

  /** A further line of a field. Only texts have any. */
  #goOn(message: Message, text: string): void {
    const { last, entry } = message
    if (last === '61') entry!.supplement.push(text)
    else if (last === '86') entry!.text.push(text)
    else if (text.trim() !== '' && last !== 'information')
      throw this.#damage(sentence('line_belongs_to_no_field'))
    this.#bound(message, text)
  }

  #bound({ entry }: Message, text: string): void {
    if (entry === undefined) return
    entry.size += text.length + 1
    const isTooLong =
      entry.size > statementBounds.documentCharacters ||
      entry.text.length + entry.supplement.length > statementBounds.linesPerEntry
    if (isTooLong) throw new DamagedStatement(entry.line, sentence('entry_too_long'), { at: ':61:' })
  }

  *#closeEntry(message: Message): Parts {
    const { entry, account, currency = this.#context.currencyOf(account)! } = message
    if (entry === undefined) return
    message.entry = undefined
    const part = partOf(entry, { account, currency }, this.#context)
    if ('entry' in part) {
      const { direction, cents, bookedOn } = part.entry
      message.moved += direction === 'credit' ? cents : -cents
      message.firstDay = earliest([message.firstDay, bookedOn])!
    } else message.hasBad = true
    yield part
  }

  *#close(): Parts {
    const message = this.#message
    if (message === undefined) return
    const { account, opening, closing } = message
    if (!opening || !closing)
      throw new DamagedStatement(message.line, sentence('closing_balance_missing'), { at: ':62F:' })
    yield* this.#closeEntry(message)
    this.#message = undefined
    const from = this.#firstDay(message, opening, closing)
    this.#page = closing.isIntermediate ? { account, closing, from } : undefined
    // The bank states the final balance when the day is over.
    const completeTo = from === null || closing.isIntermediate ? null : closing.day
    yield {
      summary: {
        ...{ account, from, to: closing.day, completeTo, role: 'booked' },
        ...{ creditCents: null, debitCents: null },
        ...{ openingCents: opening.cents, closingCents: closing.cents },
      },
    }
    // With rows that cannot be read nothing can be said, and the file waits for a person anyway.
    if (!message.hasBad && closing.cents - opening.cents !== message.moved) this.#wrongLine ??= message.line
  }

  /** The opening balance is that of the day before the first one, or of the first one itself. A page alone has no first day. */
  #firstDay({ account, firstDay }: Message, opening: StatedBalance, closing: StatedBalance): string | null {
    const page = this.#page
    if (opening.isIntermediate)
      return page?.account === account && page.closing.cents === opening.cents ? page.from : null
    if (!opening.day || !closing.day) return null
    return earliest([daysAfter(opening.day, 1), closing.day, firstDay])
  }
}

/** The order of fields. Those of an odd rank may be repeated, or stand in any order. */
const ranks: Record<string, number | undefined> = {
  ...{ '20': 0, '21': 1, '25': 2, '28': 3, '28C': 3, '60F': 4, '60M': 4 },
  ...{ '61': 5, '86': 6, '62F': 8, '62M': 8, '64': 9, '65': 9 },
}

function isAllowed({ rank, last, account, opening }: Message, tag: string): boolean {
  const next = ranks[tag]!
  if ((next > 2 && account === '') || (next === 8 && opening === undefined)) return false
  if (tag === '86') return last === '61' || [3, 8, 9].includes(rank)
  return next > rank || (next === rank && next % 2 === 1) || (tag === '61' && rank === 6)
}

const tagShape = /^:(\d{2}[A-Z]?):/

/**
 * Blank, an envelope or a trailer, `-` between messages. No blank can match two neighbouring parts: 64 KB of them before a
 * letter took eight seconds.
 */
const betweenShape = /^[\s\u0001-\u0004\u001a]*(?:\{[1-5]:[\s\S]*|-\}[\s\S]*|-[\s\u0001-\u0004\u001a]*)?$/

export const beginsMt940 = (text: string): boolean => /^[\s\u0001-\u0004]*(?:-\s+)?(?:\{1:F|:20:)/.test(text)
