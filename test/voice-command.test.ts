/** The command line about what counts: sources of accounts, pairs of a day, parked rows, splits, and decisions taken back. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setApprovalSettings } from '../src/domain/approvals/change-settings.ts'
import { sql } from '../src/platform/db.ts'
import { accountOf, bankDay, pushSource, transferTo } from './support/bank.ts'
import { heldDay, importDay, yesterday } from './support/booked-day.ts'
import { assertUsageProblem, commandsOn, inlet, json } from './support/command.ts'
import { openShop, type Shop, startGateway, type TestGateway } from './support/gateway.ts'
import { joined } from './support/person.ts'

let gateway: TestGateway
let shop: Shop
let accountId: string
let by: [string, string]
const today = bankDay(0)
const why = ['--reason', 'Seen in the bank', '--by', 'anna'] as const
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' } })
  await commandsOn(gateway)
  shop = await openShop(gateway)
  await setApprovalSettings(gateway.db, { RUB: '100000000' })
  by = ['--by', (await joined(gateway, { operatorRole: 'operator' })).email]
  accountId = await accountOf(gateway, await deposit(9_999_900))
  await gateway.database.owner.query(
    sql`update requisites set enabled = false where account_id <> ${accountId}`,
  )
})

/** An account of our own that nobody has told of. */
const otherAccount = async (number: string): Promise<string> =>
  (
    await gateway.database.owner.one<{ id: string }>(sql`
      insert into receiving_accounts (id, mode, currency, label, owner_legal_name, owner_public_name, owner_tax_id,
        owner_agreement, added_by, number)
      select gen_random_uuid(), mode, currency, ${number}, owner_legal_name, owner_public_name, owner_tax_id,
        owner_agreement, added_by, ${number}
      from receiving_accounts
      where id = ${accountId}
      returning id`)
  ).id

const deposit = async (cents: number): Promise<string> =>
  (await shop.create({ cents, payment_type: 'account_number' })).body.id

test('a day of an account is shown in pairs, and paired with a reason', async () => {
  const { early, held } = await heldDay(gateway, accountId, [11_100n, 22_200n])
  const day = `${accountId}:${yesterday}`
  const seen = await json('day', 'show', day)
  // Rows of one moment have no order.
  const pairs: [unknown, [string], [string]][] = seen.parts.Pairs
  assert.deepEqual(
    new Map(pairs.map(([, [heldId], [earlyId]]) => [heldId, earlyId])),
    new Map(held.map((id, at) => [id, early[at]])),
  )
  const text = (await inlet('day', 'show', day)).stdout
  for (const id of [...early, ...held]) assert.match(text, new RegExp(id))
  assert.equal((await inlet('day', 'pair', day, ...why, ...by)).code, 0)
  assert.match((await inlet('day', 'pair', day, ...why, ...by)).stderr, /^state_conflict: /)
})

test('an account shows its sources, and one is changed from a day on', async () => {
  const admin = await joined(gateway, { operatorRole: 'admin' })
  const by = ['--reason', 'Seen in the bank', '--by', admin.email]
  const voices = async () => (await json('account', 'show', accountId)).parts['What is counted']
  assert.deepEqual(
    (await voices()).map(([role, source]: string[]) => [role, source]),
    [
      ['Counted from', 'camt.053/.054'],
      ['Reports early', 'Test bank'],
    ],
  )
  const push = await pushSource(gateway, 'my bank')
  const changed = ['account', 'voice', accountId, '--from', today] as const
  await json(...changed, '--role', 'early', '--source', push.id, ...by)
  assert.equal((await voices()).at(-1)[1], 'my bank')
  // A kind of file that nobody has imported yet is named by its channel.
  await json(...changed, '--role', 'booked', '--source', 'mt940', '--ids', 'none', ...by)
  const booked = (await voices()).filter(([role]: string[]) => role === 'Counted from')
  assert.deepEqual(booked.at(-1).slice(1, 4), ['MT940/942', today, 'No IDs, or none to rely on'])
  assert.match((await inlet('account', 'show', accountId)).stdout, /Counted from +MT940/)
  const line = await gateway.db.one<{ actor: string; act: string; reason: string }>(
    sql`select actor, act, reason from audit_entries order by place desc limit 1`,
  )
  assert.deepEqual(line, { actor: admin.email, act: 'account_voice', reason: 'Seen in the bank' })

  const push2 = ['--source', push.id, '--role', 'booked', '--from', today]
  for (const [words, sentence] of [
    [push2, /source: Only files/],
    [['--role', 'booked', '--source', '1c', '--from', yesterday], /from: .*later change/],
    [['--role', 'booked', '--source', 'csv:nobody', '--from', today], /source: Choose one of the list/],
    [['--role', 'booked', '--source', '1c', '--from', 'today'], /from: Enter a day/],
    [['--role', 'all', '--source', '1c', '--from', today], /role: Choose one of the list/],
  ] as const)
    assert.match((await inlet('account', 'voice', accountId, ...words, ...by)).stderr, sentence)
  const bare = await inlet(
    'account',
    'voice',
    accountId,
    '--role',
    'booked',
    '--source',
    '1c',
    '--from',
    today,
  )
  assertUsageProblem(bare.stderr, ['account'], '--by is required.')
})

