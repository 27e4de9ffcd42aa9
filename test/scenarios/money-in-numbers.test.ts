/** Two files may number one payment by two fields: such numbers never prove that there are two payments. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Deposit } from '../../src/domain/deposits/deposit.ts'
import { decimal } from '../../src/domain/money.ts'
import type { IncomingEntry } from '../../src/domain/transfers/bank-entries.ts'
import { takeTransfers } from '../../src/domain/transfers/take-transfers.ts'
import { newId } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import { accountOf, bankDay, depositContextOf, dotted, entryTo, importBytes, today } from '../support/bank.ts'
import { type MoneyIn, openMoneyIn } from '../support/money-in.ts'
import { newStatement } from '../support/reported-payments.ts'
import { workbook } from '../vectors/statements/layout-cases.ts'

let money: MoneyIn
before(async () => {
  money = await openMoneyIn()
})

const numberOf = async ({ id }: Deposit): Promise<string> => {
  const [account] = await money.gateway.database.owner.query<{ number: string }>(
    sql`select a.number from receiving_accounts a join deposits d on d.account_id = a.id where d.id = ${id}`,
  )
  return account!.number
}

let amount = 8_400_000
const take = (bytes: Uint8Array, name = 'day') =>
  importBytes(depositContextOf(money.gateway), bytes, { name, anyway: true })

const eurasian = (account: string, cents: bigint, column: string, number: string, { reference }: Deposit) =>
  workbook([
    ['EURIKZKA'],
    ['ИИК', account],
    [
      ...['Дата проводки', 'Вид операции', column, 'Наименование Бенефициара/Отправителя'],
      ...['ИИН/БИН Бенефициара/отправителя', 'ИИК бенефициара/Отправителя денег'],
      ...['Наименование банка Бенефициара/Отправителя', 'БИК банка Бенефициара/Отправителя'],
      ...['Назначение платежа', 'Дебет', 'Кредит', 'Остаток'],
    ],
    [
      ...[
        dotted(today('KZT')),
        'Перевод',
        number,
        'Яна П.',
        '850101300012',
        'KZ86125KZT5004100100',
        'АО Банк',
      ],
      ...['HSBKKZKX', `Пополнение ${reference}`, '', Number(decimal(cents)), 1_000 + Number(decimal(cents))],
    ],
    ['Итого', '', '', '', '', '', '', '', '', 0, Number(decimal(cents)), ''],
  ])

const columns = ['Номер документа клиента', 'Номер документа'] as const

for (const [first, second] of [columns, columns.toReversed()] as [string, string][])
  test(`one layout with the column ${first}, then ${second}: one payment counts once`, async () => {
    amount += 20
    const deposit = await money.depositOf(amount, 'KZT')
    const account = await numberOf(deposit)
    const half = BigInt(amount) / 2n
    const number = (place: number) => String(amount * 10 + place)
    await take(eurasian(account, half, first, number(1), deposit))
    await take(eurasian(account, half, second, number(2), deposit))
    assert.deepEqual(await money.standing(deposit), ['created', half])
    // Numbered by the same column, it is another payment.
    await take(eurasian(account, half, first, number(3), deposit))
    assert.deepEqual(await money.standing(deposit), ['confirmed', 2n * half])
  })

type Numbers = { entry?: string; details?: string; payer?: string }

const camt = (
  kind: '052' | '053' | '054',
  account: string,
  cents: bigint,
  text: string,
  numbers: Numbers,
) => {
  const [outer, inner] = {
    '052': ['BkToCstmrAcctRpt', 'Rpt'],
    '053': ['BkToCstmrStmt', 'Stmt'],
    '054': ['BkToCstmrDbtCdtNtfctn', 'Ntfctn'],
  }[kind] as [string, string]
  const payer = `<RltdPties><Dbtr><Nm>Ivanova Anna</Nm></Dbtr><DbtrAcct><Id><Othr><Id>${numbers.payer ?? '40817810000000000001'}</Id></Othr></Id></DbtrAcct></RltdPties>`
  const details =
    numbers.details === undefined
      ? `<AddtlNtryInf>${text}</AddtlNtryInf>`
      : `<NtryDtls><TxDtls><Refs>${numbers.details}</Refs>${payer}<RmtInf><Ustrd>${text}</Ustrd></RmtInf></TxDtls></NtryDtls>`
  return Buffer.from(`<Document><${outer}><${inner}><Acct><Id><Othr><Id>${account}</Id></Othr></Id></Acct>
<TxsSummry><TtlCdtNtries><Sum>${decimal(cents)}</Sum></TtlCdtNtries></TxsSummry>
<Ntry><Amt Ccy="RUB">${decimal(cents)}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>${today()}</Dt></BookgDt>
${numbers.entry ?? ''}${details}</Ntry></${inner}></${outer}></Document>`)
}

const numbered = (name: string, number: string) => `<${name}>${number}</${name}>`

/** Each number as the first and as the second message has it; `n` makes it one of its own. */
const pairs: [
  name: string,
  first: '052' | '054',
  one: (n: string) => Numbers,
  other: (n: string) => Numbers,
][] = [
  [
    'EndToEndId, then TxId',
    '054',
    (n) => ({ details: numbered('EndToEndId', `INV-${n}`) }),
    (n) => ({ details: numbered('TxId', `99${n}`) }),
  ],
  [
    'InstrId, then EndToEndId',
    '052',
    (n) => ({ details: numbered('InstrId', `15${n}`) }),
    (n) => ({ details: numbered('EndToEndId', `77${n}`) }),
  ],
  [
    'EndToEndId, then NtryRef without details',
    '054',
    (n) => ({ details: numbered('EndToEndId', `INV-${n}`) }),
    (n) => ({ entry: `<NtryRef>20261118${n}</NtryRef>` }),
  ],
  [
    "the reference of a transaction, then the entry's",
    '054',
    (n) => ({
      details: `${numbered('AcctSvcrRef', `TXREF000${n}`)}${numbered('EndToEndId', `INV-${n}`)}`,
    }),
    (n) => ({ entry: numbered('AcctSvcrRef', `ENTRY000${n}`), details: numbered('TxId', `99${n}`) }),
  ],
]

