/** A merchant: who asks for deposits, in which mode, under which policies and times. */
import { type Cents, mostCents } from '../money.ts'

export const modes = ['live', 'test'] as const
export type Mode = (typeof modes)[number]

export type MerchantId = string & { readonly kind?: 'merchant' }

export type Merchant = {
  id: MerchantId
  name: string
  mode: Mode
  enabled: boolean
  callbackUrl: string | null
  /** Where customers return to when a request names no address. */
  successUrl: string | null
  rejectUrl: string | null
  /** Events it asked for besides the ones everybody gets. */
  optionalEvents: string[]
  /** Of the payment page, where the customer's browser asks for none that we speak. */
  language: string | null
  settings: MerchantSettings
}

export type MerchantSettings = {
  choiceMinutes: number
  paymentMinutes: number
  lateGraceHours: number
  lateGraceAccountHours: number
  underpaidPolicy: 'wait' | 'accept' | 'review'
  underpaidToleranceCents: Cents
  overpaidPolicy: 'confirm' | 'review'
  latePolicy: 'confirm' | 'review'
  ratePerSecond: number
  rateBurst: number
  /** What one customer may have open, and ask for in a bank day and a bank month; null is no limit. */
  customerOpenDeposits: number | null
  customerDayCents: Cents | null
  customerMonthCents: Cents | null
}

/** Each setting: what it may hold, in the words of the command line and of the console. */
export const settingRules = {
  choiceMinutes: { option: 'choice-minutes', least: 5, most: 1_440 },
  paymentMinutes: { option: 'payment-minutes', least: 5, most: 1_440 },
  lateGraceHours: { option: 'late-grace-hours', least: 0, most: 720 },
  lateGraceAccountHours: { option: 'late-grace-account-hours', least: 0, most: 720 },
  underpaidPolicy: { option: 'underpaid', values: ['wait', 'accept', 'review'] },
  underpaidToleranceCents: { option: 'underpaid-tolerance-cents', least: 0, most: Number(mostCents) },
  overpaidPolicy: { option: 'overpaid', values: ['confirm', 'review'] },
  latePolicy: { option: 'late', values: ['confirm', 'review'] },
  ratePerSecond: { option: 'rate-per-second', least: 1, most: 1_000_000 },
  rateBurst: { option: 'rate-burst', least: 1, most: 4_000_000 },
  customerOpenDeposits: { option: 'customer-open-deposits', least: 1, most: 1_000_000, orNone: true },
  customerDayCents: { option: 'customer-day-cents', least: 1, most: Number(mostCents), orNone: true },
  customerMonthCents: { option: 'customer-month-cents', least: 1, most: Number(mostCents), orNone: true },
} as const satisfies Record<
  keyof MerchantSettings,
  { option: string } & ({ least: number; most: number; orNone?: true } | { values: readonly string[] })
>

/** What pauses the delivery of callbacks to an address by itself; any other reason is a person's. */
export const automaticPauses = ['answered_410', 'failing_120_hours'] as const
export type AutomaticPause = (typeof automaticPauses)[number]
