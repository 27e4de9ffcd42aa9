/**
 * A book of one account in memory, which asks the rule of `identity.ts` as the engine does: it keeps keys, twins and closed
 * days, credits everything that is not held, and knows the truth, so that it can be asked whether the sums are right.
 */
import assert from 'node:assert/strict'
import {
  isSamePayment,
  judgeBooked,
  judgeEarly,
  type Known,
  mayConcern,
  type Told,
  type Verdict,
} from '../../src/domain/transfers/identity.ts'

/** As the rule has it; of a transfer the deposits that have its money are names too. */
export const possible = (row: Told | Known, known: Known): boolean => {
  const credited = 'credited' in row ? row.credited : []
  return mayConcern([known])({ ...row, references: [...row.references, ...credited] })
}

export type Rule = {
  judgeBooked: typeof judgeBooked
  judgeEarly: typeof judgeEarly
  /** A later day that was told already is a gap too: the file comes out of order. */
  mindsLaterDays: boolean
}
export const rightRule: Rule = { judgeBooked, judgeEarly, mindsLaterDays: true }

/** `early`: a push or an intraday file. `old` and `new` are the booked voices before and after a change. */
const voices = ['early', 'note', 'old', 'new'] as const
export type Voice = (typeof voices)[number]
export type Row = {
  told: Told
  key: string
  /** The truth: which payments this is, several for a sum. A negative one never reaches the account. */
  payments: readonly number[]
  /** The deposit that matching by amount would choose, where it names none. */
  byAmount: string | undefined
}
export type Report = { voice: Voice; from: string; to: string; closesDays: boolean; rows: readonly Row[] }

export type Telling = Row & { voice: Voice; report: number }
export type Transfer = {
  id: string
  tellings: Telling[]
  isHeld: boolean
  maybe: readonly string[]
  credited: readonly string[]
  /** How many reports had come when it was credited. */
  creditedAt: number
}

const days = Array.from({ length: 90 }, (_, index) =>
  new Date(Date.UTC(2026, 1, 1 + index)).toISOString().slice(0, 10),
)
/** Day 0 is the first of March 2026. */
export const dayAt = (number: number): string => days[28 + number]!
export const dayNumber = (day: string): number => (Date.parse(day) - Date.UTC(2026, 2, 1)) / 86_400_000

const isBooked = (voice: Voice): boolean => voice === 'old' || voice === 'new'
const roleOf = (voice: Voice): string => (isBooked(voice) ? 'booked' : voice)

export class PaymentBook {
  transfers: Transfer[] = []
  heldRows = 0
  #rule: Rule
  #changeDay: string | undefined
  #closed = new Map<number, { voice: Voice; from: string; to: string }>()
  #reports = 0
  #ids = 0

  /** `changeDay`: the first day of the new booked voice. */
  constructor(rule: Rule, changeDay?: string) {
    this.#rule = rule
    this.#changeDay = changeDay
  }

