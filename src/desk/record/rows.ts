/** The numbers of a day. */
import type { DepositState } from '../../deposits/deposit.ts'

export type DayNumbers = {
  groups: {
    paymentType: string
    requisiteId: string | null
    state: DepositState
    deposits: number
    withMoney: number
  }[]
  /** Seconds from the requisites to the confirmation. */
  half: number | null
  most: number | null
  callbacks: { made: number; acked: number }
  requisites: ReadonlyMap<string, string>
}
