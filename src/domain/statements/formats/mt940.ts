/**
 * MT940 and MT942 of SWIFT: fields of a number between colons at the start of a line, in a fixed order, with or
 * without the envelope `{1:…}{2:…}{4:…-}`. This file holds the order; what an entry says is in mt940-entry.ts. The
 * last field is the payer's text, and a payer may write what looks like a field: one at an impossible place
 * is damage, and the rest is proved by the figures (mt940-proof.ts).
 */
import { isUtf8 } from 'node:buffer'
import { message as sentence } from '../../messages/message.ts'
import type { Currency } from '../../money.ts'
import { DamagedStatement, type Part, type ReadContext, type StatementFormat } from '../entry.ts'
import { statementBounds } from './bounds.ts'
import { decode, type Encoding } from './decode.ts'
import { partOf, type WrittenLine } from './mt940-entry.ts'
import { balance, dayOf, floorCurrency, ownAccount, sequenceOf, turnover } from './mt940-fields.ts'
import { EvenLines } from './mt940-lines.ts'
import { type Figures, Mt940Proof } from './mt940-proof.ts'

export const mt940: StatementFormat = {
  name: 'mt940',
  async *read(bytes, context) {
    const reader = new Mt940Reader(context)
    for await (const text of decode(bytes, encodingOf, () => reader.line)) yield* reader.push(text)
    yield* reader.end()
  },
}

type Parts = Generator<Part, void, undefined>

/** A message while it is read. `last` is the field that the next line may go on with. */
type Message = Omit<Figures, 'account'> & {
  account: string | undefined
  currency: Currency | undefined
  isTransliterated: boolean
  isInterim: boolean
  last: Place
  entry: WrittenLine | undefined
}

export class Mt940Reader {
  readonly #context: ReadContext
  readonly #lines = new EvenLines()
  readonly #proof = new Mt940Proof()
  #line = 0
  #message: Message | undefined
  #hasMessages = false

  constructor(context: ReadContext) {
    this.#context = context
  }

  get line(): number {
    return this.#lines.line
  }

