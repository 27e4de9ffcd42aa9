/** Payments without a reference that fit more than one deposit of an account: no customer gets what another one has paid. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Entry } from '../../src/domain/transfers/entry.ts'
import { sql } from '../../src/platform/db.ts'
import { entryTo } from '../support/bank.ts'
import { openShop } from '../support/gateway.ts'
import { fillDeposits } from '../support/many-deposits.ts'
import { type MoneyIn, openMoneyIn, type TestAccount } from '../support/money-in.ts'

let money: MoneyIn
let account: TestAccount
before(async () => {
  money = await openMoneyIn()
  // Customers pay to its number or to its card.
  account = await money.account({ amounts: 'always' })
})

/** Takes a payment; returns what became of it: its state, and the rule that decided. */
async function pay(facts: Partial<Entry> & { cents: bigint; purpose?: string }): Promise<[string, string]> {
  const purpose = facts.purpose ?? 'Перевод'
  const entry = entryTo(account.id, { channel: 'push', ...facts, purpose, purposeParts: [purpose] })
  await account.take(entry)
  const row = await money.gateway.db.one<{ id: string; state: string }>(
    sql`select id, state from transfers where bank_id = ${entry.bankId}`,
  )
  return [row.state, (await account.rules(row.id)).at(-1)!]
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
    const paid = await account.deposit(cents, { payment_type: 'any_bank', customer: 'user-42' })
    const other = await account.deposit(cents, hint)
    assert.deepEqual(await pay({ ...anna, cents: BigInt(cents), purpose }), ['ambiguous', 'amount_doubt'])
    assert.deepEqual(await account.standing(paid), ['created', 0n])
    assert.deepEqual(await account.standing(other), ['created', 0n])
  })

test('a customer who has paid a part and then pays the whole amount does not pay somebody else’s deposit', async () => {
  const begun = await account.deposit(1_000_000)
  const other = await account.deposit(1_000_000)
  await pay({ ...anna, cents: 100n, purpose: begun.shown!.payment_reason! })
  assert.equal((await pay({ ...anna, cents: 1_000_000n }))[0], 'ambiguous')
  assert.deepEqual(await account.standing(begun), ['created', 100n])
  assert.deepEqual(await account.standing(other), ['created', 0n])
})

test('a tiny payment of a stranger for a deposit does not give its payment to another deposit of the amount', async () => {
  const begun = await account.deposit(2_000_000)
  const other = await account.deposit(2_000_000)
  await pay({ ...stranger, cents: 100n, purpose: begun.shown!.payment_reason! })
  const payment = { payerName: 'СИДОРОВА ОЛЬГА', payerAccount: '4081…0007', cents: 2_000_000n }
  assert.deepEqual(await pay(payment), ['ambiguous', 'amount_doubt'])
  assert.deepEqual(await account.standing(begun), ['created', 100n])
  assert.deepEqual(await account.standing(other), ['created', 0n])
})

test('a payer of a part who then pays another amount than the rest waits for a person, even if another deposit waits for that amount', async () => {
  const begun = await account.deposit(3_000_000)
  const other = await account.deposit(2_500_000)
  const payer = { ...anna, payerTaxId: '500100732267' }
  await pay({ ...payer, cents: 100n, purpose: begun.shown!.payment_reason! })
  assert.deepEqual(await pay({ ...payer, cents: 2_500_000n }), ['ambiguous', 'amount_doubt'])
  assert.deepEqual(await account.standing(other), ['created', 0n])
  // Nor is the rest taken for certain.
  assert.deepEqual(await pay({ ...payer, cents: 2_999_900n }), ['ambiguous', 'amount_doubt'])
  assert.deepEqual(await account.standing(begun), ['created', 100n])
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
    const deposit = await account.deposit(++coins)
    const payer = { payerName, payerAccount, payerTaxId }
    assert.equal((await pay({ cents: 100n, purpose: deposit.reference!, ...payer }))[0], 'matched')
    assert.deepEqual(await pay({ cents: BigInt(coins - 100), ...payer }), ['ambiguous', 'amount_doubt'])
    assert.deepEqual(await account.standing(deposit), ['created', 100n])
  })

