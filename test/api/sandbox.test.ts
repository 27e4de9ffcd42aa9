/** Test mode over HTTP: a bank that sends the payments of the test, matched like any other, and a clock to let run. */

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { signV2 } from '../../sdk/signature.ts'
import type { DepositContext } from '../../src/domain/deposits/change-deposit.ts'
import { sweepDeposits } from '../../src/domain/deposits/expire-deposits.ts'
import { findDeposit } from '../../src/domain/deposits/read-store.ts'
import { referenceFor } from '../../src/domain/deposits/reference.ts'
import { bringSlotsForward } from '../../src/domain/deposits/slot-store.ts'
import { bringDeadlinesForward } from '../../src/domain/deposits/store.ts'
import { examine } from '../../src/domain/doctor/examine.ts'
import { addAccount, addRequisite } from '../../src/domain/requisites/add-requisite.ts'
import { addToList } from '../../src/domain/rules/change-list.ts'
import { bankDay } from '../../src/domain/sandbox/bank-time.ts'
import { exportStatement } from '../../src/domain/sandbox/export-statement.ts'
import { payByFakeBank } from '../../src/domain/sandbox/fake-bank.ts'
import { passTime } from '../../src/domain/sandbox/pass-time.ts'
import { type Play, SandboxClockAnswer, SandboxTransferAnswer } from '../../src/domain/sandbox/record.ts'
import { simulateBank } from '../../src/domain/sandbox/simulate-bank.ts'
import type { Entry } from '../../src/domain/statements/entry.ts'
import { statementFormats } from '../../src/domain/statements/formats/detect.ts'
import { daysAfter } from '../../src/domain/transfers/bank-text/days.ts'
import { newId } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import type { Schema } from '../../src/platform/schema.ts'
import { importBytes } from '../support/bank.ts'
import { assertDescribed } from '../support/described.ts'
import {
  type Answer,
  call,
  type Fields,
  freshSeconds,
  nowSeconds,
  openShop,
  type Shop,
  startGateway,
  type TestGateway,
} from '../support/gateway.ts'
import { atOneMoment } from '../support/one-moment.ts'

const transfersPath = '/api/v1/sandbox/transfers'
const clockPath = '/api/v1/sandbox/clock'
const statementPath = '/api/v1/sandbox/statement'

let gateway: TestGateway
let shop: Shop
let other: Shop
let live: Shop
let context: DepositContext
before(async () => {
  // Without workers: each test says itself when the clock acts.
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,pay' } })
  shop = await openShop(gateway)
  other = await openShop(gateway)
  live = await openShop(gateway, { mode: 'live' })
  context = { db: gateway.db, publicUrl: gateway.url, changed: () => {} }
})

/** A signed POST with a JSON body. */
function post(target: string, fields: Fields, by = shop): Promise<Answer> {
  const body = Buffer.from(JSON.stringify(fields))
  const { secret, keyId: kid } = by
  const signature = signV2({ secret, kid, t: freshSeconds(target), method: 'POST', target, body })
  const headers = { 'content-type': 'application/json', 'x-signature': signature }
  return call(gateway.url, target, { method: 'POST', headers, body })
}

let amount = 5_000_000
const nextAmount = () => {
  amount += 7_000
  return amount
}
const created = async (fields: Fields = {}, by = shop) => {
  const { status, body } = await by.create({ cents: nextAmount(), ...fields })
  assert.equal(status, 201, JSON.stringify(body))
  return body
}
const read = async (id: string, by = shop) => (await by.get(`/api/v1/requests/deposit/${id}`)).body

async function pay(deposit: string, fields: Fields = {}, status = 201) {
  const answer = await post(transfersPath, { deposit, ...fields })
  assert.equal(answer.status, status, JSON.stringify(answer.body))
  assertAnswer(SandboxTransferAnswer, answer)
  assert.deepEqual(answer.body.deposit, await read(deposit))
  return answer.body
}

type Named = Schema<object> & { properties: object }

/** The answer holds what the schema says, and nothing that the schema does not name. */
function assertAnswer(schema: Named, { body }: Answer) {
  assertDescribed(schema, body)
  assert.deepEqual(Object.keys(body).sort(), Object.keys(schema.properties).sort())
}

const outcome = ({ transfer, deposit }: Answer['body']) => [
  transfer.state,
  transfer.rule,
  deposit.state,
  deposit.labels,
]
const today = () => bankDay(new Date(), 'RUB')

