/** Payments without a reference that fit more than one deposit of an account: no customer gets what another one has paid. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Deposit } from '../../src/domain/deposits/deposit.ts'
import type { IncomingEntry } from '../../src/domain/transfers/bank-entries.ts'
import { readTransfer } from '../../src/domain/transfers/store.ts'
import { takeTransfers } from '../../src/domain/transfers/take-transfers.ts'
import { sql } from '../../src/platform/db.ts'
import { accountOf, depositContextOf, entryTo } from '../support/bank.ts'
import { openShop } from '../support/gateway.ts'
import { fillDeposits } from '../support/many-deposits.ts'
import { type MoneyIn, openMoneyIn } from '../support/money-in.ts'

let money: MoneyIn
let accountId: string
before(async () => {
  money = await openMoneyIn()
  accountId = await money.keepOneAccount()
  await money.matchAmounts('always')
  // Banks give one account a card too.
  await money.gateway.database.owner.query(sql`
    update requisites set enabled = true, account_id = ${accountId}
    where id = (select id from requisites where currency = 'RUB' and kind = 'card' order by id limit 1)`)
})

async function created(fields: Record<string, string | number>): Promise<Deposit> {
  const { status, body } = await money.shop.create(fields)
  assert.equal(status, 201, JSON.stringify(body))
  assert.equal(await accountOf(money.gateway, body.id), accountId)
  return money.stored(body.id)
}

/** Takes a payment; returns what became of it: its state, and the rule that decided. */
async function pay(facts: Partial<IncomingEntry> & { cents: bigint }): Promise<[string, string]> {
  const purpose = facts.purpose ?? 'Перевод'
  const entry = entryTo(accountId, { channel: 'push', ...facts, purpose, purposeParts: [purpose] })
  await takeTransfers(depositContextOf(money.gateway), [entry], { source: money.sources.one })
  const [row] = await money.gateway.db.query<{ id: string }>(
    sql`select id from transfers where bank_id = ${entry.bankId}`,
  )
  const { transfer, decisions } = (await readTransfer(money.gateway.db, row!.id))!
  return [transfer.state, decisions.at(-1)!.rule]
}

const anna = { payerName: 'ИВАНОВА АННА ПЕТРОВНА', payerAccount: '4081…0001', payerTaxId: '500100732259' }
const stranger = { payerName: 'ПЕТРОВ ПЁТР', payerAccount: '4081…6666' }

for (const [what, cents, hint, purpose] of [
  ['the payer’s name', 710_000, { customer: 'Анна Петровна' }, 'Перевод'],
  [
    'a phone number that the bank writes',
    720_000,
    { customer_phone_number: '+79161234567' },
    'Перевод по номеру +7 916 123-45-67',
  ],
] as const)
  test(`a deposit whose customer has ${what} does not get the payment for another deposit of the amount`, async () => {
    const paid = await created({ payment_type: 'any_bank', cents, customer: 'user-42' })
    const other = await created({ payment_type: 'account_number', cents, ...hint })
    assert.deepEqual(await pay({ ...anna, cents: BigInt(cents), purpose }), [
      'ambiguous',
      'several_candidates',
    ])
    assert.deepEqual(await money.standing(paid), ['created', 0n])
    assert.deepEqual(await money.standing(other), ['created', 0n])
  })

test('a customer who has paid a part and then pays the whole amount does not pay somebody else’s deposit', async () => {
  const begun = await money.depositOf(1_000_000)
  const other = await money.depositOf(1_000_000)
  await pay({ ...anna, cents: 100n, purpose: begun.shown!.payment_reason! })
  assert.equal((await pay({ ...anna, cents: 1_000_000n }))[0], 'ambiguous')
  assert.deepEqual(await money.standing(begun), ['created', 100n])
  assert.deepEqual(await money.standing(other), ['created', 0n])
})

test('a tiny payment of a stranger for a deposit does not give its payment to another deposit of the amount', async () => {
  const begun = await money.depositOf(2_000_000)
  const other = await money.depositOf(2_000_000)
  await pay({ ...stranger, cents: 100n, purpose: begun.shown!.payment_reason! })
  const payment = { payerName: 'СИДОРОВА ОЛЬГА', payerAccount: '4081…0007', cents: 2_000_000n }
  assert.deepEqual(await pay(payment), ['ambiguous', 'several_candidates'])
  assert.deepEqual(await money.standing(begun), ['created', 100n])
  assert.deepEqual(await money.standing(other), ['created', 0n])
})

test('a payer of a part who then pays another amount than the rest waits for a person, even if another deposit waits for that amount', async () => {
  const begun = await money.depositOf(3_000_000)
  const other = await money.depositOf(2_500_000)
  const payer = { ...anna, payerTaxId: '500100732267' }
  await pay({ ...payer, cents: 100n, purpose: begun.shown!.payment_reason! })
  assert.deepEqual(await pay({ ...payer, cents: 2_500_000n }), ['ambiguous', 'payer_rest'])
  assert.deepEqual(await money.standing(other), ['created', 0n])
  assert.deepEqual(await pay({ ...payer, cents: 2_999_900n }), ['matched', 'payer_rest'])
  assert.equal((await money.standing(begun))[0], 'confirmed')
})

