/** A statement as camt.053.001.08 of ISO 20022, one <Stmt> per account, its elements in the order of the schema. */
import { type Currency, decimal } from '../../../src/domain/money.ts'
import { bankTime } from '../../../src/domain/sandbox/bank-time.ts'
import { Tally } from '../../../src/domain/statements/totals.ts'
import {
  oneLine,
  type WrittenEntry,
  type WrittenStatement,
} from '../../../src/domain/statements/writers/statement.ts'

/** `id` names the message, at most 35 characters. `madeAt`: ISO time in the bank's zone. */
export function writeCamt(statements: readonly WrittenStatement[], madeAt: string, id: string): Uint8Array {
  const xml = `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">
<BkToCstmrStmt>
<GrpHdr>${element('MsgId', id)}${element('CreDtTm', madeAt)}</GrpHdr>
${statements.map((statement, place) => statementOf(statement, madeAt, place + 1)).join('\n')}
</BkToCstmrStmt>
</Document>
`
  return new TextEncoder().encode(xml)
}

/** The opening balance is unknown, so one is chosen that covers the debits. */
function statementOf(statement: WrittenStatement, madeAt: string, place: number): string {
  const { account, currency, from, to, entries } = statement
  const { credit, debit } = Tally.of(entries)
  const balance = (code: string, cents: bigint, day: string) =>
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>${amount(cents, currency)}<CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>${day}</Dt></Dt></Bal>`
  const total = (name: string, { count, cents }: { count: number; cents: bigint }) =>
    `<${name}><NbOfNtries>${count}</NbOfNtries><Sum>${decimal(cents)}</Sum></${name}>`
  return `<Stmt><Id>${place}</Id><CreDtTm>${madeAt}</CreDtTm>
<FrToDt><FrDtTm>${from}T00:00:00</FrDtTm><ToDtTm>${to}T23:59:59</ToDtTm></FrToDt>
<Acct>${accountId(account)}<Ccy>${currency}</Ccy></Acct>
${balance('OPBD', debit.cents, from)}
${balance('CLBD', credit.cents, to)}
<TxsSummry>${total('TtlCdtNtries', credit)}${total('TtlDbtNtries', debit)}</TxsSummry>
${entries.map((entry) => `${entryOf(entry, currency)}\n`).join('')}</Stmt>`
}

function entryOf(entry: WrittenEntry, currency: Currency): string {
  const { bookedOn, bookedAt, paidOn, bankId } = entry
  const [direction, family] = entry.direction === 'credit' ? ['CRDT', 'RCDT'] : ['DBIT', 'ICDT']
  const taxId = within('Id', within('OrgId', within('Othr', element('Id', entry.payerTaxId))))
  const party = within('Dbtr', within('Pty', element('Nm', entry.payerName) + taxId))
  const account = within('DbtrAcct', entry.payerAccount && accountId(entry.payerAccount))
  return `<Ntry>${amount(entry.cents, currency)}<CdtDbtInd>${direction}</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>
<BookgDt>${element('DtTm', bookedAt ? bankTime(bookedAt, currency) : '') || element('Dt', bookedOn)}</BookgDt>${within('ValDt', element('Dt', paidOn ?? ''))}
${element('AcctSvcrRef', bankId ?? '')}<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>${family}</Cd><SubFmlyCd>DMCT</SubFmlyCd></Fmly></Domn></BkTxCd>
<NtryDtls><TxDtls><Refs>${element('EndToEndId', entry.documentNumber || 'NOTPROVIDED')}</Refs>
${within('RltdPties', party + account)}${within('RltdAgts', within('DbtrAgt', within('FinInstnId', element('Nm', entry.payerBank))))}
${within('RmtInf', piecesOf(oneLine(entry.purpose)).join(''))}</TxDtls></NtryDtls></Ntry>`
}

/** The standard gives a line of a purpose 140 characters: it breaks between words, where there are any. */
const piecesOf = (purpose: string): string[] =>
  (purpose.match(/\S(?:.{0,138}\S)?(?=\s|$)|\S{1,140}/gu) ?? []).map((piece) => element('Ustrd', piece))

const accountId = (account: string): string =>
  within(
    'Id',
    /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(account)
      ? element('IBAN', account)
      : within('Othr', element('Id', account)),
  )

const amount = (cents: bigint, currency: string): string => `<Amt Ccy="${currency}">${decimal(cents)}</Amt>`

const element = (name: string, text: string): string =>
  within(
    name,
    oneLine(text).replace(/[&<>"]/g, (letter) => escapes[letter]!),
  )

/** Markup within an element, which is left out where there is none. */
const within = (name: string, markup: string): string => markup && `<${name}>${markup}</${name}>`

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
