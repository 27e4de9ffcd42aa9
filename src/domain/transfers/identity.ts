/**
 * Is a payment that a report tells one that another report told? Pure: the caller finds the keys that are known and what is
 * missing; here rows are paired one to one, or held for a person. The order of the steps and the coarse `possible` carry
 * the proof: each one that was finer, or stood elsewhere, counted money twice or lost it. `identity.test.ts` keeps those.
 */
import type { Cents } from '../money.ts'

/** A payment as a report tells it. */
export type Told = {
  cents: Cents
  direction: 'credit' | 'debit'
  /** The bank's booking day. */
  day: string
  /** Valid references written in it, of any deposit. */
  references: readonly string[]
  /** Empty where none is valid. */
  taxId: string
  /** The bank's id, where the voice has lasting ids. */
  lastingId: string | null
  /** The bank states that it is one sum for several payments: it can be none of them. */
  isSum?: boolean
}

/** A stored transfer. */
export type Known = Told & {
  id: string
  /** References of the deposits that have its money. */
  credited: readonly string[]
  /** A person noted it by hand, and no bank told it early: the day of the note was the person's. */
  isNote: boolean
}

export type Verdict =
  | { as: 'new' }
  | { as: 'paired'; with: string }
  /** What it may be: the likeliest first. */
  | { as: 'held'; with: readonly string[] }

const mostDaysApart = 14
export const mostIdsShown = 20

type Booked = {
  rows: readonly Told[]
  /** (a): early rows without a booked twin. */
  early: readonly Known[]
  /** (b): booked rows of the covered days that this file does not tell; empty for lasting ids. */
  untold: readonly Known[]
  /** Around a change of voice: what the other voice booked and this one has not told. */
  ofOtherVoice?: readonly Known[]
  /** The first day of this voice, after a change: rows before it are never new. */
  firstDay?: string
  from: string
  to: string
  /** Closed before this file. */
  isClosed: (day: string) => boolean
  closesDays: boolean
  /** Of this voice an earlier day, of the last 14, is open and not in this file, or a later one was told already. */
  hasGap: boolean
}

/** Booked rows of one file and one account which no key knows: a verdict for each, in their order. */
export function judgeBooked(input: Booked): Verdict[] {
  const { rows, early, from, to, firstDay, closesDays, hasGap } = input
  const otherVoice = input.ofOtherVoice ?? []
  const isClosed = (day: string) => input.isClosed(day) || (closesDays && day >= from && day <= to)

  // A row that may be one of (b) in other words takes no early row: that one is another payment's.
  const untold = new Missing(input.untold)
  const maybeUntold = rows.map((row) => untold.possibleWith(row))
  const others = rows.filter((_, index) => maybeUntold[index]!.length === 0)

  // Another voice may date a payment outside the days that this one covers: its twin is looked for on no other day.
  const ofEarly = new Set(early)
  const canMove = (known: Known) => ofEarly.has(known) && isClosed(known.day)
  const twins = pair(others, new Shelves([...early, ...otherVoice], canMove), -1)
  const taken = new Set([...twins.values()].map((known) => known.id))
  const missing = new Missing([
    ...early.filter((known) => !taken.has(known.id) && (hasGap || known.isNote || known.day <= to)),
    ...otherVoice.filter((known) => !taken.has(known.id)),
  ])
  return rows.map((row, index) => {
    const twin = twins.get(row)
    if (twin) return { as: 'paired', with: twin.id }
    const maybe = [...maybeUntold[index]!, ...missing.possibleWith(row)].slice(0, mostIdsShown)
    const isBeforeVoice = firstDay !== undefined && row.day < firstDay
    return maybe.length > 0 || isBeforeVoice ? { as: 'held', with: maybe } : { as: 'new' }
  })
}

type Early = {
  rows: readonly Told[]
  /** Booked rows without an early twin, of the rows' days or later. */
  booked: readonly Known[]
  /** What another voice told early and this one has not: notes for a push, everything for a note. */
  ofOtherVoice?: readonly Known[]
  /** Rows of the source's earlier snapshots of the day that this one does not tell. */
  untold?: readonly Known[]
  isClosed: (day: string) => boolean
  /** The rows are notes by hand. */
  areNotes?: boolean
}

