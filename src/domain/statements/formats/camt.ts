/**
 * camt.053, .054 and .052 of ISO 20022, in the versions .01 to .08 and later; .01 names its containers with a version
 * and has no element around the transactions of an entry. This file finds the statements and
 * their entries in the XML and keeps the few values that count; what an entry says is in camt-entry.ts.
 */

import { message } from '../../messages/message.ts'
import { normalizeAccountNumber } from '../../transfers/bank-text/account-number.ts'
import { isoDay } from '../../transfers/bank-text/days.ts'
import { DamagedStatement, type Part, type ReadContext, type StatementFormat } from '../entry.ts'
import { notOurs } from './account.ts'
import { statementBounds } from './bounds.ts'
import { hasStatus, partsOf, type Statement } from './camt-entry.ts'
import { Figures, noFigures } from './camt-figures.ts'
import {
  balancePaths,
  detailPaths,
  entryPaths,
  isTrue,
  ownAccountPaths,
  statementPaths,
  Values,
} from './camt-values.ts'
import { decode } from './decode.ts'
import { declaredEncoding, type XmlEvent, XmlReader } from './xml.ts'

export const camt: StatementFormat = {
  name: 'camt',
  async *read(bytes, context) {
    const xml = new XmlReader()
    const reader = new CamtReader(context)
    for await (const text of decode(bytes, declaredEncoding, () => xml.line))
      for (const event of xml.push(text)) {
        const parts = reader.take(event)
        for (const part of parts instanceof Promise ? await parts : parts) yield part
      }
    xml.end()
    reader.end(xml.line)
  },
}

/** Statement, notification, report: the container and what it repeats. */
const containers: Record<string, string> = {
  BkToCstmrStmt: 'Stmt',
  BkToCstmrDbtCdtNtfctn: 'Ntfctn',
  BkToCstmrAcctRpt: 'Rpt',
  BkToCstmrStmtV01: 'Stmt',
  BkToCstmrDbtCdtNtfctnV01: 'Ntfctn',
  BkToCstmrAcctRptV01: 'Rpt',
}

/**
 * The field that numbers the payments of a message. Banks fill in different references in a notification and in a statement,
 * and a statement without details only has those of its entries.
 */
const numbersOf = (statement: string, hasDetails: boolean): string =>
  `camt ${statement}${hasDetails ? '' : ' without details'}`

const nothing: Part[] = []

export class CamtReader {
  readonly #context: ReadContext
  readonly #path: string[] = []
  #text = ''
  /** The names of the elements that containers repeat. */
  readonly #statements = new Set<string>()
  #hasDetails = false
  /** The file is one page of several. */
  #isPage = false
  #statement: Values | undefined
  #figures = new Figures()
  #balance: Values | undefined
  #entry: Values | undefined
  #details: Values[] = []
  #detail: Values | undefined
  /** How many payments the entry has, according to its batches. */
  #batched = 0
  /** How many payments the current batch states. */
  #inBatch = 0
  /** The warning about entries without a status was given. */
  #hasStatusWarning = false
  /** Characters kept of the entry and all its details. */
  #kept = 0

  constructor(context: ReadContext) {
    this.#context = context
  }

  /** An entry may hold ten thousand transactions: only its end is waited for. */
  take(event: XmlEvent): Part[] | Promise<Part[]> {
    if (event.kind === 'start') {
      this.#start(event)
      this.#text = ''
      return nothing
    }
    this.#source(event.source)
    if (event.kind === 'text') {
      this.#text += event.text
      return nothing
    }
    const text = this.#text.trim()
    this.#value('', text)
    this.#page(text)
    this.#batch(text)
    this.#text = ''
    const parts = this.#end()
    this.#path.pop()
    return parts
  }

