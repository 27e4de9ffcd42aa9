/**
 * Compares the totals that a file states with its rows: sums and balances, of each account over all its days. A difference may mean missing rows, or a forged one: a purpose can be written to look like a row.
 *
 * Rows are proved enough if the credits are: by their sum, or by balances. In 1C, CSV and MT940 balances are not enough where the file has credits, and debits whose sum is not
 * stated: a payer's line breaks could forge two rows, in and out, that cancel out in the balance.
 */

import { type Message, message } from '../messages/message.ts'
import { type Cents, decimal } from '../money.ts'
import type { FormatName } from '../transfers/channel.ts'
import { DamagedStatement, type Entry, type StatementFormat, type Summary } from './entry.ts'
import { statementBounds } from './formats/bounds.ts'

/** `none`: for some account with rows, the file states too little to compare. */
export type TotalsState = 'agree' | 'differ' | 'none'

/** Formats in which a payer's line breaks can forge rows: a balance alone does not prove the rows of such a file. */
const rowsCanBeForged: Record<FormatName, boolean> = {
  '1c': true,
  camt: false,
  csv: true,
  mt940: true,
  xlsx: false,
}

export class Totals {
  readonly #isOneC: boolean
  readonly #rowsCanBeForged: boolean
  readonly #books = new Map<string, Book>()
  #summaries = 0

  constructor(format?: StatementFormat['name']) {
    this.#isOneC = format === '1c'
    this.#rowsCanBeForged = format !== undefined && rowsCanBeForged[format]
  }

  addSummary(summary: Summary): void {
    this.#summaries++
    if (this.#summaries > statementBounds.summaries)
      throw new DamagedStatement(1, message('too_many_sections'))
    const { account, from, to, openingCents, closingCents, creditCents, debitCents } = summary
    const book = this.#book(account)
    book.hasSummary = true
    book.balances.push({ from, to, openingCents, closingCents })
    book.statedCredit = sum(book.statedCredit, creditCents)
    book.statedDebit = sum(book.statedDebit, debitCents)
    book.statedChange = sum(book.statedChange, sum(closingCents, openingCents && -openingCents))
  }

  seen({ account, direction, cents, payerAccount }: Entry): void {
    this.#book(account).seen.add(direction, cents)
    // A document of 1C between two accounts of the file is one row, read as a credit. Written once for either side it differs.
    const paying = this.#isOneC && direction === 'credit' ? this.#books.get(payerAccount) : undefined
    if (paying?.hasSummary && payerAccount !== account) paying.seen.add('debit', cents)
  }

  /** One sentence per difference. Rows that are bad or not booked yet may explain a difference. */
  differences({ badRows, pending }: { badRows: number; pending: number }): Message[] {
    const uncounted = badRows + pending
    return [...this.#books].flatMap(([account, book]) => {
      if (!book.hasSummary) return []
      const { statedCredit, statedDebit, statedChange } = book
      const [credit, debit] = [book.seen.credit.cents, book.seen.debit.cents]
      const differs = (stated: Cents | null, seen: Cents): boolean =>
        stated !== null && stated !== seen && (stated < seen || uncounted === 0)

      const sentences: Message[] = [...this.#breaks(book)]
      if (differs(statedCredit, credit))
        sentences.push(message('credits_differ', { told: money(statedCredit!), seen: money(credit) }))
      if (differs(statedDebit, debit))
        sentences.push(message('debits_differ', { told: money(statedDebit!), seen: money(debit) }))
      // Balances cover booked rows only. Stated totals are trusted here: they have been compared with the rows.
      const [movedIn, movedOut] =
        pending === 0 ? [statedCredit ?? credit, statedDebit ?? debit] : [credit, debit]
      if (badRows === 0 && statedChange !== null && movedIn - movedOut !== statedChange)
        sentences.push(
          message('balances_differ', { told: money(statedChange), moved: money(movedIn - movedOut) }),
        )
      return sentences.map((why) => ofAccount(account, why))
    })
  }

  missing(): Message[] {
    return [...this.#books]
      .filter(([, book]) => book.seen.rows > 0 && !this.#isCompared(book))
      .map(([account]) => ofAccount(account, message('totals_missing')))
  }

  /** Also for a file without rows, which needs no confirmation. */
  state(differences: readonly unknown[]): TotalsState {
    if (differences.length > 0) return 'differ'
    const isCompared = [...this.#books.values()].some((book) => this.#isCompared(book))
    return isCompared && this.missing().length === 0 ? 'agree' : 'none'
  }

  #isCompared(book: Book): boolean {
    const { hasSummary, statedCredit, statedDebit, statedChange, seen } = book
    if (!hasSummary) return false
    if (statedCredit !== null || (seen.credit.cents === 0n && statedDebit !== null)) return true
    if (statedChange === null) return false
    const isOneWay = seen.debit.cents === 0n || seen.credit.cents === 0n
    return isOneWay || !this.#rowsCanBeForged || statedDebit !== null
  }

  /** Each section's closing balance opens the next, in order of days; in 1C no day is in two of them. */
  *#breaks({ balances }: Book): Generator<Message, void, undefined> {
    const haveDays = balances.every(({ from }) => from !== null)
    const inOrder = haveDays ? balances.toSorted((a, b) => (a.from! < b.from! ? -1 : 1)) : balances
    let last: Balances | undefined
    let previous = ''
    for (const next of inOrder) {
      if (this.#isOneC && next.from !== null && next.from <= previous)
        yield message('day_in_two_sections', { day: next.from })
      const [closed, opened] = [last?.closingCents ?? null, next.openingCents]
      if (closed !== null && opened !== null && closed !== opened)
        yield message('balances_do_not_follow', {
          day: last?.to ?? '?',
          closing: money(closed),
          opening: money(opened),
        })
      last = next
      if (next.to !== null && next.to > previous) previous = next.to
    }
  }

  #book(account: string): Book {
    const book = this.#books.get(account) ?? new Book()
    this.#books.set(account, book)
    return book
  }
}

/** What rows add up to. */
export class Tally {
  static of(entries: readonly Pick<Entry, 'direction' | 'cents'>[]): Tally {
    const tally = new Tally()
    for (const { direction, cents } of entries) tally.add(direction, cents)
    return tally
  }

  readonly credit = { count: 0, cents: 0n }
  readonly debit = { count: 0, cents: 0n }

  add(direction: Entry['direction'], cents: Cents): void {
    this[direction].count++
    this[direction].cents += cents
  }

  get rows(): number {
    return this.credit.count + this.debit.count
  }
}

type Balances = Pick<Summary, 'from' | 'to' | 'openingCents' | 'closingCents'>

/** What a file says of one account, and what its rows add up to. Stated values are null where a summary lacks them. */
class Book {
  hasSummary = false
  statedCredit: Cents | null = 0n
  statedDebit: Cents | null = 0n
  statedChange: Cents | null = 0n
  readonly balances: Balances[] = []
  readonly seen = new Tally()
}

const ofAccount = (account: string, why: Message): Message =>
  message('of_account', { account: account.slice(-4), why })

const sum = (left: Cents | null, right: Cents | null): Cents | null =>
  left === null || right === null ? null : left + right

const money = (cents: Cents): string => (cents < 0n ? `-${decimal(-cents)}` : decimal(cents))
