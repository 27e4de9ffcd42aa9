/** A merchant's rules as fields: the operator changes all of them, an owner those of the shop. */

import { confirmsMore } from '../domain/approvals/rule-changes.ts'
import type { OptionalEvent } from '../domain/callbacks/callback.ts'
import { addressProblem } from '../domain/deposits/address.ts'
import { type ChangeMerchant, changeMerchant } from '../domain/merchants/change-merchant.ts'
import { type Merchant, type MerchantSettings, settingRules } from '../domain/merchants/merchant.ts'
import { lockMerchant } from '../domain/merchants/store.ts'
import { message } from '../domain/messages/message.ts'
import { decimal, typedCents } from '../domain/money.ts'
import type { Policy } from '../domain/people/access.ts'
import type { Tx } from '../platform/db.ts'
import { Refusal } from '../platform/refusals.ts'
import { code, number, text, words, wordsOf } from './cells.ts'
import { act, choices } from './declare.ts'
import {
  type Acted,
  type By,
  both,
  type Cell,
  type Column,
  type Context,
  type Field,
  type Fields,
  type Given,
  type Two,
} from './section.ts'

export type Setting = keyof MerchantSettings

const labels: Record<Setting, readonly [name: Two, hint?: Two]> = {
  choiceMinutes: [
    ['Time to choose a method, minutes', 'Время на выбор способа, минут'],
    [
      'For deposits where the customer chooses the payment method.',
      'Для депозитов, где способ выбирает покупатель.',
    ],
  ],
  paymentMinutes: [['Time to pay, minutes', 'Время на оплату, минут']],
  lateGraceHours: [
    ['Late payments accepted, cards and phones, hours', 'Приём опоздавших платежей: карты и телефоны, часов'],
    ['Counted from the payment deadline.', 'После срока оплаты.'],
  ],
  lateGraceAccountHours: [
    ['Late payments accepted, accounts, hours', 'Приём опоздавших платежей: счета, часов'],
    [
      'Bank transfers can take days over a weekend.',
      'В выходные банковские переводы идут по несколько дней.',
    ],
  ],
  underpaidPolicy: [['Underpayment', 'Недоплата']],
  underpaidToleranceCents: [
    ['Accepted shortfall, in the deposit’s currency', 'Допустимая недоплата, в валюте депозита'],
    [
      'Used when underpayments are accepted. For example, 0.50.',
      'Действует, если недоплаты принимаются. Например, 0,50.',
    ],
  ],
  overpaidPolicy: [['Overpayment', 'Переплата']],
  latePolicy: [['Late payment', 'Опоздавший платёж']],
  ratePerSecond: [['Requests per second', 'Запросов в секунду']],
  rateBurst: [['Request burst', 'Запросов подряд, максимум']],
  customerOpenDeposits: [
    ['Open deposits per customer', 'Открытых депозитов на покупателя'],
    ['Empty means no limit.', 'Пусто — без лимита.'],
  ],
  customerDayCents: [
    ['Daily limit per customer, in the deposit’s currency', 'Лимит покупателя в день, в валюте депозита'],
    ['Empty means no limit.', 'Пусто — без лимита.'],
  ],
  customerMonthCents: [
    ['Monthly limit per customer, in the deposit’s currency', 'Лимит покупателя в месяц, в валюте депозита'],
    ['Empty means no limit.', 'Пусто — без лимита.'],
  ],
}

const policyWords: Readonly<Record<string, Two>> = {
  wait: ['Wait for the rest', 'Ждать остаток'],
  accept: ['Accept within the allowed shortfall', 'Принять в пределах допустимой недоплаты'],
  review: ['Manual review', 'Ручная проверка'],
  confirm: ['Confirm', 'Подтвердить'],
}

export const settingGroups = {
  times: ['choiceMinutes', 'paymentMinutes', 'lateGraceHours', 'lateGraceAccountHours'],
  differences: ['underpaidPolicy', 'underpaidToleranceCents', 'overpaidPolicy', 'latePolicy'],
  limits: ['ratePerSecond', 'rateBurst', 'customerOpenDeposits', 'customerDayCents', 'customerMonthCents'],
} as const satisfies Record<string, readonly Setting[]>

