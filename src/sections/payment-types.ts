/** Payment types with their limits: admins set them up, and everybody who works may stop one. */
import { isDeepStrictEqual } from 'node:util'
import { changePaymentType } from '../domain/catalogue/change-payment-type.ts'
import { type ListedType, typeWords } from '../domain/catalogue/payment-type.ts'
import { listPaymentTypes, lockPaymentType } from '../domain/catalogue/store.ts'
import { currencies, readable } from '../domain/money.ts'
import type { RequisiteGroup } from '../domain/requisites/requisite.ts'
import { code, onOff, text, words } from './cells.ts'
import { act, choices, section, sectionAct } from './declare.ts'
import { admin, read } from './roles.ts'
import type { Acted, Context, Reads } from './section.ts'
import { besideFields, currencyChoices, merchantField, nameField, stopAct } from './shared.ts'
import { FieldsRefused } from './typed.ts'

const groupWords = {
  card: ['Cards', 'Карты'],
  phone: ['Phones', 'Телефоны'],
  account: ['Accounts', 'Счета'],
} as const
const groupChoices = choices<RequisiteGroup>(groupWords)
const offered = choices({ yes: ['Yes', 'Да'], no: ['No', 'Нет'] })

/** A type with its general limits, in the order of the currencies. */
type Listed = Pick<ListedType, 'code' | 'name' | 'requisite_group' | 'bank_code' | 'type_enabled'> & {
  limits: readonly ListedType[]
}

async function readTypes({ db }: Pick<Reads, 'db'>): Promise<Listed[]> {
  const lines = await listPaymentTypes(db)
  return [...Map.groupBy(lines, ({ code }) => code).values()].map((limits) => {
    const inOrder = currencies.flatMap((currency) => limits.find((line) => line.currency === currency) ?? [])
    return { ...limits[0]!, limits: inOrder }
  })
}

const onType = act<Listed>()
type Change = Partial<Omit<Parameters<typeof changePaymentType>[1], 'code'>>

/** What is not named stays. */
async function change(context: Context, code: string, changed: Change) {
  const nothing = { name: null, group: null, bankCode: null, enabled: null, limit: null }
  const fields = {
    limit_upside_down: 'max',
    limit_needs_both_ends: 'max',
    limit_needs_general_one: 'merchant',
  }
  const { before, after } = await besideFields(fields, () =>
    changePaymentType(context.db, { code, ...nothing, ...changed }),
  )
  await context.merchantsChanged()
  return { before, after, isUnchanged: isDeepStrictEqual(before, after) }
}

async function turn(context: Context, code: string, enabled: boolean): Promise<Acted> {
  const { before, after } = await change(context, code, { enabled })
  return { before: { enabled: before?.enabled }, after: { enabled: after.enabled } }
}

