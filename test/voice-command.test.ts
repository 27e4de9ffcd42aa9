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

test('an account shows its sources, and one is changed from a day on', async () => {
  await heldDay(gateway, accountId, [11_100n, 22_200n])
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
  assert.deepEqual(booked.at(-1).slice(1, 4), ['MT940', today, 'No IDs, or none to rely on'])
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

test('money that a person notes before a bank tells it counts at once', async () => {
  const paid = await deposit(44_400)
  await json('deposit', 'receive', paid, '--amount', '444', ...why, ...by)
  assert.deepEqual((await json('deposit', 'show', paid)).state, ['confirmed'])
  const { channel } = await gateway.db.one<{ channel: string }>(sql`
    select t.channel from allocations s join transfers t on t.id = s.transfer_id where s.deposit_id = ${paid}`)
  assert.equal(channel, 'hand')
})