const languages = {
  ru: both('Русский'),
  uz: both('O‘zbekcha'),
  kk: both('Қазақша'),
  tg: both('Тоҷикӣ'),
  en: both('English'),
} as const
export const languageField = {
  head: ['Payment page language', 'Язык платёжной страницы'],
  is: 'choice',
  of: choices(languages),
  isOptional: true,
  value: ({ language }: Merchant) => language ?? '',
} as const

export const eventNames: Record<OptionalEvent, Two> = {
  'deposit.method_selected': [
    'Customer chose a payment method (deposit.method_selected)',
    'Покупатель выбрал способ оплаты (deposit.method_selected)',
  ],
  'deposit.claimed': [
    'Customer reported the payment (deposit.claimed)',
    'Покупатель сообщил об оплате (deposit.claimed)',
  ],
}

const isAmount = (name: Setting): boolean => name.endsWith('Cents')
/** An amount is typed in units. */
const fieldName = (name: Setting): string => name.replace(/Cents$/, '')

function settingField(name: Setting): Field<Merchant> {
  const rule = settingRules[name]
  const [head, hint] = labels[name]
  const value = ({ settings }: Merchant): string => {
    const now = settings[name]
    return now === null ? '' : typeof now === 'bigint' ? typedCents(now) : String(now)
  }
  const common = {
    head,
    value,
    ...(hint && { hint }),
    ...('orNone' in rule && { isOptional: true as const }),
  }
  if ('values' in rule) {
    const of = rule.values.map((value) => ({ value, words: policyWords[value]! }))
    return { ...common, is: 'choice', of }
  }
  return isAmount(name)
    ? { ...common, is: 'cents' }
    : { ...common, is: 'count', least: rule.least, most: rule.most }
}

export const settingFields = (names: readonly Setting[]): Record<string, Field<Merchant>> =>
  Object.fromEntries(names.map((name) => [fieldName(name), settingField(name)]))

/** The settings that were typed. An amount has a least too. */
export function settingsGiven(
  names: readonly Setting[],
  given: Readonly<Record<string, unknown>>,
): Partial<MerchantSettings> {
  return Object.fromEntries(
    names.map((name) => {
      const rule = settingRules[name]
      const value = given[fieldName(name)]
      if (typeof value === 'bigint' && 'least' in rule && value < rule.least)
        throw new Refusal('invalid_value', {
          errors: [
            {
              pointer: `#/${fieldName(name)}`,
              code: 'too_small',
              detail: `At least ${decimal(BigInt(rule.least))}.`,
            },
          ],
        })
      return [name, value]
    }),
  )
}

const settingCell = (name: Setting, { settings }: Merchant): Cell => {
  const value = settings[name]
  if (value === null) return words(['No limit', 'Без лимита'])
  if (typeof value === 'bigint') return text(typedCents(value))
  return typeof value === 'number' ? number(value) : words(policyWords[value]!)
}

export const settingFacts = (names: readonly Setting[]): Record<string, Omit<Column<Merchant>, 'rank'>> =>
  Object.fromEntries(
    names.map((name) => [
      settingRules[name].option.replaceAll('-', '_'),
      { head: labels[name][0], cell: (row: Merchant) => settingCell(name, row) },
    ]),
  )

const address = (head: Two, of: (row: Merchant) => string | null) => ({
  head,
  cell: (row: Merchant) => text(of(row)),
})
export const addressFacts = {
  callback_url: address(['Callback URL', 'Адрес колбэков'], (r) => r.callbackUrl),
  success_url: address(['Return URL after payment', 'Адрес возврата после оплаты'], (r) => r.successUrl),
  reject_url: address(['Return URL without payment', 'Адрес возврата без оплаты'], (r) => r.rejectUrl),
}
export const pageFacts = {
  language: {
    head: languageField.head,
    cell: ({ language }: Merchant) =>
      language ? words(wordsOf(languageField.of, language)) : words(['Not set', 'Не задан']),
  },
  events: {
    head: ['Optional events', 'Дополнительные события'],
    cell: ({ optionalEvents }: Merchant) =>
      optionalEvents.length === 0 ? null : optionalEvents.map((event) => code(event)),
  },
} as const

