import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type AccountLoad, type Candidate, chooseRequisite, slotKey, takeDeposit } from './choice.ts'

const candidate = (part: Partial<Candidate> = {}): Candidate => ({
  id: 'r1',
  accountId: `account of ${part.id ?? 'r1'}`,
  kind: 'card',
  number: '2200000000000012',
  holder: 'INLET DEMO',
  bankName: 'Test Bank',
  bic: null,
  corrAccount: null,
  taxId: null,
  kpp: null,
  kbe: null,
  knp: null,
  link: null,
  seller: 'Example',
  carriesReference: false,
  minCents: null,
  maxCents: null,
  dailyCents: null,
  openLimit: null,
  openDeposits: 0,
  dayCents: 0n,
  account: null,
  ...part,
})

const unlimited: AccountLoad = {
  openLimit: null,
  dayLimit: null,
  monthLimit: null,
  openDeposits: 0,
  dayCents: 0n,
  monthCents: 0n,
}

const chosen = (candidates: Candidate[], cents = 1_000n, taken = new Set<string>()) =>
  chooseRequisite(candidates, taken, cents)?.id

test('without candidates no requisite is chosen', () => {
  assert.equal(chosen([]), undefined)
})

for (const [what, candidates, expected] of [
  [
    'fewer open deposits win',
    [
      { id: 'a', openDeposits: 2 },
      { id: 'b', openDeposits: 1 },
    ],
    'b',
  ],
  [
    'open deposits count before the sum of the day',
    [
      { id: 'a', openDeposits: 1, dayCents: 0n },
      { id: 'b', openDeposits: 0, dayCents: 9_000_000n },
    ],
    'b',
  ],
  [
    'of equally many the smaller sum of the day wins',
    [
      { id: 'a', dayCents: 2n },
      { id: 'b', dayCents: 1n },
    ],
    'b',
  ],
  ['of equals the lowest id wins', [{ id: 'b' }, { id: 'a' }, { id: 'c' }], 'a'],
  [
    'one that does not fit loses, however idle it is',
    [
      { id: 'a', maxCents: 999n },
      { id: 'b', openDeposits: 50 },
    ],
    'b',
  ],
] as const) {
  test(what, () => {
    assert.equal(chosen(candidates.map(candidate)), expected)
    assert.equal(chosen(candidates.map(candidate).reverse()), expected)
  })
}

// Each limit at its edge: the last value that fits and the first that does not. The amount is 1000.
for (const [limit, fitting, failing] of [
  ['minimum', { minCents: 1_000n }, { minCents: 1_001n }],
  ['maximum', { maxCents: 1_000n }, { maxCents: 999n }],
  ['open deposits', { openLimit: 3, openDeposits: 2 }, { openLimit: 3, openDeposits: 3 }],
  ['daily sum', { dailyCents: 5_000n, dayCents: 4_000n }, { dailyCents: 5_000n, dayCents: 4_001n }],
  ['daily sum of one deposit', { dailyCents: 1_000n }, { dailyCents: 999n }],
  [
    'daily sum past 2^53',
    { dailyCents: 9_007_199_254_741_993n, dayCents: 9_007_199_254_740_993n },
    { dailyCents: 9_007_199_254_741_992n, dayCents: 9_007_199_254_740_993n },
  ],
  [
    "account's open deposits",
    { account: { ...unlimited, openLimit: 3, openDeposits: 2 } },
    { account: { ...unlimited, openLimit: 3, openDeposits: 3 } },
  ],
  [
    "account's day",
    { account: { ...unlimited, dayLimit: 5_000n, dayCents: 4_000n } },
    { account: { ...unlimited, dayLimit: 5_000n, dayCents: 4_001n } },
  ],
  [
    "account's month",
    { account: { ...unlimited, monthLimit: 5_000n, monthCents: 4_000n } },
    { account: { ...unlimited, monthLimit: 5_000n, monthCents: 4_001n } },
  ],
] as const) {
  test(`the ${limit} is kept to the last unit`, () => {
    assert.equal(chosen([candidate(fitting)]), 'r1')
    assert.equal(chosen([candidate(failing)]), undefined)
  })
}

for (const [what, part, slot, expected] of [
  ['the same amount on the same account', {}, slotKey('account of r1', 1_000n), undefined],
  ['another amount on the same account', {}, slotKey('account of r1', 1_001n), 'r1'],
  ['the same amount on another account', {}, slotKey('account of r2', 1_000n), 'r1'],
  [
    'the same amount where a reference tells apart',
    { carriesReference: true },
    slotKey('account of r1', 1_000n),
    'r1',
  ],
] as const) {
  test(`${what} is taken: ${expected ? 'still free' : 'refused'}`, () => {
    assert.equal(chosen([candidate(part)], 1_000n, new Set([slot])), expected)
  })
}

