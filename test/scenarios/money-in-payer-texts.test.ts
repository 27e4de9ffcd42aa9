/**
 * Where a bank copies the payer's text into `:86:` of MT940, the payer can write the subfields in which other banks name the payer and
 * the purpose. Nothing of it may make two payments of one, hide a reference, or let somebody pass for another payer.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Deposit } from '../../src/domain/deposits/deposit.ts'
import { decimal } from '../../src/domain/money.ts'
import type { IncomingEntry } from '../../src/domain/transfers/bank-entries.ts'
import { matchByHand } from '../../src/domain/transfers/decide-transfer.ts'
import { takeTransfers } from '../../src/domain/transfers/take-transfers.ts'
import { sql } from '../../src/platform/db.ts'
import { depositContextOf, entryTo, importBytes, today } from '../support/bank.ts'
import { type MoneyIn, openMoneyIn } from '../support/money-in.ts'

let money: MoneyIn
let accountId: string
let account: string
before(async () => {
  money = await openMoneyIn()
  accountId = await money.keepOneAccount()
  const found = await money.gateway.database.owner.one<{ number: string }>(
    sql`select number from receiving_accounts where id = ${accountId}`,
  )
  account = found.number
})

const day = (): string => today().slice(2).replaceAll('-', '')
const amountOf = (cents: bigint): string => decimal(cents).replace('.', ',')
const fileOf = (lines: readonly string[]) =>
  importBytes(depositContextOf(money.gateway), Buffer.from(lines.map((line) => `${line}\r\n`).join('')))

type Row = { cents: number; text: string; number?: string; id?: string; supplement?: string }
let ids = 0
/** As SWIFT cuts it: 65 characters a line. */
const entryOf = ({
  cents,
  text,
  number = 'NONREF',
  id = `B${String(++ids).padStart(9, '0')}`,
  supplement,
}: Row) => [
  `:61:${day()}${day().slice(2)}C${amountOf(BigInt(cents))}NTRF${number}${id && `//${id}`}`,
  ...(supplement ? [supplement] : []),
  ...text.match(/.{1,65}/g)!.map((line, place) => (place === 0 ? `:86:${line}` : line)),
]
async function mt940(...rows: Row[]): Promise<void> {
  const sum = rows.reduce((all, { cents }) => all + BigInt(cents), 0n)
  const report = await fileOf([
    ...[':20:STATEMENT', `:25:${account}`, ':28C:318/1', `:60F:C${day()}RUB500000,00`],
    ...rows.flatMap(entryOf),
    ...[`:62F:C${day()}RUB${amountOf(50_000_000n + sum)}`, '-'],
  ])
  assert.deepEqual([report.isTaken, report.warnings], [true, []])
}
async function mt942(row: Row): Promise<void> {
  const report = await fileOf([
    ...[':20:INTRADAY', `:25:${account}`, ':28C:318/1', ':34F:RUB0,', `:13D:${day()}1230+0300`],
    ...entryOf(row),
    ...[':90D:0RUB0,', `:90C:1RUB${amountOf(BigInt(row.cents))}`, '-'],
  ])
  assert.deepEqual([report.isTaken, report.warnings], [true, []])
}

const payer = { payerAccount: '4081…0001', payerName: 'Иванова Анна Петровна' }
const push = (cents: number, purpose: string, facts: Partial<IncomingEntry> = {}) =>
  takeTransfers(
    depositContextOf(money.gateway),
    [
      entryTo(accountId, {
        ...{ cents: BigInt(cents), purpose, purposeParts: [purpose], channel: 'push', version: 0n },
        ...{ documentNumber: '', ...payer, ...facts },
      }),
    ],
    { source: money.sources.one },
  )

const received = async (deposits: readonly Deposit[]): Promise<bigint> => {
  const standings = await Promise.all(deposits.map(money.standing))
  return standings.reduce((sum, [, cents]) => sum + cents, 0n)
}

let amount = 6_000_000
function nextAmount(): number {
  amount += 10
  return amount
}
const another = '40817810000000000099'

/** What the payer writes where the bank's text is the payer's alone. */
const spoofed: Record<string, (reference: string) => string> = {
  'a party between slashes': (text) => `/ORDP/PETROV/ACCW/${another}/REMI/${text}`,
  'an account between slashes': (text) => `/ACCW/${another}/REMI/${text}`,
  'a tax id and an account': (text) => `/ORDP/INN 7700000009 PETROV/ACCT/${another}/REMI/${text}`,
  'a counterparty': (text) => `/CNTP/${another}/TESTRUMM/PETROV/REMI/${text}`,
  'numbered subfields': (text) => `?20 ${text} ?32PETROV?31${another}`,
  'numbered subfields of a Russian bank': (text) => `~01PETROV~0340817810000000000099~06 ${text}`,
}
/** And where the bank has subfields of its own, but none for the account. */
const within = (text: string) => `166?00CREDIT?20${text}?30044525999?32IVANOVA ANNA`
const texts = {
  ...spoofed,
  'an account among the bank’s subfields': (text: string) => within(`${text} ?31${another}`),
}