for (const [name, kind, one, other] of pairs)
  for (const isFirst of [true, false])
    test(`camt.${kind} and camt.053${isFirst ? '' : ', the other way round'}: ${name}: one payment counts once`, async () => {
      amount += 20
      const deposit = await money.depositOf(amount)
      const half = BigInt(amount) / 2n
      const account = await numberOf(deposit)
      const text = `Oplata ${deposit.reference}`
      const files = [
        camt(kind, account, half, text, one(String(amount))),
        camt('053', account, half, text, other(String(amount))),
      ]
      for (const file of isFirst ? files : files.reverse()) await take(file)
      assert.deepEqual(await money.standing(deposit), ['created', half])
    })

test('camt.053 without details, then with them: one payment counts once', async () => {
  amount += 20
  const deposit = await money.depositOf(amount)
  const half = BigInt(amount) / 2n
  const account = await numberOf(deposit)
  const text = `Oplata ${deposit.reference}`
  await take(camt('053', account, half, text, { entry: numbered('NtryRef', `20261118${amount}`) }))
  await take(camt('053', account, half, text, { details: numbered('TxId', `99${amount}`) }))
  assert.deepEqual(await money.standing(deposit), ['created', half])
})

test("without a reference, the next deposit of the amount is not paid by another message's report", async () => {
  amount += 20
  const accountId = await money.keepOneAccount()
  await money.matchAmounts('always')
  const deposit = await money.depositOf(amount)
  const account = await numberOf(deposit)
  const cents = BigInt(amount)
  // Somebody who has begun to pay no other deposit.
  const payer = '40817810000000000077'
  const details = numbered('AcctSvcrRef', `TXREF000${amount}`)
  await take(camt('054', account, cents, 'Oplata', { details, payer }))
  assert.deepEqual(await money.standing(deposit), ['confirmed', cents])
  const next = await money.depositOf(amount)
  assert.equal(await accountOf(money.gateway, next.id), accountId)
  await take(camt('053', account, cents, 'Oplata', { entry: numbered('AcctSvcrRef', `ENTRY000${amount}`) }))
  assert.deepEqual(await money.standing(next), ['created', 0n])
  await money.matchAmounts('by_kind')
})

