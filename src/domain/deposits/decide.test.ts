/** The lifecycle as a table, and what money does by policy. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Refusal } from '../../platform/refusals.ts'
import { eventTypes } from '../callbacks/callback.ts'
import { message } from '../messages/message.ts'
import { type Action, type Change, decide as decided, type Issued, type Policy } from './decide.ts'
import {
  type ActionName,
  type Deposit,
  type DepositState,
  depositStates,
  isFinal,
  obstacle,
  transitions,
} from './deposit.ts'
import { referenceFor } from './reference.ts'

/** The events of all changes in this file. */
const events = new Set<Change['event']>()
const decide = (...given: Parameters<typeof decided>): Change => {
  const change = decided(...given)
  events.add(change.event)
  return change
}

const start = new Date('2026-11-15T12:00:00Z')
const after = (minutes: number) => new Date(start.getTime() + minutes * 60_000)
const usual: Policy = {
  underpaidPolicy: 'wait',
  underpaidToleranceCents: 0n,
  overpaidPolicy: 'confirm',
  latePolicy: 'confirm',
}

const depositOf = (fields: Partial<Deposit> = {}): Deposit => ({
  id: '01a1dcdc-38c0-74d4-b3ba-caeb82c06ab0',
  merchantId: '3f0c9a52-7d1e-4b86-9c2a-5e8f1d20b647',
  orderId: 'A-1',
  flow: 'create',
  state: 'created',
  amountCents: 10_000n,
  currency: 'RUB',
  paymentType: 'any_bank',
  customer: 'x',
  customerPhoneNumber: null,
  callbackUrl: null,
  successUrl: null,
  rejectUrl: null,
  shown: null,
  reference: referenceFor(1),
  pageToken: 'x',
  receivedCents: 0n,
  labels: [],
  claimedAt: null,
  extended: false,
  createdAt: start,
  issuedAt: start,
  expiresAt: after(30),
  lateUntil: after(30 + 24 * 60),
  finalAt: null,
  ...fields,
})

const issued: Issued = {
  requisiteId: '01a1dcdc-38c0-74d4-b3ba-caeb82c06ab1',
  accountId: '01a1dcdc-38c0-74d4-b3ba-caeb82c06ab2',
  paymentType: 'sbp',
  shown: { kind: 'phone', number: '+79000000001', name: 'A', bank_name: 'B', seller: 'C' },
  reference: referenceFor(2),
  openMinutes: 30,
  lateGraceHours: 24,
}

function act(name: ActionName): Action {
  if (name === 'receive') return { do: name, cents: 10_000n, actor: 'test' }
  return name === 'choose_method' ? { do: name, issued, actor: 'test' } : { do: name, actor: 'test' }
}

for (const action of Object.keys(transitions) as ActionName[]) {
  test(`${action} begins where the table says and nowhere else`, () => {
    for (const state of depositStates) {
      const allowed = (transitions[action].from as readonly DepositState[]).includes(state)
      const attempt = () => decide(depositOf({ state }), act(action), after(20), usual)
      if (allowed) assert.doesNotThrow(attempt, state)
      else assert.throws(attempt, { code: 'state_conflict' }, state)
    }
  })
}

test('an expired deposit takes money to the last moment of its grace, and not at its end', () => {
  const expired = depositOf({ state: 'expired' })
  const last = new Date(expired.lateUntil.getTime() - 1)
  for (const action of ['receive', 'confirm', 'reject', 'claim'] as const) {
    assert.equal(obstacle(expired, action, last), undefined)
    assert.equal(obstacle(expired, action, expired.lateUntil)?.text, 'Late payments are no longer accepted.')
  }
  assert.deepEqual([isFinal(expired, last), isFinal(expired, expired.lateUntil)], [false, true])
})

test('a deposit for which money was seen cannot be canceled', () => {
  assert.throws(() => decide(depositOf({ receivedCents: 1n }), act('cancel'), start, usual), {
    code: 'state_conflict',
  })
})

