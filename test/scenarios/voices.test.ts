/** Which source of an account counts and which tells earlier: places, refusals, and a change from a day on. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { addSource } from '../../src/domain/transfers/bank-source.ts'
import { changeVoiceWithin } from '../../src/domain/transfers/change-voice.ts'
import { noteMoney } from '../../src/domain/transfers/note-money.ts'
import { sourceOf } from '../../src/domain/transfers/source-store.ts'
import { takeTransfers } from '../../src/domain/transfers/take-transfers.ts'
import { readVoices } from '../../src/domain/transfers/voice-store.ts'
import { newId } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import type { Refusal } from '../../src/platform/refusals.ts'
import { bankDay, pushSource, today } from '../support/bank.ts'
import { call } from '../support/gateway.ts'
import {
  by,
  bytesOf,
  importFile,
  type MoneyIn,
  naming,
  openMoneyIn,
  type PaidRow,
  type TestAccount,
} from '../support/money-in.ts'

let money: MoneyIn
before(async () => {
  money = await openMoneyIn()
})

const voicesOf = async ({ id }: TestAccount) =>
  (await readVoices(money.gateway.db, [id])).map(({ role, source, fromDay }) => [role, source.name, fromDay])

/** Everything that a refused report must leave as it was. */
const stored = () =>
  money.gateway.db.one(sql`
    select
      (select count(*) from transfers) as transfers,
      (select count(*) from statements) as statements,
      (select count(*) from report_rows) as rows,
      (select count(*) from report_rows where transfer_id is null) as parked,
      (select count(*) from account_days) as days,
      (select count(*) from account_voices) as voices,
      (select count(import_run_id) from receiving_accounts) as imports,
      (select count(*) from staged_entries) as staged`)

async function assertRefused(report: () => Promise<unknown>, sentence: RegExp): Promise<void> {
  const before = await stored()
  await assert.rejects(report, (error: Refusal) => {
    assert.equal(error.code, 'other_source_counts')
    assert.match(error.message, sentence)
    assert.match(error.message, /inlet account voice/)
    return true
  })
  assert.deepEqual(await stored(), before)
}

/** One way of telling an account something. */
const row = (cents = 100): PaidRow => ({ cents, id: newId() })
const ways = {
  push: (account: TestAccount) => account.tell(row()),
  'another push': async (account: TestAccount) =>
    takeTransfers(money.context, [account.entry(row())], {
      source: await pushSource(money.gateway, newId()),
    }),
  sandbox: async (account: TestAccount) =>
    takeTransfers(money.context, [account.entry(row(), { channel: 'sandbox' })], {
      source: await money.gateway.db.transaction((tx) =>
        sourceOf(tx, { mode: 'test', kind: 'sandbox', channel: 'sandbox' }),
      ),
    }),
  '1C': (account: TestAccount) => account.file([row()], { note: newId() }),
  '1C of today': (account: TestAccount) => account.file([row()], { closes: false, note: newId() }),
  'camt.053': (account: TestAccount) => account.file([row()], { format: 'camt' }),
  'camt.052': (account: TestAccount) => account.file([row()], { format: 'intraday' }),
  note: async (account: TestAccount) =>
    noteMoney(money.context, { depositId: (await account.deposit(90_000)).id, cents: 7_000n, ...by }),
}
type Way = keyof typeof ways

const pushed = 'Bank \\d+'
for (const [way, places] of [
  ['push', [['early', pushed]]],
  ['sandbox', [['early', 'sandbox']]],
  ['camt.052', [['early', 'camt']]],
  ['camt.053', [['booked', 'camt']]],
  ['1C', [['booked', '1c']]],
  [
    '1C of today',
    [
      ['booked', '1c'],
      ['early', '1c'],
    ],
  ],
  ['note', []],
] as const satisfies [Way, (readonly [string, string])[]][])
  test(`the first report, by ${way}, takes ${places.length} places`, async () => {
    const account = await money.account()
    await ways[way](account)
    const voices = await voicesOf(account)
    assert.equal(voices.length, places.length)
    for (const [place, [role, name]] of places.entries()) {
      assert.equal(voices[place]![0], role)
      assert.match(voices[place]![1]!, new RegExp(`^${name}$`))
      assert.equal(voices[place]![2], today())
    }
  })

