/** The rows of the desk's list of deposits. */
import type { DepositState, Label } from '../../../domain/deposits/deposit.ts'
import type { Mode } from '../../../domain/merchants/merchant.ts'
import type { Cents, Currency } from '../../../domain/money.ts'
import type { Transfer } from '../../../domain/transfers/transfer.ts'

export type DepositRow = {
  id: string
  createdAt: Date
  orderId: string
  state: DepositState
  labels: Label[]
  cents: Cents
  receivedCents: Cents
  currency: Currency
  paymentType: string
  merchantName: string
  mode: Mode
}

type TransferFacts = Pick<
  Transfer,
  'id' | 'state' | 'cents' | 'currency' | 'bookedOn' | 'payerName' | 'purpose'
>

/** With the part of it that the deposit has. */
export type DepositTransferRow = TransferFacts & { shareCents: Cents }

export type CallbackRow = {
  type: string
  madeAt: Date
  attempts: number
  hasMoreAttempts: boolean
  lastStatus: number | null
  ackedAt: Date | null
  lacksAddress: boolean
}

/** Deposits that were created, or confirmed, on one day in a time zone. `until`: only before this time of that day, such as `14:35`. */
export type ByDay = {
  day: string
  until: string | null
  mode: Mode | null
  zone: string
} & ({ by: 'created' } | { by: 'confirmed' })