for (const [type, rule] of [
  ['account_number', 'reference'],
  ['any_bank', 'amount'],
  ['sbp', 'amount'],
]) {
  test(`a deposit of ${type} is confirmed by what it asks for, by the rule ${rule}`, async () => {
    const { id, amount_cents } = await created({ payment_type: type! })
    const paid = await pay(id)
    assert.deepEqual(outcome(paid), ['matched', rule, 'confirmed', []])
    assert.deepEqual(
      [paid.transfer.cents, paid.transfer.deposit, paid.transfer.booked_on, paid.deposit.received_cents],
      [amount_cents, id, today(), amount_cents],
    )
    const { events } = (await shop.get('/api/v1/events')).body
    assert.deepEqual(
      events
        .filter((event: { data: { id: string } }) => event.data.id === id)
        .map((event: Fields) => event.type),
      ['deposit.confirmed'],
    )
  })
}

test('an underpaid deposit waits for the rest, an overpaid one is marked, a second payment is a surplus', async () => {
  const less = await created()
  assert.deepEqual(outcome(await pay(less.id, { cents: 100 })), [
    'matched',
    'reference',
    'created',
    ['underpaid'],
  ])
  const rest = await pay(less.id)
  assert.equal(rest.transfer.cents, less.amount_cents - 100)
  assert.deepEqual(outcome(rest), ['matched', 'reference', 'confirmed', []])
  assert.deepEqual(outcome(await pay(less.id)), ['matched', 'reference', 'confirmed', ['overpaid']])

  const more = await created()
  assert.deepEqual(outcome(await pay(more.id, { cents: more.amount_cents + 1 })), [
    'matched',
    'reference',
    'confirmed',
    ['overpaid'],
  ])
})

test('money booked after the deadline’s day is late; where the bank was slow it is not', async () => {
  for (const [fields, labels] of [
    [{ booked_on: daysAfter(today(), 2) }, ['late']],
    [{ delay_days: 2 }, []],
  ] as const) {
    const { id } = await created()
    await post(clockPath, { minutes: 31 })
    await sweepDeposits(context)
    assert.equal((await read(id)).state, 'expired')
    const { deposit, transfer } = await pay(id, fields)
    assert.deepEqual([deposit.state, deposit.labels], ['confirmed', labels])
    assert.equal(transfer.booked_on, daysAfter(today(), 2))
  }
})

test('the same bank_id is the same entry: repeated it adds nothing, revoked it reverses the deposit', async () => {
  const { id, amount_cents } = await created()
  const first = await pay(id, { bank_id: `E-${id}`.slice(0, 35) })
  const { bank_id } = first.transfer
  const again = await pay(id, { bank_id }, 200)
  assert.deepEqual([again.transfer, again.deposit.received_cents], [first.transfer, amount_cents])

  const back = await pay(id, { bank_id, revoked: 'true' }, 200)
  assert.deepEqual(outcome(back), ['revoked', 'revoked', 'reversed', []])
  assert.equal(back.transfer.version, 2)
  // A repeated revocation, or an older version, changes nothing.
  await pay(id, { bank_id, version: 2, revoked: 'true' }, 200)
  assert.equal((await pay(id, { bank_id, version: 1 }, 200)).transfer.state, 'revoked')
  // A higher one is for a person.
  assert.deepEqual(outcome(await pay(id, { bank_id, version: 9 })).slice(0, 3), ['held', 'held', 'reversed'])
})

test('money for a closed deposit stays unmatched; without requisites nothing can be paid', async () => {
  const { id } = await created()
  const { transfer } = await pay(id)
  await pay(id, { bank_id: transfer.bank_id, revoked: 'true' }, 200)
  assert.deepEqual(outcome(await pay(id)).slice(0, 2), ['unmatched', 'reference_doubt'])
  const { body } = await shop.build({ currency: 'RUB' })
  const refused = await post(transfersPath, { deposit: body.uuid })
  assert.deepEqual(
    [refused.status, refused.body.code, refused.body.state],
    [409, 'state_conflict', 'builded'],
  )
})