test('two requisites on one account share its slots: the second cannot take the same amount', () => {
  const card = candidate({ id: 'card', accountId: 'account' })
  const phone = candidate({ id: 'phone', kind: 'phone', accountId: 'account' })
  const taken = new Set<string>()
  takeDeposit(card, taken, 1_000n)
  assert.equal(chosen([card, phone], 1_000n, taken), undefined)
  assert.equal(chosen([card, phone], 1_001n, taken), 'phone')
})

test('two requisites on one account share its limits: what one took the other cannot', () => {
  const account = { ...unlimited, dayLimit: 2_500n }
  const requisite = candidate({ id: 'one', account })
  const two = candidate({ id: 'two', account })
  takeDeposit(requisite, new Set(), 1_500n)
  assert.deepEqual([account.openDeposits, account.dayCents, account.monthCents], [1, 1_500n, 1_500n])
  assert.equal(chosen([two], 1_000n), 'two')
  assert.equal(chosen([two], 1_001n), undefined)
})

test('a chosen requisite’s load, daily sum and slot count for the next choice', () => {
  const requisite = candidate({ openLimit: 2, dailyCents: 2_500n })
  const taken = new Set<string>()
  takeDeposit(requisite, taken, 1_000n)
  assert.deepEqual(
    [requisite.openDeposits, requisite.dayCents, [...taken]],
    [1, 1_000n, [slotKey(requisite.accountId, 1_000n)]],
  )
  assert.equal(chosen([requisite], 1_500n, taken), 'r1')
  assert.equal(chosen([requisite], 1_501n, taken), undefined)
  takeDeposit(requisite, taken, 1_500n)
  assert.equal(chosen([requisite], 1n, taken), undefined)
})

test('one that carries a reference takes equal amounts without a slot', () => {
  const account = candidate({ kind: 'account_ru', carriesReference: true })
  const taken = new Set<string>()
  takeDeposit(account, taken, 1_000n)
  assert.equal(taken.size, 0)
  assert.equal(chosen([account], 1_000n, taken), 'r1')
})

const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null })
const small = fc.bigInt({ min: 1n, max: 20n })
const candidates = fc.uniqueArray(
  fc.record({
    id: fc.string({ minLength: 1, maxLength: 3 }),
    accountId: fc.constantFrom('x', 'y', 'z'),
    carriesReference: fc.boolean(),
    minCents: maybe(small),
    maxCents: maybe(small),
    dailyCents: maybe(small),
    openLimit: maybe(fc.integer({ min: 1, max: 4 })),
    openDeposits: fc.nat(4),
    dayCents: fc.bigInt({ min: 0n, max: 20n }),
  }),
  { selector: (drawn) => drawn.id, maxLength: 12 },
)
const slots = fc
  .array(fc.tuple(fc.constantFrom('x', 'y', 'z'), small))
  .map((pairs) => new Set(pairs.map(([account, cents]) => slotKey(account, cents))))

test('the order of the candidates does not matter', () => {
  const shuffled = candidates.chain((list) =>
    fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
  )
  fc.assert(
    fc.property(shuffled, slots, small, ([list, other], taken, cents) => {
      assert.equal(chosen(list.map(candidate), cents, taken), chosen(other.map(candidate), cents, taken))
    }),
  )
})

test('the chosen one fits every limit, and none that fits is less loaded; choosing changes nothing', () => {
  const fits = (requisite: Candidate, taken: Set<string>, cents: bigint) =>
    cents >= (requisite.minCents ?? 0n) &&
    cents <= (requisite.maxCents ?? cents) &&
    requisite.dayCents + cents <= (requisite.dailyCents ?? requisite.dayCents + cents) &&
    requisite.openDeposits < (requisite.openLimit ?? Number.POSITIVE_INFINITY) &&
    (requisite.carriesReference || !taken.has(slotKey(requisite.accountId, cents)))
  fc.assert(
    fc.property(candidates, slots, small, (parts, taken, cents) => {
      const list = parts.map(candidate)
      const before = structuredClone(list)
      const best = chooseRequisite(list, taken, cents)
      assert.deepEqual(list, before)
      const able = list.filter((candidate) => fits(candidate, taken, cents))
      if (!best) return assert.equal(able.length, 0)
      assert.ok(able.includes(best))
      for (const other of able) {
        assert.ok(
          best.openDeposits < other.openDeposits ||
            (best.openDeposits === other.openDeposits && best.dayCents <= other.dayCents),
        )
      }
    }),
  )
})
