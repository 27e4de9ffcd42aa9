/** A statement as camt.053.001.08 of ISO 20022, one <Stmt> per account, its elements in the order of the schema. */
import { decimal } from '../../money.ts'
import { Tally } from '../tally.ts'
import { oneLine, type WrittenEntry, type WrittenStatement } from './statement.ts'

/** `id` names the message, at most 35 characters. `madeAt`: ISO time in the bank's zone. */
export function writeCamt(statements: readonly WrittenStatement[], madeAt: string, id: string): Uint8Array {
  const xml = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">',
    '<BkToCstmrStmt>',
    element('GrpHdr', element('MsgId', text(id)), element('CreDtTm', madeAt)),
    ...statements.map((statement, place) => statementOf(statement, madeAt, place + 1)),
    '</BkToCstmrStmt>',
    '</Document>',
    '',
  ]
  return new TextEncoder().encode(xml.join('\n'))
}

function statementOf(statement: WrittenStatement, madeAt: string, place: number): string {
  const { account, currency, from, to, entries } = statement
  const { credit, debit } = Tally.of(entries)
  const sum = ({ count, cents }: { count: number; cents: bigint }) =>
    element('NbOfNtries', String(count)) + element('Sum', decimal(cents))
  const balance = (code: string, cents: bigint, day: string) =>
    element(
      'Bal',
      element('Tp', element('CdOrPrtry', element('Cd', code))),
      amount(cents, currency),
      element('CdtDbtInd', 'CRDT'),
      element('Dt', element('Dt', day)),
    )
  return element(
    'Stmt',
    element('Id', String(place)),
    element('CreDtTm', madeAt),
    element('FrToDt', element('FrDtTm', `${from}T00:00:00`), element('ToDtTm', `${to}T23:59:59`)),
    element('Acct', accountId(account), element('Ccy', currency)),
    // The opening balance is unknown, so one is chosen that covers the debits.
    balance('OPBD', debit.cents, from),
    balance('CLBD', credit.cents, to),
    element('TxsSummry', element('TtlCdtNtries', sum(credit)), element('TtlDbtNtries', sum(debit))),
    `\n${entries.map((entry) => `${entryOf(entry, currency)}\n`).join('')}`,
  )
}

function entryOf(entry: WrittenEntry, currency: string): string {
  const { bookedOn, bookedAt, paidOn, bankId, payer, purpose, direction } = entry
  const family = direction === 'credit' ? 'RCDT' : 'ICDT'
  const party = [
    optional('Nm', payer.name),
    payer.taxId && element('Id', element('OrgId', element('Othr', optional('Id', payer.taxId)))),
  ].join('')
  const parties = [
    party && element('Dbtr', element('Pty', party)),
    payer.account && element('DbtrAcct', accountId(payer.account)),
  ].join('')
  return element(
    'Ntry',
    amount(entry.cents, currency),
    element('CdtDbtInd', direction === 'credit' ? 'CRDT' : 'DBIT'),
    element('Sts', element('Cd', 'BOOK')),
    element('BookgDt', bookedAt ? element('DtTm', bookedAt) : element('Dt', bookedOn)),
    paidOn ? element('ValDt', element('Dt', paidOn)) : '',
    optional('AcctSvcrRef', bankId ?? ''),
    element(
      'BkTxCd',
      element(
        'Domn',
        element('Cd', 'PMNT'),
        element('Fmly', element('Cd', family), element('SubFmlyCd', 'DMCT')),
      ),
    ),
    element(
      'NtryDtls',
      element(
        'TxDtls',
        element('Refs', element('EndToEndId', text(entry.documentNumber) || 'NOTPROVIDED')),
        parties && element('RltdPties', parties),
        payer.bank &&
          element('RltdAgts', element('DbtrAgt', element('FinInstnId', optional('Nm', payer.bank)))),
        purpose && element('RmtInf', ...piecesOf(oneLine(purpose)).map((piece) => optional('Ustrd', piece))),
      ),
    ),
  )
}

/** The standard gives a line of a purpose 140 characters: it breaks between words, where there are any. */
function piecesOf(purpose: string): string[] {
  return purpose.match(/\S(?:.{0,138}\S)?(?=\s|$)|\S{1,140}/gu) ?? []
}

const accountId = (account: string): string =>
  element(
    'Id',
    /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(account)
      ? element('IBAN', account)
      : element('Othr', element('Id', text(account))),
  )

const amount = (cents: bigint, currency: string): string => `<Amt Ccy="${currency}">${decimal(cents)}</Amt>`

/** The content is markup already. */
const element = (name: string, ...content: string[]): string => `<${name}>${content.join('')}</${name}>`

const optional = (name: string, value: string): string => (value === '' ? '' : element(name, text(value)))

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const text = (value: string): string => oneLine(value).replace(/[&<>"]/g, (letter) => escapes[letter]!)