test('on a shared account no merchant settles, revokes or lists transfers of another', async () => {
  const theirs = await created({}, other)
  const ours = await created()
  const answer = await post(transfersPath, { deposit: theirs.id, cents: 100, bank_id: 'theirs' }, other)
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  const fresh = await created({}, other)
  const byAmount = (setting: string) =>
    gateway.database.owner.query(sql`update receiving_accounts set amount_matching = ${setting}`)
  await byAmount('always')
  for (const fields of [
    { purpose: theirs.payment_data.payment_reason },
    { purpose: 'Перевод', cents: fresh.amount_cents },
  ]) {
    const { status, body } = await post(transfersPath, { deposit: ours.id, ...fields })
    assert.deepEqual([status, body.code, body.state], [409, 'state_conflict', 'created'])
  }
  await byAmount('by_kind')
  // The same id is another entry here.
  const taken = await post(transfersPath, { deposit: ours.id, bank_id: 'theirs', revoked: 'true' })
  assert.deepEqual([taken.status, taken.body.transfer.bank_id], [201, 'theirs'])
  assert.equal((await read(theirs.id, other)).received_cents, 100)
  const { body } = await shop.get(statementPath)
  assert.ok(!body.includes(theirs.payment_data.payment_reason))
})

test('no payment of the fake bank shows whom the operator has on a list', async () => {
  const lists = { list: 'watch', merchantId: null, reason: 'SECRET', addedBy: 'test' } as const
  for (const [kind, value] of [
    ['payer', 'Иван Плохой'],
    ['phone', '+79005550199'],
  ] as const)
    await addToList(gateway.db, { ...lists, kind, value })
  const ours = await created({ customer_phone_number: '79005550199' })
  const { transfer, deposit } = await pay(ours.id, { payer: 'Иван Плохой' })
  assert.deepEqual([transfer.rule, deposit.state, deposit.labels], ['reference', 'confirmed', []])
})

test('a payment of the fake bank does not show which references live deposits have', async () => {
  const ours = await created()
  const owner = {
    ownerLegalName: 'Live',
    ownerPublicName: 'Live',
    ownerTaxId: '7700000009',
    ownerAgreement: '1',
  }
  const account = { mode: 'live', currency: 'RUB', merchantId: null, label: 'Live', addedBy: 'test' } as const
  const { id: accountId } = await addAccount(gateway.db, { ...account, ...owner })
  await addRequisite(gateway.db, {
    accountId,
    draft: { kind: 'card', number: '2200000000000004', holder: 'LIVE', bankName: 'Live' },
    bankCode: null,
    limits: { minCents: null, maxCents: null, dailyCents: null, openDeposits: null },
    confirmed: true,
  })
  const { status, body } = await live.create({ cents: nextAmount(), payment_type: 'any_bank' })
  assert.equal(status, 201, JSON.stringify(body))
  const [{ reference }] = (await gateway.database.owner.query<{ reference: string }>(
    sql`select reference from deposits where id = ${body.id}`,
  )) as [{ reference: string }]
  const said = async (written: string) => {
    const { transfer } = await pay(ours.id, { purpose: `Оплата ${written}` })
    return [transfer.state, transfer.rule, transfer.reason]
  }
  assert.deepEqual(await said(reference), await said(referenceFor(8_000_000)))
})

test('a live merchant has no fake bank and no clock', async () => {
  for (const answer of [
    await post(transfersPath, { deposit: newId() }, live),
    await post(clockPath, { minutes: 1 }, live),
    await live.get(`${statementPath}?format=csv`),
  ])
    assert.deepEqual([answer.status, answer.body.code], [404, 'not_found'])
  const { body } = await live.build({ currency: 'RUB' })
  await assert.rejects(payByFakeBank(context, { depositId: body.uuid }), { code: 'not_found' })
  await assert.rejects(passTime(context, { merchantId: live.merchant, minutes: 5, isProduction: false }), {
    code: 'not_found',
  })
  // Calling the store directly changes nothing either.
  const group = { merchantId: live.merchant, minutes: 5, after: null, limit: 10 }
  assert.deepEqual(await gateway.db.transaction((tx) => bringDeadlinesForward(tx, group)), [])
  await gateway.db.transaction((tx) => bringSlotsForward(tx, group))
  const minutes = (Date.parse(body.expires_at) - Date.parse(body.created_at)) / 60_000
  assert.equal(minutes, 30)
  assert.equal((await read(body.uuid, live)).expires_at, body.expires_at)
})