export const paymentTypes = section<Listed>()({
  one: 'payment-type',
  path: '/payment-types',
  name: ['Payment types', 'Способы оплаты'],
  about: [
    'What merchants can ask for. Each type is served by requisites of its kind, within its limits.',
    'Что могут запросить мерчанты. Каждый способ обслуживают реквизиты своего вида в пределах лимитов.',
  ],
  empty: [
    ['No payment types', 'Способов оплаты нет'],
    ['Add one.', 'Добавьте первый.'],
  ],
  read,
  columns: {
    name: { rank: 1, cell: (r) => [words(typeWords(r.code, r.name)), code(r.code)] },
    state: { rank: 1, cell: (r) => onOff(r.type_enabled) },
    serves: {
      head: ['Served by', 'Чем принимается'],
      rank: 3,
      cell: (r) => [
        r.requisite_group === 'select'
          ? words(['Customer’s choice', 'Выбор покупателя'])
          : words(groupWords[r.requisite_group]),
        text(r.bank_code),
      ],
    },
    limits: {
      head: ['Limits of a deposit', 'Лимиты депозита'],
      rank: 2,
      cell: (r) =>
        r.limits.flatMap(({ currency, min_cents: min, max_cents: max, enabled }) => [
          text(`${readable(min!, currency!).slice(0, -4)} – ${readable(max!, currency!)}`),
          enabled ? null : onOff(false),
        ]),
    },
  },
  idOf: ({ code }) => code,
  title: ({ code, name }) => typeWords(code, name),
  all: readTypes,
  acts: {
    stop: stopAct<Listed>({
      name: ['Stop', 'Остановить'],
      effect: [
        'New deposits cannot use it from now on, in any currency.',
        'Новые депозиты его сразу не получат ни в одной валюте.',
      ],
      isOffered: ({ type_enabled }) => type_enabled,
      run: (_tx, { row, context }) => turn(context, row.code, false),
    }),
    start: onType({
      name: ['Turn on', 'Включить'],
      done: ['Turned on.', 'Включено.'],
      policy: admin,
      audit: 'type_start',
      isPlain: true,
      from: ({ type_enabled }) => !type_enabled,
      run: (_tx, { row, context }) => turn(context, row.code, true),
    }),
    limits: onType({
      name: ['Change limits', 'Изменить лимиты'],
      effect: [
        'What is left empty stays. A merchant’s own limits come before the general ones.',
        'Пустое не меняется. Лимиты мерчанта важнее общих.',
      ],
      policy: admin,
      done: ['Payment type changed.', 'Способ оплаты изменён.'],
      audit: 'type_change',
      isPlain: true,
      fields: {
        currency: { head: ['Currency', 'Валюта'], is: 'choice', of: currencyChoices },
        min: { head: ['Minimum', 'Минимум'], is: 'cents', isOptional: true },
        max: { head: ['Maximum', 'Максимум'], is: 'cents', isOptional: true },
        offered: { head: ['Offered', 'Предлагается'], is: 'choice', of: offered, isOptional: true },
        merchant: merchantField,
      },
      run: async (_tx, { row, given: { currency, min, max, offered, merchant: merchantId }, context }) => {
        const limit = { currency, minCents: min, maxCents: max, merchantId }
        return change(context, row.code, { limit, enabled: offered === null ? null : offered === 'yes' })
      },
    }),
    rename: onType({
      name: ['Rename', 'Переименовать'],
      policy: admin,
      audit: 'type_change',
      isPlain: true,
      fields: { name: { ...nameField, value: ({ name }) => name } },
      run: async (_tx, { row, given, context }) => change(context, row.code, { name: given.name }),
    }),
  },
  sectionActs: {
    add: sectionAct({
      name: ['Add payment type', 'Добавить способ оплаты'],
      effect: ['Its limits are set on its page.', 'Лимиты задаются на его странице.'],
      policy: admin,
      audit: 'type_change',
      kind: 'primary',
      isPlain: true,
      fields: {
        code: {
          head: ['Code', 'Код'],
          hint: ['Lower-case letters, digits and _.', 'Строчные латинские буквы, цифры и _.'],
          is: 'text',
          most: 32,
        },
        name: nameField,
        group: { head: ['Served by', 'Чем принимается'], is: 'choice', of: groupChoices },
        bank: {
          head: ['Only of the bank (code)', 'Только банка (код)'],
          is: 'text',
          most: 32,
          isOptional: true,
        },
      },
      run: async (tx, { given: { code, name, bank: bankCode, group }, context }) => {
        if (!/^[a-z][a-z0-9_]*$/.test(code))
          throw new FieldsRefused({
            code: ['Use lower-case letters, digits and _.', 'Строчные буквы, цифры и _.'],
          })
        if (await lockPaymentType(tx, code))
          throw new FieldsRefused({ code: ['This code is taken.', 'Этот код уже занят.'] })
        const { after } = await change(context, code, { name, bankCode, group })
        return { after, subject: `payment-type:${code}`, show: { id: code } }
      },
    }),
  },
})
