/** What the pages about whole days show. */
import type { Cents, Currency } from '../../../domain/money.ts'
import type { Transfer } from '../../../domain/transfers/transfer.ts'

/** A day of an account with rows on hold. */
export type HeldDay = { accountId: string; accountLabel: string; bookedOn: string; rows: number }

/** Held rows of a day beside what was told early of their amounts. */
export type PairsOfDay = {
  pairs: readonly { held: Transfer; early: Transfer }[]
  heldLeft: readonly Transfer[]
  earlyLeft: readonly Transfer[]
}

/** A booked row that waits until a file closes its day. */
export type ParkedRow = {
  statementId: string
  place: number
  line: number
  accountId: string
  accountLabel: string
  fileName: string
  currency: Currency
  bookedOn: string
  cents: Cents
  names: readonly string[]
}