/** Early rows of one report, a push, an intraday file or a note: a verdict for each, in their order. */
export function judgeEarly(input: Early): Verdict[] {
  const { rows, booked, isClosed, areNotes = false } = input
  const anyDay = [...(input.ofOtherVoice ?? []), ...booked.filter((known) => areNotes || known.isNote)]
  const later = areNotes ? [] : booked.filter((known) => !known.isNote)

  const untold = new Missing(input.untold ?? [])
  const maybeUntold = rows.map((row) => untold.possibleWith(row))
  const others = rows.filter((_, index) => maybeUntold[index]!.length === 0)

  const ofLater = new Set(later)
  const twins = pair(others, new Shelves([...later, ...anyDay], (known) => ofLater.has(known)), 1)
  const taken = new Set([...twins.values()].map((known) => known.id))
  const isFree = (known: Known) => !taken.has(known.id)
  const missingLater = new Missing(later.filter(isFree))
  const missing = new Missing(anyDay.filter(isFree))
  return rows.map((row, index) => {
    const twin = twins.get(row)
    if (twin) return { as: 'paired', with: twin.id }
    const maybe = [
      ...maybeUntold[index]!,
      ...missingLater.possibleWith(row, 0),
      ...missing.possibleWith(row),
    ].slice(0, mostIdsShown)
    return maybe.length > 0 || (!areNotes && isClosed(row.day)) ? { as: 'held', with: maybe } : { as: 'new' }
  })
}

/** Whether a row whose key is known is told again; otherwise it is stored apart, and held. */
export const isSamePayment = (row: Told, known: Known): boolean =>
  isSameMoney(row, known) && !namesAnother(row, known) && isNear(row, known)

/** Coarse on purpose: payers, words, numbers and other references are no reason to tell two payments apart. */
export const possible = (a: Told, b: Told): boolean =>
  a.direction === b.direction &&
  isNear(a, b) &&
  (isNearMoney(a.cents, b.cents) || namesOf(a).some((name) => namesOf(b).includes(name)))

/** Whether a row has to be judged beside these: any other is new, or what its day makes of it. */
export function mayConcern(known: readonly Known[]): (row: Told) => boolean {
  const missing = new Missing(known)
  return (row) => missing.possibleWith(row).length > 0
}

const dayNumber = (day: string): number => Date.parse(day) / 86_400_000
const isNear = (a: Told, b: Told): boolean => Math.abs(dayNumber(a.day) - dayNumber(b.day)) <= mostDaysApart

/** Within 10 %, which is the largest fee that a bank is thought to keep. */
const isNearMoney = (a: Cents, b: Cents): boolean => 10n * a >= 9n * b && 10n * b >= 9n * a

const isSameMoney = (a: Told, b: Told): boolean =>
  a.cents === b.cents && a.direction === b.direction && (a.isSum ?? false) === (b.isSum ?? false)

const creditedOf = (told: Told | Known): readonly string[] => ('credited' in told ? told.credited : [])
const namesOf = (told: Told | Known): readonly string[] => [...told.references, ...creditedOf(told)]

const nobody = ''
const several = '!'
const any = '*'
const movedFrom = (deposits: string): string => `>${deposits}`
const setOf = (references: readonly string[]): string => [...new Set(references)].sort().join(' ')

/** Told again by the same key: where a person gave the money to another deposit than the one named, both are its own. */
function namesAnother(row: Told, known: Known): boolean {
  const own = [setOf(known.references), setOf(known.credited)].filter((set) => set !== nobody)
  return row.references.length > 0 && own.length > 0 && !own.includes(setOf(row.references))
}

/** The deposits that a row must name, if it names any, to be paired with this: all of a split, none if they disagree. */
function depositsOf(known: Known): string {
  const [told, credited] = [setOf(known.references), setOf(known.credited)]
  if (told === nobody || credited === nobody) return told + credited
  return told === credited ? told : several
}

type Evidence = { isNote: boolean; isSurePayer: boolean }

/** The better first: the day of a note is a person's, and a payer that one report leaves out may be any. */
const evidences: readonly Evidence[] = [
  { isNote: false, isSurePayer: true },
  { isNote: false, isSurePayer: false },
  { isNote: true, isSurePayer: true },
  { isNote: true, isSurePayer: false },
]

