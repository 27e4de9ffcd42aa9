/**
 * The values that count in a camt statement, entry or transaction, by their path below it. Everything else of the
 * message is passed over, so that a large entry costs little.
 */

import { ownText } from '../../../platform/own-text.ts'
import { message } from '../../messages/message.ts'
import { withoutControls } from '../../transfers/bank-text/controls.ts'
import { DamagedStatement } from '../entry.ts'
import { statementBounds } from './bounds.ts'

export type Kind = 'statement' | 'balance' | 'entry' | 'transaction'

export class Values {
  readonly kind: Kind
  readonly line: number
  readonly at: string
  readonly depth: number
  raw = ''
  readonly #values = new Map<string, string[]>()
  #count = 0

  constructor(kind: Kind, place: { line: number; at: string; depth: number }) {
    this.kind = kind
    this.line = place.line
    this.at = place.at
    this.depth = place.depth
  }

  set(path: string, text: string): boolean {
    if (!wanted.has(path)) return false
    this.#count++
    if (this.#count > statementBounds.valuesPerDetail)
      throw new DamagedStatement(this.line, message('entry_repeats_values'), { at: this.at })
    const value = ownText(withoutControls(text))
    // `NOTPROVIDED` is ISO 20022's empty value.
    if (value === 'NOTPROVIDED') return true
    const before = this.#values.get(path)
    if (before) before.push(value)
    else this.#values.set(path, [value])
    return true
  }

  /** How many characters are kept: a little more than in the end, for a card number at the edge. */
  addSource(source: string): number {
    const room = statementBounds.rawCharacters + 100 - this.raw.length
    const part = source.slice(0, Math.max(room, 0))
    if (part !== '') this.raw += ownText(part)
    return part.length
  }

  /** Call it after the last value. V8 keeps a text that was joined of thousands as all its parts. */
  close(): void {
    this.raw = ownText(this.raw)
  }

  first(...paths: readonly string[]): string {
    for (const path of paths) for (const text of this.all(path)) return text
    return ''
  }

  all(path: string): readonly string[] {
    return this.#values.get(path) ?? []
  }
}

export const isTrue = (text: string): boolean => text === 'true' || text === '1'

/** An account: `PrtryAcct` and `BBAN` are those of version .01. */
const accountPaths = (account: string): string[] =>
  ['IBAN', 'Othr/Id', 'PrtryAcct/Id', 'BBAN'].map((name) => `${account}/Id/${name}`)

/**
 * The payer's details stand directly in `Dbtr` up to version .07, and in `Pty` from .08. `UltmtDbtr`, whom the payer pays for, is what
 * the payer has written.
 */
const payerDetails = (tails: string[]): string[] =>
  tails.flatMap((tail) => ['Dbtr/', 'Dbtr/Pty/'].map((party) => `RltdPties/${party}${tail}`))

/** What stands in more than one place, by the version of the message or the bank's habit. */
export const paths = {
  ownAccount: accountPaths('Acct'),
  balanceType: ['Tp/CdOrPrtry/Cd', 'Tp/Cd'],
  status: ['Sts/Cd', 'Sts', 'Sts/Prtry'],
  payerName: payerDetails(['Nm']),
  payerTaxId: payerDetails(
    ['OrgId/Othr/Id', 'PrvtId/Othr/Id', 'OrgId/TaxIdNb', 'PrvtId/TaxIdNb'].map((id) => `Id/${id}`),
  ),
  payerAccount: accountPaths('RltdPties/DbtrAcct'),
  payerBank: ['Nm', 'BICFI', 'BIC', 'ClrSysMmbId/MmbId', 'NmAndAdr/Nm', 'CmbndId/Nm', 'CmbndId/BIC'].map(
    (name) => `RltdAgts/DbtrAgt/FinInstnId/${name}`,
  ),
  receiverAccount: accountPaths('RltdPties/CdtrAcct'),
  document: ['Refs/EndToEndId', 'Refs/InstrId', 'Refs/TxId'],
  /** A structured reference, and that of version .01. */
  reference: ['RmtInf/Strd/CdtrRefInf/Ref', 'RmtInf/Strd/CdtrRefInf/CdtrRef'],
} as const

const wanted: ReadonlySet<string> = new Set([
  ...Object.values(paths).flat(),
  ...['Acct/Ccy', 'CreDtTm', 'FrToDt/FrDtTm', 'FrToDt/ToDtTm'],
  ...['TtlNtries', 'TtlCdtNtries', 'TtlDbtNtries'].flatMap((name) =>
    ['Sum', 'NbOfNtries'].map((figure) => `TxsSummry/${name}/${figure}`),
  ),
  ...['Amt', 'Amt@Ccy', 'CdtDbtInd', 'RvslInd', 'AcctSvcrRef', 'AddtlNtryInf', 'Dt/Dt', 'Dt/DtTm'],
  ...['BookgDt/Dt', 'BookgDt/DtTm', 'ValDt/Dt', 'ValDt/DtTm', 'Refs/AcctSvcrRef'],
  ...['AmtDtls/TxAmt/Amt', 'AmtDtls/TxAmt/Amt@Ccy', 'RmtInf/Ustrd', 'AddtlTxInf', 'RltdDts/AccptncDtTm'],
])
