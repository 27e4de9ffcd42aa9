/** The figures of the operator's overview, and how far they are counted. */
import type { Cents, Currency } from '../../../domain/money.ts'
import type { QueueKind } from '../queue/queue.ts'

/** Deposits and transfers of a day that are counted. */
export const maxTodayDeposits = 10_000

/** The figures of one hour of a day; `early`: how many of them were before the current time of day. */
export type HourLine = { what: 'created' | 'confirmed'; hour: number; count: number; early: number }

/** Which kinds of merchants there are, and what was set up. */
export type Installed = {
  now: Date
  hasLive: boolean
  hasTest: boolean
  hasRequisites: boolean
  hasSources: boolean
  hasColleagues: boolean
  hasDeposits: boolean
}

export type QueueAges = Record<QueueKind, { ages: number[]; oldest: Date | null }>

export type MoneyLine = {
  currency: Currency
  seen: number
  seenCents: Cents
  matched: number
  matchedCents: Cents
}

export type SilentLine = { id: string; name: string; since: Date | null }

export type LoadedLine = {
  id: string
  bankName: string
  digits: string
  currency: Currency
  dayCents: Cents
  dailyCents: Cents | null
  open: number
  openLimit: number | null
  /** The used share of the nearest limit, 0 to 1. */
  used: number
}

export type FailingShop = {
  merchantId: string
  name: string
  origin: string | null
  isPaused: boolean
  since: Date | null
}
