/** `inlet bank …`: the fake bank and the clock of test merchants, from the command line. */

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { currencies } from '../src/domain/money.ts'
import { statementFormats } from '../src/domain/statements/formats/detect.ts'
import { assertUsageProblem, commandsOn, inlet, json } from './support/command.ts'
import { type Fields, openShop, type Shop, startGateway, type TestGateway } from './support/gateway.ts'
import { joined } from './support/person.ts'

let gateway: TestGateway
let shop: Shop
let folder: string
before(async () => {
  gateway = await startGateway()
  shop = await openShop(gateway)
  folder = (await commandsOn(gateway)).INLET_DATA_DIR
})

let amount = 7_000_000
const created = async (fields: Fields = {}, by = shop) => {
  amount += 9_000
  const { status, body } = await by.create({ cents: amount, ...fields })
  assert.equal(status, 201, JSON.stringify(body))
  return body
}
const nobody = '00000000-0000-4000-8000-000000000000'

for (const [options, state, labels, transfers] of [
  [[], 'confirmed', [], ['matched']],
  [['--cents', '100'], 'created', ['underpaid'], ['matched']],
  [['--twice'], 'confirmed', ['overpaid'], ['matched', 'matched']],
  [['--late'], 'confirmed', ['late'], ['matched']],
  [['--late', '--cents', '100'], 'expired', ['underpaid', 'late'], ['matched']],
  // Each deposit has its own test payer, and this one has begun to pay none.
  [['--cents', '17', '--purpose', 'Перевод'], 'created', [], ['unmatched']],
] as [string[], string, string[], string[]][]) {
  test(`bank pay ${options.join(' ')}: ${state} ${labels.join()}`, async () => {
    const { id } = await created()
    const paid = await json('bank', 'pay', id, ...options)
    assert.deepEqual([paid.deposit.id, paid.deposit.state, paid.deposit.labels], [id, state, labels])
    assert.deepEqual(
      paid.transfers.map((transfer: { state: string }) => transfer.state),
      transfers,
    )
    assert.deepEqual((await shop.get(`/api/v1/requests/deposit/${id}`)).body, paid.deposit)
  })
}

test('bank pay says in words what became of the money', async () => {
  const { id } = await created()
  const { code, stdout } = await inlet('bank', 'pay', id)
  assert.equal(code, 0)
  assert.match(stdout, /matched: The purpose contains the reference of this deposit\.\n.* is confirmed\n$/)
  assert.match(stdout, new RegExp(`${id} is confirmed`))
})

test('bank pass lets time pass, and the sweep of the running gateway does the rest', async () => {
  const own = await openShop(gateway)
  const { id } = await created({}, own)
  assert.deepEqual(await json('bank', 'pass', '--merchant', own.merchant, '--minutes', '31'), {
    minutes: 31,
    deposits: 1,
  })
  const deadline = Date.now() + 60_000
  let state = ''
  while (state !== 'expired' && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 200))
    state = (await own.get(`/api/v1/requests/deposit/${id}`)).body.state
  }
  assert.equal(state, 'expired')
})

test('refund list says what is owed, refund paid and refund none take it off the list', async () => {
  const { email } = await joined(gateway, { operatorRole: 'operator' })
  const { id, amount_cents } = await created()
  const { transfers } = await json('bank', 'pay', id, '--twice')
  const owedOf = async () => {
    const { refunds } = await json('refund', 'list', '--mode', 'test')
    return refunds.filter((one: { deposit: string }) => one.deposit === id)
  }
  const [owed, ...others] = await owedOf()
  assert.deepEqual([owed.why[0], owed.amount.cents, others.length], ['overpaid', amount_cents, 0])
  assert.ok(transfers.some((one: { id: string }) => one.id === owed.id))
  assert.match((await inlet('refund', 'list')).stdout, /Test: \d+, /)
  const by = ['--reason', 'Document 5', '--by', email]
  const pay = (cents: number) => inlet('refund', 'paid', owed.id, '--amount', (cents / 100).toFixed(2), ...by)
  assert.match((await pay(amount_cents + 1)).stderr, /You can refund at most/)
  assert.equal((await pay(500)).code, 0)
  assert.equal((await owedOf())[0].amount.cents, amount_cents - 500)
  assert.equal((await inlet('refund', 'none', owed.id, ...by)).code, 0)
  assert.deepEqual(await owedOf(), [])
})

