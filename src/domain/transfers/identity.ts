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
  /** A day near a change, of the other voice: a row of it is never new. */
  isBeside?: (day: string) => boolean
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
  const { rows, early, untold, ofOtherVoice = [], isBeside = never, from, to, closesDays, hasGap } = input
  const isClosed = (day: string) => input.isClosed(day) || (closesDays && day >= from && day <= to)
  // Another voice may date a payment outside the days that this one covers: its twin is looked for on no other day.
  const ofEarly = new Set(early)
  const canMove = (known: Known) => ofEarly.has(known) && isClosed(known.day)
  const isOpen = (known: Known) => !ofEarly.has(known) || hasGap || known.isNote || known.day <= to
  return judge(rows, {
    ...{ untold, candidates: [...early, ...ofOtherVoice], canMove, step: -1 },
    maybeOf: (free) => {
      const missing = new Missing(free.filter(isOpen))
      return (row) => missing.possibleWith(row)
    },
    isNeverNew: isBeside,
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
  isBeside?: (day: string) => boolean
  isClosed: (day: string) => boolean
  /** The rows are notes by hand. */
  areNotes?: boolean
}

/** Early rows of one report, a push, an intraday file or a note: a verdict for each, in their order. */
export function judgeEarly(input: Early): Verdict[] {
  const { rows, booked, ofOtherVoice = [], untold = [], isClosed, isBeside = never, areNotes = false } = input
  const later = new Set(booked.filter((known) => !areNotes && !known.isNote))
  const canMove = (known: Known) => later.has(known)
  return judge(rows, {
    ...{ untold, candidates: [...booked, ...ofOtherVoice], canMove, step: 1 },
    maybeOf: (free) => {
      const ofLater = new Missing(free.filter(canMove))
      const anyDay = new Missing(free.filter((known) => !canMove(known)))
      return (row) => [...ofLater.possibleWith(row, 0), ...anyDay.possibleWith(row)]
    },
    isNeverNew: (day) => !areNotes && (isClosed(day) || isBeside(day)),
  })
}

const never = () => false

type Judging = {
  untold: readonly Known[]
  /** What a row may be paired with. */
  candidates: readonly Known[]
  /** Whether its twin may stand on another day, if it names the same deposit: earlier (-1) or later (1) than the row. */
  canMove: (known: Known) => boolean
  step: 1 | -1
  /** What a row may be, of the candidates without a twin. */
  maybeOf: (free: readonly Known[]) => (row: Told) => readonly string[]
  isNeverNew: (day: string) => boolean
}

function judge(
  rows: readonly Told[],
  { untold, candidates, canMove, step, maybeOf, isNeverNew }: Judging,
): Verdict[] {
  // A row that may be an untold one in other words takes no twin: that one is another payment's.
  const missing = new Missing(untold)
  const maybeUntold = new Map(rows.map((row) => [row, missing.possibleWith(row)]))
  const others = rows.filter((row) => maybeUntold.get(row)!.length === 0)
  const twins = pair(others, new Shelves(candidates, canMove), step)
  const taken = new Set([...twins.values()].map(({ id }) => id))
  const maybe = maybeOf(candidates.filter(({ id }) => !taken.has(id)))
  return rows.map((row) => {
    const twin = twins.get(row)
    if (twin) return { as: 'paired', with: twin.id }
    const ids = [...maybeUntold.get(row)!, ...maybe(row)].slice(0, mostIdsShown)
    return ids.length > 0 || isNeverNew(row.day) ? { as: 'held', with: ids } : { as: 'new' }
  })
}

/** Whether a row whose key is known is told again; otherwise it is stored apart, and held. */
export const isSamePayment = (row: Told, known: Known): boolean =>
  isSameMoney(row, known) && !namesAnother(row, known) && isNear(row, known)

/**
 * Whether a row may be one of these; any other is new, or what its day makes of it. Coarse on purpose: at most fourteen days apart,
 * and cents within 10 % or one deposit named. Payers, words, numbers and other references are no reason to tell two apart.
 */
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

/** Candidates for pairs, in queues by what has to be equal, so that one amount ten thousand times stays quick. */
class Shelves {
  readonly #queues = new Map<string, Known[]>()
  readonly #taken = new Set<string>()

  constructor(candidates: readonly Known[], canMove: (known: Known) => boolean) {
    // Backwards: the queues are emptied from their ends. Notes come last: their day is a person's.
    const [notes, told] = [
      candidates.filter(({ isNote }) => isNote),
      candidates.filter(({ isNote }) => !isNote),
    ]
    for (const known of [...told, ...notes].reverse()) {
      const [shelf, deposits] = [shelfOf(known, dayNumber(known.day)), depositsOf(known)]
      for (const set of [deposits, any, ...(canMove(known) ? [movedFrom(deposits)] : [])])
        for (const payer of [known.taxId, any]) listIn(this.#queues, `${shelf}|${set}|${payer}`).push(known)
      if (known.lastingId !== null) listIn(this.#queues, `id ${known.lastingId}`).push(known)
    }
  }

  takeById(row: Told): Known | undefined {
    const queue = row.lastingId === null ? undefined : this.#queues.get(`id ${row.lastingId}`)
    return this.#take(queue?.findLast((known) => !this.#taken.has(known.id) && canBeOne(row, known)))
  }

  /** One of these deposits, so many days from the row's; the same payer before one that is not told. */
  take(row: Told, deposits: string, apart = 0): Known | undefined {
    const queue = `${shelfOf(row, dayNumber(row.day) + apart)}|${deposits}`
    if (row.taxId === '') return this.#pop(`${queue}|${any}`)
    return this.#pop(`${queue}|${row.taxId}`) ?? this.#pop(`${queue}|`)
  }

  #pop(queue: string): Known | undefined {
    const waiting = this.#queues.get(queue) ?? []
    let known = waiting.pop()
    while (known && this.#taken.has(known.id)) known = waiting.pop()
    return this.#take(known)
  }

  #take(known: Known | undefined): Known | undefined {
    if (known) this.#taken.add(known.id)
    return known
  }
}

const shelfOf = (told: Told, day: number): string =>
  `${told.direction} ${told.isSum ?? false} ${told.cents} ${day}`

const canBeOne = (row: Told, known: Known): boolean =>
  isSameMoney(row, known) &&
  isNear(row, known) &&
  (row.references.length === 0 || [nobody, setOf(row.references)].includes(depositsOf(known))) &&
  (row.taxId === '' || known.taxId === '' || row.taxId === known.taxId)

/** One to one: all rows by their ids, then by their deposits and day, then by their day, then by their deposits. */
function pair(rows: readonly Told[], shelves: Shelves, step: 1 | -1): Map<Told, Known> {
  const twins = new Map<Told, Known>()
  const pass = (some: readonly Told[], twinOf: (row: Told) => Known | undefined) => {
    for (const row of some) {
      const twin = twins.has(row) ? undefined : twinOf(row)
      if (twin) twins.set(row, twin)
    }
  }
  // Those that name a payer or a deposit have less to choose from.
  const ordered = rows.toSorted((a, b) => Number(a.taxId === '') - Number(b.taxId === ''))
  const named = ordered.filter(({ references }) => references.length > 0)
  pass(ordered, (row) => shelves.takeById(row))
  pass(named, (row) => shelves.take(row, setOf(row.references)))
  pass(named, (row) => shelves.take(row, nobody))
  pass(
    ordered.filter(({ references }) => references.length === 0),
    (row) => shelves.take(row, any),
  )
  pass(named, (row) => {
    const deposits = movedFrom(setOf(row.references))
    let twin: Known | undefined
    for (let apart = 1; apart <= mostDaysApart && !twin; apart++)
      twin = shelves.take(row, deposits, step * apart)
    return twin
  })
  return twins
}

/** What rows may be: found by day and amount, or day and reference, so that nothing is compared with everything. */
class Missing {
  /** By day, and by reference and day; each sorted by amount. */
  readonly #lists = new Map<string, Known[]>()
  readonly #names = new Set<string>()
  readonly #sorted: readonly Known[]

  constructor(missing: readonly Known[]) {
    this.#sorted = missing.toSorted((a, b) => (a.cents < b.cents ? -1 : a.cents > b.cents ? 1 : 0))
    for (const known of this.#sorted)
      for (const name of new Set(['', ...namesOf(known)])) {
        this.#names.add(name)
        listIn(this.#lists, listOf(known, name, dayNumber(known.day))).push(known)
      }
  }

  /** At most 20 ids; `daysBefore`: how many days before the row's own they may stand. */
  possibleWith(row: Told, daysBefore = mostDaysApart): string[] {
    const nearest = within(this.#sorted, (known) => isNearMoney(known.cents, row.cents), row.cents).next()
    if (nearest.done && !row.references.some((name) => this.#names.has(name))) return []
    const ids = new Set<string>()
    for (const known of this.#possibleWith(row, daysBefore)) {
      ids.add(known.id)
      if (ids.size === mostIdsShown) break
    }
    return [...ids]
  }

  /** The same amount first, then the same deposit, then what is left; of each the nearest day first. */
  *#possibleWith(row: Told, daysBefore: number): Generator<Known> {
    const day = dayNumber(row.day)
    const days = [day]
    for (let apart = 1; apart <= mostDaysApart; apart++)
      days.push(...(apart <= daysBefore ? [day - apart] : []), day + apart)
    const listsOf = (name: string) => days.map((one) => this.#lists.get(listOf(row, name, one)) ?? [])
    const ofDays = listsOf('')
    for (const list of ofDays) yield* within(list, (known) => known.cents === row.cents, row.cents)
    for (const list of row.references.flatMap(listsOf)) yield* list
    for (const list of ofDays) yield* within(list, (known) => isNearMoney(known.cents, row.cents), row.cents)
  }
}

const listOf = ({ direction }: Told, name: string, day: number): string => `${direction} ${name} ${day}`

/** Those of a list sorted by amount for which this is true: they stand together, about this amount. */
function* within(sorted: readonly Known[], isIn: (known: Known) => boolean, cents: Cents): Generator<Known> {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const known = sorted[middle]!
    if (known.cents < cents && !isIn(known)) low = middle + 1
    else high = middle
  }
  for (let at = low; at < sorted.length && isIn(sorted[at]!); at++) yield sorted[at]!
}

function listIn<T>(lists: Map<string, T[]>, key: string): T[] {
  const list = lists.get(key) ?? []
  if (list.length === 0) lists.set(key, list)
  return list
}