  end(line: number): void {
    if (this.#statements.size === 0)
      throw new DamagedStatement(line, message('xml_holds_no_statement'), {
        code: 'statement_format_unsupported',
      })
    for (const statement of this.#statements)
      this.#context.numberedBy?.(numbersOf(statement, this.#hasDetails))
  }

  #start({ name, step, attributes, line, source }: XmlEvent & { kind: 'start' }): void {
    const parent = this.#path.at(-1) ?? ''
    this.#path.push(name)
    const depth = this.#path.length
    if (!this.#statement) {
      if (containers[parent] === name) {
        this.#statement = new Values({ line, at: step, depth }, statementPaths)
        this.#figures = new Figures()
        this.#statements.add(name)
      }
    } else if (!this.#entry) {
      if (name === 'Ntry' && depth === this.#statement.depth + 1) {
        this.#about(line)
        this.#entry = new Values({ line, at: `${this.#statement.at}/${step}`, depth }, entryPaths)
        this.#details = []
        this.#batched = 0
        this.#kept = 0
      } else if (name === 'Bal' && depth === this.#statement.depth + 1) {
        this.#balance = new Values({ line, at: `${this.#statement.at}/${step}`, depth }, balancePaths)
      }
    } else if (!this.#detail && name === 'TxDtls' && (parent === 'NtryDtls' || parent === 'Ntry')) {
      this.#detail = new Values({ line, at: `${this.#entry.at}/${step}`, depth }, detailPaths)
      this.#details.push(this.#detail)
      this.#hasDetails = true
      if (this.#details.length > statementBounds.detailsPerEntry)
        throw new DamagedStatement(this.#entry.line, message('entry_has_too_many_transactions'), {
          at: this.#entry.at,
        })
    }
    this.#source(source)
    const currency = attributes.get('Ccy')
    if (currency !== undefined) this.#value('@Ccy', currency)
  }

  #end(): Part[] | Promise<Part[]> {
    const depth = this.#path.length
    if (this.#detail?.depth === depth) {
      this.#detail.close()
      this.#detail = undefined
    } else if (this.#balance?.depth === depth) {
      this.#figures.balance(this.#balance)
      this.#balance = undefined
    } else if (this.#entry?.depth === depth) {
      const entry = this.#endEntry(this.#entry, this.#details)
      this.#entry = undefined
      this.#details = []
      return entry
    } else if (this.#statement?.depth === depth) {
      const summary = this.#summary(this.#statement)
      this.#statement = undefined
      return [summary]
    }
    return nothing
  }

  async #endEntry(entry: Values, details: Values[]): Promise<Part[]> {
    const about = this.#about(entry.line)
    this.#figures.count(entry, about)
    const parts = await partsOf(entry, { details, batched: this.#batched }, about, this.#context)
    if (about.holdsBooked && !this.#hasStatusWarning && !hasStatus(entry)) {
      this.#hasStatusWarning = true
      parts.push({ warning: statusMissing })
    }
    return parts
  }

  #value(suffix: string, text: string): void {
    if (text === '') return
    const values = this.#detail ?? this.#entry ?? this.#balance ?? this.#statement
    if (!values) return
    if (values.set(this.#path.slice(values.depth).join('/') + suffix, text))
      this.#keep(text.length, values.line)
  }

  /** `MsgPgntn` of the message, `StmtPgntn` and the like of what it holds. */
  #page(text: string): void {
    if (!this.#path.at(-2)?.endsWith('Pgntn')) return
    const name = this.#path.at(-1)
    if (name === 'PgNb' ? text !== '1' : name === 'LastPgInd' && !isTrue(text)) this.#isPage = true
  }

  /** An entry that does not state its number of payments may have several. */
  #batch(text: string): void {
    if (!this.#entry || this.#detail) return
    const name = this.#path.at(-1)
    if (name === 'NbOfTxs' && this.#path.at(-2) === 'Btch') this.#inBatch = Number(text)
    if (name !== 'Btch') return
    this.#batched += this.#inBatch || 2
    this.#inBatch = 0
  }

  #source(source: string): void {
    if (this.#entry) this.#keep(this.#entry.addSource(source), this.#entry.line)
    if (this.#detail) this.#keep(this.#detail.addSource(source), this.#detail.line)
  }

  #keep(characters: number, line: number): void {
    this.#kept += characters
    if (this.#entry && this.#kept > statementBounds.charactersPerEntry)
      throw new DamagedStatement(line, message('entry_too_large'), { at: this.#entry.at })
  }

  /** The account stands before the entries: every version of the message has them in this order. */
  #about(line: number): Statement {
    const values = this.#statement!
    const written = values.first(...ownAccountPaths)
    const account = normalizeAccountNumber(written)
    if (account === '')
      throw new DamagedStatement(line, message('statement_names_no_account'), { at: values.at })
    if (!this.#context.currencyOf(account)) throw notOurs(values.line, written, `${values.at}/Acct/Id`)
    return { account, currency: values.first('Acct/Ccy'), holdsBooked: values.at.startsWith('Stmt') }
  }

  #summary(values: Values): Part {
    const { account } = this.#about(values.line)
    return {
      summary: {
        account,
        from: isoDay(values.first('FrToDt/FrDtTm')),
        to: isoDay(values.first('FrToDt/ToDtTm')),
        ...(this.#isPage ? noFigures : this.#figures.summaryOf(values)),
      },
    }
  }
}

const statusMissing = message('entries_without_status')
