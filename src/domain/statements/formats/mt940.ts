/**
 * MT940 and MT942 of SWIFT: fields of a number between colons at the start of a line, in a fixed order, with or
 * without the envelope `{1:…}{2:…}{4:…-}`. This file holds the order; what an entry says is in mt940-entry.ts. The
 * last field is the payer's text, and a payer may write what looks like a field: one at an impossible place
 * is damage, and the rest is proved by the balances: each message has to agree with its own, and totals.ts compares all of them.
 * An interim report (MT942) has no balances, so nothing in it proves its entries.
 */
import { message as sentence } from '../../messages/message.ts'
import type { Currency } from '../../money.ts'
import { daysAfter } from '../../transfers/bank-text/days.ts'
import {
  DamagedStatement,
  type Part,
  type ReadContext,
  type StatementFormat,
  type Summary,
} from '../entry.ts'
import { Tally } from '../tally.ts'
import { statementBounds } from './bounds.ts'
import { earliest } from './dates.ts'
import { type Encoding, russianEncodingOf } from './decode.ts'
import { type Line, type LineReader, readLines } from './lines.ts'
import { partOf, type WrittenLine } from './mt940-entry.ts'
import { type Balance, balance, entriesIn, isNextPage, ourCurrency, ownAccount } from './mt940-fields.ts'

export const mt940: StatementFormat = {
  name: 'mt940',
  read: (bytes, context) => readLines(bytes, (head) => new Mt940Reader(head, context)),
}

type Parts = Generator<Part, void, undefined>

/** `isIntermediate`: between two messages of one statement (`:60M:`, `:62M:`). */
type StatedBalance = Balance & { isIntermediate: boolean }

/** A message while it is read. */
class Message {
  readonly line: number
  account = ''
  currency: Currency | undefined
  readonly isTransliterated: boolean
  isInterim = false
  opening: StatedBalance | undefined
  closing: StatedBalance | undefined
  number = ''
  /** How many entries it states. */
  credits: number | null = null
  debits: number | null = null
  readonly tally = new Tally()
  hasBad = false
  firstDay: string | undefined
  /** The field that the next line may go on with. */
  last: Place = 'reference'
  entry: WrittenLine | undefined

  constructor(line: number, reference: string) {
    this.line = line
    this.isTransliterated = reference.startsWith('+')
  }

  add(part: Part): void {
    this.hasBad ||= 'bad' in part
    if (!('entry' in part)) {
      this.tally.unsure++
      return
    }
    const { direction, cents, bookedOn } = part.entry
    this.tally.add(direction, cents)
    if (this.firstDay === undefined || bookedOn < this.firstDay) this.firstDay = bookedOn
  }

  /** With rows that cannot be read nothing can be said, and the file waits for a person anyway. */
  get addsUp(): boolean {
    const { opening, closing, tally, hasBad } = this
    if (!opening || !closing || hasBad) return true
    return closing.cents - opening.cents === tally.credit.cents - tally.debit.cents
  }