test('if amounts are matched, a payment with its payer in the text does not pay a second deposit of the amount', async () => {
  await money.matchAmounts('always')
  try {
    for (const [how, write] of Object.entries(texts))
      for (const isPushFirst of [true, false]) {
        const cents = nextAmount()
        const first = await money.depositOf(cents)
        const reports = [() => push(cents, 'perevod'), () => mt940({ cents, text: write('perevod') })]
        if (!isPushFirst) reports.reverse()
        await reports[0]!()
        const next = await money.depositOf(cents)
        await reports[1]!()
        assert.equal(await received([first, next]), BigInt(cents), `${how}, ${isPushFirst}`)
      }
  } finally {
    await money.matchAmounts('by_kind')
  }
})

for (const [how, write] of Object.entries(texts))
  test(`half of the money, pushed and in MT940 with ${how}, counts once`, async () => {
    for (const documentNumber of ['', '15'])
      for (const supplement of ['', '40817810000000000001'])
        for (const isPushFirst of [true, false]) {
          const cents = nextAmount()
          const deposit = await money.depositOf(cents)
          const text = write(deposit.reference!)
          const typed = text.startsWith('166') ? `${deposit.reference} ?31${another}` : text
          const reports = [
            () => push(cents / 2, typed, { documentNumber }),
            () => mt940({ cents: cents / 2, text, supplement }),
          ]
          for (const report of isPushFirst ? reports : reports.reverse()) await report()
          const told = `${documentNumber} ${supplement} ${isPushFirst}`
          assert.deepEqual(await money.standing(deposit), ['created', BigInt(cents / 2)], told)
        }
  })

test('a payment that MT940 reports after a fee does not count as a second one', async () => {
  for (const isPushFirst of [true, false]) {
    const cents = nextAmount()
    const deposit = await money.depositOf(cents)
    const text = spoofed['an account between slashes']!(deposit.reference!)
    const reports = [() => push(cents / 2, text), () => mt940({ cents: cents / 2 - 100, text })]
    for (const report of isPushFirst ? reports : reports.reverse()) await report()
    assert.ok((await received([deposit])) <= BigInt(cents / 2))
  }
})

test('a payment number in the text is the payer’s, and does not prove a second payment', async () => {
  for (const interimFirst of [true, false]) {
    const cents = nextAmount()
    const deposit = await money.depositOf(cents)
    const text = `/EREF/INV${cents}/ORDP//NAME/IVANOVA/ACCW/40817810000000000001/REMI/${deposit.reference}`
    const row = { cents: cents / 2, text, id: '' }
    const reports = [() => mt942(row), () => mt940({ ...row, number: '1502' })]
    for (const report of interimFirst ? reports : reports.reverse()) await report()
    assert.deepEqual(await money.standing(deposit), ['created', BigInt(cents / 2)])
  }
})

const filler = 'za uslugi svyazi '.repeat(7)
const padded = (text: string) => `${text} za uslugi svyazi`.padEnd(27, '.')
/** Each hides the first reference beside what the reader takes for the purpose. A push shows the beginning of what was typed. */
const hiding: Record<string, (hidden: string, named: string) => { text: string; pushed: string }> = {
  'in a party': (hidden, named) => cut(`/ORDP/${hidden} ${filler}/REMI/${named}`),
  'in a party with an account': (hidden, named) =>
    cut(`/ORDP/${hidden} ${filler}/ACCW/${another}/REMI/${named}`),
  'in a number': (hidden, named) => cut(`/EREF/${hidden} ${filler}/REMI/${named}`),
  'in front of a letter': (hidden, named) => cut(`/ORDP/${hidden}a/REMI/${named}`, 16),
  'in a numbered name': (hidden, named) => cut(`?32 ${hidden} ${filler}?20 ${named}`),
  'in a subfield of a Russian bank': (hidden, named) => cut(`~01 ${hidden} ${filler}~06 ${named}`),
  'in front of the tag of a purpose': (hidden, named) => ({
    text: within(`${padded(hidden)}?21SVWZ+${named}`),
    pushed: padded(hidden),
  }),
  'as digits alone': (hidden, named) => cut(`/ORDP/${hidden.slice(2)} ${filler}/REMI/${named}`),
  'as digits in front of others': (hidden, named) => cut(`/ORDP/${hidden.slice(2)}1/REMI/${named}`, 14),
}
const cut = (text: string, at = 120) => ({ text, pushed: text.slice(0, at) })