const counted = /^Payments of Account \d+ are counted from (?:1c|camt) files\./
const early = /^Early reports of Account \d+ come from /
for (const [first, second, refusal] of [
  ['1C', 'camt.053', counted],
  ['camt.053', '1C', counted],
  ['push', 'another push', early],
  ['push', 'camt.052', early],
  ['push', 'sandbox', early],
  ['sandbox', 'push', early],
  ['camt.052', 'push', early],
  ['1C of today', 'push', early],
  ['push', '1C', null],
  ['push', '1C of today', null],
  ['push', 'camt.053', null],
  ['1C', 'push', null],
  ['camt.052', 'camt.053', null],
  ['1C', 'camt.052', null],
  ['push', 'note', null],
  ['1C of today', 'note', null],
] as const)
  test(`after ${first}, ${second} is ${refusal ? 'refused, and nothing of it is stored' : 'taken'}`, async () => {
    const account = await money.account()
    await ways[first](account)
    if (refusal) await assertRefused(() => ways[second](account), refusal)
    else await ways[second](account)
  })

test('a dry run is refused as the import would be', async () => {
  const account = await money.account()
  await account.file([row()])
  await assertRefused(() => account.file([row()], { format: 'camt', dryRun: true }), counted)
})

test('by HTTP a push without a place gets 409 with the voice and the act, and none of its transfers is stored', async () => {
  const [account, free] = [await money.account(), await money.account()]
  await account.tell(row())
  const { token } = await addSource(money.gateway.db, { name: 'Newcomer', mode: 'test' })
  const transfers = [free, account].map(({ number }) => ({
    ...{ id: newId(), account: number, cents: 500, currency: 'RUB', booked_on: today() },
  }))
  const before = await stored()
  const { status, body } = await call(money.gateway.url, '/api/v1/bank/transfers', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ transfers }),
  })
  assert.deepEqual([status, body.code], [409, 'other_source_counts'])
  assert.match(body.detail, early)
  assert.deepEqual(await stored(), before)
})

test('a file of several accounts is refused whole with the names of those that are counted from elsewhere, and one of them is taken alone', async () => {
  const accounts = [await money.account(), await money.account(), await money.account()] as const
  const deposit = await accounts[2].deposit(100_000)
  for (const account of accounts.slice(0, 2)) await account.file([row()], { format: 'camt' })
  const rows: PaidRow[] = [{ cents: 100_000, purpose: naming(deposit) }]
  const bytes = bytesOf(accounts.map(({ number }) => ({ number, rows })))
  const before = await stored()
  await assert.rejects(importFile(money.context, bytes), (error: Refusal) => {
    assert.equal(error.code, 'other_source_counts')
    assert.deepEqual(
      error.details.errors?.map(({ pointer }) => pointer),
      accounts.slice(0, 2).map(({ number }) => `#/Account ${Number(number.slice(-7))}`),
    )
    return true
  })
  assert.deepEqual(await stored(), before)
  const { taken, skipped } = await importFile(money.context, bytes, { only: accounts[2].number })
  assert.partialDeepStrictEqual(taken, { taken: 1, matched: 1 })
  assert.equal(skipped.other_account, 2)
  assert.deepEqual(await accounts[0].states(), ['unmatched'])
})

test('the first voice begins earlier when it tells of earlier days', async () => {
  const account = await money.account()
  await account.tell({ cents: 1, day: 3 })
  await account.tell({ cents: 2, day: 1 })
  await account.tell({ cents: 3, day: 2 })
  await account.file([{ cents: 4, day: 2 }], { from: 2 })
  await account.file([{ cents: 5, day: 0 }], { from: 0, to: 1 })
  assert.deepEqual(
    (await voicesOf(account)).map(([role, , day]) => [role, day]),
    [
      ['booked', bankDay(0)],
      ['early', bankDay(1)],
    ],
  )
})

/** The source of a kind of files, as an operator sees it in the list. */
const fileSource = (channel: '1c' | 'camt') =>
  money.gateway.db.transaction((tx) => sourceOf(tx, { mode: 'test', kind: 'file', channel }))
const changeVoice = (asked: Parameters<typeof changeVoiceWithin>[1]) =>
  money.gateway.db.transaction((tx) => changeVoiceWithin(tx, asked))
const change = async (account: TestAccount, channel: '1c' | 'camt', day: number) =>
  changeVoice({
    ...{ accountId: account.id, role: 'booked', sourceId: (await fileSource(channel)).id },
    ...{ fromDay: bankDay(day), ...by },
  })

