import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addUse,
  type CustomerLimits,
  type CustomerUse,
  isLimited,
  limitReached,
  limitRefusal,
  withoutOne,
} from './customer-limit.ts'

const now = new Date('2026-11-15T10:00:00Z')
const dayEnd = new Date('2026-11-15T21:00:00Z')
const monthEnd = new Date('2026-11-30T21:00:00Z')
const deadline = new Date('2026-11-15T10:20:00Z')
const none: CustomerLimits = { customerOpenDeposits: null, customerDayCents: null, customerMonthCents: null }
const use = (part: Partial<CustomerUse> & { deposits?: number } = {}): CustomerUse => ({
  open: { deposits: part.deposits ?? 0, firstDeadline: part.deposits ? deadline : null },
  dayCents: 0n,
  monthCents: 0n,
  dayEnd,
  monthEnd,
  now,
  ...part,
})

// The amount is 1000. The last value that fits, the first that does not, and when there is room again.
for (const [limits, fits, over, limit, freeAt] of [
  [{ customerOpenDeposits: 3 }, { deposits: 2 }, { deposits: 3 }, 'customer_open_deposits', deadline],
  [{ customerDayCents: 5_000n }, { dayCents: 4_000n }, { dayCents: 4_001n }, 'customer_day_cents', dayEnd],
  [
    { customerMonthCents: 9_007_199_254_741_993n },
    { monthCents: 9_007_199_254_740_993n },
    { monthCents: 9_007_199_254_740_994n },
    'customer_month_cents',
    monthEnd,
  ],
] as const) {
  test(`${limit} is kept to the last unit`, () => {
    const all = { ...none, ...limits }
    assert.equal(limitReached(all, use(fits), 1_000n), undefined)
    assert.deepEqual(limitReached(all, use(over), 1_000n), { limit, freeAt })
  })
}

test('without limits nothing is asked and nothing is reached', () => {
  assert.equal(isLimited(none), false)
  assert.equal(limitReached(none, use({ deposits: 99, dayCents: 9n ** 20n }), 1_000n), undefined)
  assert.equal(isLimited({ ...none, customerMonthCents: 1n }), true)
})

test('of several reached limits open deposits are reported first, then the day, then the month', () => {
  const all = { customerOpenDeposits: 1, customerDayCents: 1n, customerMonthCents: 1n }
  assert.equal(limitReached(all, use({ deposits: 1 }), 5n)!.limit, 'customer_open_deposits')
  assert.equal(limitReached(all, use(), 5n)!.limit, 'customer_day_cents')
})

test('an amount above the limit itself, or one under review, has no time to wait for', () => {
  assert.equal(limitReached({ ...none, customerDayCents: 5n }, use(), 6n)!.freeAt, null)
  const overdue = use({ open: { deposits: 1, firstDeadline: new Date('2026-11-15T09:00:00Z') } })
  assert.equal(limitReached({ ...none, customerOpenDeposits: 1 }, overdue, 6n)!.freeAt, null)
})

test('the use of one group member counts for the next; a deposit does not count against itself', () => {
  const shared = use()
  addUse(shared, 600n)
  const day = { ...none, customerDayCents: 1_000n }
  assert.equal(limitReached(day, shared, 401n)!.limit, 'customer_day_cents')
  assert.equal(limitReached(day, withoutOne(shared, 600n), 600n), undefined)
  assert.equal(shared.open.deposits, 1)
})

test('the refusal names the limit and the time, never the customer', () => {
  const { code, message, details } = limitRefusal({ limit: 'customer_day_cents', freeAt: dayEnd })
  assert.equal(code, 'customer_limit_reached')
  assert.match(message, /bank's day.*2026-11-15T21:00:00\.000Z at the latest/)
  assert.deepEqual(details.more, { limit: 'customer_day_cents', free_at: '2026-11-15T21:00:00.000Z' })
})