let coins = 7_770_000
for (const [payerName, payerAccount, payerTaxId] of [
  ['ООО "OSON"', '2020…0001', '302838391'],
  ['ООО "PAYLOV"', '2020…0003', '309000113'],
  ['ООО "КлаудПэйментс"', '4070…0004', '7708806062'],
  ['ТОО «Платежи»', 'KZ12…0005', '180440000385'],
  ['АО "ПЭЙЛЕР"', '', '7725745476'],
] as const)
  test(`a coin through ${payerName} does not get what another of its customers pays without a reference`, async () => {
    const deposit = await money.depositOf(++coins)
    const payer = { payerName, payerAccount, payerTaxId }
    assert.equal((await pay({ cents: 100n, purpose: deposit.reference!, ...payer }))[0], 'matched')
    assert.deepEqual(await pay({ cents: BigInt(coins - 100), ...payer }), ['ambiguous', 'payer_rest'])
    assert.deepEqual(await money.standing(deposit), ['created', 100n])
  })

test('control: a person’s rest without its reference is matched, by the account or by the tax id', async () => {
  for (const payer of [
    { ...anna, payerAccount: '4081…7001', payerTaxId: '' },
    { ...anna, payerAccount: '', payerTaxId: '500100732313' },
    { ...anna, payerAccount: '2261…7003', payerTaxId: '' },
    { ...anna, payerAccount: '', payerTaxId: '31505851234567' },
  ]) {
    const deposit = await money.depositOf(++coins)
    await pay({ cents: 100n, purpose: deposit.reference!, ...payer })
    assert.deepEqual(await pay({ cents: BigInt(coins - 100), ...payer }), ['matched', 'payer_rest'])
  }
})

test('however many payers have begun deposits, what a new payer sends is matched by its amount, and a rest by its payer', async () => {
  const payerOf = (place: number) => ({
    payerName: `Иванов ${place}`,
    payerAccount: `4081…${String(1_000 + place)}`,
  })
  const begun = await Promise.all(
    Array.from({ length: 110 }, (_, place) =>
      created({ payment_type: 'account_number', cents: 8_100_000 + place * 100 }),
    ),
  )
  const coins = begun.flatMap(({ shown }) =>
    Array.from({ length: 20 }, (_, place) => {
      const purpose = shown!.payment_reason!
      const facts = { ...payerOf(place), cents: 1n, purpose, purposeParts: [purpose] }
      return entryTo(accountId, { channel: 'push', ...facts })
    }),
  )
  await takeTransfers(depositContextOf(money.gateway), coins, { source: money.sources.one })
  const last = { ...payerOf(100), cents: 10_000n, purpose: begun[0]!.shown!.payment_reason! }
  assert.deepEqual(await pay(last), ['matched', 'reference'])
  assert.deepEqual(await pay({ ...payerOf(100), cents: begun[0]!.amountCents - 10_020n }), [
    'matched',
    'payer_rest',
  ])
  await created({ payment_type: 'account_number', cents: 8_300_000 })
  assert.deepEqual(await pay({ ...payerOf(101), cents: 8_300_000n }), ['matched', 'amount_unique'])
})

test('coins of others do not hide who has begun a deposit: what that payer sends without a reference confirms no other one', async () => {
  const other = { payerName: 'Хитров Хитр', payerAccount: '4081…0066' }
  let cents = 8_400_000
  for (const [what, coinsFrom, payer, isOtherHere] of [
    ['in one group', () => other, { payerName: 'Зайцев Захар', payerAccount: '4081…0067' }, true],
    ['of one masked account', () => other, { payerName: 'Зайцев Захар', payerAccount: '4081…0066' }, false],
    [
      'of many names with one masked account',
      (place: number) => ({ ...other, payerName: `Хитров ${place}` }),
      { payerName: 'Зайцева Зоя', payerAccount: '4081…0066' },
      true,
    ],
  ] as const) {
    cents += 1_000
    const deposit = await created({ payment_type: 'account_number', cents })
    const purpose = deposit.shown!.payment_reason!
    const naming = { purpose, purposeParts: [purpose], channel: 'push' } as const
    const coins = Array.from({ length: 110 }, (_, place) =>
      entryTo(accountId, { ...coinsFrom(place), ...naming, cents: 1n }),
    )
    await takeTransfers(depositContextOf(money.gateway), coins, { source: money.sources.one })
    await pay({ ...payer, cents: 1_000n, purpose })
    const next = await created({ payment_type: 'account_number', cents: cents - 1_110 })
    const rest = entryTo(accountId, { ...payer, channel: 'push', cents: next.amountCents })
    const beside = isOtherHere ? [entryTo(accountId, { ...other, channel: 'push', cents: 7n })] : []
    await takeTransfers(depositContextOf(money.gateway), [rest, ...beside], { source: money.sources.one })
    assert.deepEqual(await money.standing(next), ['created', 0n], what)
  }
})

test('where very many deposits of an account are begun, also with money that a person recorded, nothing is matched without a reference', async () => {
  const deposit = await created({ payment_type: 'account_number', cents: 7_000_100 })
  const payer = { payerName: 'Зайцев Захар', payerAccount: '4081…0077' }
  await pay({ ...payer, cents: 10_000n, purpose: deposit.shown!.payment_reason! })
  const { merchant } = await openShop(money.gateway)
  await fillDeposits(money.gateway, merchant, { deposits: 8_100, callbacks: 0, isAnalyzed: false })
  await money.gateway.database.owner.query(sql`
    update deposits
    set received_cents = 1, labels = '{manual}', account_id = ${accountId}, late_until = inlet_now() + interval '1 hour'
    where merchant_id = ${merchant} and state = 'expired'`)
  assert.deepEqual(await pay({ ...payer, cents: 6_990_100n }), ['unmatched', 'no_candidate'])
  await created({ payment_type: 'account_number', cents: 6_990_100 })
  assert.deepEqual(await pay({ ...payer, cents: 6_990_100n }), ['ambiguous', 'several_candidates'])
})