test('parked rows are listed, and taken one by one or by the day', async () => {
  const account = await otherAccount('40702810300000000101')
  await transferTo(gateway, account, { cents: 1_000n, bookedOn: today })
  const rows = [{ cents: 61_000n }, { cents: 62_000n }, { cents: 63_000n }]
  await importDay(gateway, account, rows, { day: today, madeOn: today })
  const { parked } = await json('parked', 'list', '--account', account, '--day', today)
  assert.deepEqual(
    parked.map(({ amount }: { amount: { cents: number } }) => amount.cents),
    [61_000, 62_000, 63_000],
  )
  const [first, second] = parked as [{ id: string }, { id: string }]
  assert.equal((await inlet('parked', 'take', first.id, ...why, ...by)).code, 0)
  assert.match((await inlet('parked', 'take', first.id, ...why, ...by)).stderr, /^not_found: /)
  assert.equal((await inlet('parked', 'take-day', second.id, ...why, ...by)).code, 0)
  assert.deepEqual((await json('parked', 'list', '--account', account)).parked, [])
})

test('what was told early and is in no file of its closed day is listed', async () => {
  const account = await otherAccount('40702810300000000102')
  const id = await transferTo(gateway, account, { cents: 71_700n, bookedOn: bankDay(-2) })
  await importDay(gateway, account, [{ cents: 999_100n }], { day: bankDay(-2) })
  const { transfers } = await json('transfer', 'list', '--state', 'unbooked')
  assert.ok(transfers.some((one: { id: string }) => one.id === id))
  await json('transfer', 'revoke', id, ...why, ...by)
  const after = await json('transfer', 'list', '--state', 'unbooked')
  assert.ok(!after.transfers.some((one: { id: string }) => one.id === id))
})

test('a payment is split, given with others, called the same as another, and each is undone', async () => {
  const [one, two, three] = [await deposit(30_100), await deposit(20_200), await deposit(50_400)]
  // Of a day before the source of the account changed.
  const sent = (cents: bigint) => transferTo(gateway, accountId, { cents, bookedOn: bankDay(-20) })
  const whole = await sent(50_300n)
  const decide = (act: string, id: string, ...fields: string[]) =>
    inlet('transfer', act, id, ...fields, ...why, ...by)
  const stateOf = async (id: string) => (await json('transfer', 'show', id)).state
  assert.match((await decide('split', whole, '--shares', `${one} 301`)).stderr, /^invalid_value: .*add up/)
  assert.match(
    (await decide('split', whole, '--shares', `${one} much`)).stderr,
    /shares: Write one line per deposit/,
  )
  assert.equal((await decide('split', whole, '--shares', `${one} 301\n${two} 202`)).code, 0)
  assert.equal(await stateOf(whole), 'matched')
  assert.equal((await decide('undo', whole)).code, 0)
  assert.equal(await stateOf(whole), 'unmatched')
  assert.match((await decide('undo', whole)).stderr, /^state_conflict: /)

  const parts = [await sent(25_100n), await sent(25_300n)] as [string, string]
  assert.equal((await decide('several', parts[0], '--others', parts[1], '--deposit', three)).code, 0)
  assert.deepEqual(await Promise.all(parts.map(stateOf)), ['matched', 'matched'])

  const [first, second] = [await sent(33_300n), await sent(33_300n)]
  assert.equal((await decide('same', second, '--of', first)).code, 0)
  assert.equal(await stateOf(second), 'duplicate')
  assert.equal((await decide('undo', second)).code, 0)
  assert.equal(await stateOf(second), 'unmatched')
})

test('money that a person notes before a bank tells it counts at once', async () => {
  const paid = await deposit(44_400)
  await json('deposit', 'receive', paid, '--amount', '444', ...why, ...by)
  assert.deepEqual((await json('deposit', 'show', paid)).state, ['confirmed'])
  const { channel } = await gateway.db.one<{ channel: string }>(sql`
    select t.channel from allocations s join transfers t on t.id = s.transfer_id where s.deposit_id = ${paid}`)
  assert.equal(channel, 'hand')
})
