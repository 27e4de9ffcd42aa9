/**
 * 1CClientBankExchange: lines of `Key=Value` in sections, in the Russian dialect (1C standard 1.02 and 1.03) and the
 * one that banks of Kazakhstan made of it. Keys come in any case, and in any order but for the
 * purpose: see one-c-document.ts. Unknown ones are only kept in the text. This file follows the sections; what a document says is in one-c-entry.ts.
 *
 * A purpose is the payer's text, and some banks keep its line breaks. So from the first document on only documents
 * are accepted: account sections, accounts or a second header there are damage, and so is any text between two
 * documents. A whole forged document is detected by the totals, which come before the first one.
 */
import { type Message, message } from '../../messages/message.ts'
import { normalizeAccountNumber } from '../../transfers/bank-text/account-number.ts'
import { withoutControls } from '../../transfers/bank-text/controls.ts'
import {
  DamagedStatement,
  type Part,
  type ReadContext,
  RejectedRow,
  type StatementFormat,
  type Summary,
} from '../entry.ts'
import { notOurs } from './account.ts'
import { amountOf } from './amount.ts'
import { statementBounds } from './bounds.ts'
import { dateOf } from './dates.ts'
import { decode } from './decode.ts'
import { LineCutter } from './lines.ts'
import { OneCDocument } from './one-c-document.ts'
import { entryOf } from './one-c-entry.ts'
import { encodingMeant, encodingOf, firstLine, keyIn, knownKeys } from './one-c-keys.ts'

export const oneC: StatementFormat = {
  name: '1c',
  async *read(bytes, context) {
    const reader = new OneCReader(context)
    for await (const text of decode(bytes, encodingOf, () => reader.line)) yield* reader.push(text)
    yield* reader.end()
  },
}

type Parts = Generator<Part, void, undefined>
type Section = { line: number; fields: Map<string, string> }

export class OneCReader {
  readonly #context: ReadContext
  readonly #cutter = new LineCutter()
  readonly #accounts = new Set<string>()
  #line = 0
  #section: Section | undefined
  #document: OneCDocument | undefined
  #hasSections = false
  #hasDocuments = false
  #isOver = false
  #hasOurs = false
  /** The first document that names no account of ours. */
  #foreign: { line: number; account: string } | undefined

  constructor(context: ReadContext) {
    this.#context = context
  }

  get line(): number {
    return this.#cutter.line
  }

  *push(text: string): Parts {
    for (const line of this.#cutter.push(text)) {
      const parts = this.#take(line)
      if (parts) yield* parts
    }
  }