// What arrives, before and now; state; policy; → state, labels, event.
const money: [string, Partial<Deposit>, bigint, Partial<Policy>, string][] = [
  ['exact', {}, 10_000n, {}, 'confirmed [] deposit.confirmed'],
  ['under, wait', {}, 9_999n, {}, 'created [underpaid] deposit.underpaid'],
  ['the rest', { receivedCents: 9_999n, labels: ['underpaid'] }, 1n, {}, 'confirmed [] deposit.confirmed'],
  [
    'under, inside the tolerance',
    {},
    9_990n,
    { underpaidPolicy: 'accept', underpaidToleranceCents: 10n },
    'confirmed [underpaid] deposit.confirmed',
  ],
  [
    'under, outside the tolerance',
    {},
    9_989n,
    { underpaidPolicy: 'accept', underpaidToleranceCents: 10n },
    'created [underpaid] deposit.underpaid',
  ],
  [
    'under, review',
    {},
    9_999n,
    { underpaidPolicy: 'review' },
    'created [underpaid,review] deposit.underpaid',
  ],
  ['over', {}, 10_001n, {}, 'confirmed [overpaid] deposit.confirmed'],
  ['over, review', {}, 10_001n, { overpaidPolicy: 'review' }, 'created [overpaid,review] deposit.review'],
  ['late', { state: 'expired' }, 10_000n, {}, 'confirmed [late] deposit.confirmed'],
  ['late and over', { state: 'expired' }, 10_001n, {}, 'confirmed [overpaid,late] deposit.confirmed'],
  [
    'late, review',
    { state: 'expired' },
    10_000n,
    { latePolicy: 'review' },
    'expired [late,review] deposit.review',
  ],
  ['late and under', { state: 'expired' }, 5_000n, {}, 'expired [underpaid,late] deposit.underpaid'],
  [
    'a surplus after confirmation',
    { state: 'confirmed', receivedCents: 10_000n },
    500n,
    {},
    'confirmed [overpaid] deposit.overpaid',
  ],
  [
    'a part taken back after confirmation',
    { state: 'confirmed', receivedCents: 10_000n },
    -4_000n,
    {},
    'confirmed [underpaid,review] null',
  ],
  [
    'the surplus of what a person has to look at taken back',
    { receivedCents: 12_000n, labels: ['overpaid', 'review'] },
    -2_000n,
    {},
    'created [review] null',
  ],
  [
    'all that a person has to look at taken back',
    { state: 'expired', receivedCents: 10_000n, labels: ['late', 'review'] },
    -10_000n,
    { latePolicy: 'review' },
    'expired [] null',
  ],
  [
    'all of too little taken back, where too little is looked at',
    { receivedCents: 4_000n, labels: ['underpaid', 'review'] },
    -4_000n,
    { underpaidPolicy: 'review' },
    'created [] null',
  ],
  [
    'more, after too little was accepted',
    { state: 'confirmed', receivedCents: 9_990n, labels: ['underpaid'] },
    4n,
    { underpaidPolicy: 'accept', underpaidToleranceCents: 10n },
    'confirmed [underpaid] null',
  ],
  [
    'the rest, after a part was taken back',
    { state: 'confirmed', receivedCents: 6_000n, labels: ['underpaid', 'review'] },
    4_000n,
    {},
    'confirmed [] null',
  ],
  [
    'a part taken back before it',
    { receivedCents: 9_000n, labels: ['underpaid'] },
    -9_000n,
    {},
    'created [] null',
  ],
]
const card = { kind: 'card', number: '1', name: 'x', bank_name: 'x', seller: 'x' } as const
money.push(
  [
    'the rest, without a reference',
    { shown: card, receivedCents: 4_000n, labels: ['underpaid'] },
    6_000n,
    {},
    'confirmed [] deposit.confirmed',
  ],
  [
    'the first and whole one without a reference',
    { shown: card },
    10_000n,
    {},
    'confirmed [] deposit.confirmed',
  ],
)
for (const [what, fields, cents, policy, expected] of money) {
  test(`${what}: ${expected}`, () => {
    const { deposit, event } = decide(
      depositOf(fields),
      { do: 'receive', cents, actor: 'matcher' },
      after(40),
      { ...usual, ...policy },
    )
    assert.equal(`${deposit.state} [${deposit.labels}] ${event}`, expected)
  })
}

test('money that satisfies the policy leaves two lines of history: received and confirmed', () => {
  const { history, deposit } = decide(depositOf(), act('receive'), after(5), usual)
  assert.deepEqual(
    history.map((line) => `${line.action} ${line.fromState}→${line.toState}`),
    ['receive created→created', 'confirm created→confirmed'],
  )
  assert.deepEqual(deposit.finalAt, after(5))
})

test('money that a rule wants looked at goes to a person instead of confirming, and changes nothing else', () => {
  const watched = message('listed', { kind: 'customer', list: 'watch', why: 'watched' })
  const receive = (cents: bigint, state: DepositState = 'created') =>
    decide(depositOf({ state }), { do: 'receive', cents, review: watched, actor: 'bank' }, after(20), usual)
      .deposit
  assert.deepEqual([receive(10_000n).state, receive(10_000n).labels], ['created', ['review']])
  assert.deepEqual([receive(9_000n).state, receive(9_000n).labels], ['created', ['underpaid']])
  assert.deepEqual(receive(1n, 'confirmed').state, 'confirmed')
})

test('a zero amount, or revoking more than was received, is refused', () => {
  for (const cents of [0n, -1n]) {
    assert.throws(() => decide(depositOf(), { do: 'receive', cents, actor: 'x' }, start, usual), {
      code: 'invalid_value',
    })
  }
})

test('a person who confirms leaves the label manual, and late where it was', () => {
  assert.deepEqual(
    decide(depositOf({ labels: ['review', 'underpaid'] }), act('confirm'), start, usual).deposit.labels,
    ['underpaid', 'manual'],
  )
  assert.deepEqual(decide(depositOf({ state: 'expired' }), act('confirm'), after(40), usual).deposit.labels, [
    'manual',
    'late',
  ])
})