/** Candidates for pairs, in queues by what has to be equal, so that one amount ten thousand times stays quick. */
class Shelves {
  #queues = new Map<string, Known[]>()
  #amounts = new Set<Cents>()
  #moved = new Set<string>()
  #taken = new Set<string>()

  /** `canMove`: whether its twin may stand on another day, if it names the same deposit. */
  constructor(candidates: readonly Known[], canMove: (known: Known) => boolean) {
    // Backwards: the queues are emptied from their ends.
    for (const known of candidates.toReversed()) {
      this.#amounts.add(known.cents)
      if (canMove(known)) this.#moved.add(`${known.cents} ${depositsOf(known)}`)
      const [shelf, deposits] = [shelfOf(known, dayNumber(known.day), known.isNote), depositsOf(known)]
      for (const set of [deposits, any, ...(canMove(known) ? [movedFrom(deposits)] : [])])
        for (const payer of [known.taxId, any]) this.#put(`${shelf}|${set}|${payer}`, known)
      if (known.lastingId !== null) this.#put(`id ${known.lastingId}`, known)
    }
  }

  #put(queue: string, known: Known): void {
    entry(this.#queues, queue).push(known)
  }

  /** Quick answers for most rows of a file. */
  mayHave = (row: Told): boolean => this.#amounts.has(row.cents)
  mayHaveMoved = (row: Told): boolean => this.#moved.has(`${row.cents} ${setOf(row.references)}`)

  takeById(row: Told): Known | undefined {
    const queue = row.lastingId === null ? undefined : this.#queues.get(`id ${row.lastingId}`)
    const known = queue?.findLast((other) => !this.#taken.has(other.id) && canBeOne(row, other))
    if (known) this.#taken.add(known.id)
    return known
  }

  /** One of this day and these deposits. */
  take(row: Told, day: number, deposits: string, { isNote, isSurePayer }: Evidence): Known | undefined {
    const queue = `${shelfOf(row, day, isNote)}|${deposits}`
    if (isSurePayer) return row.taxId === '' ? undefined : this.#pop(`${queue}|${row.taxId}`)
    if (row.taxId === '') return this.#pop(`${queue}|${any}`)
    return this.#pop(`${queue}|${row.taxId}`) ?? this.#pop(`${queue}|`)
  }

  #pop(queue: string): Known | undefined {
    const waiting = this.#queues.get(queue) ?? []
    let known = waiting.pop()
    while (known && this.#taken.has(known.id)) known = waiting.pop()
    if (known) this.#taken.add(known.id)
    return known
  }
}

const shelfOf = (told: Told, day: number, isNote: boolean): string =>
  `${told.direction} ${told.isSum ?? false} ${isNote} ${told.cents} ${day}`

const canBeOne = (row: Told, known: Known): boolean =>
  isSameMoney(row, known) &&
  isNear(row, known) &&
  (row.references.length === 0 || [nobody, setOf(row.references)].includes(depositsOf(known))) &&
  (row.taxId === '' || known.taxId === '' || row.taxId === known.taxId)

/** `step`: where the days lie on which the twin of a row that names a deposit may stand. */
function pair(rows: readonly Told[], shelves: Shelves, step: 1 | -1): Map<Told, Known> {
  const twins = new Map<Told, Known>()
  let left = rows.filter(shelves.mayHave)
  const days = new Map(left.map((row) => [row, dayNumber(row.day)]))
  const pass = (twinOf: (row: Told) => Known | undefined) => {
    left = left.filter((row) => {
      const twin = twinOf(row)
      if (twin) twins.set(row, twin)
      return !twin
    })
  }
  const passes = (
    isAsked: (row: Told) => boolean,
    twinOf: (row: Told, evidence: Evidence) => Known | undefined,
  ) => {
    for (const evidence of evidences) pass((row) => (isAsked(row) ? twinOf(row, evidence) : undefined))
  }
  const isNamed = (row: Told) => row.references.length > 0
  const sameDay = (deposits: (row: Told) => string) => (row: Told, evidence: Evidence) =>
    shelves.take(row, days.get(row)!, deposits(row), evidence)

  pass((row) => shelves.takeById(row))
  passes(
    isNamed,
    sameDay((row) => setOf(row.references)),
  )
  // Those that name a deposit have less to choose from.
  passes(
    isNamed,
    sameDay(() => nobody),
  )
  passes(
    (row) => !isNamed(row),
    sameDay(() => any),
  )
  const mayHaveMoved = (row: Told) => isNamed(row) && shelves.mayHaveMoved(row)
  passes(mayHaveMoved, (row, evidence) => {
    const deposits = movedFrom(setOf(row.references))
    for (let apart = 1; apart <= mostDaysApart; apart++) {
      const twin = shelves.take(row, days.get(row)! + step * apart, deposits, evidence)
      if (twin) return twin
    }
    return
  })
  return twins
}

/** What rows may be: found by day and amount, or day and reference, so that nothing is compared with everything. */
class Missing {
  /** Sorted by amount. */
  #byDay = { credit: new Map<number, Known[]>(), debit: new Map<number, Known[]>() }
  #byName = new Map<string, Map<number, Known[]>>()
  #amounts: Cents[]

