/**
 * Proves that the entries of a SWIFT file are complete and the bank's own. The format has no quoting: a bank that
 * copies line breaks out of a payer's text lets the payer write fields. Every message has to agree with its own
 * figures, and those of one account have to follow each other; what stays unproved needs a person's confirmation. So does what
 * follows a statement whose opening balance any payer can guess.
 */
import { type Message, message } from '../../messages/message.ts'
import type { Cents } from '../../money.ts'
import { daysAfter } from '../../transfers/bank-text/days.ts'
import type { Part, Summary } from '../entry.ts'
import { Tally } from '../tally.ts'
import { earliest } from './dates.ts'
import type { Balance, Sequence, Turnover } from './mt940-fields.ts'

/** `isIntermediate`: between two messages of one statement (`:60M:`, `:62M:`). */
type StatedBalance = Balance & { isIntermediate: boolean }

/** The figures that a message states. An interim report (MT942) has no balances. */
export type Figures = {
  line: number
  account: string
  /** The day that the report was made on, of an interim one. */
  madeOn: string | null
  opening: StatedBalance | undefined
  closing: StatedBalance | undefined
  sequence: Sequence
  credits: Turnover | undefined
  debits: Turnover | undefined
}

type Warning =
  | 'proved_by_balances_only'
  | 'interim_report_not_proved'
  | 'message_does_not_add_up'
  | 'message_after_zero_balance'
  | 'message_does_not_follow'

/** The last message of an account. `from`: the first day of its statement. */
type Account = { messages: number; disagrees: number | undefined; last: Figures; from: string | null }

export class Mt940Proof {
  readonly #accounts = new Map<string, Account>()
  /** The first of each kind, with its line. */
  readonly #warnings = new Map<Warning, number>()
  #messages = 0
  #interimLine: number | undefined
  /** Some message has payers' texts and opens with a balance that payers can guess, because the account is emptied every day. */
  #hasKnownOpening = false
  #rowsInFile = 0
  #rows = new MessageRows()

  /** Adds a row to the message that is being read. No payer's text comes before the first one, so the bank wrote it. */
  addRow(part: Part): void {
    this.#rowsInFile++
    this.#rows.add(part, { isForgeable: this.#rowsInFile > 1 })
  }

  endMessage(figures: Figures): Summary {
    const rows = this.#rows
    this.#rows = new MessageRows()
    this.#messages++
    const { account, opening, closing, credits, debits } = figures
    const before = this.#accounts.get(account)
    // A statement in several messages begins with the first of them.
    const isNext = before !== undefined && continues(before.last, figures)
    const from = opening?.isIntermediate ? (isNext && before.from) || null : firstDayOf(figures, rows)
    this.#check(figures, rows)
    this.#checkSequence(before?.last, figures, isNext)
    const disagrees = before?.disagrees ?? (rows.agreeWith(figures) ? undefined : figures.line)
    this.#accounts.set(account, { messages: (before?.messages ?? 0) + 1, disagrees, last: figures, from })
    const isPart = closing?.isIntermediate || (opening?.isIntermediate && !isNext)
    return {
      account,
      from,
      to: closing?.day ?? figures.madeOn,
      // The bank states this balance when the day is over.
      completeTo: isPart ? null : (closing?.day ?? null),
      role: closing === undefined ? 'early' : 'booked',
      creditCents: credits?.cents ?? null,
      debitCents: debits?.cents ?? null,
      openingCents: opening?.cents ?? null,
      closingCents: closing?.cents ?? null,
      counts: rows.tally.counts({ credits: credits?.count, debits: debits?.count }),
    }
  }

