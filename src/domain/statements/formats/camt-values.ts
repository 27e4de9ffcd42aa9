/**
 * The values that count in a camt statement, entry or transaction, by their path below it. Everything else of the
 * message is passed over, so that a large entry costs little.
 */

import { ownText } from '../../../platform/own-text.ts'
import { message } from '../../messages/message.ts'
import { withoutControls } from '../../transfers/bank-text/controls.ts'
import { DamagedStatement } from '../entry.ts'
import { statementBounds } from './bounds.ts'

export class Values {
  readonly line: number
  /** Its path in the file. */
  readonly at: string
  readonly depth: number
  raw = ''
  readonly #wanted: ReadonlySet<string>
  readonly #values = new Map<string, string[]>()
  #count = 0

  constructor(place: { line: number; at: string; depth: number }, wanted: ReadonlySet<string>) {
    this.line = place.line
    this.at = place.at
    this.depth = place.depth
    this.#wanted = wanted
  }

  /** Whether the value is kept. */
  set(path: string, text: string): boolean {
    if (!this.#wanted.has(path)) return false
    this.#count++
    if (this.#count > statementBounds.valuesPerDetail)
      throw new DamagedStatement(this.line, message('entry_repeats_values'), { at: this.at })
    const value = ownText(withoutControls(text))
    const before = this.#values.get(path)
    if (before) before.push(value)
    else this.#values.set(path, [value])
    return true
  }

  /** How many characters are kept: a little more than in the end, for a card number at the edge. */
  addSource(source: string): number {
    const room = statementBounds.rawCharacters + 100 - this.raw.length
    if (room <= 0) return 0
    const part = source.slice(0, room)
    this.raw += ownText(part)
    return part.length
  }

  /** Call it after the last value. V8 keeps a text that was joined of thousands as all its parts. */
  close(): void {
    this.raw = ownText(this.raw)
  }

  /** The first value of the first path that has one. `NOTPROVIDED` is ISO 20022's empty value. */
  first(...paths: string[]): string {
    for (const path of paths)
      for (const text of this.#values.get(path) ?? []) if (text !== 'NOTPROVIDED') return text
    return ''
  }

  all(path: string): string[] {
    return (this.#values.get(path) ?? []).filter((text) => text !== 'NOTPROVIDED')
  }
}

/** As XML writes it. */
export const isTrue = (text: string): boolean => text === 'true' || text === '1'

/** An account: `PrtryAcct` and `BBAN` are those of version .01. */
const accountPaths = (account: string): string[] =>
  ['IBAN', 'Othr/Id', 'PrtryAcct/Id', 'BBAN'].map((name) => `${account}/Id/${name}`)

export const ownAccountPaths = accountPaths('Acct')

export const statementPaths: ReadonlySet<string> = new Set([
  ...ownAccountPaths,
  ...['Acct/Ccy', 'FrToDt/FrDtTm', 'FrToDt/ToDtTm'],
  ...['TtlNtries', 'TtlCdtNtries', 'TtlDbtNtries'].flatMap((name) =>
    ['Sum', 'NbOfNtries'].map((figure) => `TxsSummry/${name}/${figure}`),
  ),
])

/** `Tp/Cd` is that of version .01. */
export const balanceTypePaths = ['Tp/CdOrPrtry/Cd', 'Tp/Cd']

export const balancePaths: ReadonlySet<string> = new Set([
  ...balanceTypePaths,
  ...['Amt', 'CdtDbtInd', 'Dt/Dt', 'Dt/DtTm'],
])

export const statusPaths = ['Sts/Cd', 'Sts', 'Sts/Prtry']

export const entryPaths: ReadonlySet<string> = new Set([
  ...['Amt', 'Amt@Ccy', 'CdtDbtInd', 'RvslInd', 'AcctSvcrRef', 'NtryRef', 'AddtlNtryInf'],
  ...['BookgDt/Dt', 'BookgDt/DtTm', 'ValDt/Dt', 'ValDt/DtTm'],
  ...statusPaths,
])

/**
 * The payer's details stand directly in `Dbtr` up to version .07, and in `Pty` from .08. `UltmtDbtr`, whom the payer pays for, is what
 * the payer has written.
 */
const payerDetails = (tail: string): string[] =>
  ['Dbtr/', 'Dbtr/Pty/'].map((party) => `RltdPties/${party}${tail}`)

export const payerPaths = {
  name: payerDetails('Nm'),
  taxId: ['OrgId/Othr/Id', 'PrvtId/Othr/Id', 'OrgId/TaxIdNb', 'PrvtId/TaxIdNb'].flatMap((id) =>
    payerDetails(`Id/${id}`),
  ),
  account: accountPaths('RltdPties/DbtrAcct'),
  bank: ['Nm', 'BICFI', 'BIC', 'ClrSysMmbId/MmbId', 'NmAndAdr/Nm', 'CmbndId/Nm', 'CmbndId/BIC'].map(
    (name) => `RltdAgts/DbtrAgt/FinInstnId/${name}`,
  ),
}

export const receiverAccountPaths = accountPaths('RltdPties/CdtrAcct')

/** A structured reference, and that of version .01. */
export const referencePaths = ['RmtInf/Strd/CdtrRefInf/Ref', 'RmtInf/Strd/CdtrRefInf/CdtrRef']

/** What the payer ordered, and what the bank moved before its charges. */
export const sentPaths = ['AmtDtls/InstdAmt/Amt', 'AmtDtls/TxAmt/Amt', 'Amt']

/** `Chrgs/Amt` is that of version .01 and .02. */
export const chargesPaths = ['Chrgs/TtlChrgsAndTaxAmt', 'Chrgs/Rcrd/Amt', 'Chrgs/Amt']

export const detailPaths: ReadonlySet<string> = new Set([
  ...['Refs/EndToEndId', 'Refs/InstrId', 'Refs/TxId', 'Refs/AcctSvcrRef'],
  ...['Amt', 'Amt@Ccy', 'AmtDtls/TxAmt/Amt', 'AmtDtls/TxAmt/Amt@Ccy', 'CdtDbtInd'],
  ...sentPaths.flatMap((path) => [path, `${path}@Ccy`]),
  ...chargesPaths.flatMap((path) => [path, `${path}@Ccy`]),
  ...['RmtInf/Ustrd', 'AddtlTxInf', 'RltdDts/AccptncDtTm'],
  ...referencePaths,
  ...Object.values(payerPaths).flat(),
  ...receiverAccountPaths,
])