for (const [what, payer, outcome] of [
  ['of its account', { payerAccount: '4081…7001', payerTaxId: '' }, 'ambiguous'],
  ['of its tax id', { payerAccount: '', payerTaxId: '500100732313' }, 'ambiguous'],
  ['of its card', { payerAccount: '2261…7003', payerTaxId: '' }, 'ambiguous'],
  // A bank sends the money of all its customers.
  ['of the bank of its payer', { payerAccount: '3023…7004', payerTaxId: '' }, 'matched'],
] as const)
  test(`beside a begun deposit ${what}, what is sent without a reference for another one is ${outcome}`, async () => {
    const begun = await account.deposit(++coins)
    const other = await account.deposit(++coins)
    await pay({ cents: 100n, purpose: begun.reference!, ...payer })
    assert.equal((await pay({ cents: other.amountCents, ...payer }))[0], outcome)
  })

test('however many payers have begun deposits, what a new payer sends is matched by its amount, and what one of them sends waits', async () => {
  const payerOf = (place: number) => ({
    payerName: `Иванов ${place}`,
    payerAccount: `4081…${String(1_000 + place)}`,
  })
  const begun = await Promise.all(
    Array.from({ length: 110 }, (_, place) => account.deposit(8_100_000 + place * 100)),
  )
  const coins = begun.flatMap(({ shown }) =>
    Array.from({ length: 20 }, (_, place) => {
      const purpose = shown!.payment_reason!
      const facts = { ...payerOf(place), cents: 1n, purpose, purposeParts: [purpose] }
      return entryTo(account.id, { channel: 'push', ...facts })
    }),
  )
  await account.take(...coins)
  const last = { ...payerOf(100), cents: 10_000n, purpose: begun[0]!.shown!.payment_reason! }
  assert.deepEqual(await pay(last), ['matched', 'reference'])
  const rest = await account.deposit(Number(begun[0]!.amountCents) - 10_020)
  assert.deepEqual(await pay({ ...payerOf(100), cents: rest.amountCents }), ['ambiguous', 'amount_doubt'])
  await account.deposit(8_300_000)
  assert.deepEqual(await pay({ ...payerOf(101), cents: 8_300_000n }), ['matched', 'amount'])
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
    const deposit = await account.deposit(cents)
    const purpose = deposit.shown!.payment_reason!
    const naming = { purpose, purposeParts: [purpose], channel: 'push' } as const
    const coins = Array.from({ length: 110 }, (_, place) =>
      entryTo(account.id, { ...coinsFrom(place), ...naming, cents: 1n }),
    )
    await account.take(...coins)
    await pay({ ...payer, cents: 1_000n, purpose })
    const next = await account.deposit(cents - 1_110)
    const rest = entryTo(account.id, { ...payer, channel: 'push', cents: next.amountCents })
    const beside = isOtherHere ? [entryTo(account.id, { ...other, channel: 'push', cents: 7n })] : []
    await account.take(rest, ...beside)
    assert.deepEqual(await account.standing(next), ['created', 0n], what)
  }
})

test('however many deposits of an account are begun, that of a payer is found: what is sent without a reference confirms no other one', async () => {
  const deposit = await account.deposit(7_000_100)
  const payer = { payerName: 'Зайцев Захар', payerAccount: '4081…0077' }
  await pay({ ...payer, cents: 10_000n, purpose: deposit.shown!.payment_reason! })
  const { merchant } = await openShop(money.gateway)
  await fillDeposits(money.gateway, merchant, { deposits: 8_100, callbacks: 0, isAnalyzed: false })
  await money.gateway.database.owner.query(sql`
    update deposits
    set received_cents = 1, labels = '{manual}', account_id = ${account.id}, late_until = inlet_now() + interval '1 hour'
    where merchant_id = ${merchant} and state = 'expired'`)
  const other = await account.deposit(6_990_100)
  assert.deepEqual(await pay({ ...payer, cents: 6_990_100n }), ['ambiguous', 'amount_doubt'])
  assert.deepEqual(await account.standing(other), ['created', 0n])
  assert.deepEqual(await pay({ payerAccount: '4081…0078', cents: 6_990_100n }), ['matched', 'amount'])
})
