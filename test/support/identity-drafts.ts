/**
 * Rules that look right and are not: each is the right one with one step moved, left out or made finer. The property has to
 * find all of them; a new draft belongs here before it belongs into `identity.ts`.
 */
import {
  judgeBooked,
  judgeEarly,
  type Known,
  type Told,
  type Verdict,
} from '../../src/domain/transfers/identity.ts'
import { possible, type Rule, rightRule } from './payment-book.ts'

type Booked = Parameters<typeof judgeBooked>[0]

const otherPayer = (a: Told, b: Told) => a.taxId !== '' && b.taxId !== '' && a.taxId !== b.taxId
const otherName = (a: Told, b: Told) =>
  a.references.length > 0 &&
  b.references.length > 0 &&
  !a.references.some((name) => b.references.includes(name))

const pairsFirst = (input: Booked): Verdict[] => {
  const paired = judgeBooked({ ...input, untold: [] })
  return paired.map((verdict, index) => {
    const maybe = input.untold.filter((known) => possible(input.rows[index]!, known))
    if (verdict.as === 'paired' || maybe.length === 0) return verdict
    return { as: 'held', with: maybe.map((known) => known.id) }
  })
}

const forgetsClosedDays = (input: Booked): Verdict[] => {
  const isOpen = (known: Known) => !input.isClosed(known.day)
  return judgeBooked({ ...input, early: input.early.filter(isOpen), untold: input.untold.filter(isOpen) })
}

/** A held row is let go if everything that it may be is excused. */
const excusing = (isExcused: (row: Told, known: Known) => boolean): Rule => {
  const judge = (rows: readonly Told[], known: readonly Known[], verdicts: Verdict[]): Verdict[] =>
    verdicts.map((verdict, index) => {
      if (verdict.as !== 'held' || verdict.with.length === 0) return verdict
      const maybe = known.filter((each) => verdict.with.includes(each.id))
      return maybe.every((each) => isExcused(rows[index]!, each)) ? { as: 'new' } : verdict
    })
  return {
    ...rightRule,
    judgeBooked: (input) =>
      judge(input.rows, [...input.early, ...input.untold, ...(input.ofOtherVoice ?? [])], judgeBooked(input)),
    judgeEarly: (input) =>
      judge(
        input.rows,
        [...input.booked, ...(input.untold ?? []), ...(input.ofOtherVoice ?? [])],
        judgeEarly(input),
      ),
  }
}

const earlierDaysFirst = (input: Booked): Verdict[] => {
  const { rows, untold } = input
  const left = new Map([...input.early, ...(input.ofOtherVoice ?? [])].map((known) => [known.id, known]))
  const paired = rows.map((row): Verdict | undefined => {
    if (row.references.length === 0 || untold.some((known) => possible(row, known))) return undefined
    const isTwin = (known: Known) =>
      known.cents === row.cents &&
      known.direction === row.direction &&
      !otherPayer(row, known) &&
      possible(row, known) &&
      [known.references, known.credited].every(
        (names) => names.length === 0 || names.join() === row.references.join(),
      ) &&
      known.references.length + known.credited.length > 0
    const twin = [...left.values()].find((known) => known.day < row.day && !row.isSum && isTwin(known))
    if (!twin) return undefined
    left.delete(twin.id)
    return { as: 'paired', with: twin.id }
  })
  const isLeft = (known: Known) => left.has(known.id)
  const rest = judgeBooked({
    ...input,
    rows: rows.filter((_, index) => !paired[index]),
    early: input.early.filter(isLeft),
    ofOtherVoice: (input.ofOtherVoice ?? []).filter(isLeft),
  })
  return paired.map((verdict) => verdict ?? rest.shift()!)
}

const onlyBooked = (booked: Rule['judgeBooked']): Rule => ({ ...rightRule, judgeBooked: booked })
const onlyEarly = (early: Rule['judgeEarly']): Rule => ({ ...rightRule, judgeEarly: early })

/** `seed`: with it a world is found soon that the draft gets wrong. */
export const wrongDrafts: Record<string, { rule: Rule; seed: number }> = {
  'rows are paired before what this file does not tell is looked at': {
    seed: 3,
    rule: onlyBooked(pairsFirst),
  },
  'missing rows are forgotten once their day is closed': { seed: 1, rule: onlyBooked(forgetsClosedDays) },
  'another payer ends the suspicion': { seed: 3, rule: excusing(otherPayer) },
  'another name ends the suspicion': { seed: 3, rule: excusing(otherName) },
  'an earlier day is paired before the same day': {
    seed: 8,
    rule: { ...onlyBooked(earlierDaysFirst), mindsLaterDays: false },
  },
  'early rows of later days of the same file are ignored': {
    seed: 3,
    rule: excusing((row, known) => !known.isNote && known.day > row.day),
  },
  'a change of voice looks one way': {
    seed: 1,
    rule: onlyBooked((input) =>
      judgeBooked(input.isBeside === undefined ? { ...input, ofOtherVoice: [] } : input),
    ),
  },
  'the day of a note is the day of the payment': {
    seed: 3,
    rule: onlyBooked((input) =>
      judgeBooked({ ...input, early: input.early.map((known) => ({ ...known, isNote: false })) }),
    ),
  },
  'a note and a push are never one payment': {
    seed: 3,
    rule: onlyEarly(({ ofOtherVoice: _, ...input }) => judgeEarly(input)),
  },
  'an early row of a closed day is new': {
    seed: 42,
    rule: onlyEarly((input) => judgeEarly({ ...input, isClosed: () => false })),
  },
  'a snapshot forgets what the last one told': {
    seed: 1,
    rule: onlyEarly(({ untold: _, ...input }) => judgeEarly(input)),
  },
  'a sum is paired like a payment': {
    seed: 7,
    rule: onlyBooked((input) =>
      judgeBooked({ ...input, rows: input.rows.map(({ isSum: _, ...row }) => row) }),
    ),
  },
  'money out is compared with money in': {
    seed: 1,
    rule: onlyBooked((input) =>
      judgeBooked({ ...input, rows: input.rows.map(asCredit), early: input.early.map(asCredit) }),
    ),
  },
}

function asCredit<T extends Told>(told: T): T {
  return { ...told, direction: 'credit' }
}