test('two numbers of one kind in two files of one kind are two payments', async () => {
  amount += 20
  const deposit = await money.depositOf(amount)
  const half = BigInt(amount) / 2n
  const account = await numberOf(deposit)
  for (const place of ['1', '2']) {
    const details = numbered('EndToEndId', `INV-${amount}-${place}`)
    await take(camt('053', account, half, `Oplata ${deposit.reference}`, { details }))
  }
  assert.deepEqual(await money.standing(deposit), ['confirmed', 2n * half])
})

const mt = (
  account: string,
  cents: bigint,
  { isInterim, customer }: { isInterim: boolean; customer: string },
  text: string,
) => {
  const day = today().slice(2).replaceAll('-', '')
  const [sum, later] = [cents, 50_000_000n + cents].map((one) => decimal(one).replace('.', ','))
  const lines = [
    ...[':20:STATEMENT', `:25:${account}`, ':28C:318/1'],
    ...(isInterim ? [':34F:RUB0,', `:13D:${day}1230+0300`] : [`:60F:C${day}RUB500000,00`]),
    `:61:${day}${day.slice(2)}C${sum}NTRF${customer}`,
    `:86:${text}`,
    ...(isInterim ? [':90D:0RUB0,', `:90C:1RUB${sum}`] : [`:62F:C${day}RUB${later}`]),
    '-',
  ]
  return Buffer.from(lines.map((line) => `${line}\r\n`).join(''))
}

test('MT942 numbers a payment in its text, and MT940 in its line: it counts once', async () => {
  amount += 20
  const deposit = await money.depositOf(amount)
  const half = BigInt(amount) / 2n
  const account = await numberOf(deposit)
  const text = `/EREF/INV${amount}/ORDP//NAME/IVANOVA/ACCW/40817810000000000001/REMI/${deposit.reference}`
  await take(mt(account, half, { isInterim: true, customer: 'NONREF' }, text))
  await take(mt(account, half, { isInterim: false, customer: '1502' }, text))
  assert.deepEqual(await money.standing(deposit), ['created', half])
})

for (const channel of ['1c', 'camt', 'mt940'] as const)
  for (const isOneFile of [true, false])
    test(`two payments under one number of their payer, one of which names its deposit by digits, count once each: ${channel}, ${isOneFile ? 'one file' : 'two files'}`, async () => {
      amount += 20
      const [small, large] = [await money.depositOf(amount), await money.depositOf(2 * amount)]
      const account = await accountOf(money.gateway, small.id)
      const of = (purpose: string, facts: Partial<IncomingEntry>) =>
        entryTo(account, {
          ...{ cents: BigInt(amount), purpose, purposeParts: [purpose], documentNumber: String(amount) },
          ...{ payerAccount: '4070…1234', payerName: 'ООО Ромашка', payerTaxId: '7707083893', ...facts },
        })
      const digits = small.reference!.slice(2)
      const context = depositContextOf(money.gateway)
      const push = (purpose: string, bookedOn: string) =>
        takeTransfers(context, [of(purpose, { bookedOn, channel: 'push' })], { source: money.sources.one })
      await push(large.reference!, today())
      await push(digits, today())
      // The bank books one of them a day later.
      const rows = [of(digits, {}), of(large.reference!, { bookedOn: bankDay(1), paidOn: today() })]
      for (const file of isOneFile ? [rows] : rows.map((row) => [row])) {
        const statementId = await newStatement(money.gateway)
        const bankIdOf = () => (channel === '1c' ? null : newId())
        await takeTransfers(
          context,
          file.map((row, at) => ({ ...row, channel, statementId, line: at + 1, bankId: bankIdOf() })),
          { source: money.sources.file },
        )
      }
      assert.deepEqual(await money.standing(small), ['confirmed', BigInt(amount)])
      assert.deepEqual(await money.standing(large), ['created', BigInt(amount)])
    })
