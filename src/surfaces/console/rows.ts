/** The rows of the console's lists, as its stores read them and its pages show them. */
import type { AttemptRow, CallbackState } from '../../domain/callbacks/callback.ts'
import type { Deposit } from '../../domain/deposits/deposit.ts'
import type { Cents, Currency } from '../../domain/money.ts'
import type { Transfer } from '../../domain/transfers/transfer.ts'

export type DepositLine = Pick<
  Deposit,
  'id' | 'orderId' | 'createdAt' | 'currency' | 'paymentType' | 'customer' | 'state' | 'labels' | 'finalAt'
> &
  Pick<Deposit, 'amountCents' | 'receivedCents'> & { reference: string | null; digits: string | null }

export type TransferLine = Pick<
  Transfer,
  'id' | 'takenAt' | 'bookedOn' | 'cents' | 'currency' | 'payerName' | 'purpose'
> & { depositCents: Cents; rule: string | null }

export type CallbackLine = {
  id: string
  madeOn: string
  sequence: bigint
  depositId: string
  type: string
  url: string | null
  state: CallbackState
  attempts: number
  lastStatus: number | null
  madeAt: Date
  ackedAt: Date | null
  dueAt: Date | null
  laneState: string
  laneReason: string | null
}

export type AttemptLine = AttemptRow & { callbackId: string }

export type LaneLine = {
  id: bigint
  /** Null is the merchant's default address. */
  origin: string | null
  state: string
  reason: string | null
  failingSince: Date | null
}

export type EventLine = { sequence: bigint; type: string; depositId: string; madeAt: Date; body: string }

export type KeyLine = {
  id: string
  createdAt: Date
  literalUsedAt: Date | null
  v2UsedAt: Date | null
  /** All of its recent requests were signed with v2. */
  isV2Alone: boolean
  notAfter: Date | null
  v2Only: boolean
  isLive: boolean
}

export type OfferLine = {
  code: string
  name: string
  isSelect: boolean
  currency: Currency
  minCents: Cents
  maxCents: Cents
  isTypeOn: boolean
  isLimitOn: boolean
  isOnForMerchant: boolean
  /** The operator gave this merchant limits of its own. */
  isOwn: boolean
  /** How many requisites serve it: all, those switched on, and those that could take a deposit now. */
  known: number
  on: number
  free: number
}

/** One day in one currency: of one payment method, or of all methods together (null). */
export type DayLine = {
  currency: Currency
  paymentType: string | null
  made: number
  paid: number
  cents: Cents
  /** The median and the 95th percentile of seconds until confirmation. */
  middle: number | null
  slow: number | null
}
