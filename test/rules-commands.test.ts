/** The rules on the command line: what can be set, taken away and listed, and what is refused with which sentence. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { readApprovalRuleActs } from '../src/domain/alarms/store.ts'
import { assertUsageProblem, commandsOn, inlet, json } from './support/command.ts'
import { shopOf, startGateway, type TestGateway } from './support/gateway.ts'
import { decideAs, officeContextOf } from './support/office.ts'
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

test('account limits change what is named; a stop is immediate, and looser limits wait for a second person', async () => {
  const [{ id }] = (await json('account', 'list')).accounts
  const [{ email }, approver] = [
    await joined(gateway, { operatorRole: 'admin' }),
    await joined(gateway, { operatorRole: 'approver' }),
  ]
  const by = ['--by', email, '--reason', 'The agreement']
  const limitsOf = async () => {
    const { today, open, silent_hours } = await json('account', 'show', id)
    return [today.of_cents, open, silent_hours]
  }
  assert.deepEqual(await json('account', 'limits', id, '--day', '50000000', '--silent', '36', ...by), { id })
  await json('account', 'limits', id, '--open', '3', ...by)
  assert.deepEqual(await limitsOf(), [5_000_000_000, '0 of 3', '36'])
  const { request } = await json('account', 'limits', id, '--day', '', ...by)
  assert.deepEqual(await limitsOf(), [5_000_000_000, '0 of 3', '36'])
  await decideAs(officeContextOf(gateway), approver, request)
  assert.deepEqual(await limitsOf(), [null, '0 of 3', '36'])
  await json('account', 'matching', id, '--matching', 'never', ...by)
  await json('account', 'stop', id, '--by', email)
  const { state, matching } = await json('account', 'show', id)
  assert.deepEqual([state, matching], ['off', 'Never; review manually'])
  const on = await json('account', 'on', id, ...by)
  await decideAs(officeContextOf(gateway), approver, on.request)
  for (const [words, sentence] of [
    [['x', ...by], /^not_found/],
    [[nobody, ...by], /^not_found/],
    [[id, '--day', '0', ...by], /day: Enter an amount/],
    [[id, '--silent', '8761', ...by], /silent: Enter a whole number from 1 to 8760/],
    [[id, '--day', '5', '--by', 'nobody@example.com', '--reason', 'x'], /--by must be the email address/],
    [[id, '--day', '5', '--by', approver.email], /--reason is required/],
  ] as const)
    assert.match((await inlet('account', 'limits', ...words)).stderr, sentence)
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
    second_person_above: {},
  })
  const set = await json('approval', 'set', '--currency', 'RUB', '--above-cents', '5000000000')
  assert.deepEqual(set.second_person_above, { RUB: '5000000000' })
  const both = ['--single', 'off', '--currency', 'RUB', '--above-cents', 'none']
  assert.deepEqual(await json('approval', 'set', ...both), {
    single_operator: false,
    second_person_above: {},
  })
  for (const words of [
    ['--single', 'maybe'],
    ['--currency', 'RUB'],
    ['--above-cents', '5'],
  ])
    assert.equal((await inlet('approval', 'set', ...words)).code, 1, words.join(' '))
  const { link } = await json('person', 'invite', 'cli@example.com', '--name', 'C', '--operator', 'admin')
  const joining = await new PersonsBrowser(gateway).post(new URL(link).pathname, { password })
  assert.equal(joining.location, '/sign-in/set-up')
  await json('person', 'reset', 'cli@example.com')
  assert.equal((await inlet('person', 'disable', 'cli@example.com')).stdout, 'cli@example.com disabled\n')
  assert.equal(
    (await inlet('person', 'disable', 'cli@example.com', '--undo')).stdout,
    'cli@example.com enabled\n',
  )
  const acts = (await readApprovalRuleActs(gateway.db)).map(({ act, actor }) => `${act} by ${actor}`)
  assert.deepEqual(
    acts.toReversed(),
    [
      ...Array<string>(3).fill('settings_change'),
      ...['person_invite', 'person_reset', 'person_disable', 'person_enable'],
    ].map((act) => `${act} by command line`),
  )
})