test('bank statement writes a file that our own readers read', async () => {
  const own = await openShop(gateway)
  const { id, amount_cents, payment_data } = await created({}, own)
  await json('bank', 'pay', id, '--twice')
  const file = join(folder, 'statement.txt')
  const words = ['bank', 'statement', '--merchant', own.merchant]
  const output = await json(...words, '--out', file)
  assert.deepEqual([output.transfers, output.file], [2, file])
  const written = await readFile(file)
  async function* bytes() {
    yield written
  }
  const amounts: bigint[] = []
  for await (const part of statementFormats['1c'].read(bytes(), { currencyOf: () => 'RUB' as const })) {
    if ('entry' in part) amounts.push(part.entry.cents)
  }
  assert.deepEqual(amounts, [BigInt(amount_cents), BigInt(amount_cents)])
  const { stdout } = await inlet(...words)
  assert.ok(stdout.includes(payment_data.payment_reason))
})

for (const [payment_type, currency] of [
  ...currencies.map((currency) => ['any_bank', currency] as const),
  ['sbp', 'RUB'],
  ...currencies.map((currency) => ['account_number', currency] as const),
] as const) {
  test(`what the fake bank writes for ${payment_type} in ${currency} is imported back`, async () => {
    const own = await openShop(gateway)
    const asked = { payment_type, currency, cents: 2_500_000 }
    const { id } = await created(asked, own)
    await json('bank', 'pay', id)
    const file = join(folder, `${payment_type}-${currency}.txt`)
    await json('bank', 'statement', '--merchant', own.merchant, '--out', file)
    const report = await json('statement', 'import', file, '--mode', 'test')
    assert.deepEqual([report.isTaken, report.entries], [true, 1], JSON.stringify(report))
    assert.deepEqual([report.taken.taken, report.taken.parked], [0, 1], 'its day is open')
    await gateway.database.owner.script(`delete from account_voices where role = 'booked'`)
    const [deposit] = (await json('deposit', 'list', '--merchant', own.merchant)).deposits
    assert.equal(deposit.state[0], 'confirmed')
  })
}

for (const [words, sentence] of [
  ['bank pay', 'The deposit must be an id as printed by inlet.'],
  ['bank pay x', 'The deposit must be an id as printed by inlet.'],
  [`bank pay ${nobody}`, 'not_found: There is no test-mode deposit with this id.'],
  [`bank pay ${nobody} --cents 0`, '--cents must be a whole number from 1 to 999999999999999.'],
  [`bank pass --merchant ${nobody}`, '--minutes is required.'],
  [`bank pass --merchant ${nobody} --minutes 14401`, '--minutes must be a whole number from 1 to 14400.'],
  [`bank pass --merchant ${nobody} --minutes 5`, 'not_found: There is no test-mode merchant with this id.'],
  ['bank statement', '--merchant is required.'],
  [`bank statement --merchant ${nobody} --from 30.02.2026`, '--from must be a day, such as 2026-11-15.'],
  [
    `bank statement --merchant ${nobody}`,
    'not_found: The fake bank has booked nothing for you in this period.',
  ],
] as const) {
  test(`${words.replace(nobody, '{id}')}: "${sentence}"`, async () => {
    const { code, stdout, stderr } = await inlet(...words.split(' '))
    assert.deepEqual([code, stdout], [1, ''])
    assertUsageProblem(stderr, words.split(' '), sentence)
  })
}

test('a live merchant’s deposits are out of reach', async () => {
  const live = await openShop(gateway, { mode: 'live' })
  const { body } = await live.build({ currency: 'RUB' })
  for (const words of [
    ['pay', body.uuid],
    ['pass', '--merchant', live.merchant, '--minutes', '5'],
  ]) {
    const { code, stderr } = await inlet('bank', ...words)
    assert.equal(code, 1)
    assert.match(stderr, /^not_found: There is no test-mode /)
  }
})