  /** `from`: the first day of its statement. The bank states the final balance when the day is over. */
  summary(from: string | null): Summary {
    const { account, opening, closing, tally, credits, debits } = this
    return {
      account,
      from,
      to: closing?.day ?? null,
      completeTo: closing && from !== null && !closing.isIntermediate ? closing.day : null,
      role: closing === undefined ? 'early' : 'booked',
      creditCents: null,
      debitCents: null,
      openingCents: opening?.cents ?? null,
      closingCents: closing?.cents ?? null,
      counts: tally.counts({ credits, debits }),
    }
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
  #page: { account: string; number: string; from: string | null } | undefined

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
    const place = places[tag]
    if (place !== undefined) yield* this.#field(tag, place, text.slice(tag.length + 2))
    else if (this.#message !== undefined && !(isOver(this.#message) && endShape.test(text)))
      this.#goOn(this.#message, text, tag)
    else {
      yield* this.#close()
      this.#between(text)
    }
  }

  /** Envelopes, and what banks write between messages. */
  #between(text: string): void {
    const type = /\{2:[IO](\d{3})/.exec(text)?.[1]
    if (type !== undefined && type !== '940' && type !== '942') throw notRead(this.#line, type)
    if (!betweenShape.test(text)) throw this.#damage(sentence('line_belongs_to_no_statement'))
  }

  *#field(tag: string, asked: Place, value: string): Parts {
    const at = `:${tag}:`
    const message = this.#message
    if (asked === 'reference') {
      if (message !== undefined && !isOver(message)) throw this.#damage(sentence('field_out_of_place'), at)
      yield* this.#close()
      this.#messages++
      this.#message = new Message(this.#line, value)
      return
    }
    const place = message && nextPlace(message, asked)
    if (place === undefined) throw this.#damage(sentence('field_out_of_place'), at)
    if (place !== 'text') yield* this.#closeEntry(message!)
    this.#fill(message!, place, tag, value)
    message!.last = place
  }

  #damage(detail: DamagedStatement['detail'], at?: string): DamagedStatement {
    return new DamagedStatement(this.#line, detail, { ...(at && { at }) })
  }

  #fill(message: Message, place: Place, tag: string, value: string): void {
    const at = `:${tag}:`
    if (place === 'account') message.account = ownAccount(this.#line, value, this.#context)
    else if (place === 'number') message.number = value
    else if (place === 'floor') message.currency ??= ourCurrency(this.#line, at, value.slice(0, 3))
    else if (place === 'opening' || place === 'closing') {
      const stated = { ...balance(this.#line, at, value), isIntermediate: tag.endsWith('M') }
      message.currency ??= stated.currency
      if (stated.currency !== message.currency) throw this.#damage(sentence('balances_in_two_currencies'), at)
      message[place] = stated
    } else if (place === 'debits' || place === 'credits') message[place] = entriesIn(value)
    else if (place === 'line')
      message.entry = { line: this.#line, first: value, supplement: [], text: [], raw: '' }
    else if (place === 'text') message.entry!.text.push(value)
    message.isInterim ||= place === 'floor' || place === 'made'
    if (place === 'opening') message.isInterim = false
    this.#keep(message, `${at}${value}`)
  }

  /** A further line of a field. Only texts have any, and the account of `:25P:`, which a BIC follows. */
  #goOn(message: Message, text: string, tag: string): void {
    if (tag === '32A' && message.last === 'account') throw notRead(this.#line, '900 or MT910')
    if (message.last === 'line') message.entry!.supplement.push(text)
    else if (message.last === 'text') message.entry!.text.push(text)
    else if (text.trim() !== '' && message.last !== 'account' && message.last !== 'information')
      throw this.#damage(sentence('line_belongs_to_no_field'))
    this.#keep(message, text)
  }

  /** The entry's own text, and not more of it than one entry may have. */
  #keep({ entry }: Message, text: string): void {
    if (entry === undefined) return
    entry.raw += entry.raw ? `\n${text}` : text
    const isTooLong =
      entry.raw.length > statementBounds.documentCharacters ||
      entry.text.length + entry.supplement.length > statementBounds.linesPerEntry
    if (isTooLong) throw new DamagedStatement(entry.line, sentence('entry_too_long'), { at: ':61:' })
  }

  *#closeEntry(message: Message): Parts {
    const { entry, account, currency = this.#context.currencyOf(account)!, isTransliterated } = message
    if (entry === undefined) return
    message.entry = undefined
    const part = partOf(entry, { account, currency, isTransliterated }, this.#context)
    message.add(part)
    yield part
  }

  *#close(): Parts {
    const message = this.#message
    if (message === undefined) return
    if (!isOver(message))
      throw new DamagedStatement(message.line, sentence('closing_balance_missing'), { at: ':62F:' })
    yield* this.#closeEntry(message)
    this.#message = undefined
    const from = this.#firstDay(message)
    this.#page = message.closing?.isIntermediate
      ? { account: message.account, number: message.number, from }
      : undefined
    yield { summary: message.summary(from) }
    if (!message.addsUp) this.#wrongLine ??= message.line
  }

  /** The opening balance is that of the day before the first one, or of the first one itself. A page alone has no first day. */
  #firstDay({ account, number, opening, closing, firstDay }: Message): string | null {
    const page = this.#page
    if (opening?.isIntermediate)
      return page?.account === account && isNextPage(page.number, number) ? page.from : null
    if (!opening?.day || !closing?.day) return null
    return earliest([daysAfter(opening.day, 1), closing.day, firstDay])
  }
}

type Place = 'reference' | keyof typeof after

const places: Record<string, Place | undefined> = {
  '20': 'reference',
  '21': 'related',
  '25': 'account',
  '25P': 'account',
  '28': 'number',
  '28C': 'number',
  '34F': 'floor',
  '13': 'made',
  '13D': 'made',
  '60F': 'opening',
  '60M': 'opening',
  '61': 'line',
  '86': 'text',
  // What the standard does not have: some banks write it besides `:86:`.
  NS: 'text',
  '90D': 'debits',
  '90C': 'credits',
  '62F': 'closing',
  '62M': 'closing',
  '64': 'available',
  '65': 'available',
}

/** After which fields each may stand. */
const after = {
  related: ['reference'],
  account: ['reference', 'related'],
  number: ['account'],
  floor: ['number', 'floor'],
  made: ['number', 'floor'],
  opening: ['number', 'made', 'information'],
  line: ['opening', 'floor', 'made', 'line', 'text'],
  text: ['line'],
  debits: ['opening', 'floor', 'made', 'line', 'text'],
  credits: ['opening', 'floor', 'made', 'line', 'text', 'debits'],
  closing: ['opening', 'line', 'text', 'debits', 'credits'],
  available: ['closing', 'available'],
  information: ['number', 'debits', 'credits', 'closing', 'available'],
} as const

/** A text behind an entry is the payer's, any other one is the bank's own and about the whole statement. */
function nextPlace(message: Message, asked: keyof typeof after): Place | undefined {
  const place = asked === 'text' && message.last !== 'line' ? 'information' : asked
  const before: readonly string[] = after[place]
  if (!before.includes(message.last)) return undefined
  if (place === 'closing' && message.opening === undefined) return undefined
  if (
    place === 'opening' &&
    (message.closing ?? message.credits ?? message.debits ?? undefined) !== undefined
  )
    return undefined
  return place
}

/** Whether all that a message must have is there, so that another may begin. Interim reports have no balances. */
const isOver = ({ closing, isInterim }: Message): boolean => closing !== undefined || isInterim

const tagShape = /^:(\d{2}[A-Z]?|NS):/

/** The end of a message's block, its trailer, the next envelope or type, the end mark of DOS. */
const endShape = /^(?:-\}.*|[-$]\s*|\{[1-5]:.*|:94[02]:\s*|\s*[\u0001-\u0004\u001a][\s\u0001-\u0004\u001a]*)$/

/**
 * Blank, an envelope or a trailer, `-` and `$` between messages, the number of the message type. No blank can match two
 * neighbouring parts: 64 KB of them before a letter took eight seconds.
 */
const betweenShape =
  /^[\s\u0001-\u0004\u001a]*(?:\{[1-5]:[\s\S]*|-\}[\s\S]*|(?:[-$]|:94[02]:)[\s\u0001-\u0004\u001a]*)?$/

/** What may stand before the first message, for a look at the beginning of a file. */
export const beginsMt940 = (text: string): boolean => {
  for (const line of text.split(/\r\n|\n|\r/).slice(0, 8)) {
    if (/^[\s\u0001-\u0004]*\{1:F/.test(line) || line.startsWith(':20:')) return true
    if (!betweenShape.test(line)) return false
  }
  return false
}

const notRead = (line: number, type: string): DamagedStatement =>
  new DamagedStatement(line, sentence('mt_type_not_read', { type }), {
    code: 'statement_format_unsupported',
  })
