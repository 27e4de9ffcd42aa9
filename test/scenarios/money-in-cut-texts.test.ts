/**
 * A payer writes the purpose, and banks cut it: a push may show less of it than a statement. One payment must not be for one
 * deposit in the one and for another in the other.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Deposit } from '../../src/domain/deposits/deposit.ts'
import { type Reference, referenceFor } from '../../src/domain/deposits/reference.ts'
import { referenceOrder } from '../../src/domain/deposits/reference-order.ts'
import type { IncomingEntry } from '../../src/domain/transfers/bank-entries.ts'
import { takeTransfers } from '../../src/domain/transfers/take-transfers.ts'
import { sql } from '../../src/platform/db.ts'
import { bankDay, depositContextOf, entryTo } from '../support/bank.ts'
import { type MoneyIn, openMoneyIn } from '../support/money-in.ts'
import { newStatement } from '../support/reported-payments.ts'

let gateway: MoneyIn['gateway']
let sources: MoneyIn['sources']
let depositOf: MoneyIn['depositOf']
let standing: MoneyIn['standing']
let accountId: string
before(async () => {
  const money = await openMoneyIn()
  ;({ gateway, sources, depositOf, standing } = money)
  accountId = await money.keepOneAccount()
})

const payer = { payerAccount: '4081…0001', payerName: 'Иванова Анна' }
let amount = 8_000_000

type Way = (cents: number, purpose: string) => Promise<unknown>
const entryWith = (cents: number, purpose: string, facts: Partial<IncomingEntry>) =>
  entryTo(accountId, { cents: BigInt(cents), ...payer, purpose, purposeParts: [purpose], ...facts })
const push: Way = (cents, purpose) =>
  takeTransfers(depositContextOf(gateway), [entryWith(cents, purpose, { channel: 'push' })], {
    source: sources.one,
  })
const file: Way = async (cents, purpose) => {
  const statementId = await newStatement(gateway)
  const facts = { bankId: null, channel: '1c', statementId, line: 1, bookedOn: bankDay(1) } as const
  await takeTransfers(depositContextOf(gateway), [entryWith(cents, purpose, facts)], { source: sources.file })
}

/** With a zero among its digits, for which a letter can stand. */
async function depositWithZero(cents: number): Promise<Deposit> {
  for (;;) {
    const deposit = await depositOf(cents)
    if (deposit.reference!.includes('0')) return deposit
  }
}

/** How a payer can write a reference that only a cut text shows. Of some the letter after it is the first that is cut off. */
const ways: Record<string, (reference: Reference) => { shown: string; cutOff: string }> = {
  'in full': (reference) => ({ shown: reference, cutOff: '' }),
  'with a letter for a digit': (reference) => ({ shown: reference.replace('0', 'O'), cutOff: '' }),
  'as digits alone': (reference) => ({ shown: reference.slice(2), cutOff: '' }),
  'in front of a letter': (reference) => ({ shown: reference, cutOff: 'a' }),
  'as digits in front of others': (reference) => ({ shown: reference.slice(2), cutOff: '1' }),
  'with wide gaps': (reference) => ({ shown: reference.replace('KT', `KT${' '.repeat(6)}`), cutOff: 'a' }),
}
const filler = ` ${'за услуги '.repeat(8)}`
const confirmed = async (deposits: readonly Deposit[]) => {
  const states = await Promise.all(deposits.map(standing))
  return states.filter(([state]) => state === 'confirmed').length
}

for (const [how, written] of Object.entries(ways)) {
  test(`a payment that names one deposit and another one ${how} pays for one, whichever text comes first`, async () => {
    for (const isCutFirst of [true, false]) {
      const cents = ++amount
      const [hidden, named] = [await depositWithZero(cents), await depositOf(cents)]
      const { shown, cutOff } = written(hidden.reference!)
      const reports: [Way, string][] = [
        [push, shown],
        [file, `${shown}${cutOff}${filler}${named.reference}`],
      ]
      for (const [tell, text] of isCutFirst ? reports : reports.reverse()) await tell(cents, text)
      assert.ok((await confirmed([hidden, named])) <= 1, `${isCutFirst}`)
    }
  })

  test(`a payment that names one deposit and a future one ${how} pays for one`, async () => {
    const cents = ++amount
    const named = await depositOf(cents)
    // The attacker knows the secret order.
    const { seed } = await gateway.database.owner.one<{ seed: Buffer }>(sql`select seed from reference_seed`)
    const order = referenceOrder(seed)
    const drawn = (n: number) => referenceFor(order(n))
    let draw = 0
    while (drawn(draw) !== named.reference) draw++
    do draw++
    while (!drawn(draw).includes('0'))
    const { shown, cutOff } = written(drawn(draw))
    await file(cents, `${shown}${cutOff}${filler}${named.reference}`)
    let later = await depositOf(cents)
    while (later.reference !== drawn(draw)) later = await depositOf(cents)
    await push(cents, shown)
    assert.ok((await confirmed([named, later])) <= 1)
  })
}

test('control: other numbers in a purpose do not prevent a match', async () => {
  for (const text of [
    (reference: string) => `Оплата по контракту 15.11.2026 ${reference}`,
    (reference: string) => `${reference} АКТ № 13842208 от 17.11.2026, ИНН 7707083893`,
    (reference: string) => `${reference} ${reference} по счету 40817810000000000001`,
    (reference: string) => `Пополнение ${reference.slice(0, 6)} ${reference.slice(6)}`,
    (reference: string) => `К.Т. 20261117 ${reference.replace('KT', 'кт ')}`,
    (reference: string) => reference.slice(2),
  ]) {
    const deposit = await depositOf(++amount)
    await push(amount, text(deposit.reference!))
    assert.deepEqual(await standing(deposit), ['confirmed', BigInt(amount)], text('KT48219034'))
  }
})
