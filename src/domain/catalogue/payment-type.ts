/** The catalogue: payment types, and the amounts each takes per currency. */
import type { Cents, Currency } from '../money.ts'
import type { RequisiteGroup } from '../requisites/requisite.ts'

/** Whether the merchant names the method (create), or the customer chooses it on the page (build). */
export const flows = ['create', 'build'] as const
export type Flow = (typeof flows)[number]

export type PaymentType = {
  code: string
  name: string
  /** The requisites that serve it; `select` is served by all of them, as the customer chooses. */
  group: RequisiteGroup | 'select'
  /** Set for the types that take cards of one bank only. */
  bankCode: string | null
}

export const flowOf = ({ group }: PaymentType): Flow => (group === 'select' ? 'build' : 'create')

export type PaymentLimit = { paymentType: string; currency: Currency; minCents: Cents; maxCents: Cents }

/** The enabled types and limits, for all merchants or for one. */
export type Catalogue = { types: ReadonlyMap<string, PaymentType>; limits: readonly PaymentLimit[] }

/** The name of each type by its code, in their order. */
export type TypeNames = ReadonlyMap<string, string>

/** Default types are shown in the reader's language until an operator renames them. */
export const isDefaultName = (code: string, name: string): boolean =>
  Object.hasOwn(defaultNames, code) && defaultNames[code as keyof typeof defaultNames] === name

const defaultNames = {
  any_bank: 'Card of any bank',
  sbp: 'Fast payment by phone number',
  bankx: 'Card of Bank X',
  account_number: 'Transfer to a bank account',
  uzs_select: 'The customer chooses on the payment page',
}

const builtIn: Record<string, readonly [en: string, ru: string]> = {
  any_bank: ['Card, any bank', 'Карта любого банка'],
  sbp: ['Transfer by phone number (SBP)', 'СБП по номеру телефона'],
  bankx: ['Card, Bank X', 'Карта Bank X'],
  account_number: ['Bank account', 'Банковский счёт'],
  uzs_select: ['Customer’s choice', 'Выбор покупателя'],
}

/** As staff reads it. */
export const typeWords = (code: string, name: string): readonly [en: string, ru: string] =>
  (isDefaultName(code, name) && builtIn[code]) || [name, name]

export type ListedType = {
  code: string
  name: string
  requisite_group: PaymentType['group']
  bank_code: string | null
  type_enabled: boolean
  currency: Currency | null
  min_cents: bigint | null
  max_cents: bigint | null
  enabled: boolean | null
}
