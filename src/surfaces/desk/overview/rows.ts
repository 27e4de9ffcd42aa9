/** What the operator's overview reads. */
import type { Cents, Currency } from '../../../domain/money.ts'

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
