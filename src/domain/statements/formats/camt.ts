/**
 * camt.053, .054 and .052 of ISO 20022, in the versions .01 to .08 and later; .01 names its containers with a version
 * and has no element around the transactions of an entry. This file finds the statements and
 * their entries in the XML and keeps the few values that count; what an entry says is in camt-entry.ts.
 */

import { sum } from '../../../platform/sum.ts'
import { message } from '../../messages/message.ts'
import { normalizeAccountNumber } from '../../transfers/bank-text/account-number.ts'
import { daysAfter, isoDay } from '../../transfers/bank-text/days.ts'
import { DamagedStatement, type Part, type ReadContext, type StatementFormat } from '../entry.ts'
import { Tally } from '../tally.ts'
import { notOurs } from './account.ts'
import { statementBounds } from './bounds.ts'
import { directions, isBooked, partsOf, type Statement } from './camt-entry.ts'
import { type Balance, balanceOf, noFigures, sumsOf } from './camt-figures.ts'
import { isTrue, type Kind, paths, Values } from './camt-values.ts'
import { isoDate, lastDayOver } from './dates.ts'
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

const nothing: Part[] = []

export class CamtReader {
  readonly #context: ReadContext
  readonly #path: string[] = []
  #text = ''
  #hasStatements = false
  #madeAt = ''
  #isPage = false
  /** The statement that is being read, in it a balance or an entry, and in that a transaction. */
  readonly #open: Values[] = []
  #tally = new Tally()
  #balances: Balance[] = []
  #details: Values[] = []
  #batches: number[] = []
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
    this.#text = ''
    this.#value('', text)
    this.#header(text)
    const ended = this.#open.at(-1)
    const isOver = ended !== undefined && ended.depth === this.#path.length
    if (isOver) this.#open.pop()
    this.#path.pop()
    return isOver ? this.#end(ended) : nothing
  }

  end(line: number): void {
    if (!this.#hasStatements)
      throw new DamagedStatement(line, message('xml_holds_no_statement'), {
        code: 'statement_format_unsupported',
      })
  }

  #start({ name, step, attributes, line, source }: XmlEvent & { kind: 'start' }): void {
    const parent = this.#path.at(-1) ?? ''
    this.#path.push(name)
    const around = this.#open.at(-1)
    const kind = kindOf(name, parent, around, this.#path.length)
    if (kind) {
      const at = around ? `${around.at}/${step}` : step
      const values = new Values(kind, { line, at, depth: this.#path.length })
      this.#begin(values, around)
      this.#open.push(values)
    }
    if (name === 'Btch') this.#batches.push(2)
    this.#source(source)
    const currency = attributes.get('Ccy')
    if (currency !== undefined) this.#value('@Ccy', currency)
  }

  #begin(values: Values, around: Values | undefined): void {
    if (values.kind === 'statement') {
      this.#hasStatements = true
      this.#tally = new Tally()
      this.#balances = []
    } else if (values.kind === 'entry') {
      this.#about(around!, values.line)
      this.#details = []
      this.#batches = []
      this.#kept = 0
    } else if (values.kind === 'transaction') {
      if (this.#details.push(values) > statementBounds.detailsPerEntry)
        throw new DamagedStatement(around!.line, message('entry_too_large'), { at: around!.at })
    }
  }

  #end(values: Values): Part[] | Promise<Part[]> {
    if (values.kind === 'transaction') values.close()
    else if (values.kind === 'statement') return [this.#summary(values)]
    else if (values.kind === 'entry') return this.#endEntry(values, this.#details)
    else {
      const balance = balanceOf(values)
      if (balance && this.#balances.length < statementBounds.summaries) this.#balances.push(balance)
    }
    return nothing
  }

  async #endEntry(entry: Values, details: Values[]): Promise<Part[]> {
    const about = this.#about(this.#open[0]!, entry.line)
    const direction = directions[entry.first('CdtDbtInd')]
    if (direction && isBooked(entry, about)) this.#tally.add(direction)
    else this.#tally.unsure++
    const parts = await partsOf(entry, { details, batched: sum(this.#batches) }, about, this.#context)
    if (about.holdsBooked && !this.#hasStatusWarning && entry.first(...paths.status) === '') {
      this.#hasStatusWarning = true
      parts.push({ warning: message('entries_without_status') })
    }
    return parts
  }

  #value(suffix: string, text: string): void {
    const values = this.#open.at(-1)
    if (text === '' || !values) return
    if (values.set(this.#path.slice(values.depth).join('/') + suffix, text)) this.#keep(text.length)
  }

  /** When the message was made; `MsgPgntn` of the message, `StmtPgntn` and the like of what it holds. */
  #header(text: string): void {
    const [parent, name] = this.#path.slice(-2)
    if (parent === 'GrpHdr' && name === 'CreDtTm') this.#madeAt ||= text
    // A batch that does not state its number of payments may have several.
    if (parent === 'Btch' && name === 'NbOfTxs') this.#batches[this.#batches.length - 1] = Number(text) || 2
    if (!parent?.endsWith('Pgntn')) return
    if (name === 'PgNb' ? text !== '1' : name === 'LastPgInd' && !isTrue(text)) this.#isPage = true
  }

  #source(source: string): void {
    for (const values of this.#open.slice(1))
      if (values.kind !== 'balance') this.#keep(values.addSource(source))
  }

  #keep(characters: number): void {
    this.#kept += characters
    const entry = this.#open[1]
    if (entry?.kind === 'entry' && this.#kept > statementBounds.charactersPerEntry)
      throw new DamagedStatement(entry.line, message('entry_too_large'), { at: entry.at })
  }

  /** The account stands before the entries: every version of the message has them in this order. */
  #about(values: Values, line: number): Statement {
    const written = values.first(...paths.ownAccount)
    const account = normalizeAccountNumber(written)
    if (account === '')
      throw new DamagedStatement(line, message('statement_names_no_account'), { at: values.at })
    if (!this.#context.currencyOf(account)) throw notOurs(values.line, written, `${values.at}/Acct/Id`)
    return { account, currency: values.first('Acct/Ccy'), holdsBooked: values.at.startsWith('Stmt') }
  }

  #summary(values: Values): Part {
    const { account, holdsBooked } = this.#about(values, values.line)
    const until = values.first('FrToDt/ToDtTm')
    const daysOf = (code: string) =>
      this.#balances.flatMap((balance) => (balance.code === code ? (balance.day ?? []) : [])).toSorted()
    const [opened, closed] = [daysOf('OPBD')[0], daysOf('CLBD').at(-1)]
    const from = isoDay(values.first('FrToDt/FrDtTm')) ?? opened ?? null
    const to = isoDay(until) ?? closed ?? null
    const period = { from, to: to !== from && midnight.test(until) ? daysAfter(to!, -1) : to }
    const madeAt = values.first('CreDtTm') || this.#madeAt
    // A closing balance is the bank's word for the end of its day, unless the message was made before that.
    const madeOn =
      isoDay(madeAt) === null
        ? closed && daysAfter(closed, 1)
        : isoDate('CreDtTm', madeAt, this.#context.currencyOf(account)!).day
    return {
      summary: {
        account,
        ...period,
        completeTo: holdsBooked && !this.#isPage ? lastDayOver(period, madeOn ?? null) : null,
        role: holdsBooked ? 'booked' : 'early',
        ...(this.#isPage ? noFigures : sumsOf(values, this.#balances, this.#tally)),
      },
    }
  }
}

/** What begins with this element, in what is read around it. */
function kindOf(name: string, parent: string, around: Values | undefined, depth: number): Kind | undefined {
  if (!around) return containers[parent] === name ? 'statement' : undefined
  if (around.kind === 'statement' && depth === around.depth + 1)
    return name === 'Ntry' ? 'entry' : name === 'Bal' ? 'balance' : undefined
  const isTransaction = name === 'TxDtls' && (parent === 'NtryDtls' || parent === 'Ntry')
  return around.kind === 'entry' && isTransaction ? 'transaction' : undefined
}

/** A period that ends with the first moment of a day ends with the day before it. */
const midnight = /T00:00:00(?:\.0+)?(?:Z|[+-]\d\d:\d\d)?$/