for (const [fields, status, code, pointer] of [
  [{}, 422, 'invalid_value', '#/deposit'],
  [{ cents: 0 }, 422, 'invalid_value', '#/cents'],
  [{ cents: 1.5 }, 400, 'invalid_type', '#/cents'],
  [{ purpose: 'x'.repeat(211) }, 422, 'invalid_value', '#/purpose'],
  [{ payer: 'x'.repeat(141) }, 422, 'invalid_value', '#/payer'],
  [{ booked_on: '2026-02-30' }, 422, 'invalid_value', '#/booked_on'],
  [{ delay_days: 31 }, 422, 'invalid_value', '#/delay_days'],
  [{ bank_id: 'два слова' }, 422, 'invalid_value', '#/bank_id'],
  [{ revoked: 'yes' }, 422, 'invalid_value', '#/revoked'],
  [{ revoked: 'true' }, 422, 'invalid_value', '#/bank_id'],
  [{ amount: 1 }, 400, 'unknown_field', '#/amount'],
] as [Fields, number, string, string][]) {
  test(`a transfer with ${JSON.stringify(fields).slice(0, 40)}: ${status} ${code} for ${pointer}`, async () => {
    const { id } = await created()
    const deposit: Fields = Object.keys(fields).length > 0 ? { deposit: id } : {}
    const answer = await post(transfersPath, { ...deposit, ...fields })
    assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(answer.body))
    assert.ok(answer.body.errors.some((error: { pointer: string }) => error.pointer === pointer))
    assert.equal((await read(id)).received_cents, 0)
  })
}

const slotOf = (id: string) =>
  gateway.database.owner.query<{ free_at: Date }>(
    sql`select free_at from deposit_slots where deposit_id = ${id}`,
  )

test('the test clock expires and closes one merchant’s deposits, and frees their amounts', async () => {
  const own = await openShop(gateway)
  const card = await created({ payment_type: 'any_bank' }, own)
  const built = (await own.build({ currency: 'RUB' })).body
  const theirs = await created({ payment_type: 'any_bank' }, other)

  const passed = await post(clockPath, { minutes: 29 }, own)
  assertAnswer(SandboxClockAnswer, passed)
  assert.deepEqual([passed.status, passed.body], [200, { minutes: 29, deposits: 2 }])
  await sweepDeposits(context)
  assert.equal((await read(card.id, own)).state, 'created')

  await post(clockPath, { minutes: 2 }, own)
  await sweepDeposits(context)
  const expired = await read(card.id, own)
  assert.deepEqual([expired.state, expired.is_final], ['expired', false])
  assert.equal((await read(built.uuid, own)).state, 'expired')
  const { events } = (await own.get('/api/v1/events')).body
  assert.deepEqual(
    events.map((event: { type: string }) => event.type),
    ['deposit.expired', 'deposit.expired'],
  )

  assert.equal((await slotOf(card.id)).length, 1)
  await post(clockPath, { minutes: 24 * 60 }, own)
  await sweepDeposits(context)
  assert.equal((await read(card.id, own)).is_final, true)
  assert.deepEqual(await slotOf(card.id), [])
  // What is final grows no older.
  assert.deepEqual((await post(clockPath, { minutes: 14_400 }, own)).body, { minutes: 14_400, deposits: 0 })

  const untouched = await read(theirs.id, other)
  assert.deepEqual([untouched.state, untouched.expires_at], ['created', theirs.expires_at])
  const history = await gateway.db.query<{ action: string; actor: string; evidence: unknown }>(
    sql`select action, actor, evidence from deposit_timeline where deposit_id = ${card.id} order by entry`,
  )
  assert.deepEqual(
    history.map((line) => [line.action, line.actor]),
    [
      ['create', 'merchant'],
      ['pass_time', 'sandbox'],
      ['pass_time', 'sandbox'],
      ['expire', 'clock'],
      ['pass_time', 'sandbox'],
    ],
  )
  assert.deepEqual(history[1]!.evidence, { minutes: 29 })
})

test('a confirmed deposit’s amount becomes free once its bank’s day has passed', async () => {
  const own = await openShop(gateway)
  const { id } = await created({ payment_type: 'any_bank' }, own)
  await post(transfersPath, { deposit: id }, own)
  const [before] = await slotOf(id)
  await post(clockPath, { minutes: 60 }, own)
  const [after] = await slotOf(id)
  assert.equal(before!.free_at.getTime() - after!.free_at.getTime(), 3_600_000)
  await post(clockPath, { minutes: 1440 }, own)
  await sweepDeposits(context)
  assert.deepEqual(await slotOf(id), [])
})

