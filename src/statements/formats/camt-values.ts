/**
 * The values that count in a camt statement, entry or transaction, by their path below it. Everything else of the
 * message is passed over, so that a large entry costs little.
 */
import { DamagedStatement } from '../entry.ts'
import { statementBounds } from './bounds.ts'
import { withoutControls } from './controls.ts'

export class Values {
  readonly line: number
  readonly depth: number
  raw = ''
  readonly #wanted: ReadonlySet<string>
  readonly #values = new Map<string, string[]>()
  #count = 0

  constructor(line: number, depth: number, wanted: ReadonlySet<string>) {
    this.line = line
    this.depth = depth
    this.#wanted = wanted
  }

  /** Whether the value is kept. */
  set(path: string, text: string): boolean {
    if (!this.#wanted.has(path)) return false
    this.#count++
    if (this.#count > statementBounds.valuesPerDetail)
      throw new DamagedStatement(
        this.line,
        'The entry that starts here repeats its values more than 200 times.',
      )
    const value = withoutControls(text)
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
    this.raw += part
    return part.length
  }

  /** The first value of the first path that has one. `NOTPROVIDED` is how ISO 20022 says nothing. */
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

export const statementPaths: ReadonlySet<string> = new Set([
  ...['Acct/Id/IBAN', 'Acct/Id/Othr/Id', 'Acct/Ccy', 'FrToDt/FrDtTm', 'FrToDt/ToDtTm'],
  ...['TxsSummry/TtlCdtNtries/Sum', 'TxsSummry/TtlDbtNtries/Sum', 'TxsSummry/TtlNtries/NbOfNtries'],
  ...['TxsSummry/TtlCdtNtries/NbOfNtries', 'TxsSummry/TtlDbtNtries/NbOfNtries'],
])

export const balancePaths: ReadonlySet<string> = new Set(['Tp/CdOrPrtry/Cd', 'Amt', 'CdtDbtInd'])

export const entryPaths: ReadonlySet<string> = new Set([
  ...['Amt', 'Amt@Ccy', 'CdtDbtInd', 'RvslInd', 'Sts', 'Sts/Cd', 'AcctSvcrRef', 'NtryRef', 'AddtlNtryInf'],
  ...['BookgDt/Dt', 'BookgDt/DtTm', 'ValDt/Dt', 'ValDt/DtTm'],
])

/** A party's details stand directly in it up to version .07, and in `Pty` from .08. */
export const partyPaths = (tail: string): string[] =>
  ['Dbtr/', 'Dbtr/Pty/', 'UltmtDbtr/', 'UltmtDbtr/Pty/'].map((party) => `RltdPties/${party}${tail}`)

export const payerPaths = {
  name: partyPaths('Nm'),
  taxId: [...partyPaths('Id/OrgId/Othr/Id'), ...partyPaths('Id/PrvtId/Othr/Id')],
  account: ['RltdPties/DbtrAcct/Id/IBAN', 'RltdPties/DbtrAcct/Id/Othr/Id'],
  bank: ['Nm', 'BICFI', 'BIC', 'ClrSysMmbId/MmbId'].map((name) => `RltdAgts/DbtrAgt/FinInstnId/${name}`),
}

export const receiverAccountPaths = ['RltdPties/CdtrAcct/Id/IBAN', 'RltdPties/CdtrAcct/Id/Othr/Id']

export const detailPaths: ReadonlySet<string> = new Set([
  ...['Refs/EndToEndId', 'Refs/InstrId', 'Refs/TxId', 'Refs/AcctSvcrRef'],
  ...['Amt', 'Amt@Ccy', 'AmtDtls/TxAmt/Amt', 'AmtDtls/TxAmt/Amt@Ccy', 'CdtDbtInd'],
  ...['RmtInf/Ustrd', 'RmtInf/Strd/CdtrRefInf/Ref', 'AddtlTxInf', 'RltdDts/AccptncDtTm'],
  ...Object.values(payerPaths).flat(),
  ...receiverAccountPaths,
])