test('choosing a method sets type, requisites and a new deadline, until the choice expires', () => {
  const open = depositOf({
    flow: 'build',
    state: 'builded',
    paymentType: 'uzs_select',
    reference: null,
    issuedAt: null,
    lateUntil: after(30),
  })
  const { deposit, event } = decide(open, act('choose_method'), after(29), usual)
  assert.deepEqual(
    [deposit.state, deposit.paymentType, deposit.shown, deposit.reference, deposit.finalAt],
    ['created', 'sbp', issued.shown, issued.reference, null],
  )
  assert.deepEqual(
    [deposit.issuedAt, deposit.expiresAt, deposit.lateUntil],
    [after(29), after(59), after(59 + 24 * 60)],
  )
  assert.equal(event, 'deposit.method_selected')
  assert.throws(() => decide(open, act('choose_method'), after(30), usual), { code: 'state_conflict' })
})

test('a claim sends one event; near the deadline it extends the deadline, once', () => {
  const early = decide(depositOf(), act('claim'), after(10), usual)
  assert.deepEqual(
    [early.event, early.deposit.extended, early.deposit.claimedAt],
    ['deposit.claimed', false, after(10)],
  )
  const late = decide(early.deposit, act('claim'), after(25), usual)
  assert.deepEqual([late.event, late.deposit.extended, late.deposit.expiresAt], [null, true, after(40)])
  assert.equal(late.deposit.lateUntil.getTime() - early.deposit.lateUntil.getTime(), 10 * 60_000)
  assert.deepEqual(decide(late.deposit, act('claim'), after(39), usual).deposit.expiresAt, after(40))
})

test('a claim that changes nothing adds nothing, and the rest of a payment is claimed anew', () => {
  const claimed = decide(depositOf(), act('claim'), after(10), usual).deposit
  const extended = decide(claimed, act('claim'), after(25), usual).deposit
  const expired = decide(extended, act('expire'), after(40), usual).deposit
  const open = depositOf({ state: 'expired' })
  const claimedLate = decide(open, act('claim'), after(40), usual).deposit
  for (const [deposit, minutes] of [
    [claimed, 11],
    [extended, 26],
    [expired, 41],
    [claimedLate, 50],
  ] as const) {
    const again = decide(deposit, act('claim'), after(minutes), usual)
    assert.deepEqual([again.deposit, again.history, again.event], [deposit, [], null])
  }
  const part = decide(extended, { do: 'receive', cents: 1n, actor: 'bank' }, after(27), usual).deposit
  const rest = decide(part, act('claim'), after(28), usual)
  assert.deepEqual([rest.history.length, rest.event], [1, 'deposit.claimed'])
})

test('no sequence of actions leaves the lifecycle, loses money or ends a deposit twice', () => {
  const actions = fc.array(
    fc.oneof(
      fc.record({
        do: fc.constantFrom('claim', 'confirm', 'reject', 'cancel', 'expire', 'reverse'),
        actor: fc.constant('x'),
        at: fc.integer({ min: 0, max: 3_000 }),
      }),
      fc.record({
        do: fc.constant('receive'),
        actor: fc.constant('x'),
        cents: fc.bigInt({ min: -20_000n, max: 20_000n }),
        at: fc.integer({ min: 0, max: 3_000 }),
      }),
    ),
    { maxLength: 30 },
  )
  const policies = fc.record({
    underpaidPolicy: fc.constantFrom('wait', 'accept', 'review'),
    underpaidToleranceCents: fc.bigInt({ min: 0n, max: 5_000n }),
    overpaidPolicy: fc.constantFrom('confirm', 'review'),
    latePolicy: fc.constantFrom('confirm', 'review'),
  })
  fc.assert(
    fc.property(actions, policies, (list, policy) => {
      let deposit = depositOf()
      let received = 0n
      const ends: string[] = []
      for (const action of list.toSorted((left, right) => left.at - right.at)) {
        let change: Change
        try {
          change = decide(deposit, action as unknown as Action, after(action.at), policy as Policy)
        } catch (error) {
          assert.ok(error instanceof Refusal)
          continue
        }
        if ('cents' in action) received += action.cents
        for (const line of change.history) {
          const { from, to } = transitions[line.action]
          assert.ok((from as readonly string[]).includes(line.fromState))
          assert.equal(line.toState, to === 'same' ? line.fromState : to)
          if (line.fromState !== line.toState) ends.push(line.toState)
        }
        deposit = change.deposit
      }
      assert.equal(deposit.receivedCents, received)
      assert.ok(
        [
          '',
          'confirmed',
          'rejected',
          'canceled',
          'expired',
          'confirmed,reversed',
          'expired,confirmed',
          'expired,rejected',
          'expired,confirmed,reversed',
        ].includes(ends.join()),
      )
    }),
    { numRuns: 2_000 },
  )
})

test('every event type is sent by some action', () => {
  const missing = eventTypes.filter((type) => !events.has(type))
  assert.deepEqual(missing, [], 'No case above makes decide() return these events: add one.')
})