test('more deposits than one group are all reached, each once', async () => {
  const own = await openShop(gateway)
  await Promise.all(Array.from({ length: 505 }, () => own.create({ cents: 150_000 })))
  assert.deepEqual((await post(clockPath, { minutes: 10 }, own)).body, { minutes: 10, deposits: 505 })
  const [row] = await gateway.database.owner.query<{ lines: bigint; deposits: bigint }>(sql`
    select count(*) as lines, count(distinct h.deposit_id) as deposits
    from deposit_timeline h
    join deposits d on d.id = h.deposit_id
    where d.merchant_id = ${own.merchant} and h.action = 'pass_time'`)
  assert.deepEqual([row!.lines, row!.deposits], [505n, 505n])
})

for (const minutes of ['', 0, -1, 14_401, 1.5, 'x']) {
  test(`minutes ${JSON.stringify(minutes)} are refused`, async () => {
    const { status, body } = await post(clockPath, { minutes })
    assert.ok(status === 422 || (status === 400 && body.code === 'invalid_type'), JSON.stringify(body))
  })
}

/** What our own reader finds in a statement of the fake bank. */
async function readStatement(by: Shop, query = '') {
  const target = statementPath + query
  const { secret, keyId: kid } = by
  const body = Buffer.alloc(0)
  const response = await fetch(gateway.url + target, {
    headers: { 'x-signature': signV2({ secret, kid, t: nowSeconds(), method: 'GET', target, body }) },
  })
  assert.equal(response.status, 200)
  assert.match(response.headers.get('content-disposition')!, /^attachment; filename="statement-[\d-]+\.\w+"$/)
  const entries: Entry[] = []
  const bytes = response.body as AsyncIterable<Uint8Array>
  for await (const part of statementFormats['1c'].read(bytes, { currencyOf: () => 'RUB' })) {
    assert.ok(!('bad' in part), 'bad' in part ? `${part.bad.detail}` : '')
    if ('entry' in part) entries.push(part.entry)
  }
  return { entries, type: response.headers.get('content-type') }
}

test('the statement has what the bank booked, without what it took back', async () => {
  const own = await openShop(gateway)
  const deposit = await created({}, own)
  const { number } = deposit.payment_data
  for (const fields of [
    { cents: 100, bank_id: `kept-${own.keyId}`.slice(0, 35), purpose: 'Часть; «первая»', payer: 'Ёж & Ко' },
    { cents: 200, booked_on: daysAfter(today(), 1) },
    { cents: 300, bank_id: 'gone' },
  ])
    assert.equal((await post(transfersPath, { deposit: deposit.id, ...fields }, own)).status, 201)
  await post(transfersPath, { deposit: deposit.id, bank_id: 'gone', revoked: 'true' }, own)
  const statement = await readStatement(own)
  assert.equal(statement.type, 'text/plain; charset=windows-1251')
  assert.deepEqual(
    statement.entries.map(({ account, cents, bookedOn }) => [account, cents, bookedOn]),
    [
      [number, 100n, today()],
      [number, 200n, daysAfter(today(), 1)],
    ],
  )
  const [first] = statement.entries
  assert.deepEqual([first!.purpose, first!.payerName], ['Часть; «первая»', 'Ёж & Ко'])
  const { entries } = await readStatement(own, `?from=${daysAfter(today(), 1)}`)
  assert.deepEqual(
    entries.map(({ cents }) => cents),
    [200n],
  )
})

test('a statement may be of one account; a period without transfers has none', async () => {
  const own = await openShop(gateway)
  const [account, phone] = [await created({}, own), await created({ payment_type: 'sbp' }, own)]
  for (const { id } of [account, phone]) await post(transfersPath, { deposit: id }, own)
  const { number } = account.payment_data
  const { entries } = await readStatement(own, `?account=${number}`)
  assert.equal(entries.length, 1)
  assert.equal((await readStatement(own)).entries.length, 2)
  for (const [query, status, code] of [
    ['?to=2026-01-01', 404, 'not_found'],
    ['?from=2026-02-30', 422, 'invalid_value'],
    ['?day=1', 400, 'unknown_field'],
  ] as const) {
    const answer = await own.get(statementPath + query)
    assert.deepEqual([answer.status, answer.body.code], [status, code], query)
  }
})

