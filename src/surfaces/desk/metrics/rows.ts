/** The numbers of a day. */
import type { DepositState } from '../../../domain/deposits/deposit.ts'

/** What happened in a few seconds; null where the sample does not reach back so far. */
export type FlowStep = {
  at: Date
  made: number | null
  confirmed: number | null
  told: number | null
}

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
