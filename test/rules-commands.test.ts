/** The rules on the command line: what can be set, taken away and listed, and what is refused with which sentence. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { readApprovalRuleActs } from '../src/domain/alarms/store.ts'
import { assertUsageProblem, commandsOn, inlet, json } from './support/command.ts'
import { shopOf, startGateway, type TestGateway } from './support/gateway.ts'
import { joined, PersonsBrowser, password } from './support/person.ts'

let gateway: TestGateway
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' } })
  await commandsOn(gateway)
})

const nobody = '00000000-0000-4000-8000-000000000000'
const entry = (...words: string[]) => [
  'list',
  'add',
  '--list',
  'block',
  '--kind',
  'customer',
  '--value',
  'Vasya',
  '--reason',
  'fraud',
  '--added-by',
  'anna',
  ...words,
]
const newMerchant = () => json('merchant', 'create', '--name', 'Shop', '--mode', 'test')

test('merchant set takes limits of a customer, and none takes them away', async () => {
  const { merchant } = await newMerchant()
  const set = await json('merchant', 'set', merchant, '--customer-day-cents', '5000000000')
  assert.equal(set.settings.customer_day_cents, 5_000_000_000)
  const again = await json('merchant', 'set', merchant, '--customer-open-deposits=2')
  assert.deepEqual(
    [again.settings.customer_open_deposits, again.settings.customer_day_cents],
    [2, 5_000_000_000],
  )
  const none = await json('merchant', 'set', merchant, '--customer-day-cents', 'none')
  assert.deepEqual(
    [
      none.settings.customer_open_deposits,
      none.settings.customer_day_cents,
      none.settings.customer_month_cents,
    ],
    [2, null, null],
  )
})

test('account set changes what is named, and account list shows it', async () => {
  const { accounts } = await json('account', 'list')
  const { id } = accounts[0]
  assert.deepEqual(await json('account', 'set', id, '--day-cents', '5000000000', '--silent-hours', '36'), {
    account: id,
    enabled: true,
    day_cents: 5_000_000_000,
    month_cents: null,
    open_deposits: null,
    silent_hours: 36,
    amount_matching: 'by_kind',
  })
  await json('account', 'set', id, '--amount-matching', 'never')
  await json('account', 'set', id, '--month-cents', '7', '--open-deposits', '3', '--disable')
  await json('account', 'set', id, '--day-cents', 'none')
  const after = (await json('account', 'list')).accounts[0]
  assert.partialDeepStrictEqual(after, {
    id,
    enabled: false,
    day_cents: null,
    month_cents: 7,
    open_deposits: 3,
    silent_hours: 36,
    amount_matching: 'never',
    heard_at: null,
  })
  assert.match((await inlet('account', 'set', id, '--enable')).stdout, /^enabled +true$/m)
  await json('account', 'set', id, '--month-cents', 'none', '--open-deposits', 'none')
})

test('list add blocks, list show names actor and reason, list remove ends the entry and keeps it', async () => {
  const created = await newMerchant()
  const shop = shopOf(gateway, created.merchant, created.key_id, created.signing_secret)
  const added = await json(...entry('--merchant', created.merchant))
  assert.equal(added.value, 'vasya')
  assert.equal((await shop.create({ customer: 'VASYA' })).body.code, 'customer_blocked')
  const { entries } = await json('list', 'show', '--list', 'block', '--kind', 'customer')
  assert.partialDeepStrictEqual(entries, [
    {
      entry: added.entry,
      list: 'block',
      kind: 'customer',
      merchant: created.merchant,
      value: 'vasya',
      reason: 'fraud',
      added_by: 'anna',
      removed_at: null,
    },
  ])
  assert.match(
    (await inlet('list', 'show')).stdout,
    /^id +list +kind +value +merchant +since +by +reason +ended$/m,
  )
  assert.deepEqual((await json('list', 'show', '--list', 'watch')).entries, [])
  await json('list', 'remove', added.entry, '--by', 'boris', '--reason', 'a mistake')
  assert.deepEqual((await json('list', 'show')).entries, [])
  const [ended] = (await json('list', 'show', '--ended')).entries
  assert.deepEqual([ended.removed_by, ended.removed_reason], ['boris', 'a mistake'])
  assert.equal((await shop.create({ customer: 'VASYA' })).status, 201)
})

for (const [words, sentence] of [
  [['account', 'set', 'x'], 'The account must be an id as printed by inlet.'],
  [['account', 'set', nobody], 'not_found: There is no receiving account with this id.'],
  [['account', 'set', nobody, '--enable', '--disable'], 'Give --enable or --disable, not both.'],
  [
    ['account', 'set', nobody, '--day-cents', '0'],
    '--day-cents must be none, or a whole number from 1 to 999999999999999.',
  ],
  [
    ['account', 'set', nobody, '--silent-hours', '8761'],
    '--silent-hours must be none, or a whole number from 1 to 8760.',
  ],
  [
    ['account', 'set', nobody, '--open-deposits', 'few'],
    '--open-deposits must be none, or a whole number from 1 to 1000000.',
  ],
  [entry('--list', 'grey'), '--list must be one of block, watch.'],
  [entry('--kind', 'address'), '--kind must be one of customer, phone, payer.'],
  [entry('--merchant', nobody), 'not_found: There is no merchant with this id.'],
  [
    entry('--kind', 'phone'),
    'invalid_value: This value cannot be added to a list. A phone number needs at least seven digits.',
  ],
  [entry('--reason', 'x'.repeat(501)), 'invalid_value: Reason: up to 500 characters. Name: up to 100.'],
  [['list', 'add', '--list', 'block', '--kind', 'payer', '--value', 'A'], '--reason is required.'],
  [['list', 'remove', 'x'], 'The entry must be an id as printed by inlet.'],
  [['list', 'remove', nobody, '--by', 'anna'], '--reason is required.'],
  [
    ['list', 'remove', nobody, '--by', 'anna', '--reason', 'x'],
    'not_found: There is no active list entry with this id.',
  ],
] as const) {
  test(`inlet ${words.join(' ').slice(0, 80)}: "${sentence}"`, async () => {
    const { code, stdout, stderr } = await inlet(...words)
    assert.deepEqual([code, stdout], [1, ''])
    assertUsageProblem(stderr, words, sentence)
  })
}

test('a value is on a list once for all merchants and once for each', async () => {
  const { merchant } = await newMerchant()
  await json(...entry('--value', 'twice'))
  await json(...entry('--value', 'twice', '--merchant', merchant))
  await json(...entry('--value', 'twice', '--list', 'watch'))
  for (const more of [[], ['--merchant', merchant]]) {
    const { stderr } = await inlet(...entry('--value', 'TWICE', ...more))
    assert.equal(stderr, 'already_exists: This value is already on this list.\n')
  }
})

test('approval set changes the settings at once, and raises an alarm each time', async () => {
  assert.deepEqual(await json('approval', 'set', '--single', 'on'), {
    single_operator: true,
  })
  assert.deepEqual(await json('approval', 'set', '--single', 'off'), { single_operator: false })
  for (const words of [['--single', 'maybe'], []])
    assert.equal((await inlet('approval', 'set', ...words)).code, 1, words.join(' '))
  const { link } = await json('person', 'invite', 'cli@example.com', '--name', 'C', '--operator', 'admin')
  const joining = await new PersonsBrowser(gateway).post(new URL(link).pathname, { password })
  assert.equal(joining.location, '/sign-in/set-up')
  await json('person', 'reset', 'cli@example.com')
  assert.equal((await inlet('person', 'disable', 'cli@example.com')).stdout, 'cli@example.com disabled\n')
  const third = ['third@example.com', '--name', 'T', '--operator', 'operator']
  const { email } = await joined(gateway, { operatorRole: 'admin' })
  await joined(gateway, { operatorRole: 'approver' })
  const alone = await inlet('person', 'invite', ...third)
  assert.match(alone.stderr, /^Two people at the desk can approve this: say who invites/)
  const named = ['--by', email, '--reason', 'A colleague']
  const asked = await json('person', 'invite', ...third, ...named)
  assert.match(asked.request, /^[0-9a-f-]{36}$/, 'it waits for a second person')
  const enabled = await json('person', 'enable', 'cli@example.com', ...named)
  assert.match(enabled.request, /^[0-9a-f-]{36}$/, 'it waits for a second person')
  const acts = (await readApprovalRuleActs(gateway.db)).map(({ act, actor }) => `${act} by ${actor}`)
  assert.deepEqual(acts.toReversed(), [
    ...['settings_change', 'settings_change', 'person_invite', 'person_reset', 'person_disable'].map(
      (act) => `${act} by command line`,
    ),
    'person_invite by test',
    'person_invite by test',
    `propose_person_invite by ${email}`,
    `propose_person_enable by ${email}`,
  ])
})