test('the bank’s own statement adds nothing: every line is paired with what the bank told early', async () => {
  const own = await openShop(gateway)
  const deposit = await created({}, own)
  for (const fields of [{ cents: 400 }, { cents: 400 }, { delay_days: 1 }])
    await post(transfersPath, { deposit: deposit.id, ...fields }, own)
  const request = { merchantId: own.merchant, from: null, to: null, account: null }
  const { bytes, fileName: name } = await exportStatement(gateway.db, request)
  const report = await importBytes(context, bytes, { name, isComplete: true })
  // The account has no statements again, and its days are open.
  await gateway.database.owner.script(
    `delete from account_days; delete from account_voices where role = 'booked'`,
  )
  assert.deepEqual([report.isTaken, report.entries, report.badRows], [true, 3, 0])
  assert.equal(report.totals, 'agree')
  assert.deepEqual(report.warnings, [])
  assert.partialDeepStrictEqual(report.taken, { taken: 0, paired: 3, held: 0, parked: 0 })
  const { state, received_cents, labels } = await read(deposit.id, own)
  assert.deepEqual([state, received_cents, labels], ['confirmed', deposit.amount_cents, []])
})

const played = async (payment_type: string, ...plays: Play[]) => {
  const { id } = await created({ payment_type })
  for (const play of plays) {
    const { deposit } = (await findDeposit(gateway.db, { merchantId: shop.merchant, id }))!
    await simulateBank(context, deposit, play)
  }
  const { state, labels } = await read(id)
  const transfers = await gateway.db.query<{ state: string }>(sql`
    select t.state
    from transfers t
    join deposits d on d.account_id = t.account_id
    where d.id = ${id} and t.taken_at >= d.created_at
    order by t.taken_at, t.id`)
  return { state, labels, transfers: transfers.map((transfer) => transfer.state).sort() }
}

for (const [type, plays, state, labels, transfers] of [
  ['account_number', ['exact'], 'confirmed', [], ['matched']],
  ['account_number', ['less', 'exact'], 'confirmed', [], ['matched', 'matched']],
  ['account_number', ['more'], 'confirmed', ['overpaid'], ['matched']],
  ['account_number', ['twice'], 'confirmed', ['overpaid'], ['matched', 'matched']],
  ['account_number', ['late'], 'confirmed', ['late'], ['matched']],
  ['account_number', ['less', 'late'], 'confirmed', ['late'], ['matched', 'matched']],
  ['any_bank', ['exact'], 'confirmed', [], ['matched']],
  ['any_bank', ['less'], 'created', ['underpaid'], ['matched']],
  ['any_bank', ['less', 'exact'], 'confirmed', [], ['matched', 'matched']],
  ['any_bank', ['more'], 'confirmed', ['overpaid'], ['matched']],
  // The second one waits for people: nothing says whose it is.
  ['any_bank', ['twice'], 'confirmed', [], ['ambiguous', 'matched']],
  ['any_bank', ['late'], 'confirmed', ['late'], ['matched']],
  // What was sent for it is nobody's again.
  ['any_bank', ['less', 'reject'], 'rejected', ['underpaid'], ['unmatched']],
] as [string, Play[], string, string[], string[]][]) {
  test(`the panel on ${type}: ${plays.join(', then ')}: ${state} ${labels.join()}`, async () => {
    assert.deepEqual(await played(type, ...plays), { state, labels, transfers })
  })
}

test('after all of this every promise of the installation holds', async () => {
  const findings = await examine(gateway, { all: false })
  assert.deepEqual(
    findings.filter(({ verdict }) => verdict !== 'holds').map(({ name, offenders }) => [name, offenders]),
    [],
  )
})

test('statements have a rate of their own: writing one takes the thread that answers everybody', async () => {
  const own = await openShop(gateway)
  await post(transfersPath, { deposit: (await created({}, own)).id }, own)
  const answers = await atOneMoment(() =>
    Promise.all(Array.from({ length: 40 }, () => own.get(statementPath))),
  )
  const refused = answers.filter(({ status }) => status !== 200)
  assert.ok(refused.length >= 10, `${refused.length} were refused`)
  for (const { status, body, headers } of refused)
    assert.deepEqual([status, body.code, headers.get('retry-after')], [429, 'rate_limited', '1'])
  assert.equal((await own.create({ cents: 4_999_900 })).status, 201)
})
