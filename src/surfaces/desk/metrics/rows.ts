/** The numbers of a day. */
import type { DepositState } from '../../../domain/deposits/deposit.ts'

/** What happened in one step of some seconds; null where the sample does not reach back that far. */
export type FlowStep = {
  at: Date
  made: number | null
  confirmed: number | null
  acknowledged: number | null
}

export type DayNumbers = {
  groups: {
    paymentType: string
    requisiteId: string | null
    state: DepositState
    deposits: number
    withMoney: number
  }[]
  /** The median and 95th percentile of seconds from showing the requisites to the confirmation. */
  median: number | null
  p95: number | null
  callbacks: { made: number; acked: number }
  requisites: ReadonlyMap<string, string>
}