  constructor(missing: readonly Known[]) {
    const sorted = missing.toSorted((a, b) => (a.cents < b.cents ? -1 : a.cents > b.cents ? 1 : 0))
    this.#amounts = sorted.map((known) => known.cents)
    for (const known of sorted) {
      const day = dayNumber(known.day)
      entry(this.#byDay[known.direction], day).push(known)
      for (const name of new Set(namesOf(known))) {
        const days = this.#byName.get(nameOf(known, name)) ?? new Map<number, Known[]>()
        this.#byName.set(nameOf(known, name), days)
        entry(days, day).push(known)
      }
    }
  }

  /** At most 20 ids; `daysBefore`: how many days before the row's own they may stand. */
  possibleWith(row: Told, daysBefore = mostDaysApart): string[] {
    if (!this.#isAnyNear(row)) return []
    const ids = new Set<string>()
    for (const known of this.#possibleWith(row, daysBefore)) {
      ids.add(known.id)
      if (ids.size === mostIdsShown) break
    }
    return [...ids]
  }

  #isAnyNear(row: Told): boolean {
    const nearest =
      this.#amounts[firstAt(this.#amounts.length, (at) => isNotBelow(this.#amounts[at]!, row.cents))]
    if (nearest !== undefined && isNearMoney(nearest, row.cents)) return true
    return row.references.some((name) => this.#byName.has(nameOf(row, name)))
  }

  /** The same amount first, then the same deposit, then what is left; of each the nearest day first. */
  *#possibleWith(row: Told, daysBefore: number): Generator<Known> {
    const day = dayNumber(row.day)
    const ofDay: (readonly Known[])[] = []
    const named = row.references.flatMap((name) => this.#byName.get(nameOf(row, name)) ?? [])
    const ofNames: (readonly Known[])[] = []
    for (let apart = 0; apart <= mostDaysApart; apart++)
      for (const step of apart > 0 && apart <= daysBefore ? [-apart, apart] : [apart]) {
        ofDay.push(this.#byDay[row.direction].get(day + step) ?? [])
        for (const days of named) ofNames.push(days.get(day + step) ?? [])
      }
    for (const sorted of ofDay)
      yield* run(
        sorted,
        (known) => known.cents >= row.cents,
        (known) => known.cents === row.cents,
      )
    for (const list of ofNames) yield* list
    for (const sorted of ofDay)
      yield* run(
        sorted,
        (known) => isNotBelow(known.cents, row.cents),
        (known) => isNearMoney(known.cents, row.cents),
      )
  }
}

const nameOf = (told: Told, name: string): string => `${told.direction} ${name}`

const isNotBelow = (cents: Cents, than: Cents): boolean => 10n * cents >= 9n * than

function* run<T>(
  sorted: readonly T[],
  isFrom: (item: T) => boolean,
  isIn: (item: T) => boolean,
): Generator<T> {
  for (let at = firstAt(sorted.length, (index) => isFrom(sorted[index]!)); at < sorted.length; at++) {
    if (!isIn(sorted[at]!)) return
    yield sorted[at]!
  }
}

/** The first index from which on `isFrom` is true. */
function firstAt(length: number, isFrom: (index: number) => boolean): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isFrom(middle)) high = middle
    else low = middle + 1
  }
  return low
}

function entry<Key, T>(lists: Map<Key, T[]>, key: Key): T[] {
  const list = lists.get(key) ?? []
  if (list.length === 0) lists.set(key, list)
  return list
}
