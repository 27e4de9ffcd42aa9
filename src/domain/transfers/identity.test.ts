/**
 * Whatever is not held is credited: then no payment may be counted twice, and none be lost. `npm run test:worlds` looks at
 * more worlds than anybody waits for, and prints what the rule costs people.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { wrongDrafts } from '../../../test/support/identity-drafts.ts'
import { type Rule, rightRule } from '../../../test/support/payment-book.ts'
import { accounts, priceOf } from '../../../test/support/payment-price.ts'
import { run, worlds } from '../../../test/support/payment-worlds.ts'
import { randomFrom } from '../sandbox/busy/busy-plan.ts'
import { isSamePayment, judgeBooked, judgeEarly, type Known, mayConcern, type Told } from './identity.ts'

const asked = process.env.INLET_WORLDS
const count = Number(asked ?? 3000)

const sumsAreRight = (rule: Rule) => fc.property(worlds, (world) => run(world, rule).fault === undefined)

test('in hostile worlds no payment is counted twice and none is lost', { timeout: 3_600_000 }, () => {
  fc.assert(sumsAreRight(rightRule), { numRuns: count })
})

for (const [name, { rule, seed }] of Object.entries(wrongDrafts))
  test(`a wrong draft is found: ${name}`, () => {
    const options = { seed, numRuns: 2_000, endOnFailure: true }
    assert.ok(fc.check(sumsAreRight(rule), options).failed, 'find another seed if the worlds were changed')
  })

for (const { account, mostHeld, leastHeld } of accounts)
  test(`${account.name}: ${leastHeld} to ${mostHeld} rows of a hundred wait for a person`, (t) => {
    const { held, acts, actsADay, left, fault } = priceOf(
      account,
      asked ? 28 : 14,
      randomFrom(20_261_117).next,
    )
    const words = [`held ${held.toFixed(2)}`, `acts ${acts.toFixed(2)} of 100 payments`]
    t.diagnostic([account.name, ...words, `${actsADay.toFixed(2)} acts a day`, `${left} left`].join(', '))
    assert.equal(fault, undefined)
    assert.ok(held >= leastHeld && held <= mostHeld, `${held}`)
    assert.ok(actsADay <= 1)
  })

const day = (number: number) => `2026-03-${String(number).padStart(2, '0')}`
const told = (some: Partial<Told> = {}): Told => ({
  cents: 1000n,
  direction: 'credit',
  day: day(2),
  references: [],
  taxId: '',
  lastingId: null,
  ...some,
})
const known = (id: string, some: Partial<Known> = {}): Known => ({
  ...told(),
  id,
  credited: [],
  isNote: false,
  ...some,
})
const file = { untold: [], from: day(2), to: day(2), isClosed: () => false, closesDays: true, hasGap: false }
const A = ['KT10000001']
const B = ['KT10000002']

test('two reports may be one payment', () => {
  const rows: [Partial<Told>, boolean][] = [
    [{}, true],
    [{ day: day(16) }, true],
    [{ day: day(17) }, false],
    [{ cents: 900n }, true],
    [{ cents: 899n }, false],
    [{ cents: 1111n }, true],
    [{ cents: 1112n }, false],
    [{ cents: 1n, references: A }, true],
    [{ cents: 1n, references: B }, false],
    [{ references: B }, true],
    [{ direction: 'debit' }, false],
  ]
  for (const [some, expected] of rows)
    assert.equal(mayConcern([known('a', { references: A })])(told(some)), expected)
})

test('a known key is the same payment', () => {
  const rows: [Partial<Told>, Partial<Known>, boolean][] = [
    [{}, {}, true],
    [{ cents: 1001n }, {}, false],
    [{ day: day(17) }, {}, false],
    [{ direction: 'debit' }, {}, false],
    [{ references: A }, {}, true],
    [{ references: A }, { references: B }, false],
    [{ references: A }, { credited: B }, false],
    [{ references: A }, { references: A, credited: B }, true],
    [{ references: B }, { references: A, credited: B }, true],
  ]
  for (const [row, other, expected] of rows)
    assert.equal(isSamePayment(told(row), known('t', other)), expected)
})

test('a booked row and one early row', () => {
  const rows: [Partial<Told>, Partial<Known>, 'new' | 'paired' | 'held'][] = [
    [{}, {}, 'paired'],
    [{}, { cents: 2000n }, 'new'],
    [{}, { cents: 1001n }, 'held'],
    [{ taxId: '1' }, { taxId: '2' }, 'held'],
    [{ taxId: '1' }, {}, 'paired'],
    [{ references: A }, { references: B }, 'held'],
    [{ references: A }, { credited: B }, 'held'],
    [{ references: A }, { references: A, credited: B }, 'held'],
    [{ references: A }, { references: A, credited: [...A, ...B] }, 'held'],
    [{ references: [...B, ...A] }, { credited: [...A, ...B] }, 'paired'],
    [{ references: A }, { references: A, day: day(1) }, 'held'],
    [{ lastingId: '1' }, { lastingId: '1', day: day(1) }, 'paired'],
    [{ lastingId: '1' }, { lastingId: '1', day: day(1), cents: 1001n }, 'held'],
    [{}, { day: day(3) }, 'new'],
    [{}, { day: day(3), isNote: true }, 'held'],
    [{ isSum: true }, {}, 'held'],
    [{ direction: 'debit' }, {}, 'new'],
  ]
  for (const [row, early, expected] of rows) {
    const [verdict] = judgeBooked({ ...file, rows: [told(row)], early: [known('e', early)] })
    assert.equal(
      verdict!.as,
      expected,
      JSON.stringify([row, early], (_, value) => `${value}`),
    )
  }
  const earlier = [known('e', { references: A, day: day(1) })]
  const [paired] = judgeBooked({
    ...file,
    isClosed: () => true,
    rows: [told({ references: A })],
    early: earlier,
  })
  assert.deepEqual(paired, { as: 'paired', with: 'e' })
})

test('a large file of one amount is judged in a moment', () => {
  const rows = Array.from({ length: 20_000 }, (_, index) =>
    told({ taxId: `${index % 2000}`, day: day(2 + (index % 5)) }),
  )
  const early = Array.from({ length: 4_000 }, (_, index) =>
    known(`${index}`, {
      taxId: `${index}`,
      references: index % 2 ? [`KT${index}`] : [],
      day: day(1 + (index % 7)),
    }),
  )
  const started = performance.now()
  const verdicts = judgeBooked({ ...file, to: day(6), rows, early })
  judgeEarly({ rows, booked: early, isClosed: () => false })
  const seconds = (performance.now() - started) / 1000
  assert.ok(verdicts.some((verdict) => verdict.as === 'paired'))
  assert.ok(verdicts.some((verdict) => verdict.as === 'held'))
  assert.ok(seconds < 10, `${seconds} s`)
})
