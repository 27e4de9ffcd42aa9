/** What a bank wrote of an entry is kept without the payer's account, whatever form it came in. */
import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import type { CsvMapping } from '../../src/domain/statements/formats/csv-mapping.ts'
import { addSource } from '../../src/domain/transfers/bank-source.ts'
import { sql } from '../../src/platform/db.ts'
import { depositContextOf, dotted, importBytes, today } from '../support/bank.ts'
import { call, type TestGateway } from '../support/gateway.ts'
import { type MoneyIn, openMoneyIn } from '../support/money-in.ts'

let gateway: TestGateway
let money: MoneyIn
let ours: string
before(async () => {
  money = await openMoneyIn()
  ;({ gateway } = money)
})
// Each format is the one source of an account.
beforeEach(async () => {
  ours = (await money.account()).number
})

const payer = '40817810512345678901'
const branch = '40702810900000012345'
const payee = '40817810999999999999'
const day = today()

const oneC = () =>
  [
    '1CClientBankExchange',
    'ВерсияФормата=1.03',
    'Кодировка=Windows',
    `РасчСчет=${ours}`,
    'СекцияРасчСчет',
    `ДатаНачала=${dotted(day)}`,
    `ДатаКонца=${dotted(day)}`,
    `РасчСчет=${ours}`,
    'ВсегоПоступило=11.01',
    'ВсегоСписано=3.00',
    'КонецРасчСчет',
    'СекцияДокумент=Платежное поручение',
    'Номер=901',
    `Дата=${dotted(day)}`,
    'Сумма=11.01',
    `ПлательщикСчет=${payer}`,
    `ПлательщикРасчСчет=${branch}`,
    'Плательщик1=Иванов',
    `ПолучательСчет=${ours}`,
    `ДатаПоступило=${dotted(day)}`,
    `НазначениеПлатежа=Со счета ${payer}`,
    'КонецДокумента',
    'СекцияДокумент=Платежное поручение',
    'Номер=902',
    `Дата=${dotted(day)}`,
    'Сумма=3.00',
    `ПлательщикСчет=${ours}`,
    `ПолучательСчет=${payee}`,
    `ДатаСписано=${dotted(day)}`,
    'НазначениеПлатежа=Оплата',
    'КонецДокумента',
    'КонецФайла',
  ].join('\r\n')

const camt = () => `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt><Stmt><Id>1</Id>
<Acct><Id><Othr><Id>${ours}</Id></Othr></Id></Acct>
<Ntry><Amt Ccy="RUB">11.02</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>${day}</Dt></BookgDt>
<AcctSvcrRef>RAWCAMT1</AcctSvcrRef><NtryDtls><TxDtls><RltdPties><Dbtr><Nm>Иванов</Nm></Dbtr>
<DbtrAcct><Id><Othr><Id>${payer}</Id></Othr></Id></DbtrAcct></RltdPties>
<RmtInf><Ustrd>Перевод</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry></Stmt></BkToCstmrStmt></Document>`

const mappingOf = (account: string): CsvMapping => ({
  encoding: 'utf-8',
  separator: ';',
  skipRows: 0,
  header: ['Дата', 'Сумма', 'Счет', 'Назначение'],
  dateFormat: 'dd.mm.yyyy',
  account,
  columns: { date: 0, amount: 1, payerAccount: 2, purpose: [3] },
})

const csv = () =>
  `${mappingOf(ours).header.join(';')}\n${dotted(day)};11,03;4081 7810 5123 4567 8901;Перевод\n`

const take = (name: string, text: string, how: { mapping?: CsvMapping } = {}) =>
  importBytes(depositContextOf(gateway), Buffer.from(text), { name, anyway: true, ...how })

/** What the database keeps. */
async function rawOf(cents: bigint): Promise<string> {
  const [row] = await gateway.database.owner.query<{ raw: string }>(
    sql`select raw from transfers where cents = ${cents}`,
  )
  return row!.raw
}

const digits = (text: string) => text.replace(/[^\d]/g, '')

async function holdsNoPayer(cents: bigint): Promise<string> {
  const kept = await rawOf(cents)
  for (const account of [payer, branch, payee]) assert.ok(!digits(kept).includes(account), kept)
  return kept
}

test('1C: neither account of the payer, nor whom we paid', async () => {
  await take('a.txt', oneC())
  const kept = await holdsNoPayer(1_101n)
  assert.match(kept, /ПлательщикСчет=4081…8901\nПлательщикРасчСчет=4070…2345\n/)
  assert.match(kept, new RegExp(`ПолучательСчет=${ours}`))
  assert.match(await holdsNoPayer(300n), /ПолучательСчет=4081…9999/)
})

test('camt', async () => {
  await take('a.xml', camt())
  assert.match(await holdsNoPayer(1_102n), /4081…8901/)
})

test('CSV, where the bank writes the account in groups', async () => {
  await take('a.csv', csv(), { mapping: mappingOf(ours) })
  assert.match(await holdsNoPayer(1_103n), /;4081…8901;Перевод/)
})

test('a push, also where the payer wrote the account elsewhere', async () => {
  const { token } = await addSource(gateway.db, { name: 'Bank', mode: 'test' })
  const { status } = await call(gateway.url, '/api/v1/bank/transfers', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({
      ...{ id: 'raw-1', account: ours, cents: 1_104, currency: 'RUB', booked_on: day },
      ...{ payer_account: payer, payer_name: `Иванов ${payer}` },
    }),
  })
  assert.equal(status, 200)
  const kept = JSON.parse(await holdsNoPayer(1_104n))
  assert.deepEqual(
    [kept.account, kept.payer_account, kept.payer_name],
    [ours, '4081…8901', 'Иванов 4081…8901'],
  )
})
