/**
 * Proves that the entries of a SWIFT file are complete and the bank's own. The format has no quoting: a bank that
 * copies line breaks out of a payer's text lets the payer write fields. Every message has to agree with its own
 * figures, and those of one account have to follow each other; what stays unproved needs a person's confirmation. So does what
 * follows a statement whose opening balance any payer can guess.
 */
import { type Message, message } from '../../messages/message.ts'
import type { Cents } from '../../money.ts'
import type { Count, Entry, Part, Summary } from '../entry.ts'
import type { Balance, Turnover } from './mt940-fields.ts'

/** The figures that a message states. An interim report (MT942) has no balances. */
export type Figures = {
  line: number
  account: string
  /** The day that the report was made on, of an interim one. */
  madeOn: string | null
  opening: (Balance & { isPage: boolean }) | undefined
  closing: (Balance & { isPage: boolean }) | undefined
  page: { number: string; page: number | null }
  credits: Turnover | undefined
  debits: Turnover | undefined
}

type Direction = Entry['direction']

export class Proof {
  readonly #accounts = new Map<string, Account>()
  readonly #warnings = new Map<Warning, number>()
  #messages = 0
  #interimLine: number | undefined
  /** A message has payers' texts, and opens with a balance that payers know: the account is emptied every day. */
  #isGuessable = false
  #rows = 0
  #seen = nothingSeen()

  /** A row of the message that is open. */
  row(part: Part): void {
    this.#rows++
    this.#seen.rows++
    if (!('entry' in part)) {
      this.#seen.unsure++
      if ('bad' in part) this.#seen.bad++
      return
    }
    const { direction, cents } = part.entry
    const sum = this.#seen[direction]
    sum.count++
    sum.cents += cents
    // No payer's text comes before the first row, so the bank wrote it.
    if (this.#rows === 1) return
    if (direction === 'debit') this.#seen.doubtfulDebits += cents
    else if (this.#seen.leastCredit === null || cents < this.#seen.leastCredit) this.#seen.leastCredit = cents
  }

  /** The message ends. */
  close(figures: Figures): Summary {
    this.#messages++
    const seen = this.#seen
    this.#seen = nothingSeen()
    this.#judge(figures, seen)
    const { opening, closing, credits, debits } = figures
    return {
      account: figures.account,
      from: opening?.day ?? null,
      to: closing?.day ?? figures.madeOn,
      creditCents: credits?.cents ?? null,
      debitCents: debits?.cents ?? null,
      openingCents: opening?.cents ?? null,
      closingCents: closing?.cents ?? null,
      counts: [...countOf('credit', credits, seen), ...countOf('debit', debits, seen)],
    }
  }

  /** At the end of the file. The first warning of each kind is reported. */
  warnings(): Message[] {
    if (this.#interimLine !== undefined && this.#messages > 1)
      this.#warn('severalInterims', this.#interimLine)
    for (const { messages, disagrees, last } of this.#accounts.values()) {
      // Contradictions of a single message are reported by its totals.
      if (messages > 1 && disagrees !== undefined) this.#warn('disagrees', disagrees)
      if (last.closing?.isPage) this.#warn('goesOn', last.line)
    }
    return [...this.#warnings].map(([kind, line]) => sentences[kind](line))
  }

  #judge(figures: Figures, seen: Seen): void {
    const { line, opening, closing, credits, debits } = figures
    if (this.#isGuessable) this.#warn('afterZero', line)
    this.#isGuessable ||= opening?.cents === 0n && seen.rows > 0
    const before = this.#accounts.get(figures.account)
    const account: Account = {
      messages: (before?.messages ?? 0) + 1,
      disagrees: before?.disagrees ?? (agrees(figures, seen) ? undefined : line),
      last: figures,
    }
    this.#accounts.set(figures.account, account)
    this.#follows(before?.last, figures)
    if (opening === undefined || closing === undefined) {
      this.#interimLine ??= line
      if (credits === undefined || debits === undefined) this.#warn('untold', line)
      // Turnover stands behind the texts, and MT940 need not have any: who writes the last text could write it, too.
    } else if (seen.leastCredit !== null && seen.leastCredit <= seen.doubtfulDebits)
      this.#warn('balancesOnly', line)
  }

  /** The messages of one account follow each other: each opens with what the one before it closed with. */
  #follows(before: Figures | undefined, { line, opening, page }: Figures): void {
    if (opening === undefined) return
    const isNext =
      before?.closing?.isPage === true &&
      before.page.number === page.number &&
      (before.page.page === null || page.page === null || page.page === before.page.page + 1)
    if (opening.isPage && !isNext) this.#warn('beginsElsewhere', line)
    if (before?.closing === undefined) return
    if (before.closing.isPage && !(opening.isPage && isNext)) this.#warn('goesOn', before.line)
    if (before.closing.cents !== opening.cents) this.#warn('gap', line)
  }

  #warn(kind: Warning, line: number): void {
    if (!this.#warnings.has(kind)) this.#warnings.set(kind, line)
  }
}

type Account = { messages: number; disagrees: number | undefined; last: Figures }

type Seen = Record<Direction, Turnover> & {
  rows: number
  bad: number
  /** Not booked or not readable: the bank may or may not count them. */
  unsure: number
  leastCredit: Cents | null
  doubtfulDebits: Cents
}

const nothingSeen = (): Seen => ({
  credit: { count: 0, cents: 0n },
  debit: { count: 0, cents: 0n },
  rows: 0,
  bad: 0,
  unsure: 0,
  leastCredit: null,
  doubtfulDebits: 0n,
})

/** With rows that cannot be read nothing can be said, and the file waits for a person anyway. */
function agrees({ opening, closing, credits, debits }: Figures, seen: Seen): boolean {
  if (seen.bad > 0) return true
  const isWithin = (stated: Turnover | undefined, { count, cents }: Turnover): boolean =>
    stated === undefined ||
    (stated.count >= count &&
      stated.count <= count + seen.unsure &&
      stated.cents >= cents &&
      (seen.unsure > 0 || stated.cents === cents))
  const isBalanced =
    opening === undefined ||
    closing === undefined ||
    closing.cents - opening.cents === seen.credit.cents - seen.debit.cents
  return isBalanced && isWithin(credits, seen.credit) && isWithin(debits, seen.debit)
}

function countOf(direction: Direction, stated: Turnover | undefined, seen: Seen): Count[] {
  if (stated === undefined) return []
  const least = seen[direction].count
  return [{ counted: `${direction}s`, stated: stated.count, least, most: least + seen.unsure }]
}

const sentences = {
  balancesOnly: (line: number) => message('proved_by_balances_only', { line }),
  severalInterims: (line: number) => message('interim_report_beside_others', { line }),
  untold: (line: number) => message('interim_report_without_turnover', { line }),
  disagrees: (line: number) => message('message_does_not_add_up', { line }),
  afterZero: (line: number) => message('message_after_zero_balance', { line }),
  gap: (line: number) => message('message_does_not_follow', { line }),
  goesOn: (line: number) => message('statement_end_missing', { line }),
  beginsElsewhere: (line: number) => message('statement_start_missing', { line }),
}

type Warning = keyof typeof sentences