const addressField = (head: Two, value: (row: Merchant) => string | null) =>
  ({ head, is: 'text', most: 2_000, isOptional: true, value: (row: Merchant) => value(row) ?? '' }) as const

const returnFields = {
  success: {
    ...addressField(['After payment (success_url)', 'После оплаты (success_url)'], (r) => r.successUrl),
    hint: ['After the deposit is confirmed.', 'После подтверждения депозита.'],
  },
  reject: {
    ...addressField(['Without payment (reject_url)', 'Без оплаты (reject_url)'], (r) => r.rejectUrl),
    hint: [
      'After the deposit is rejected, canceled, expired or reversed.',
      'Если депозит отклонён, отменён, истёк или возвращён.',
    ],
  },
} as const

/** `second`: whether the change waits for a second person. An address that may not be called is refused before. */
const addressAct =
  <const F extends Fields<Merchant>>(
    one: { name: Two; done: Two; audit: string; fields: F },
    change: (given: Given<F>) => Parameters<typeof changed>[1],
  ) =>
  (policy: Policy, second: (row: Merchant) => boolean, effect: Two) =>
    act<Merchant>()({
      ...{ ...one, policy, effect },
      second: (_tx, { row, given, context }) => {
        checkAddresses(context, row, given as Record<string, string | null>)
        return second(row)
      },
      run: (_tx, { given, ...doing }) => changed(doing, change(given)),
    })
export const callbackAct = addressAct(
  {
    name: ['Change the callback URL', 'Сменить адрес колбэков'],
    done: ['Callback URL saved.', 'Адрес колбэков сохранён.'],
    audit: 'callback_address',
    fields: { address: addressField(['Callback URL', 'Адрес колбэков'], (r) => r.callbackUrl) },
  },
  ({ address }) => ({ callbackUrl: address }),
)
export const returnsAct = addressAct(
  {
    name: ['Change return URLs', 'Сменить адреса возврата'],
    done: ['Return URLs saved.', 'Адреса возврата сохранены.'],
    audit: 'return_addresses',
    fields: returnFields,
  },
  ({ success, reject }) => ({ successUrl: success, rejectUrl: reject }),
)

/** Refuses what may not be called, each address at its field. */
export function checkAddresses(
  { isTrustedHost }: Pick<Context, 'isTrustedHost'>,
  { mode }: Pick<Merchant, 'mode'>,
  addresses: Readonly<Record<string, string | null>>,
): void {
  const errors = Object.entries(addresses).flatMap(([field, address]) => {
    const detail = address && addressProblem(address, { mode, isTrustedHost })
    return detail ? [{ pointer: `#/${field}`, code: 'url_not_allowed', detail }] : []
  })
  if (errors.length > 0) throw new Refusal('url_not_allowed', { errors })
}

/** Whether more payments would confirm by these rules. Test mode is nobody's money. The merchant stays locked until they are saved. */
export async function isLooser(
  tx: Tx,
  { id }: Pick<Merchant, 'id'>,
  wanted: Partial<MerchantSettings>,
): Promise<boolean> {
  const now = await lockMerchant(tx, id)
  return now?.mode === 'live' && confirmsMore(now.settings, wanted)
}

/** The audit entry has only what changed. What was approved is refused if the merchant has changed since it was read. */
export async function changed(
  { row, by, context }: { row: Merchant; by: By; context: Context },
  change: Omit<ChangeMerchant, 'merchantId'>,
): Promise<Acted> {
  const { before, after } = await changeMerchant(context.db, { merchantId: row.id, ...change })
  const [old, now] = [flat(before), flat(after)]
  if (by.approved && String(Object.values(old)) !== String(Object.values(flat(row))))
    throw new Refusal('state_conflict', { detail: message('changed_since_proposed') })
  const names = Object.keys(now).filter((name) => String(old[name]) !== String(now[name]))
  if (names.length === 0) return { isUnchanged: true }
  const pick = (all: Record<string, unknown>) => Object.fromEntries(names.map((name) => [name, all[name]]))
  await context.merchantsChanged(row.id)
  if (before.callbackUrl !== after.callbackUrl) context.changed()
  return { before: pick(old), after: pick(now) }
}

const flat = ({ settings, ...rest }: Merchant): Record<string, unknown> => ({ ...rest, ...settings })
