/**
 * camt.053, .054 and .052 of ISO 20022, in the versions .01 to .08 and later; .01 names its containers with a version
 * and has no element around the transactions of an entry. This file finds the statements, their entries and the transactions
 * of these in the XML, and keeps one of each; what an entry says is in camt-entry.ts, and the totals are in camt-summary.ts.
 */
import { message } from '../../messages/message.ts'
import { DamagedStatement, type Part, type ReadContext, type StatementFormat } from '../entry.ts'
import { statementBounds } from './bounds.ts'
import { Element } from './camt-element.ts'
import { partsOf, type Statement, statusOf, type Transaction, transactionOf } from './camt-entry.ts'
import { summaryOf } from './camt-summary.ts'
import { decode } from './decode.ts'
import { notOurs } from './texts.ts'
import { declaredEncoding, type XmlEvent, XmlReader } from './xml.ts'

export const camt: StatementFormat = {
  name: 'camt',
  async *read(bytes, context) {
    const xml = new XmlReader()
    const reader = new CamtReader(context)
    for await (const text of decode(bytes, declaredEncoding, () => xml.line))
      for (const event of xml.push(text)) {
        const ended = reader.take(event)
        if (ended) yield* reader.partsOf(ended)
      }
    xml.end()
    reader.requireStatement(xml.line)
  },
}

const statements = ['Stmt', 'Ntfctn', 'Rpt']

/** What an element takes in memory beside its text. */
const elementCharacters = 100

export class CamtReader {
  readonly #context: ReadContext
  #open: Element | undefined
  /** The statement that is open, in it the entry, and in that the transaction: all that holds much. */
  readonly #parts: Element[] = []
  #transactions: Transaction[] = []
  #statements = 0
  #entries = 0
  #hasStatusWarning = false
  /** Characters of all elements that are open or stand in one, and of the transactions. */
  #kept = 0

  constructor(context: ReadContext) {
    this.#context = context
  }

  /** The entry, or the statement, that ends with this event. */
  take(event: XmlEvent): Element | undefined {
    if (event.kind === 'start') this.#start(event)
    if (event.kind === 'end') return this.#end(this.#open!)
    // Elements are indented: blanks between them are no text.
    if (event.kind === 'text' && this.#open && (this.#open.content !== '' || event.text.trim() !== '')) {
      this.#open.content += event.text
      this.#keep(event.text.length)
    }
    return undefined
  }

  async *partsOf(ended: Element): AsyncGenerator<Part, void, undefined> {
    if (ended.name !== 'Ntry') {
      yield { summary: summaryOf(ended, this.#about(ended, ended.line), this.#context) }
      return
    }
    const statement = this.#about(ended.parent!, ended.line)
    yield* await partsOf(ended, this.#transactions, statement, this.#context)
    if (!statement.holdsBooked || this.#hasStatusWarning || statusOf(ended) !== '') return
    this.#hasStatusWarning = true
    yield { warning: message('entries_without_status') }
  }

  requireStatement(line: number): void {
    if (this.#statements === 0)
      throw new DamagedStatement(line, message('xml_holds_no_statement'), {
        code: 'statement_format_unsupported',
      })
  }

  #start({ name, attributes, line }: XmlEvent & { kind: 'start' }): void {
    const parent = this.#open
    const element = new Element(name, {
      line,
      parent,
      currency: attributes.get('Ccy') ?? '',
      before: this.#kept,
    })
    this.#open = element
    const [statement, entry, transaction] = this.#parts
    if (!statement && statements.includes(name) && parent?.name.startsWith('BkToCstmr')) {
      element.at = `${name}[${++this.#statements}]`
      this.#entries = 0
      this.#parts.push(element)
    } else if (parent && parent === statement && name === 'Ntry') {
      element.at = `${parent.at}/Ntry[${++this.#entries}]`
      this.#transactions = []
      this.#parts.push(element)
    } else if (!transaction && name === 'TxDtls' && entry && [parent, parent?.parent].includes(entry))
      this.#parts.push(element)
    this.#keep(name.length + elementCharacters)
  }

  #end(element: Element): Element | undefined {
    element.close()
    this.#open = element.parent
    if (element !== this.#parts.at(-1)) {
      element.parent?.add(element)
      return undefined
    }
    this.#parts.pop()
    this.#kept = element.before
    if (this.#parts.length < 2) return element
    const transaction = transactionOf(element)
    this.#transactions.push(transaction)
    this.#keep(JSON.stringify(transaction).length)
    return undefined
  }

  #keep(characters: number): void {
    this.#kept += characters
    const { charactersPerEntry, transactionsPerEntry } = statementBounds
    if (this.#kept <= charactersPerEntry && this.#transactions.length <= transactionsPerEntry) return
    const { line, at } = this.#parts[1] ?? this.#parts[0] ?? this.#open!
    this.requireStatement(line)
    throw new DamagedStatement(line, message('entry_too_large'), { at })
  }

  /** The account stands before the entries: every version of the message has them in this order. */
  #about(element: Element, line: number): Statement {
    const { account } = element.one('Acct')
    if (account === '')
      throw new DamagedStatement(line, message('statement_names_no_account'), { at: element.at })
    if (!this.#context.currencyOf(account)) throw notOurs(element.line, account, `${element.at}/Acct/Id`)
    return { account, currency: element.text('Acct/Ccy'), holdsBooked: element.name === 'Stmt' }
  }
}