for (const [old, now] of [
  ['1c', 'camt'],
  ['camt', '1c'],
] as const)
  test(`from ${old} to ${now}: of the days around the change each payment counts once, and what only one of them tells waits`, async () => {
    const account = await money.account()
    const deposits = [
      await account.deposit(100_000),
      await account.deposit(200_000),
      await account.deposit(400_000),
    ]
    const [first, second, third] = deposits.map((deposit) => ({
      ...{ cents: Number(deposit.amountCents), purpose: naming(deposit), id: newId() },
    })) as [PaidRow, PaidRow, PaidRow]
    await account.file([first, { ...second, day: 1 }], { format: old, from: 0, to: 1 })
    await change(account, now, 2)
    // Overlapping: the days before the change are paired, or held.
    const unknown = { cents: 7_000_000, id: newId(), day: 1 }
    const overlap = await account.file(
      [{ ...first, id: newId() }, { ...second, id: newId(), day: 1 }, unknown, { ...third, day: 2 }],
      { format: now, from: 0, to: 2 },
    )
    assert.partialDeepStrictEqual(overlap.taken, { paired: 2, taken: 2, held: 1, matched: 1 })
    // The old one once more, with a day of the new one: paired with what that told, and nothing of its own counts.
    const late = { cents: 8_000_000, id: newId(), day: 3 }
    const again = await account.file(
      [first, { ...second, day: 1 }, { ...third, id: newId(), day: 2 }, late],
      { format: old, from: 0, to: 3 },
    )
    assert.partialDeepStrictEqual(again.taken, { seen: 2, paired: 1, taken: 1, held: 1 })
    for (const deposit of deposits)
      assert.deepEqual(await account.standing(deposit), ['confirmed', deposit.amountCents])
    // Two weeks on, the old one tells nothing any more.
    await assertRefused(() => account.file([{ cents: 1, day: 16 }], { format: old, from: 16 }), counted)
    assert.partialDeepStrictEqual(
      (await account.file([{ cents: 9_000_000, id: newId(), day: 16 }], { format: now, from: 16 })).taken,
      { unmatched: 1 },
    )
  })

test('the new voice may tell a payment of the old days first: the old one then finds it', async () => {
  const account = await money.account()
  const deposit = await account.deposit(100_000)
  const paid = { cents: 100_000, purpose: naming(deposit), day: 1 }
  await account.file([{ cents: 1 }], { from: 0, to: 0 })
  await change(account, 'camt', 2)
  // Before its first day it adds nothing by itself.
  assert.partialDeepStrictEqual(
    (await account.file([{ ...paid, id: 'c1' }], { format: 'camt', from: 1, to: 2 })).taken,
    { taken: 1, held: 1 },
  )
  assert.deepEqual(await account.standing(deposit), ['created', 0n])
  assert.partialDeepStrictEqual((await account.file([paid], { from: 1, to: 1 })).taken, { paired: 1 })
  assert.equal((await account.transfers()).length, 2)
})

test('another push takes over from a day on, and both are compared near that day', async () => {
  const account = await money.account()
  const next = await pushSource(money.gateway, newId())
  const deposit = await account.deposit(100_000)
  const paid = { cents: 100_000, purpose: naming(deposit), day: 1 }
  await account.tell({ cents: 5 })
  await account.tell(paid)
  await changeVoice({
    ...{ accountId: account.id, role: 'early', sourceId: next.id, fromDay: bankDay(2), ...by },
  })
  const tell = (one: PaidRow) => takeTransfers(money.context, [account.entry(one)], { source: next })
  assert.partialDeepStrictEqual(await tell(paid), { paired: 1 })
  assert.partialDeepStrictEqual(await tell({ cents: 90, day: 1 }), { held: 1 })
  assert.partialDeepStrictEqual(await tell({ cents: 70_000, day: 2 }), { unmatched: 1 })
  assert.partialDeepStrictEqual(await account.tell({ cents: 60, day: 2 }), { held: 1 })
  await assertRefused(() => account.tell({ cents: 60, day: 16 }), early)
  assert.deepEqual(await account.standing(deposit), ['confirmed', 100_000n])
})

test('a change names a source of its mode that can have the role, and no day before the present one’s', async () => {
  const account = await money.account()
  await account.file([{ cents: 1, day: 3 }], { from: 3 })
  const live = (await addSource(money.gateway.db, { name: newId(), mode: 'live' })).id
  const hand = await money.gateway.db.transaction((tx) =>
    sourceOf(tx, { mode: 'test', kind: 'hand', channel: 'hand' }),
  )
  const camt = await fileSource('camt')
  const asked = {
    accountId: account.id,
    role: 'booked',
    sourceId: camt.id,
    fromDay: bankDay(4),
    ...by,
  } as const
  for (const [changes, code] of [
    [{ accountId: newId() }, 'not_found'],
    [{ sourceId: newId() }, 'not_found'],
    [{ sourceId: live }, 'not_found'],
    [{ role: 'early', sourceId: hand.id }, 'not_found'],
    [{ sourceId: account.push.id }, 'invalid_value'],
    [{ fromDay: bankDay(2) }, 'state_conflict'],
  ] as const)
    await assert.rejects(changeVoice({ ...asked, ...changes }), { code })
  const { before, after } = await changeVoice(asked)
  assert.deepEqual([before?.source.name, after.source.name], ['1c', 'camt'])
})
