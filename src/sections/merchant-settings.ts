/** A merchant's rules as fields: the operator changes all of them, an owner those of the shop. */

import { looserRules } from '../domain/approvals/rule-changes.ts'
import type { OptionalEvent } from '../domain/callbacks/callback.ts'
import { addressProblem } from '../domain/deposits/address.ts'
import { type ChangeMerchant, changeMerchant } from '../domain/merchants/change-merchant.ts'
import { type Merchant, type MerchantSettings, settingRules } from '../domain/merchants/merchant.ts'
import { lockMerchant } from '../domain/merchants/store.ts'
import { message } from '../domain/messages/message.ts'
import { decimal, typedCents } from '../domain/money.ts'
import type { Tx } from '../platform/db.ts'
import { Refusal } from '../platform/refusals.ts'
import { code, number, text, words, wordsOf } from './cells.ts'
import type { Acted, By, Cell, Choice, Column, Context, Field, Two } from './section.ts'

type Setting = keyof MerchantSettings

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

const policies: readonly Choice[] = [
  { value: 'wait', words: ['Wait for the rest', 'Ждать остаток'] },
  {
    value: 'accept',
    words: ['Accept within the allowed shortfall', 'Принять в пределах допустимой недоплаты'],
  },
  { value: 'review', words: ['Manual review', 'Ручная проверка'] },
  { value: 'confirm', words: ['Confirm', 'Подтвердить'] },
]

export const settingGroups = {
  times: ['choiceMinutes', 'paymentMinutes', 'lateGraceHours', 'lateGraceAccountHours'],
  differences: ['underpaidPolicy', 'underpaidToleranceCents', 'overpaidPolicy', 'latePolicy'],
  limits: ['ratePerSecond', 'rateBurst', 'customerOpenDeposits', 'customerDayCents', 'customerMonthCents'],
} as const satisfies Record<string, readonly Setting[]>

export const languageChoices: readonly Choice[] = [
  { value: 'ru', words: ['Русский', 'Русский'] },
  { value: 'uz', words: ['O‘zbekcha', 'O‘zbekcha'] },
  { value: 'kk', words: ['Қазақша', 'Қазақша'] },
  { value: 'tg', words: ['Тоҷикӣ', 'Тоҷикӣ'] },
  { value: 'en', words: ['English', 'English'] },
]

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
    const of = policies.filter((policy) => (rule.values as readonly string[]).includes(policy.value))
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
  return typeof value === 'number' ? number(value) : words(wordsOf(policies, value))
}

export const settingFacts = (names: readonly Setting[]): Record<string, Omit<Column<Merchant>, 'rank'>> =>
  Object.fromEntries(
    names.map((name) => [
      settingRules[name].option.replaceAll('-', '_'),
      { head: labels[name][0], cell: (row: Merchant) => settingCell(name, row) },
    ]),
  )

export const addressFacts = {
  callback_url: {
    head: ['Callback URL', 'Адрес колбэков'],
    cell: ({ callbackUrl }: Merchant) => text(callbackUrl),
  },
  success_url: {
    head: ['Return URL after payment', 'Адрес возврата после оплаты'],
    cell: ({ successUrl }: Merchant) => text(successUrl),
  },
  reject_url: {
    head: ['Return URL without payment', 'Адрес возврата без оплаты'],
    cell: ({ rejectUrl }: Merchant) => text(rejectUrl),
  },
} as const
export const pageFacts = {
  language: {
    head: ['Payment page language', 'Язык платёжной страницы'],
    cell: ({ language }: Merchant) =>
      language ? words(wordsOf(languageChoices, language)) : words(['Not set', 'Не задан']),
  },
  events: {
    head: ['Optional events', 'Дополнительные события'],
    cell: ({ optionalEvents }: Merchant) =>
      optionalEvents.length === 0 ? null : optionalEvents.map((event) => code(event)),
  },
} as const

export const addressField = (
  head: Two,
  value: (row: Merchant) => string | null,
  hint?: Two,
): Field<Merchant> & { is: 'text'; isOptional: true } => ({
  ...{ head, is: 'text', most: 2_000, isOptional: true },
  value: (row) => value(row) ?? '',
  ...(hint && { hint }),
})
export const returnFields = {
  success: addressField(
    ['After payment (success_url)', 'После оплаты (success_url)'],
    ({ successUrl }) => successUrl,
    ['After the deposit is confirmed.', 'После подтверждения депозита.'],
  ),
  reject: addressField(
    ['Without payment (reject_url)', 'Без оплаты (reject_url)'],
    ({ rejectUrl }) => rejectUrl,
    [
      'After the deposit is rejected, canceled, expired or reversed.',
      'Если депозит отклонён, отменён, истёк или возвращён.',
    ],
  ),
} as const

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
  return now?.mode === 'live' && Object.keys(looserRules(now.settings, wanted)).length > 0
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