  *end(): Parts {
    for (const line of this.#cutter.end()) yield* this.#take(line) ?? []
    if (this.#line === 0) throw new DamagedStatement(1, message('file_is_empty'))
    yield* this.#close()
    if (this.#foreign && !this.#hasOurs) throw notOurs(this.#foreign.line, this.#foreign.account)
    if (!this.#hasSections) throw new DamagedStatement(this.#line, message('file_holds_header_only'))
  }

  /** Most lines are fields and give nothing. */
  #take(line: string): Parts | undefined {
    this.#line++
    if (this.#line === 1) {
      if (line === firstLine) return undefined
      throw new DamagedStatement(1, message('first_line_wrong', { first: firstLine }))
    }
    if (isBlank(line)) return undefined
    if (this.#isOver) throw new DamagedStatement(this.#line, message('text_after_end'))
    const key = keyIn(line)
    if (key === secondHeader) throw this.#damage(message('second_statement_begins'))
    if (sectionMarks.has(key)) return this.#takeMark(line, key)
    this.#takeField(line, key)
    return undefined
  }

  *#takeMark(line: string, mark: string): Parts {
    if (this.#hasDocuments && mark.endsWith('расчсчет'))
      throw this.#damage(message('section_behind_document'))
    if (mark === 'конецрасчсчет') {
      yield* this.#closeSection()
    } else if (mark === 'конецдокумента') {
      if (!this.#document) throw this.#damage(message('document_never_began'))
      yield this.#read(this.#document, line)
      this.#document = undefined
    } else {
      yield* this.#close()
      if (mark === 'конецфайла') {
        this.#isOver = true
        return
      }
      this.#hasSections = true
      if (mark === 'секциярасчсчет') {
        this.#section = { line: this.#line, fields: new Map() }
      } else {
        this.#hasDocuments = true
        this.#document = new OneCDocument(this.#line)
        this.#document.keep(withoutControls(line))
      }
    }
  }

  #takeField(written: string, key: string): void {
    const meant = knownKeys.has(key) ? undefined : encodingMeant(key)
    if (meant) throw new DamagedStatement(this.#line, message('encodings_mixed', { encoding: meant }))
    const line = withoutControls(written)
    const value = line.slice(line.indexOf('=') + 1).trim()
    if (this.#document) {
      this.#document.take(line, key, value)
      if (this.#document.size > statementBounds.documentCharacters)
        throw new DamagedStatement(this.#document.line, message('document_too_long'))
      return
    }
    if (this.#hasDocuments) throw this.#damage(message('line_between_documents'))
    if (key === 'расчсчет') this.#takeAccount(value)
    if (this.#section && sectionKeys.has(key)) this.#section.fields.set(key, value)
  }

  #takeAccount(value: string): void {
    const account = normalizeAccountNumber(value)
    if (account === '') return
    if (!this.#context.currencyOf(account)) throw notOurs(this.#line, value, 'РасчСчет')
    this.#hasOurs = true
    this.#accounts.add(account)
    if (this.#accounts.size > statementBounds.accounts)
      throw new DamagedStatement(this.#line, message('file_names_too_many_accounts'))
  }

  #read(document: OneCDocument, lastLine: string): Part {
    document.keep(withoutControls(lastLine))
    const { line } = document
    try {
      const read = entryOf(document, this.#accounts, this.#context)
      if ('notOurs' in read) {
        this.#foreign ??= { line, account: read.notOurs }
        return { skipped: { line, reason: 'other_account' } }
      }
      this.#hasOurs = true
      return read
    } catch (error) {
      if (!(error instanceof RejectedRow)) throw error
      return { bad: { line, ...(error.field && { at: error.field }), detail: error.detail } }
    }
  }

  #damage(detail: Message): DamagedStatement {
    return new DamagedStatement(this.#line, detail)
  }

  /** Something else begins, or the file ends. A document without its end is cut off: what is missing is unknown. */
  *#close(): Parts {
    if (this.#document)
      yield {
        bad: { line: this.#document.line, detail: message('document_cut_off', { end: 'КонецДокумента' }) },
      }
    this.#document = undefined
    if (this.#section) {
      yield {
        bad: { line: this.#section.line, detail: message('section_cut_off', { end: 'КонецРасчСчет' }) },
      }
      yield* this.#closeSection({ isCut: true })
    }
  }

  *#closeSection({ isCut = false } = {}): Parts {
    const section = this.#section
    this.#section = undefined
    if (!section) return
    const written = normalizeAccountNumber(section.fields.get('расчсчет') ?? '')
    const account = written || (this.#accounts.size === 1 ? [...this.#accounts][0]! : '')
    if (account === '') yield { bad: { line: section.line, detail: message('section_names_no_account') } }
    else yield { summary: summaryOf(section, account, isCut) }
  }
}

const secondHeader = firstLine.toLowerCase()

const sectionMarks = new Set([
  ...['секциярасчсчет', 'конецрасчсчет', 'секциядокумент', 'конецдокумента', 'конецфайла'],
])

/** Nothing, spaces, or the end mark of DOS. */
const isBlank = (line: string): boolean => !(line.charCodeAt(0) > 32) && /^[\s\u001a]*$/.test(line)

const sectionKeys = new Set([
  ...['расчсчет', 'датаначала', 'датаконца'],
  ...['всегопоступило', 'всегосписано', 'начальныйостаток', 'конечныйостаток'],
])

/** A figure that cannot be read, or may be cut, counts as missing: figures are only compared. */
function summaryOf({ fields }: Section, account: string, isCut: boolean): Summary {
  const day = (key: string): string | null => dateOf(fields.get(key) ?? '', 'dd.mm.yyyy')?.day ?? null
  const total = (key: string): bigint | null =>
    isCut ? null : (amountOf(fields.get(key) ?? '', { isDotDecimal: true }) ?? null)
  return {
    account,
    from: day('датаначала'),
    to: day('датаконца'),
    creditCents: total('всегопоступило'),
    debitCents: total('всегосписано'),
    openingCents: total('начальныйостаток'),
    closingCents: total('конечныйостаток'),
    counts: [],
  }
}