  /** At the end of the file. */
  warnings(): Message[] {
    if (this.#interimLine !== undefined && this.#messages > 1)
      this.#warn('interim_report_not_proved', this.#interimLine)
    for (const { messages, disagrees, last } of this.#accounts.values()) {
      // Contradictions of a single message are reported by its totals.
      if (messages > 1 && disagrees !== undefined) this.#warn('message_does_not_add_up', disagrees)
      if (last.closing?.isIntermediate) this.#warn('message_does_not_follow', last.line)
    }
    return [...this.#warnings].map(([code, line]) => message(code, { line }))
  }

  #check({ line, opening, closing, credits, debits }: Figures, rows: MessageRows): void {
    if (this.#hasKnownOpening) this.#warn('message_after_zero_balance', line)
    this.#hasKnownOpening ||= opening?.cents === 0n && rows.tally.rows + rows.tally.unsure > 0
    if (opening === undefined || closing === undefined) {
      this.#interimLine ??= line
      // The turnover comes after the texts, so a payer who is the last, or alone, could have written it with his own entries.
      if (credits === undefined || debits === undefined || rows.hasForgeable)
        this.#warn('interim_report_not_proved', line)
    }
    // A stated turnover proves nothing here, for the same reason.
    else if (rows.mayHideCredit) this.#warn('proved_by_balances_only', line)
  }

  /** The messages of one account follow each other: each opens with what the one before it closed with. */
  #checkSequence(before: Figures | undefined, { line, opening }: Figures, isNext: boolean): void {
    if (opening === undefined) return
    const closing = before?.closing
    if (opening.isIntermediate && !isNext) this.#warn('message_does_not_follow', line)
    else if (closing?.isIntermediate && !opening.isIntermediate)
      this.#warn('message_does_not_follow', before!.line)
    else if (closing && closing.cents !== opening.cents) this.#warn('message_does_not_follow', line)
  }

  #warn(code: Warning, line: number): void {
    if (!this.#warnings.has(code)) this.#warnings.set(code, line)
  }
}

class MessageRows {
  readonly tally = new Tally()
  /** The first day of its rows. */
  firstDay: string | null = null
  #hasBad = false
  /** A payer's text may have written every row but the first of the file. */
  #smallestForgeableCredit: Cents | null = null
  #forgeableDebits: Cents = 0n

  add(part: Part, { isForgeable }: { isForgeable: boolean }): void {
    this.#hasBad ||= 'bad' in part
    if (!('entry' in part)) {
      this.tally.unsure++
      return
    }
    const { direction, cents, bookedOn } = part.entry
    this.tally.add(direction, cents)
    if (this.firstDay === null || bookedOn < this.firstDay) this.firstDay = bookedOn
    if (!isForgeable) return
    if (direction === 'debit') this.#forgeableDebits += cents
    else if (this.#smallestForgeableCredit === null || cents < this.#smallestForgeableCredit)
      this.#smallestForgeableCredit = cents
  }

  get hasForgeable(): boolean {
    return this.#smallestForgeableCredit !== null || this.#forgeableDebits > 0n
  }

  /** A forged credit cancels out in the balance beside forged debits. */
  get mayHideCredit(): boolean {
    return this.#smallestForgeableCredit !== null && this.#smallestForgeableCredit <= this.#forgeableDebits
  }

  /** With rows that cannot be read nothing can be said, and the file waits for a person anyway. */
  agreeWith({ opening, closing, credits, debits }: Figures): boolean {
    const { credit, debit, unsure } = this.tally
    const isWithin = (stated: Turnover | undefined, { count, cents }: Turnover): boolean =>
      stated === undefined ||
      (stated.count >= count &&
        stated.count <= count + unsure &&
        (unsure > 0 ? stated.cents >= cents : stated.cents === cents))
    const isBalanced = !opening || !closing || closing.cents - opening.cents === credit.cents - debit.cents
    return this.#hasBad || (isBalanced && isWithin(credits, credit) && isWithin(debits, debit))
  }
}

/** Whether a message is the next one of the statement that the message before it began. */
const continues = ({ closing, sequence: before }: Figures, { sequence }: Figures): boolean =>
  closing?.isIntermediate === true &&
  before.statementNumber === sequence.statementNumber &&
  (before.messageNumber === null ||
    sequence.messageNumber === null ||
    sequence.messageNumber === before.messageNumber + 1)

/** The opening balance is that of the day before the first one, or of the first one itself. */
function firstDayOf({ opening, closing }: Figures, { firstDay }: MessageRows): string | null {
  if (!opening?.day || !closing?.day) return null
  return earliest([daysAfter(opening.day, 1), closing.day, firstDay ?? undefined])
}
