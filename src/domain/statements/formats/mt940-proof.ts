/**
 * Proves that the entries of a SWIFT file are complete and the bank's own. The format has no quoting: a bank that
 * copies line breaks out of a payer's text lets the payer write fields. Every message has to agree with its own
 * figures, and those of one account have to follow each other; what stays unproved needs a person's confirmation. So does what
 * follows a statement whose opening balance any payer can guess.
 */
import { type Message, message } from '../../messages/message.ts'
import type { Cents } from '../../money.ts'
import type { Count, Entry, Part, Summary } from '../entry.ts'
import type { Balance, Sequence, Turnover } from './mt940-fields.ts'

/**
 * The figures that a message states. An interim report (MT942) has no balances. `isIntermediate`: a balance between two messages of
 * one statement (`:60M:`, `:62M:`).
 */
export type Figures = {
  line: number
  account: string
  /** The day that the report was made on, of an interim one. */
  madeOn: string | null
  opening: (Balance & { isIntermediate: boolean }) | undefined
  closing: (Balance & { isIntermediate: boolean }) | undefined
  sequence: Sequence
  credits: Turnover | undefined
  debits: Turnover | undefined
}

type Direction = Entry['direction']

export class Mt940Proof {
  readonly #accounts = new Map<string, Account>()
  readonly #warnings = new Map<Warning, number>()
  #messages = 0
  #interimLine: number | undefined
  /** Some message has payers' texts and opens with a balance that payers can guess, because the account is emptied every day. */
  #hasKnownOpening = false
  #rowsInFile = 0
  #totals = noTotals()

