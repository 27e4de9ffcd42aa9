/** The rules on the command line: what can be set, taken away and listed, and what is refused with which sentence. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { readApprovalRuleActs } from '../src/domain/alarms/store.ts'
import { createMerchant } from '../src/domain/merchants/create-merchant.ts'
import { commandsOn, inlet, json } from './support/command.ts'
import { shopOf, startGateway, type TestGateway } from './support/gateway.ts'
import { joined, PersonsBrowser, password } from './support/person.ts'

let gateway: TestGateway
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' } })
  await commandsOn(gateway)
})

const nobody = '00000000-0000-4000-8000-000000000000'
const by = async (operatorRole: 'operator' | 'admin' = 'operator') =>
  ['--by', (await joined(gateway, { operatorRole })).email, '--reason', 'fraud'] as const
const entry = (...words: string[]) => [
  ...['list', 'add', '--list', 'block', '--kind', 'customer', '--value', 'Vasya'],
  ...words,
]
async function newMerchant() {
  const asked = { name: 'Shop', mode: 'test', callbackUrl: null } as const
  const { merchant, keyId, signingSecret } = await createMerchant(gateway.db, gateway.vault, asked)
  return { merchant: merchant.id as string, key_id: keyId, signing_secret: signingSecret }
}

// Before anybody who could decide has joined.
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

test('list add blocks, list list names actor and reason, list remove ends the entry and keeps it', async () => {
  const created = await newMerchant()
  const who = await by()
  const shop = shopOf(gateway, created.merchant, created.key_id, created.signing_secret)
  await json(...entry('--merchant', created.merchant, ...who))
  assert.equal((await shop.create({ customer: 'VASYA' })).body.code, 'customer_blocked')
  const listed = async (...words: string[]) => (await json('list', 'list', ...words)).lists
  const [added] = await listed('--list', 'block', '--kind', 'customer')
  assert.partialDeepStrictEqual(added, {
    ...{ list: 'block', kind: 'customer', merchant: created.merchant, value: 'vasya' },
    ...{ reason: 'fraud', added_by: who[1], removed_at: null },
  })
  assert.deepEqual(await listed('--list', 'watch'), [])
  const remover = await by('admin')
  await json('list', 'remove', added.id, ...remover)
  assert.deepEqual(await listed(), [])
  const [ended] = await listed('--ended')
  assert.deepEqual(ended.removed_at.slice(1), [remover[1], 'fraud'])
  assert.equal((await shop.create({ customer: 'VASYA' })).status, 201)
})

test('what cannot be put on a list is refused with a sentence', async () => {
  const who = await by()
  for (const [words, sentence] of [
    [entry('--list', 'grey', ...who), /--list: Choose one of the list/],
    [entry('--kind', 'address', ...who), /--kind: Choose one of the list/],
    [entry('--merchant', nobody, ...who), /^not_found: There is no merchant with this id/],
    [entry('--kind', 'phone', ...who), /A phone number needs at least seven digits/],
    [entry('--by', who[1]), /--reason is required/],
    [entry(...who, '--reason', 'x'.repeat(501)), /^invalid_value: /],
    [['list', 'remove', nobody, ...who], /^not_found: /],
  ] as const)
    assert.match((await inlet(...words)).stderr, sentence)
})

test('a value is on a list once for all merchants and once for each', async () => {
  const { merchant } = await newMerchant()
  const who = await by()
  await json(...entry('--value', 'twice', ...who))
  await json(...entry('--value', 'twice', '--merchant', merchant, ...who))
  await json(...entry('--value', 'twice', '--list', 'watch', ...who))
  for (const more of [[], ['--merchant', merchant]]) {
    const { stderr } = await inlet(...entry('--value', 'TWICE', ...more, ...who))
    assert.equal(stderr, 'already_exists: This value is already on this list.\n')
  }
})