  *push(text: string): Parts {
    for (const line of this.#lines.push(text)) yield* this.#take(line)
  }

  *end(): Parts {
    for (const line of this.#lines.end()) yield* this.#take(line)
    yield* this.#close()
    if (!this.#hasMessages)
      throw new DamagedStatement(Math.max(this.#line, 1), sentence('file_holds_no_statement'))
    for (const warning of this.#proof.warnings()) yield { warning }
  }

  *#take(line: string): Parts {
    this.#line++
    const tag = tagShape.exec(line)?.[1]
    const place = tag === undefined ? undefined : places[tag]
    if (tag !== undefined && place !== undefined) {
      yield* this.#field(tag, place, line.slice(tag.length + 2))
    } else if (this.#message === undefined) {
      this.#between(line)
    } else if (isOver(this.#message) && endShape.test(line)) {
      yield* this.#close()
      this.#between(line)
    } else {
      this.#goOn(this.#message, line, tag)
    }
  }

  /** Envelopes, and what banks write between messages. */
  #between(line: string): void {
    const type = /\{2:[IO](\d{3})/.exec(line)?.[1]
    if (type !== undefined && type !== '940' && type !== '942') throw notRead(this.#line, type)
    if (!betweenShape.test(line))
      throw new DamagedStatement(this.#line, sentence('line_belongs_to_no_statement'))
  }

  *#field(tag: string, place: Place, value: string): Parts {
    const at = `:${tag}:`
    if (place === 'reference') yield* this.#begin(value, at)
    else {
      const message = this.#message
      const found = message && nextPlace(message, place)
      if (message === undefined || found === undefined) throw this.#misplaced(at)
      if (found !== 'text') yield* this.#closeEntry()
      this.#fill(message, found, tag, value)
      message.last = found
    }
  }

  *#begin(value: string, at: string): Parts {
    if (this.#message !== undefined && !isOver(this.#message)) throw this.#misplaced(at)
    yield* this.#close()
    this.#hasMessages = true
    this.#message = {
      line: this.#line,
      account: undefined,
      currency: undefined,
      isTransliterated: value.startsWith('+'),
      isInterim: false,
      madeOn: null,
      opening: undefined,
      closing: undefined,
      sequence: { statementNumber: '', messageNumber: null },
      credits: undefined,
      debits: undefined,
      last: 'reference',
      entry: undefined,
    }
  }

  #misplaced(at: string): DamagedStatement {
    return new DamagedStatement(this.#line, sentence('field_out_of_place'), { at })
  }

  #fill(message: Message, place: Place, tag: string, value: string): void {
    const at = `:${tag}:`
    if (place === 'account') message.account = ownAccount(this.#line, value, this.#context)
    else if (place === 'number') message.sequence = sequenceOf(value)
    else if (place === 'floor') message.currency ??= floorCurrency(this.#line, at, value)
    else if (place === 'made') message.madeOn = dayOf(value.slice(0, 6))
    else if (place === 'opening' || place === 'closing') {
      const stated = { ...balance(this.#line, at, value), isIntermediate: tag.endsWith('M') }
      if (message.currency !== undefined && stated.currency !== message.currency)
        throw new DamagedStatement(this.#line, sentence('balances_in_two_currencies'), { at })
      message.currency = stated.currency
      message[place] = stated
    } else if (place === 'debits' || place === 'credits') message[place] = turnover(this.#line, at, value)
    else if (place === 'line')
      message.entry = { line: this.#line, first: value, supplement: [], text: [], raw: '' }
    else if (place === 'text') message.entry!.text.push(value)
    message.isInterim ||= place === 'floor' || place === 'made'
    if (place === 'opening') message.isInterim = false
    this.#keep(message, `${at}${value}`)
  }

  /** A further line of a field. Only texts have any, and the account of `:25P:`, which a BIC follows. */
  #goOn(message: Message, line: string, tag: string | undefined): void {
    if (tag === '32A' && message.last === 'account') throw notRead(this.#line, '900 or MT910')
    if (message.last === 'line') message.entry!.supplement.push(line)
    else if (message.last === 'text') message.entry!.text.push(line)
    else if (line.trim() !== '' && message.last !== 'account' && message.last !== 'information')
      throw new DamagedStatement(this.#line, sentence('line_belongs_to_no_field'))
    this.#keep(message, line)
  }

  /** The entry's own text, and not more of it than one entry may have. */
  #keep({ entry }: Message, line: string): void {
    if (entry === undefined) return
    entry.raw += entry.raw ? `\n${line}` : line
    if (entry.raw.length > statementBounds.documentCharacters)
      throw new DamagedStatement(entry.line, sentence('entry_too_long'), {
        at: ':61:',
      })
    if (entry.text.length + entry.supplement.length > statementBounds.linesPerEntry)
      throw new DamagedStatement(entry.line, sentence('entry_has_too_many_lines'), {
        at: ':61:',
      })
  }

  *#closeEntry(): Parts {
    const message = this.#message!
    const { entry, account, currency } = message
    if (entry === undefined) return
    message.entry = undefined
    const part = partOf(
      entry,
      {
        account: account!,
        currency: currency ?? this.#context.currencyOf(account!)!,
        isTransliterated: message.isTransliterated,
      },
      this.#context,
    )
    this.#proof.addRow(part)
    yield part
  }

  *#close(): Parts {
    const message = this.#message
    if (message === undefined) return
    if (!isOver(message))
      throw new DamagedStatement(message.line, sentence('closing_balance_missing'), { at: ':62F:' })
    yield* this.#closeEntry()
    this.#message = undefined
    // Banks may number a payment in its text in one kind of message, and in its line in the other.
    this.#context.numberedBy?.(message.isInterim ? 'mt942' : 'mt940')
    const { account, ...figures } = message
    yield { summary: this.#proof.endMessage({ ...figures, account: account! }) }
  }
}

type Place =
  | 'reference'
  | 'related'
  | 'account'
  | 'number'
  | 'floor'
  | 'made'
  | 'opening'
  | 'line'
  | 'text'
  | 'debits'
  | 'credits'
  | 'closing'
  | 'available'
  | 'information'

const places: Record<string, Place> = {
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
const after: Record<Exclude<Place, 'reference'>, readonly Place[]> = {
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
}

/** A text behind an entry is the payer's, any other one is the bank's own and about the whole statement. */
function nextPlace(message: Message, asked: Exclude<Place, 'reference'>): Place | undefined {
  const place = asked === 'text' && message.last !== 'line' ? 'information' : asked
  if (!after[place].includes(message.last)) return undefined
  if (place === 'closing' && message.opening === undefined) return undefined
  if (place === 'opening' && (message.closing ?? message.credits ?? message.debits) !== undefined)
    return undefined
  return place
}

/** Whether all that a message must have is there, so that another may begin. Interim reports have no balances. */
const isOver = ({ closing, isInterim }: Message): boolean => closing !== undefined || isInterim

const tagShape = /^:(\d{2}[A-Z]?|NS):/

/** The end of a message's block, its trailer, the next envelope or type, the end mark of DOS. */
const endShape = /^(?:-\}.*|[-$]\s*|\{[1-5]:.*|:94[02]:\s*|\s*[\u0001-\u0004\u001a][\s\u0001-\u0004\u001a]*)$/

/**
 * Blank, an envelope or a trailer, `-` and `$` between messages, the number of the message type alone, and the lines
 * of Dutch banks above it: a BIC, `940 00`, `0000 01BANKNL2AXXXX00001`. No blank can match two neighbouring parts: 64 KB
 * of them before a letter took eight seconds.
 */
const betweenShape =
  /^[\s\u0001-\u0004\u001a]*(?:\{[1-5]:[\s\S]*|-\}[\s\S]*|(?:[-$]|:?94[02]:?(?: \d{2})?|[A-Z]{6}[A-Z\d]{2,6}|\d{4} \d{2}[A-Z\d]{8,20})[\s\u0001-\u0004\u001a]*)?$/

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

/**
 * SWIFT has Latin letters only, so the encoding of others is not declared. Other text is almost never valid UTF-8; of the two
 * Russian encodings DOS has its letters where the other has signs that are rare.
 */
function encodingOf(head: Uint8Array): Encoding {
  if ([0, 1, 2, 3].some((cut) => isUtf8(head.subarray(0, head.length - cut)))) return 'utf-8'
  let [dos, windows] = [0, 0]
  for (const byte of head) {
    if (byte >= 0x80 && byte < 0xb0) dos++
    else if ((byte >= 0xc0 && byte < 0xe0) || byte >= 0xf0) windows++
  }
  return dos > windows ? 'ibm866' : 'windows-1251'
}
