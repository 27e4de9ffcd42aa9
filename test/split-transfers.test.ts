/** A transfer that pays several deposits: reports, refunds, pages and commands count its shares, and show each with its deposit. */

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { declareNotOwed, payBack } from '../src/domain/refunds/pay-back.ts'
import { listRefunds, sumRefunds } from '../src/domain/refunds/store.ts'
import { exportCredits, formatOf, writeReport } from '../src/domain/reports/write-report.ts'
import { giveTransfer } from '../src/domain/transfers/give-transfer.ts'
import { readTransfer } from '../src/domain/transfers/store.ts'
import { sql } from '../src/platform/db.ts'
import { accountOf, depositContextOf, today, transferTo } from './support/bank.ts'
import { openShop, type Shop, startGateway, type TestGateway } from './support/gateway.ts'
import { joined } from './support/person.ts'

let gateway: TestGateway
let shop: Shop
let transferId: string
let deposits: string[]
const act = { actor: 'operator:anna', reason: 'The payer wrote to us' }

before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' } })
  shop = await openShop(gateway)
  const made = [100_000, 50_000].map(async (cents) => {
    const { status, body } = await shop.create({ cents, payment_type: 'account_number' })
    assert.equal(status, 201, JSON.stringify(body))
    return body.id as string
  })
  deposits = (await Promise.all(made)).toSorted()
  const account = await accountOf(gateway, deposits[0]!)
  transferId = await transferTo(gateway, account, { cents: 165_000n, purpose: 'Оплата двух заказов' })
  const shares = await amounts()
  await giveTransfer(depositContextOf(gateway), {
    ...act,
    transferId,
    shares: shares.map(({ id, cents }) => ({ depositId: id, cents: (cents * 11n) / 10n })),
  })
})

const amounts = () =>
  gateway.db.query<{ id: string; cents: bigint }>(
    sql`select id, amount_cents as cents from deposits where id = any(${deposits}::uuid[]) order by id`,
  )
const owed = async () => {
  const { refunds } = await listRefunds(gateway.db, { mode: 'test', after: null, limit: 50 })
  return refunds
    .filter((refund) => refund.transferId === transferId)
    .map(({ depositId, cents, why }) => [depositId, cents, why])
}

async function report() {
  const ask = {
    period: { from: today(), to: today() },
    merchantId: shop.merchant,
    currency: null,
    mode: 'test',
  } as const
  let text = ''
  const written = await writeReport(gateway.db, ask, formatOf('json', ','), async (piece) => {
    text += piece
  })
  return { ...written, lines: JSON.parse(text).lines as Record<string, unknown>[] }
}

test('a report has a line for each share, counts the transfer once, and its books balance', async () => {
  const { holds, lines, proofs } = await report()
  assert.ok(holds)
  const own = lines.filter((line) => line.transfer === transferId)
  assert.deepEqual(
    own.map(({ deposit, amount_cents, with_deposit_cents, surplus_cents }) => [
      deposit,
      amount_cents,
      with_deposit_cents,
      surplus_cents,
    ]),
    (await amounts()).map(({ id, cents }) => {
      const share = (Number(cents) * 11) / 10
      return [id, share, share, share - Number(cents)]
    }),
  )
  assert.deepEqual(
    proofs.map(({ transfers, receivedCents, depositCents }) => [transfers, receivedCents, depositCents]),
    [[1, 165_000n, 165_000n]],
  )
  const ask = { period: { from: today(), to: today() }, merchantId: shop.merchant, currency: null } as const
  const { credits } = await exportCredits(gateway.db, { ...ask, mode: 'test' }, async () => {})
  assert.equal(credits, 1)
})

test('pages name every deposit of the transfer with its share', async () => {
  const desk = (await joined(gateway, { operatorRole: 'admin' })).browser
  const merchant = (await joined(gateway, { merchantId: shop.merchant, role: 'owner' })).browser
  const [large] = deposits
  for (const path of [`/operator/transfers/${transferId}`, '/operator/transfers', '/operator/refunds']) {
    const { status, text } = await desk.get(path)
    assert.equal(status, 200, path)
    for (const id of deposits) assert.ok(text.includes(`/operator/deposits/${id}`), `${id} on ${path}`)
  }
  const { cents } = (await amounts())[0]!
  const share = cents === 100_000n ? /\b1,100\b/ : /\b550\b/
  for (const [browser, path] of [
    [desk, `/operator/deposits/${large}`],
    [merchant, `/console/${shop.merchant}/deposits/${large}`],
  ] as const) {
    const { status, text } = await browser.get(path)
    assert.equal(status, 200, path)
    assert.match(text, share, path)
  }
})

test('what is paid back comes from the surpluses alone, and what is not owed is kept share by share', async () => {
  const surpluses = await amounts()
  assert.deepEqual(
    (await owed()).toSorted(),
    surpluses.map(({ id, cents }) => [id, cents / 10n, 'overpaid']).toSorted(),
  )
  const context = depositContextOf(gateway)
  await payBack(context, { ...act, transferId, cents: 12_000n })
  const states = await gateway.db.query<{ state: string }>(
    sql`select state from deposits where id = any(${deposits}::uuid[])`,
  )
  assert.deepEqual(
    states.map(({ state }) => state),
    ['confirmed', 'confirmed'],
  )
  assert.deepEqual(
    (await sumRefunds(gateway.db, 'test')).map(({ cents }) => cents),
    [3_000n],
  )
  await assert.rejects(payBack(context, { ...act, transferId, cents: 3_001n }), { code: 'invalid_value' })
  await declareNotOwed(context, { ...act, transferId })
  assert.deepEqual(await owed(), [])
  const { transfer } = (await readTransfer(gateway.db, transferId))!
  assert.deepEqual(
    [
      transfer.state,
      transfer.refundCents,
      transfer.shares.reduce((sum, { keptCents }) => sum + keptCents, 0n),
    ],
    ['matched', 12_000n, 3_000n],
  )
  const { holds } = await report()
  assert.ok(holds)
})
