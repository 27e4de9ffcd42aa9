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
<BookgDt><Dt>${today(currency)}</Dt></BookgDt><AcctSvcrRef>${reference}</AcctSvcrRef>${inside}</Ntry>`,
  )
  return Buffer.from(`<Document><${outer}><${inner}><Acct><Id><Othr><Id>${account}</Id></Othr></Id></Acct>
<TxsSummry><TtlCdtNtries><Sum>${decimal(sum)}</Sum></TtlCdtNtries></TxsSummry>${rows.join('')}</${inner}></${outer}></Document>`)
}

const take = (bytes: Uint8Array) => importBytes(depositContextOf(money.gateway), bytes)

let amount = 8_950_000

const behind =
  '<UltmtDbtr><Nm>Other</Nm><Id><OrgId><Othr><Id>900101300456</Id></Othr></OrgId></Id></UltmtDbtr>'

for (const order of ['push and file', 'file and push'])
  test(`the ultimate debtor is not taken for the payer, ${order}: one payment counts once`, async () => {
    amount += 20
    const deposit = await money.depositOf(amount, 'KZT')
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

const batchOf = (count: string, transactions = '') =>
  `<NtryDtls><Btch><MsgId>054-1</MsgId>${count}</Btch>${transactions}</NtryDtls>`
const naming = (text: string) => `<TxDtls><RmtInf><Ustrd>${text}</Ustrd></RmtInf></TxDtls>`

const batches: [name: string, inside: (deposit: Deposit) => string][] = [
  ['without details', () => batchOf('<NbOfTxs>2</NbOfTxs>')],
  ['that does not say of how many', () => batchOf('')],
  ['in two groups of one', () => batchOf('<NbOfTxs>1</NbOfTxs>').repeat(2)],
  ['with the details of one', ({ reference }) => batchOf('<NbOfTxs>2</NbOfTxs>', naming(reference!))],
  [
    'whose text names the deposit',
    ({ reference }) => `${batchOf('<NbOfTxs>2</NbOfTxs>')}<AddtlNtryInf>${reference}</AddtlNtryInf>`,
  ],
]

for (const [name, inside] of batches)
  test(`a camt batch ${name} does not count as a payment of its sum after its payments were reported`, async () => {
    await money.keepOneAccount()
    await money.matchAmounts('always')
    amount += 20
    const cents = BigInt(amount)
    const [one, other, whole] = [
      await money.depositOf(amount),
      await money.depositOf(amount + 1),
      await money.depositOf(2 * amount + 1),
    ]
    const { number } = await accountOf(whole)
    const single = (deposit: Deposit, of: bigint) => ({
      ...{ cents: of, reference: `TX${of}`, inside: `<NtryDtls>${naming(deposit.reference!)}</NtryDtls>` },
    })
    await take(camt('054', number, [single(one, cents), single(other, cents + 1n)]))
    assert.deepEqual(await money.standing(other), ['confirmed', cents + 1n])
    const sum = 2n * cents + 1n
    await take(camt('053', number, [{ cents: sum, reference: `BATCH${sum}`, inside: inside(whole) }]))
    assert.deepEqual(await money.standing(whole), ['created', 0n])
    const [row] = await money.gateway.database.owner.query(
      sql`select t.state, d.rule from transfers t join transfer_decisions d on d.transfer_id = t.id where t.cents = ${sum}`,
    )
    assert.deepEqual(row, { state: 'ambiguous', rule: 'settlement_batch' })
    await money.matchAmounts('by_kind')
  })

test('a camt batch of one, and one with all of its payments, count', async () => {
  amount += 20
  const [one, other, alone] = [
    await money.depositOf(amount),
    await money.depositOf(amount + 1),
    await money.depositOf(amount + 2),
  ]
  const { number } = await accountOf(one)
  const cents = BigInt(amount)
  const part = (deposit: Deposit) =>
    `<TxDtls><Amt Ccy="RUB">${decimal(deposit.amountCents)}</Amt><RmtInf><Ustrd>${deposit.reference}</Ustrd></RmtInf></TxDtls>`
  const inside = batchOf('<NbOfTxs>2</NbOfTxs>', part(one) + part(other))
  await take(
    camt('053', number, [
      { cents: 2n * cents + 1n, reference: `BATCH${amount}`, inside },
      {
        ...{ cents: cents + 2n, reference: `ALONE${amount}` },
        inside: batchOf('<NbOfTxs>1</NbOfTxs>', naming(alone.reference!)),
      },
    ]),
  )
  for (const deposit of [one, other, alone])
    assert.deepEqual(await money.standing(deposit), ['confirmed', deposit.amountCents])
})
