/** The figures of a merchant's overview, and how far they are counted. */
import type { KeyPurpose } from '../../../domain/merchants/api-key.ts'
import type { Cents, Currency } from '../../../domain/money.ts'
import { bounds } from '../../../platform/bounds.ts'

/** Open deposits and failed callbacks that are counted. */
export const maxOpenItems = 1_000
/** Waiting callbacks that are counted: as many as their list has on one page. */
export const maxWaiting = bounds.pageSizeDefault

export type OpenCounts = {
  now: Date
  created: number
  builded: number
  waiting: number
  failed: number
  /** Whether any deposit was ever created. */
  hasDeposits: boolean
  /** Whether any key has signed a request. */
  hasUsedKey: boolean
}

/** A deposit with money about which the operator decides. */
export type ReviewedRow = { id: string; orderId: string; cents: Cents; currency: Currency; since: Date }

export type EndingKey = { id: string; purpose: KeyPurpose; notAfter: Date }