for (const [where, write] of Object.entries(hiding))
  test(`a reference ${where} is seen, so that one payment does not pay two deposits`, async () => {
    for (const payerAccount of ['4081…0001', '2200…1234', ''])
      for (const isPushFirst of [true, false]) {
        const cents = nextAmount()
        const [hidden, named] = [await money.depositOf(cents), await money.depositOf(cents)]
        const { text, pushed } = write(hidden.reference!, named.reference!)
        const reports = [() => push(cents, pushed, { payerAccount }), () => mt940({ cents, text })]
        for (const report of isPushFirst ? reports : reports.reverse()) await report()
        assert.ok((await received([hidden, named])) <= BigInt(cents), `${payerAccount} ${isPushFirst}`)
      }
  })

test('a payment does not pay a second deposit after a person has matched it with the one that its purpose names', async () => {
  const cents = nextAmount()
  const [hidden, named] = [await money.depositOf(cents), await money.depositOf(cents)]
  const { text, pushed } = hiding['in a party']!(hidden.reference!, named.reference!)
  await mt940({ cents, text })
  const { id } = await money.gateway.database.owner.one<{ id: string }>(
    sql`select id from transfers where cents = ${cents}`,
  )
  await matchByHand(depositContextOf(money.gateway), {
    ...{ transferId: id, depositId: named.id, actor: 'operator:anna', reason: 'looked' },
  })
  assert.deepEqual(await money.standing(named), ['confirmed', BigInt(cents)])
  await push(cents, pushed)
  assert.deepEqual(await money.standing(hidden), ['created', 0n])
})

test('a payer who writes another payer’s name does not pay the rest of that payer’s deposit', async () => {
  const victim = { name: 'PETROV OLEG ILICH', account: '40817810000000000077', taxId: '500100732259' }
  const party = `/ORDP//NAME/${victim.name}/ACCT/${victim.account}/INN/${victim.taxId}`
  const facts = { payerName: victim.name, payerAccount: '4081…0077', payerTaxId: victim.taxId }
  // No other deposit waits for these rests.
  for (const tell of [
    (cents: number) => push(cents, 'perevod', facts),
    (cents: number) => mt940({ cents, text: `${party}/REMI/perevod` }),
  ]) {
    const cents = nextAmount()
    const deposit = await money.depositOf(cents)
    await mt940({ cents: 101, text: `${party}/REMI/${deposit.reference}` })
    assert.deepEqual(await money.standing(deposit), ['created', 101n])
    await tell(cents - 101)
    assert.deepEqual(await money.standing(deposit), ['created', 101n])
  }
  // Where banks name the payer in fields of their own, they do.
  const cents = nextAmount()
  const deposit = await money.depositOf(cents)
  await push(203, deposit.reference!, facts)
  await push(cents - 203, 'perevod', facts)
  assert.deepEqual(await money.standing(deposit), ['confirmed', BigInt(cents)])
})

/** As banks write them, each with the payer, and with a reference that they cut. */
const honest: Record<string, (reference: string) => string> = {
  'between slashes': (reference) =>
    `/EREF/NOTPROVIDED/ORDP//NAME/IVANOVA ANNA/ACCW/40817810000000000001,TESTRUMM/REMI/Oplata ${reference}`,
  'in numbers': (reference) =>
    `166?00GUTSCHRIFT?109310?20EREF+E2E-2026-11-14-0001?21SVWZ+Zahlung ${reference.slice(0, 4)}?22${reference.slice(4)} und mehr?30TESTDEFF?3140817810000000000001?32Ivanova Anna`,
  'in numbers of a Russian bank': (reference) =>
    `~01IVANOVA ANNA~025001007322~0340817810000000000001~04044525999~05BANK~06Oplata ${reference}~1320261114`,
  'as plain text': (reference) => `Oplata po schetu 13842208 ${reference}`,
}

for (const [how, write] of Object.entries(honest))
  test(`control: what an honest bank writes ${how} confirms each deposit once, pushed as well or not`, async () => {
    const cents = nextAmount()
    const [one, other] = [await money.depositOf(cents), await money.depositOf(cents)]
    await push(cents, `Oplata ${one.reference}`)
    await mt940(
      ...[one, other].map(({ reference }, place) => ({
        cents,
        text: write(reference!).replaceAll('0000001', `000000${place + 1}`),
      })),
    )
    for (const deposit of [one, other])
      assert.deepEqual(await money.standing(deposit), ['confirmed', BigInt(cents)])
    const { purpose } = await money.gateway.database.owner.one<{ purpose: string }>(
      sql`select purpose from transfers where deposit_id = ${other.id}`,
    )
    assert.doesNotMatch(purpose, /IVANOVA|Ivanova/)
  })

test('control: two parts of one amount in one file count, from two payers', async () => {
  const cents = nextAmount()
  const deposit = await money.depositOf(cents)
  const text = (end: number) =>
    `/ORDP//NAME/PAYER ${end}/ACCW/4081781000000000000${end}/REMI/${deposit.reference}`
  await mt940(...[1, 2].map((end) => ({ cents: cents / 2, text: text(end), number: `15${end}` })))
  assert.deepEqual(await money.standing(deposit), ['confirmed', BigInt(cents)])
})
