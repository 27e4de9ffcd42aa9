/** Which screen a deposit has at a moment: every state, label and sum, and the instants where one becomes another. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { depositStates, type Label, labels, type Shown } from '../../domain/deposits/deposit.ts'
import { type Screen, type ScreenFacts, screenOf, screens, showsRequisites } from './screen.ts'

const expiresAt = new Date('2026-11-15T09:30:00.000Z')
const lateUntil = new Date('2026-11-15T19:30:00.000Z')
const before = (time: Date) => new Date(time.getTime() - 1)
const after = (time: Date) => new Date(time.getTime() + 1)

const card = { kind: 'card', number: '8600990000000004', name: 'P', bank_name: 'B', seller: 'S' } as Shown
const account = { ...card, kind: 'account_ru' } as Shown
const early = new Date('2026-11-15T09:00:00.000Z')

const open: ScreenFacts = {
  state: 'created',
  shown: card,
  labels: [],
  receivedCents: 0n,
  claimedAt: null,
  expiresAt,
  lateUntil,
}
const builded: ScreenFacts = { ...open, state: 'builded', shown: null }
const claimed: ScreenFacts = { ...open, claimedAt: early }
const part: ScreenFacts = { ...open, receivedCents: 1n, labels: ['underpaid'] }
const partWithReference: ScreenFacts = { ...part, shown: account }
const review: ScreenFacts = { ...part, labels: ['underpaid', 'review'] }

/** Before the deadline, at it, before the end of the grace, at it. */
const moments = [early, before(expiresAt), expiresAt, after(expiresAt), before(lateUntil), lateUntil] as const

/** What these moments show, in words of the table: one column each. */
const rows: [name: string, deposit: ScreenFacts, screens: string][] = [
  ['builded', builded, 'choose choose closed closed closed closed'],
  ['created', open, 'pay pay expired expired expired closed'],
  ['created, claimed', claimed, 'checking checking expired expired expired closed'],
  ['a part', part, 'short short expired expired expired closed'],
  ['a part by reference', partWithReference, 'short short expired expired expired closed'],
  [
    'the same, claimed',
    { ...partWithReference, claimedAt: early },
    'checking checking expired expired expired closed',
  ],
  ['review', review, 'checking checking checking checking checking checking'],
  [
    'review by reference',
    { ...review, shown: account },
    'checking checking checking checking checking checking',
  ],
  [
    'expired, in review',
    { ...review, state: 'expired' },
    'checking checking checking checking checking checking',
  ],
  ['expired', { ...open, state: 'expired' }, 'expired expired expired expired expired closed'],
  ['expired, claimed', { ...claimed, state: 'expired' }, 'expired expired expired expired expired closed'],
  ['expired unchosen', { ...builded, state: 'expired' }, 'closed closed closed closed closed closed'],
]

for (const [name, deposit, expected] of rows) {
  test(`${name}: the deadline itself decides, not the sweep`, () => {
    assert.equal(moments.map((now) => screenOf(deposit, now)).join(' '), expected)
  })
}

const ends: [state: ScreenFacts['state'], Screen][] = [
  ['confirmed', 'success'],
  ['rejected', 'rejected'],
  ['canceled', 'canceled'],
  ['reversed', 'reversed'],
]

/** Every set of labels: they combine freely. */
const labelSets: Label[][] = Array.from({ length: 2 ** labels.length }, (_, bits) =>
  labels.filter((_label, place) => bits & (1 << place)),
)

test('an end stays what it is: at any time, with any labels, sum, claim and requisite', () => {
  for (const [state, expected] of ends)
    for (const set of labelSets)
      for (const shown of [null, card, account])
        for (const receivedCents of [0n, 1n])
          for (const claimedAt of [null, early])
            for (const now of moments)
              assert.equal(
                screenOf({ ...open, state, labels: set, shown, receivedCents, claimedAt }, now),
                expected,
              )
})

test('of the labels only `review` changes the screen; `manual` is never shown', () => {
  for (const deposit of [builded, open, claimed, { ...open, state: 'expired' as const }])
    for (const set of labelSets)
      for (const now of moments)
        assert.equal(
          screenOf({ ...deposit, labels: set }, now),
          set.includes('review') ? 'checking' : screenOf(deposit, now),
        )
})

test('every state has a screen at every moment, and every screen comes from some state', () => {
  const seen = new Set<Screen>()
  for (const state of depositStates)
    for (const deposit of [builded, open, claimed, part, partWithReference, review])
      for (const now of moments) seen.add(screenOf({ ...deposit, state }, now))
  assert.deepEqual([...seen].sort(), [...screens].sort())
})

test('whole numbers are shown on three screens, and never once a person has to decide', () => {
  const shownOf = (deposit: ScreenFacts) => screens.filter((screen) => showsRequisites(deposit, screen))
  assert.deepEqual(shownOf(claimed), ['pay', 'checking', 'short'])
  assert.deepEqual(shownOf(partWithReference), ['pay', 'checking', 'short'])
  assert.deepEqual(shownOf(part), ['pay', 'checking', 'short'])
  assert.ok(!shownOf(review).includes('checking'))
})

test('an extension of the deadline opens the page again', () => {
  const extended = {
    ...claimed,
    expiresAt: new Date(expiresAt.getTime() + 600_000),
    lateUntil: new Date(lateUntil.getTime() + 600_000),
  }
  assert.equal(screenOf(extended, expiresAt), 'checking')
  assert.equal(screenOf(extended, lateUntil), 'expired')
})
