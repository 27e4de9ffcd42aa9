/** The sections of a merchant's settings: each is a form of its own, which changes nothing of the others. */
import type { MerchantSettings } from '../../domain/merchants/merchant.ts'
import { Refusal } from '../../platform/refusals.ts'

export const settingSections = {
  times: ['choiceMinutes', 'paymentMinutes', 'lateGraceHours', 'lateGraceAccountHours'],
  differences: ['underpaidPolicy', 'underpaidToleranceCents', 'overpaidPolicy', 'latePolicy'],
  limits: ['ratePerSecond', 'rateBurst', 'customerOpenDeposits', 'customerDayCents', 'customerMonthCents'],
  /** A section without setting rules: the console has language and events here, the desk name and language. */
  page: [],
} as const satisfies Record<string, readonly (keyof MerchantSettings)[]>
export type SettingSection = keyof typeof settingSections

/** The section that a form names. */
export function sectionFrom<Section extends SettingSection>(
  said: string,
  known: readonly Section[],
): Section {
  const section = known.find((name) => name === said)
  if (!section) throw new Refusal('invalid_value')
  return section
}

const en: Record<SettingSection, string> = {
  times: 'Deadlines',
  differences: 'Underpaid, overpaid and late payments',
  limits: 'Request rates and customer limits',
  page: 'Payment page and events',
}
const ru: typeof en = {
  times: 'Сроки',
  differences: 'Недоплаты, переплаты и опоздания',
  limits: 'Частота запросов и лимиты покупателя',
  page: 'Платёжная страница и события',
}
export const sectionNames = { en, ru } as const
