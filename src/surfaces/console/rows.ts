/** The rows of the console's lists, as its stores read them and its pages show them. */
import type { AttemptRow, CallbackState } from '../../domain/callbacks/callback.ts'
import type { Deposit } from '../../domain/deposits/deposit.ts'
import type { Cents, Currency } from '../../domain/money.ts'
import type { Transfer } from '../../domain/transfers/transfer.ts'

export type DepositRow = Pick<
  Deposit,
  'id' | 'orderId' | 'createdAt' | 'currency' | 'paymentType' | 'customer' | 'state' | 'labels' | 'finalAt'
> &
  Pick<Deposit, 'amountCents' | 'receivedCents'> & { reference: string | null; digits: string | null }

export type TransferRow = Pick<
  Transfer,
  'id' | 'takenAt' | 'bookedOn' | 'cents' | 'currency' | 'payerName' | 'purpose'
> & { depositCents: Cents; rule: string | null }

export type CallbackRow = {
  id: string
  madeOn: string
  sequence: bigint
  depositId: string
  type: string
  url: string | null
  state: CallbackState
  attempts: number
  /** Only the first and the last ones are counted. */
  hasMoreAttempts: boolean
  lastStatus: number | null
  madeAt: Date
  ackedAt: Date | null
  dueAt: Date | null
  endpointState: string | null
  endpointReason: string | null
}

/** The last attempts of a callback. */
export type LastAttempts = { attempts: AttemptRow[]; hasOlder: boolean }

export type LaneRow = {
  id: bigint
  /** Null is the merchant's default address. */
  origin: string | null
  state: string
  reason: string | null
  failingSince: Date | null
}

export type EventRow = { sequence: bigint; type: string; depositId: string; madeAt: Date; body: string }

export type OfferRow = {
  code: string
  name: string
  isSelectionFlow: boolean
  currency: Currency
  minCents: Cents
  maxCents: Cents
  isTypeEnabled: boolean
  isCurrencyEnabled: boolean
  isEnabledForMerchant: boolean
  /** The operator gave this merchant limits of its own. */
  hasOwnLimits: boolean
  /** How many requisites support it: all, the enabled ones, and those of them that could take a deposit now. */
  requisites: number
  enabledRequisites: number
  freeRequisites: number
}

/** One day in one currency: of one payment method, or of all methods together (null). */
export type DayRow = {
  currency: Currency
  paymentType: string | null
  created: number
  paid: number
  cents: Cents
  /** From creation to confirmation. */
  medianSeconds: number | null
  p95Seconds: number | null
}