  /** A push or a note, of one row or several. */
  tellEarly(rows: readonly Row[], voice: 'early' | 'note'): void {
    this.#reports++
    const fresh = this.#withoutKnown(rows, voice)
    const candidates = this.#known((transfer) => !tells(transfer, voice))
    const isBookedToo = ({ id }: Known) => tells(this.#transfer(id), 'old', 'new')
    this.#keep(
      fresh,
      voice,
      this.#rule.judgeEarly({
        rows: fresh.map((row) => row.told),
        booked: candidates.filter(isBookedToo),
        ofOtherVoice: candidates.filter((known) => !isBookedToo(known)),
        isClosed: (day) => this.#isClosed(day),
        areNotes: voice === 'note',
      }),
    )
  }

  /** An intraday file: everything that its source knows of a day so far. */
  tellSnapshot(rows: readonly Row[], day: string): void {
    this.#reports++
    const fresh = this.#withoutKnown(rows, 'early')
    const isHere = (transfer: Transfer) =>
      transfer.tellings.some((telling) => telling.report === this.#reports)
    const isOfDay = (transfer: Transfer) =>
      transfer.tellings.some((telling) => telling.voice === 'early' && telling.told.day === day)
    const candidates = this.#known((transfer) => !tells(transfer, 'early'))
    const isBookedToo = ({ id }: Known) => tells(this.#transfer(id), 'old', 'new')
    this.#keep(
      fresh,
      'early',
      this.#rule.judgeEarly({
        rows: fresh.map((row) => row.told),
        booked: candidates.filter(isBookedToo),
        ofOtherVoice: candidates.filter((known) => !isBookedToo(known)),
        untold: this.#known((transfer) => isOfDay(transfer) && !isHere(transfer)),
        isClosed: (of) => this.#isClosed(of),
      }),
    )
  }

  /** A statement. Returns its number, by which it can be undone. */
  tellBooked({ voice, from, to, closesDays, rows }: Report, hasLastingIds: boolean): number {
    const report = ++this.#reports
    const fresh = this.#withoutKnown(rows, voice)
    const isHere = (transfer: Transfer) => transfer.tellings.some((telling) => telling.report === report)
    const isUntold = (transfer: Transfer) => {
      if (!tells(transfer, voice) || isHere(transfer)) return false
      const { day } = knownOf(transfer, voice)
      return (day >= from && day <= to) || !this.#isFinal(transfer)
    }
    this.#keep(
      fresh,
      voice,
      this.#rule.judgeBooked({
        rows: fresh.map((row) => row.told),
        early: this.#known((transfer) => !tells(transfer, 'old', 'new')),
        untold: hasLastingIds ? [] : this.#known(isUntold, voice),
        ofOtherVoice: this.#known(
          (transfer) =>
            tells(transfer, 'old', 'new') && !tells(transfer, voice) && this.#isNearChange(transfer),
        ),
        ...(voice === 'new' && { isBeside: (day: string) => day < this.#changeDay! }),
        from,
        to,
        isClosed: (day) => this.#isClosed(day),
        closesDays,
        hasGap: this.#hasGap(voice, from, to),
      }),
    )
    if (closesDays) this.#closed.set(report, { voice, from, to })
    return report
  }

  /**
   * What no report tells any more is revoked. What was credited before the file came stays so. What was credited since is
   * held where the file had its part in that: it told it, or it took from it what it may be.
   */
  undo(report: number): void {
    this.#closed.delete(report)
    const freed = this.transfers.filter((transfer) =>
      transfer.tellings.some((telling) => telling.report === report),
    )
    const maybe = new Set(freed.map((transfer) => transfer.id))
    for (const transfer of freed)
      transfer.tellings = transfer.tellings.filter((telling) => telling.report !== report)
    this.transfers = this.transfers.filter((transfer) => transfer.tellings.length > 0)
    const missing = freed
      .filter((transfer) => transfer.tellings.length > 0)
      .map((transfer) => knownOf(transfer))
    for (const transfer of this.transfers) {
      const isSuspect =
        [transfer.id, ...transfer.maybe].some((id) => maybe.has(id)) ||
        (isBooked(transfer.tellings[0]!.voice) && missing.some((known) => possible(knownOf(transfer), known)))
      if (transfer.creditedAt >= report && isSuspect) this.#hold(transfer)
    }
  }

  /** A person gives a credited transfer to two deposits. */
  split(transfer: Transfer, other: string): void {
    if (transfer.credited.length === 1 && transfer.credited[0] !== other)
      transfer.credited = [...transfer.credited, other]
  }

  /**
   * A person who looks at held rows: the same payment as another, or else one of its own. What cannot be decided without
   * taking two others apart stays held. Rows that still wait make no room: the payments that they tell may be counted later.
   */
  settleHeld(): void {
    for (const transfer of this.transfers.filter((each) => each.isHeld)) {
      const candidates = transfer.maybe.flatMap((id) => this.transfers.find((each) => each.id === id) ?? [])
      const same = candidates.find((each) => isSame(transfer, each))
      if (same) {
        same.tellings.push(...transfer.tellings)
        this.transfers = this.transfers.filter((each) => each !== transfer)
      } else if (!this.transfers.some((each) => each !== transfer && isToldTwice(transfer, each))) {
        this.#credit(transfer)
        const counted = this.transfers.filter((each) => !each.isHeld)
        const isWrong = [this.transfers, counted].some((some) => isCountedTwice(some, transfer))
        if (isWrong || this.#hasRowTwice(transfer)) this.#hold(transfer)
      }
    }
  }

  /** One act for a day: held rows are the early rows of their amounts, one to one. */
  pairHeld(): void {
    for (const transfer of this.transfers.filter((each) => each.isHeld)) {
      const { cents } = transfer.tellings[0]!.told
      const same = this.transfers.find(
        (each) =>
          transfer.maybe.includes(each.id) &&
          !tells(each, 'old', 'new') &&
          each.tellings[0]!.told.cents === cents,
      )
      if (!same) continue
      same.tellings.push(...transfer.tellings)
      this.transfers = this.transfers.filter((each) => each !== transfer)
    }
  }

  /** A voice counts more payments here than it tells: a sum that a person compares with the statement. */
  #hasRowTwice(transfer: Transfer): boolean {
    const { transfers } = componentOf(this.transfers, transfer)
    return voices.some((voice) => {
      const counted = transfers.filter((each) => !each.isHeld && tells(each, voice))
      const told = transfers.flatMap((each) => each.tellings.filter((telling) => telling.voice === voice))
      return counted.length > new Set(told.flatMap((telling) => telling.payments)).size
    })
  }

  #keep(rows: readonly Row[], voice: Voice, verdicts: readonly Verdict[]): void {
    assert.equal(verdicts.length, rows.length)
    rows.forEach((row, index) => {
      const verdict = verdicts[index]!
      const telling = { ...row, voice, report: this.#reports }
      if (verdict.as === 'paired') {
        const twin = this.#transfer(verdict.with)
        const names = [...new Set(row.told.references)].sort()
        if (names.length > 0 && twin.credited.length > 0)
          assert.deepEqual(
            names,
            twin.credited.toSorted(),
            'the row names another deposit than the one credited',
          )
        twin.tellings.push(telling)
        return
      }
      const transfer = this.#store(telling, verdict.as === 'held' ? verdict.with : [])
      if (verdict.as === 'new') this.#credit(transfer)
      else this.heldRows++
    })
  }

  /** A known key is one more telling of its transfer, or, told otherwise, a transfer of its own, which is held. */
  #withoutKnown(rows: readonly Row[], voice: Voice): Row[] {
    return rows.filter((row) => {
      const ofKey = this.transfers.filter((transfer) =>
        transfer.tellings.some((telling) => telling.voice === voice && telling.key === row.key),
      )
      if (ofKey.length === 0) return true
      const telling = { ...row, voice, report: this.#reports }
      const same = ofKey.find((transfer) => isSamePayment(row.told, knownOf(transfer)))
      if (same) same.tellings.push(telling)
      else {
        this.#store(
          telling,
          ofKey.map((transfer) => transfer.id),
        )
        this.heldRows++
      }
      return false
    })
  }

  #store(telling: Telling, maybe: readonly string[]): Transfer {
    const transfer = {
      id: `t${++this.#ids}`,
      tellings: [telling],
      isHeld: true,
      maybe,
      credited: [],
      creditedAt: 0,
    }
    this.transfers.push(transfer)
    return transfer
  }

  /** Everything that is not held is credited, as far as matching can: a sum is none, one amount is owed once. */
  #credit(transfer: Transfer): void {
    const { told, byAmount } = transfer.tellings[0]!
    if (told.isSum) return
    transfer.isHeld = false
    transfer.creditedAt = this.#reports
    if (told.references.length > 0) transfer.credited = told.references
    else if (byAmount !== undefined) transfer.credited = [byAmount]
  }

  #hold(transfer: Transfer): void {
    transfer.isHeld = true
    transfer.credited = []
  }

  #known(isWanted: (transfer: Transfer) => boolean, voice?: Voice): Known[] {
    return this.transfers.filter(isWanted).map((transfer) => knownOf(transfer, voice))
  }

  #transfer(id: string): Transfer {
    const transfer = this.transfers.find((each) => each.id === id)
    assert.ok(transfer, `${id} is not known`)
    return transfer
  }

  #isFinal = (transfer: Transfer): boolean =>
    transfer.tellings.some((telling) => this.#closed.has(telling.report))

  #isClosed(day: string): boolean {
    return [...this.#closed.values()].some(({ from, to }) => day >= from && day <= to)
  }

  #isNearChange(transfer: Transfer): boolean {
    if (this.#changeDay === undefined) return false
    return Math.abs(dayNumber(knownOf(transfer).day) - dayNumber(this.#changeDay)) <= 14
  }

  /** An earlier day is open, or a later one was told already. */
  #hasGap(voice: Voice, from: string, to: string): boolean {
    const isLater = (telling: Telling) => telling.voice === voice && telling.told.day > to
    const isToldLater = this.transfers.some((transfer) => transfer.tellings.some(isLater))
    const isClosedLater = [...this.#closed.values()].some((file) => file.voice === voice && file.to > to)
    if (this.#rule.mindsLaterDays && (isToldLater || isClosedLater)) return true
    const first = voice === 'new' ? dayNumber(this.#changeDay!) : 0
    for (let day = Math.max(first, dayNumber(to) - 14); day < dayNumber(to); day++) {
      const isHere = dayAt(day) >= from && dayAt(day) <= to
      if (!isHere && !this.#isClosed(dayAt(day))) return true
    }
    return false
  }
}

const tells = (transfer: Transfer, ...voices: Voice[]): boolean =>
  transfer.tellings.some((telling) => voices.includes(telling.voice))

/** The facts of a transfer: its day is the last that was booked, by `voice` if given, else the first that a bank told. */
function knownOf(transfer: Transfer, voice?: Voice): Known {
  const told = transfer.tellings.map((telling) => telling.told)
  const booked = transfer.tellings.findLast((telling) =>
    voice ? telling.voice === voice : isBooked(telling.voice),
  )
  return {
    ...told[0]!,
    id: transfer.id,
    day: (booked ?? transfer.tellings.find((telling) => telling.voice === 'early') ?? transfer.tellings[0]!)
      .told.day,
    references: told.find((each) => each.references.length > 0)?.references ?? [],
    taxId: told.find((each) => each.taxId !== '')?.taxId ?? '',
    lastingId: told.find((each) => each.lastingId !== null)?.lastingId ?? null,
    credited: transfer.credited,
    isNote: tells(transfer, 'note') && !tells(transfer, 'early'),
  }
}

/** Those that a person has to look at together: they tell, one through the other, of the same payments. */
function componentOf(all: readonly Transfer[], start: Transfer) {
  const payments = new Set(truthOf(start))
  let transfers = [start]
  for (let size = 0; size < transfers.length; ) {
    size = transfers.length
    transfers = all.filter((transfer) => truthOf(transfer).some((payment) => payments.has(payment)))
    for (const payment of transfers.flatMap(truthOf)) payments.add(payment)
  }
  return { transfers, payments }
}

const isCountedTwice = (all: readonly Transfer[], transfer: Transfer): boolean =>
  faultOf(componentOf(all, transfer).transfers) === 'counted twice'

const truthOf = (transfer: Transfer): number[] => transfer.tellings.flatMap((telling) => telling.payments)
const isToldTwice = (a: Transfer, b: Transfer): boolean =>
  a.tellings.some(({ voice, payments }) =>
    b.tellings.some((other) => other.voice === voice && other.payments[0] === payments[0]),
  )

/**
 * The second tells of all that the first tells of, no voice tells only of others in it, and no report tells of both. Around a
 * change the two booked voices are one bank's books.
 */
const isSame = (held: Transfer, other: Transfer): boolean =>
  weight(held) === weight(other) &&
  truthOf(held).every((payment) => truthOf(other).includes(payment)) &&
  held.tellings.every(({ voice, payments, report }) => {
    const ofVoice = other.tellings.filter((telling) => roleOf(telling.voice) === roleOf(voice))
    if (ofVoice.some((telling) => telling.report === report)) return false
    return ofVoice.length === 0 || ofVoice.some((telling) => telling.payments[0] === payments[0])
  })

const weight = (transfer: Transfer): number =>
  Math.max(...transfer.tellings.map((each) => each.payments.length))

/** What is wrong with the sums, if anything. */
export function faultOf(all: readonly Transfer[]): 'counted twice' | 'lost' | undefined {
  const sum = (some: readonly Transfer[]) => some.reduce((total, transfer) => total + weight(transfer), 0)
  const left = new Set(all)
  for (const start of all) {
    if (!left.has(start)) continue
    const { transfers, payments } = componentOf(all, start)
    for (const transfer of transfers) left.delete(transfer)
    const credited = transfers.filter((transfer) => !transfer.isHeld)
    if (sum(credited) > payments.size) return 'counted twice'
    if (sum(transfers) < [...payments].filter((payment) => payment >= 0).length) return 'lost'
    for (const payment of payments) {
      const alone = credited.filter((transfer) => truthOf(transfer).every((each) => each === payment))
      if (alone.length > 1) return 'counted twice'
    }
  }
  return
}
