/** What camt says beside the payment itself: who is behind the payer, and how many payments an entry is. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Deposit } from '../../src/domain/deposits/deposit.ts'
import { type Currency, decimal } from '../../src/domain/money.ts'
import { takeTransfers } from '../../src/domain/transfers/take-transfers.ts'
import { sql } from '../../src/platform/db.ts'
import { depositContextOf, entryTo, importBytes, today } from '../support/bank.ts'
import { type MoneyIn, openMoneyIn } from '../support/money-in.ts'

let money: MoneyIn
before(async () => {
  money = await openMoneyIn()
})

const accountOf = async ({ id }: Deposit) => {
  const [account] = await money.gateway.database.owner.query<{ id: string; number: string }>(
    sql`select a.id, a.number from receiving_accounts a join deposits d on d.account_id = a.id where d.id = ${id}`,
  )
  return account!
}

type Written = { cents: bigint; reference: string; inside: string; currency?: Currency }

const camt = (kind: '053' | '054', account: string, entries: readonly Written[]) => {
  const [outer, inner] = kind === '053' ? ['BkToCstmrStmt', 'Stmt'] : ['BkToCstmrDbtCdtNtfctn', 'Ntfctn']
  const sum = entries.reduce((all, { cents }) => all + cents, 0n)
  const rows = entries.map(
    ({ cents, reference, inside, currency = 'RUB' }) =>
      `<Ntry><Amt Ccy="${currency}">${decimal(cents)}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts>
<BookgDt><Dt>${today()}</Dt></BookgDt><AcctSvcrRef>${reference}</AcctSvcrRef>${inside}</Ntry>`,
  )
  return Buffer.from(`<Document><${outer}><${inner}><Acct><Id><Othr><Id>${account}</Id></Othr></Id></Acct>
<TxsSummry><TtlCdtNtries><Sum>${decimal(sum)}</Sum></TtlCdtNtries></TxsSummry>${rows.join('')}</${inner}></${outer}></Document>`)
}

const take = (bytes: Uint8Array) => importBytes(depositContextOf(money.gateway), bytes)

let amount = 8_950_000

const behind =
  '<UltmtDbtr><Nm>Other</Nm><Id><OrgId><Othr><Id>900101300456</Id></Othr></OrgId></Id></UltmtDbtr>'

for (const order of ['push and file', 'file and push'])
  test(`whoever is behind the payer is another person, and no payer, ${order}: one payment counts once`, async () => {
    amount += 20
    const { body } = await money.shop.create({
      payment_type: 'account_number',
      cents: amount,
      currency: 'KZT',
    })
    const deposit = await money.stored(body.id)
    const account = await accountOf(deposit)
    const cents = BigInt(amount) / 2n
    const purpose = `Oplata ${deposit.reference}`
    const inside = `<NtryDtls><TxDtls><RltdPties><Dbtr><Nm>Yana P</Nm><Id><PrvtId><Othr><Id>971224300123</Id></Othr></PrvtId></Id></Dbtr>
<DbtrAcct><Id><IBAN>KZ34125KZT1001307777</IBAN></Id></DbtrAcct>${behind}</RltdPties><RmtInf><Ustrd>${purpose}</Ustrd></RmtInf></TxDtls></NtryDtls>`
    const reports = [
      () =>
        takeTransfers(
          depositContextOf(money.gateway),
          [
            entryTo(account.id, {
              ...{ cents, currency: 'KZT', purpose, channel: 'push', version: 0n },
              ...{ payerAccount: 'KZ86…0100', payerTaxId: '971224300123', payerName: 'Яна П.' },
            }),
          ],
          { source: money.sources.one },
        ),
      () =>
        take(camt('053', account.number, [{ cents, reference: `KZREF${amount}`, inside, currency: 'KZT' }])),
    ]
    for (const report of order === 'push and file' ? reports : reports.reverse()) await report()
    assert.deepEqual(await money.standing(deposit), ['created', cents])
  })
