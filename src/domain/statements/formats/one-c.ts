/**
 * 1CClientBankExchange: lines of `Key=Value` in sections, in the Russian dialect (1C standard 1.02 and 1.03) and the
 * one that banks of Kazakhstan made of it. Keys come in any case and in any order. This file follows the sections; what a
 * document says is in one-c-entry.ts.
 *
 * A purpose is the payer's text, and some banks keep its line breaks. So from the first document on only documents
 * are accepted: account sections there are damage, and so is any text between two
 * documents. A whole forged document is detected by the totals, which come before the first one.
 */
import { type Message, message } from '../../messages/message.ts'
import { normalizeAccountNumber } from '../../transfers/bank-text/account-number.ts'
import { withoutControls } from '../../transfers/bank-text/controls.ts'
import {
  DamagedStatement,
  type Part,
  type ReadContext,
  type StatementFormat,
  type Summary,
} from '../entry.ts'
import { amountOf } from './amount.ts'
import { statementBounds } from './bounds.ts'
import { dateOf, lastDayOver } from './dates.ts'
import { type Encoding, russianEncodingOf } from './decode.ts'
import { type Line, type LineReader, readLines } from './lines.ts'
import { OneCDocument } from './one-c-document.ts'
import { partOf } from './one-c-entry.ts'
import { firstLine, keyIn, knownKeys } from './one-c-keys.ts'
import { notOurs } from './texts.ts'

export const oneC: StatementFormat = {
  name: '1c',
  read: (bytes, context) => readLines(bytes, (head) => new OneCReader(head, context)),
}

type Parts = Generator<Part, void, undefined>
type Section = { line: number; fields: Map<string, string> }

export class OneCReader implements LineReader {
  readonly encoding: Encoding
  readonly areEven = true
  readonly #context: ReadContext
  readonly #accounts = new Set<string>()
  #line = 0
  #section: Section | undefined
  #document: OneCDocument | undefined
  /** The day on which the file was made, as its header says it. */
  #madeOn: string | null = null
  #hasSections = false
  #hasDocuments = false

  constructor(head: Uint8Array, context: ReadContext) {
    // The first keys show it.
    this.encoding = russianEncodingOf(head.subarray(0, 256))
    this.#context = context
  }

  *end(): Parts {
    yield* this.#close()
    if (!this.#hasSections) throw this.#damage(message('file_holds_header_only'))
  }

  take({ line, text }: Line): Parts | undefined {
    this.#line = line
    if (line === 1) {
      if (text === firstLine) return undefined
      throw this.#damage(message('first_line_wrong', { first: firstLine }))
    }
    if (isBlank(text)) return undefined
    const key = keyIn(text)
    if (sectionMarks.has(key)) return this.#takeMark(key)
    this.#takeField(withoutControls(text), key)
    return undefined
  }

  *#takeMark(mark: string): Parts {
    if (this.#hasDocuments && mark.endsWith('РасчСчет'))
      throw this.#damage(message('section_behind_document'))
    if (mark === 'КонецРасчСчет') {
      yield* this.#endSection()
    } else if (mark === 'КонецДокумента') {
      if (!this.#document) throw this.#damage(message('document_never_began'))
      yield partOf(this.#document, this.#accounts, this.#context)
      this.#document = undefined
    } else {
      yield* this.#close()
      if (mark === 'КонецФайла') return
      this.#hasSections = true
      if (mark === 'СекцияРасчСчет') {
        this.#section = { line: this.#line, fields: new Map() }
      } else {
        this.#hasDocuments = true
        this.#document = new OneCDocument(this.#line)
      }
    }
  }

  #takeField(text: string, key: string): void {
    const value = text.slice(text.indexOf('=') + 1).trim()
    if (this.#document) {
      this.#document.take(text, key, value)
      if (this.#document.size > statementBounds.documentCharacters)
        throw new DamagedStatement(this.#document.line, message('document_too_long'))
      return
    }
    if (this.#hasDocuments) throw this.#damage(message('line_between_documents'))
    if (key === 'РасчСчет') this.#takeAccount(value)
    if (key === 'ДатаСоздания') this.#madeOn ??= dayIn(value)
    if (knownKeys.has(key)) this.#section?.fields.set(key, value)
  }

  #takeAccount(value: string): void {
    const account = normalizeAccountNumber(value)
    if (account === '') return
    if (!this.#context.currencyOf(account)) throw notOurs(this.#line, value, 'РасчСчет')
    this.#accounts.add(account)
  }

  #damage(detail: Message): DamagedStatement {
    return new DamagedStatement(this.#line, detail)
  }

  /** Something else begins, or the file ends. What has no end is cut off: what is missing is unknown. */
  *#close(): Parts {
    const open = this.#document ?? this.#section
    const end = this.#document ? 'КонецДокумента' : 'КонецРасчСчет'
    if (open) yield { bad: { line: open.line, detail: message('section_cut_off', { end }) } }
    this.#document = undefined
    this.#section = undefined
  }

  *#endSection(): Parts {
    const section = this.#section
    this.#section = undefined
    if (!section) return
    const account = normalizeAccountNumber(section.fields.get('РасчСчет') ?? '')
    if (account === '') yield { bad: { line: section.line, detail: message('section_names_no_account') } }
    else yield { summary: summaryOf(section, account, this.#madeOn) }
  }
}

const sectionMarks = new Set([
  ...['СекцияРасчСчет', 'КонецРасчСчет', 'СекцияДокумент', 'КонецДокумента', 'КонецФайла'],
])

const isBlank = (line: string): boolean => !(line.charCodeAt(0) > 32) && /^[\s\u001a]*$/.test(line)

const dayIn = (text = ''): string | null => dateOf(text, 'dd.mm.yyyy')?.day ?? null

/** A figure that cannot be read counts as missing: figures are only compared. */
function summaryOf({ fields }: Section, account: string, madeOn: string | null): Summary {
  const [from, to] = [dayIn(fields.get('ДатаНачала')), dayIn(fields.get('ДатаКонца'))]
  const total = (key: string): bigint | null =>
    amountOf(fields.get(key) ?? '', { isDotDecimal: true }) ?? null
  return {
    account,
    from,
    to,
    completeTo: lastDayOver({ from, to }, madeOn),
    role: 'booked',
    creditCents: total('ВсегоПоступило'),
    debitCents: total('ВсегоСписано'),
    openingCents: total('НачальныйОстаток'),
    closingCents: total('КонечныйОстаток'),
  }
}
