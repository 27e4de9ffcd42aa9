/**
 * The running balance of a table: each row's balance follows from the one before it, in a file that is written from the
 * oldest row to the newest or the other way round, which the rows themselves show.
 */
import { type Message, message } from '../../messages/message.ts'
import type { Cents } from '../../money.ts'

type Balanced = { moved: Cents; balance: Cents }

export class RunningBalance {
  #first: Balanced | undefined
  #last: Balanced | undefined
  /** Undefined after an unreadable row, whose amount is unknown. */
  #previous: Balanced | undefined
  readonly #oldestFirst = new LineNumbers()
  readonly #newestFirst = new LineNumbers()
  readonly #missing = new LineNumbers()

  /** `moved`: above zero it came in. `balance`: after this row; null where the row says none. */
  take(line: number, moved: Cents, balance: Cents | null): void {
    const previous = this.#previous
    this.#previous = balance === null ? undefined : { moved, balance }
    if (balance === null) this.#missing.add(line)
    else if (previous) {
      if (balance !== previous.balance + moved) this.#oldestFirst.add(line)
      if (balance !== previous.balance - previous.moved) this.#newestFirst.add(line)
    }
    this.#first ??= this.#previous
    this.#last = this.#previous ?? this.#last
  }

  skip(): void {
    this.#previous = undefined
  }

  get figures(): { openingCents: Cents; closingCents: Cents } | undefined {
    if (!this.#first || !this.#last) return undefined
    const [oldest, newest] = this.#isNewestFirst ? [this.#last, this.#first] : [this.#first, this.#last]
    return { openingCents: oldest.balance - oldest.moved, closingCents: newest.balance }
  }

  get isWhole(): boolean {
    return this.#first !== undefined && this.#breaks.count === 0 && this.#missing.count === 0
  }

  warnings(): Message[] {
    const breaks = this.#breaks
    return [
      ...(breaks.count > 0 ? [message('running_balance_breaks', { lines: `${breaks}` })] : []),
      ...(this.#missing.count > 0 ? [message('running_balance_missing', { lines: `${this.#missing}` })] : []),
    ]
  }

  get #breaks(): LineNumbers {
    return this.#isNewestFirst ? this.#newestFirst : this.#oldestFirst
  }

  get #isNewestFirst(): boolean {
    return this.#newestFirst.count < this.#oldestFirst.count
  }
}

const listed = 5

export class LineNumbers {
  readonly #lines: number[] = []
  count = 0

  add(line: number): void {
    this.count++
    if (this.#lines.length < listed) this.#lines.push(line)
  }

  toString(): string {
    return this.#lines.join(', ') + (this.count > listed ? ` (+${this.count - listed})` : '')
  }
}
