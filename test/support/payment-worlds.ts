/**
 * Hostile worlds for the rule of `identity.ts`: a few payments on a few days, and banks that lose pushes, tell them late,
 * move days, keep fees, cut names, word a second export differently, tell in the course of the day, and change their voice.
 */
import fc from 'fast-check'
import { dayAt, faultOf, PaymentBook, type Row, type Rule, type Voice } from './payment-book.ts'

/** Chance per telling is drawn from a noise: none in a world that shrank to 0. */
const noise = fc.nat(0xffff_ffff)
const often = <T>(usual: T, times: number, ...rare: T[]): fc.Arbitrary<T> =>
  fc.constantFrom(...Array<T>(times).fill(usual), ...rare)
/** Tenths of a day. */
const tenths = (most: number) => fc.nat(most)
const inPercent = <T>(share: number, value: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.oneof({ weight: 100 - share, arbitrary: fc.constant(null) }, { weight: share, arbitrary: value })

const payment = fc.record({
  day: fc.nat(2),
  cents: often(1000, 4, 2000, 985),
  /** Its own deposit, one that others may name too, another in each voice, two deposits, or none. */
  names: fc.constantFrom('own', 'own', 'own', 'shared', 'shared', 'shared', 'other', 'two', 'none', 'none'),
  payer: fc.constantFrom('a', 'b', 'c'),
  movedDays: often(0, 3, 1),
  /** The new voice of a change dates it so much later. */
  shiftedDays: often(0, 5, 1, -1),
  hasFee: often(false, 9, true),
  isDebit: often(false, 14, true),
  /** Of lasting or daily ids: from this file on the bank tells another amount. */
  correctedFrom: often<number | null>(null, 29, 1, 2),
  push: inPercent(
    80,
    fc.record({ late: often(4, 7, 14, 24, 34, 44), noise, isRepeated: often(false, 9, true) }),
  ),
  note: inPercent(12, fc.record({ late: tenths(50), noise, shiftedDays: fc.constantFrom(0, 0, 1, -1) })),
})

const file = fc.record({
  late: tenths(20),
  daysBack: often(0, 2, 2),
  noise,
  isReworded: fc.boolean(),
  /** One that tells a part of the day, before the day ends, and that a person takes at once. */
  taken: inPercent(10, noise),
  /** A second export of the same days. */
  again: inPercent(25, fc.record({ late: tenths(20), noise })),
  undone: inPercent(8, tenths(30)),
})

export const worlds = fc.record({
  payments: fc.array(payment, { minLength: 1, maxLength: 5 }),
  files: fc.tuple(file, file, file, file),
  ids: fc.constantFrom('none', 'none', 'none', 'daily', 'lasting'),
  /** Of pushes: the file's, their own, or none. */
  pushIds: fc.constantFrom('none', 'own', 'same'),
  /** Intraday files instead of pushes. */
  snapshots: fc.option(fc.array(fc.record({ at: tenths(39), noise }), { maxLength: 10 }), {
    freq: 2,
    nil: null,
  }),
  bounced: inPercent(10, fc.record({ day: fc.nat(2), isNamed: fc.boolean() })),
  /** The first two payments are booked as one sum. */
  hasSum: often(false, 9, true),
  changeDay: inPercent(25, fc.integer({ min: 1, max: 2 })),
  people: fc.array(tenths(80), { maxLength: 2 }),
  split: inPercent(10, fc.record({ at: tenths(60), which: fc.nat(5) })),
})

export type World = typeof worlds extends fc.Arbitrary<infer W> ? W : never
type Payment = World['payments'][number]

/** Runs a world, and says what is wrong with the sums at its end. */
export function run(
  drawn: World,
  rule: Rule,
  Book = PaymentBook,
): { fault: string | undefined; held: number; told: number } {
  const world = drawn.hasSum ? withSum(drawn) : drawn
  const changeDay = world.changeDay
  const book = new Book(rule, changeDay === null ? undefined : dayAt(changeDay))
  const events: { at: number; act: () => void }[] = []
  const at = (time: number, act: () => void) => events.push({ at: time, act })

  world.payments.forEach((each, index) => {
    if (each.push && !world.snapshots)
      for (const late of each.push.isRepeated && world.pushIds !== 'none' ? [0, 7] : [0])
        at(each.day * 10 + each.push.late + late, () =>
          book.tellEarly([pushRow(world, index, late)], 'early'),
        )
    const { note } = each
    if (note) at(each.day * 10 + note.late, () => book.tellEarly([noteRow(world, index)], 'note'))
  })
  if (world.bounced && !world.snapshots) {
    const { day, isNamed } = world.bounced
    at(day * 10 + 4, () => book.tellEarly([bouncedRow(day, isNamed)], 'early'))
  }
  for (const snapshot of world.snapshots ?? [])
    at(snapshot.at, () => {
      const day = Math.floor(snapshot.at / 10)
      book.tellSnapshot(numbered(snapshotRows(world, day, snapshot.noise)), dayAt(day))
    })

  world.files.forEach((plan, day) => {
    const voice: Voice = changeDay !== null && day >= changeDay ? 'new' : 'old'
    // The new voice's first file overlaps the old one by two days: by one, a day's difference loses payments.
    const from = day === changeDay ? day - 2 : Math.max(0, day - plan.daysBack)
    const hasLastingIds = world.ids === 'lasting'
    const report = (fromDay: number, closesDays: boolean, noise = plan.noise, isTaken = false) => ({
      voice,
      from: dayAt(fromDay),
      to: dayAt(day),
      closesDays,
      rows: numbered(fileRows(world, day, voice, fromDay, noise, isTaken)),
    })
    if (plan.taken !== null)
      at(day * 10 + 6, () => book.tellBooked(report(day, false, plan.taken!, true), hasLastingIds))
    if (plan.again !== null) {
      const again = plan.again
      at((day + 1) * 10 + plan.late + again.late, () =>
        book.tellBooked(report(from, true, again.noise), hasLastingIds),
      )
    }
    at((day + 1) * 10 + plan.late, () => {
      const number = book.tellBooked(report(from, true), hasLastingIds)
      if (plan.undone === null) return
      const undoneAt = (day + 1) * 10 + plan.late + plan.undone
      later.push({
        at: undoneAt,
        act: () => {
          book.undo(number)
          const again = () => book.tellBooked(report(from, true), hasLastingIds)
          later.push({ at: undoneAt + 5, act: again })
        },
      })
    })
  })
  for (const time of world.people) at(time, () => book.settleHeld())
  const { split } = world
  if (split)
    at(split.at, () => {
      const transfer = book.transfers[split.which]
      if (transfer) book.split(transfer, 'X')
    })

  const later: typeof events = []
  while (events.length > 0 || later.length > 0) {
    events.push(...later.splice(0))
    events.sort((a, b) => a.at - b.at)
    events.shift()!.act()
  }
  return { fault: faultOf(book.transfers), held: book.heldRows, told: world.payments.length }
}

/** Two payments that are booked as one sum are booked on one day. */
function withSum(world: World): World {
  const [first, second, ...others] = world.payments
  if (!second) return { ...world, hasSum: false }
  const { day, movedDays, shiftedDays, isDebit } = first!
  return { ...world, payments: [first!, { ...second, day, movedDays, shiftedDays, isDebit }, ...others] }
}

/** The same chance for the same noise and place; never true without noise. */
function chance(of: number, share: number, ...salt: number[]): boolean {
  if (of === 0) return false
  let hash = of
  for (const number of salt) {
    hash = Math.imul(hash ^ (number + 0x9e37_79b9), 0x85eb_ca6b)
    hash ^= hash >>> 13
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0xc2b2_ae35)
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32 < share
}

function referencesOf(payment: Payment, index: number, isEarly: boolean): readonly string[] {
  if (payment.names === 'own') return [`D${index}`]
  if (payment.names === 'shared') return ['X']
  if (payment.names === 'other') return isEarly ? ['X'] : ['Y']
  return payment.names === 'two' ? [`D${index}`, 'X'] : []
}

/** What is left of the names where a text is cut. */
function cut(names: readonly string[], of: number, share: number, salt: number): readonly string[] {
  if (!chance(of, share, salt, 1)) return names
  return names.length > 1 && chance(of, 0.5, salt, 2) ? names.slice(0, 1) : []
}

const payerOf = (payment: Payment, of: number, salt: number): string =>
  chance(of, 0.3, salt, 3) ? '' : payment.payer

/** Where matching by amount may send it: nowhere, to its own deposit, or to another. */
function byAmount(index: number, of: number): string | undefined {
  if (chance(of, 0.4, index, 4)) return
  return chance(of, 0.3, index, 5) ? 'X' : `D${index}`
}

const toldOf = (payment: Payment, day: number, cents: number) => ({
  cents: BigInt(cents),
  direction: payment.isDebit ? ('debit' as const) : ('credit' as const),
  day: dayAt(day),
})

function pushRow(world: World, index: number, late: number): Row {
  const payment = world.payments[index]!
  const of = payment.push!.noise
  const id = world.pushIds === 'same' ? `L${index}` : `P${index}`
  return {
    told: {
      ...toldOf(payment, payment.day, payment.cents),
      references: cut(referencesOf(payment, index, true), of, 0.3, late),
      taxId: payerOf(payment, of, late),
      lastingId: world.pushIds === 'none' ? null : id,
    },
    key: id,
    payments: [index],
    byAmount: byAmount(index, of),
  }
}

function noteRow(world: World, index: number): Row {
  const payment = world.payments[index]!
  const { shiftedDays, noise: of } = payment.note!
  return {
    told: {
      ...toldOf(payment, payment.day + shiftedDays, payment.cents),
      references: cut(referencesOf(payment, index, true), of, 0.3, 0),
      taxId: payerOf(payment, of, 0),
      lastingId: null,
    },
    key: `N${index}`,
    payments: [index],
    byAmount: byAmount(index, of),
  }
}

const bouncedRow = (day: number, isNamed: boolean): Row => ({
  told: {
    cents: 1000n,
    direction: 'credit',
    day: dayAt(day),
    references: isNamed ? ['X'] : [],
    taxId: '',
    lastingId: null,
  },
  key: 'bounced',
  payments: [-1],
  byAmount: undefined,
})

/** Equal rows of a file without ids are told apart by their number. */
function numbered(rows: readonly Row[]): Row[] {
  const seen = new Map<string, number>()
  return rows.map((row) => {
    const number = (seen.get(row.key) ?? 0) + 1
    seen.set(row.key, number)
    return { ...row, key: `${row.key}#${number}` }
  })
}

const textKey = (row: Row['told'], text: string): string =>
  [row.direction, row.day, row.cents, row.references, row.taxId, text].join('|')

function snapshotRows(world: World, day: number, of: number): Row[] {
  return world.payments.flatMap((payment, index) => {
    if (payment.day !== day || chance(of, 0.4, index, 6)) return []
    const told = {
      ...toldOf(payment, day, payment.cents),
      references: cut(referencesOf(payment, index, false), of, 0.2, index),
      taxId: payerOf(payment, of, index),
      lastingId: null,
    }
    const text = chance(of, 0.3, index, 7) ? `w${of % 3}` : 't'
    return [{ told, key: textKey(told, text), payments: [index], byAmount: byAmount(index, of) }]
  })
}

function fileRows(
  world: World,
  file: number,
  voice: Voice,
  from: number,
  of: number,
  isTaken: boolean,
): Row[] {
  const plan = world.files[file]!
  const rows: Row[] = []
  world.payments.forEach((payment, index) => {
    if (world.hasSum && index === 1) return
    const sum = world.hasSum && index === 0 ? world.payments[1] : undefined
    const shifted = Math.min(3, payment.day + payment.movedDays + (voice === 'new' ? payment.shiftedDays : 0))
    // What is told early is told of the day it is booked, or of an earlier one: the other way is a limit of the rule.
    const day = Math.max(shifted, payment.push || world.snapshots ? payment.day : shifted)
    if (day < from || day > file) return
    if (isTaken && chance(of, 0.4, index, 6)) return
    const isCorrected =
      payment.correctedFrom !== null && file >= payment.correctedFrom && world.ids !== 'none'
    const net = payment.hasFee ? Math.round(payment.cents * 0.985) : payment.cents
    const names = [payment, ...(sum ? [sum] : [])].flatMap((each, part) =>
      referencesOf(each, index + part, false),
    )
    const told = {
      ...toldOf(payment, day, (isCorrected ? net + 20 : net) + (sum ? sum.cents : 0)),
      references: [...new Set(cut(names, of, 0.2, index))],
      taxId: payerOf(payment, of, index),
      lastingId: world.ids === 'lasting' ? `L${index}` : null,
      ...(sum && { isSum: true }),
    }
    const text = plan.isReworded && chance(of, 0.3, index, 7) ? `w${of % 3}` : 't'
    const key = {
      none: textKey(told, text),
      daily: `${day}/${index}`,
      lasting: `L${index}`,
    }[world.ids as 'none' | 'daily' | 'lasting']
    rows.push({
      told,
      key,
      payments: sum ? [0, 1] : [index],
      byAmount: byAmount(index, of),
    })
  })
  return rows
}
