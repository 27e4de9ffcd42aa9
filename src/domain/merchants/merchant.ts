/** A merchant: it creates deposits, in one mode, under its policies and times. */
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
  /** Optional events that it wants besides the usual ones. */
  optionalEvents: string[]
  /** Of the payment page, where the browser prefers no supported language. */
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
  /** Limits per customer: open deposits, and amounts per bank day and bank month; null is no limit. */
  customerOpenDeposits: number | null
  customerDayCents: Cents | null
  customerMonthCents: Cents | null
}

/** The allowed values of each setting, and its command-line option. */
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

/** Reasons for which delivery pauses by itself; any other reason is a person's. */
export const automaticPauses = ['answered_410', 'failing_120_hours'] as const
export type AutomaticPause = (typeof automaticPauses)[number]