  /** Adds a row to the message that is being read. */
  addRow(part: Part): void {
    this.#rowsInFile++
    this.#totals.rows++
    if (!('entry' in part)) {
      this.#totals.uncounted++
      if ('bad' in part) this.#totals.bad++
      return
    }
    const { direction, cents } = part.entry
    const sum = this.#totals[direction]
    sum.count++
    sum.cents += cents
    // No payer's text comes before the first row, so the bank wrote it.
    if (this.#rowsInFile === 1) return
    this.#totals.forgeable++
    if (direction === 'debit') this.#totals.forgeableDebits += cents
    else if (this.#totals.smallestForgeableCredit === null || cents < this.#totals.smallestForgeableCredit)
      this.#totals.smallestForgeableCredit = cents
  }

  endMessage(figures: Figures): Summary {
    this.#messages++
    const totals = this.#totals
    this.#totals = noTotals()
    this.#checkMessage(figures, totals)
    const { opening, closing, credits, debits } = figures
    return {
      account: figures.account,
      from: opening?.day ?? null,
      to: closing?.day ?? figures.madeOn,
      creditCents: credits?.cents ?? null,
      debitCents: debits?.cents ?? null,
      openingCents: opening?.cents ?? null,
      closingCents: closing?.cents ?? null,
      counts: [...countOf('credit', credits, totals), ...countOf('debit', debits, totals)],
    }
  }

  /** At the end of the file. The first warning of each kind is reported. */
  warnings(): Message[] {
    if (this.#interimLine !== undefined && this.#messages > 1)
      this.#warn('interim_report_beside_others', this.#interimLine)
    for (const { messages, disagrees, last } of this.#accounts.values()) {
      // Contradictions of a single message are reported by its totals.
      if (messages > 1 && disagrees !== undefined) this.#warn('message_does_not_add_up', disagrees)
      if (last.closing?.isIntermediate) this.#warn('statement_end_missing', last.line)
    }
    return [...this.#warnings].map(([code, line]) => message(code, { line }))
  }

  #checkMessage(figures: Figures, totals: MessageTotals): void {
    const { line, opening, closing, credits, debits } = figures
    if (this.#hasKnownOpening) this.#warn('message_after_zero_balance', line)
    this.#hasKnownOpening ||= opening?.cents === 0n && totals.rows > 0
    const before = this.#accounts.get(figures.account)
    const account: Account = {
      messages: (before?.messages ?? 0) + 1,
      disagrees: before?.disagrees ?? (agrees(figures, totals) ? undefined : line),
      last: figures,
    }
    this.#accounts.set(figures.account, account)
    this.#checkSequence(before?.last, figures)
    if (opening === undefined || closing === undefined) {
      this.#interimLine ??= line
      if (credits === undefined || debits === undefined) this.#warn('interim_report_without_turnover', line)
      // The turnover comes after the texts, so a payer who is the last, or alone, could have written it with his own entries.
      else if (totals.forgeable > 0) this.#warn('interim_report_has_further_entries', line)
    } else if (
      totals.smallestForgeableCredit !== null &&
      totals.smallestForgeableCredit <= totals.forgeableDebits
    ) {
      // A stated turnover proves nothing here: it comes after the texts, and MT940 need not have one, so the payer of the last text
      // could have written it.
      this.#warn('proved_by_balances_only', line)
    }
  }

  /** The messages of one account follow each other: each opens with what the one before it closed with. */
  #checkSequence(before: Figures | undefined, { line, opening, sequence }: Figures): void {
    if (opening === undefined) return
    const isNext =
      before?.closing?.isIntermediate === true &&
      before.sequence.statementNumber === sequence.statementNumber &&
      (before.sequence.messageNumber === null ||
        sequence.messageNumber === null ||
        sequence.messageNumber === before.sequence.messageNumber + 1)
    if (opening.isIntermediate && !isNext) this.#warn('statement_start_missing', line)
    if (before?.closing === undefined) return
    if (before.closing.isIntermediate && !(opening.isIntermediate && isNext))
      this.#warn('statement_end_missing', before.line)
    if (before.closing.cents !== opening.cents) this.#warn('message_does_not_follow', line)
  }

  #warn(code: Warning, line: number): void {
    if (!this.#warnings.has(code)) this.#warnings.set(code, line)
  }
}

type Account = { messages: number; disagrees: number | undefined; last: Figures }

type MessageTotals = Record<Direction, Turnover> & {
  rows: number
  bad: number
  /** Not booked or not readable: the bank may or may not count them. */
  uncounted: number
  /** A payer's text may have written every row but the first of the file. */
  forgeable: number
  smallestForgeableCredit: Cents | null
  forgeableDebits: Cents
}

const noTotals = (): MessageTotals => ({
  credit: { count: 0, cents: 0n },
  debit: { count: 0, cents: 0n },
  rows: 0,
  bad: 0,
  uncounted: 0,
  forgeable: 0,
  smallestForgeableCredit: null,
  forgeableDebits: 0n,
})

/** With rows that cannot be read nothing can be said, and the file waits for a person anyway. */
function agrees({ opening, closing, credits, debits }: Figures, totals: MessageTotals): boolean {
  if (totals.bad > 0) return true
  const isWithin = (stated: Turnover | undefined, { count, cents }: Turnover): boolean =>
    stated === undefined ||
    (stated.count >= count &&
      stated.count <= count + totals.uncounted &&
      stated.cents >= cents &&
      (totals.uncounted > 0 || stated.cents === cents))
  const isBalanced =
    opening === undefined ||
    closing === undefined ||
    closing.cents - opening.cents === totals.credit.cents - totals.debit.cents
  return isBalanced && isWithin(credits, totals.credit) && isWithin(debits, totals.debit)
}

function countOf(direction: Direction, stated: Turnover | undefined, totals: MessageTotals): Count[] {
  if (stated === undefined) return []
  const least = totals[direction].count
  return [{ counted: `${direction}s`, stated: stated.count, least, most: least + totals.uncounted }]
}

/** The codes of the warnings, each of which names a line. */
type Warning =
  | 'proved_by_balances_only'
  | 'interim_report_beside_others'
  | 'interim_report_has_further_entries'
  | 'interim_report_without_turnover'
  | 'message_does_not_add_up'
  | 'message_after_zero_balance'
  | 'message_does_not_follow'
  | 'statement_end_missing'
  | 'statement_start_missing'
