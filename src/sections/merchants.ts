/** Merchants as the operator sets them up. Every operator may stop one. */
import { createMerchant } from '../domain/merchants/create-merchant.ts'
import { type Merchant, settingRules } from '../domain/merchants/merchant.ts'
import { findMerchant, listMerchants } from '../domain/merchants/store.ts'
import { foreign, modeOf, onOff, text } from './cells.ts'
import { act, section, sectionAct } from './declare.ts'
import {
  addressFacts,
  callbackAct,
  changed,
  checkAddresses,
  isLooser,
  languageField,
  pageFacts,
  returnsAct,
  type Setting,
  settingFacts,
  settingFields,
  settingGroups,
  settingsGiven,
} from './merchant-settings.ts'
import { note } from './parts.ts'
import { consoleAt } from './paths.ts'
import { admin, read } from './roles.ts'
import type { Two } from './section.ts'
import { modeChoices, nameField, stopAct } from './shared.ts'

const onMerchant = act<Merchant>()

const settingsAct = (name: Two, effect: Two, names: readonly Setting[]) =>
  onMerchant({
    ...{ name, effect },
    policy: admin,
    done: ['Merchant changed.', 'Мерчант изменён.'],
    audit: 'merchant_change',
    fields: settingFields(names),
    // Those who let late money confirm see how long it counts.
    seen: ({ settings }) => ({
      late_grace_hours: String(settings.lateGraceHours),
      late_grace_account_hours: String(settings.lateGraceAccountHours),
    }),
    second: (tx, { row, given }) => isLooser(tx, row, settingsGiven(names, given)),
    run: (_tx, doing) => changed(doing, { settings: settingsGiven(names, doing.given) }),
  })

const looserWaits: Two = [
  'In live mode the change waits for a second person if it lets more payments confirm.',
  'В боевом режиме изменение ждёт второго сотрудника, если по нему подтвердится больше платежей.',
]

const secrets: Two = [
  'Merchant keys. They are shown only once: save them now.',
  'Ключи мерчанта. Показываются один раз: сохраните их сейчас.',
]

export const merchants = section<Merchant>()({
  one: 'merchant',
  path: '/merchants',
  name: ['Merchants', 'Мерчанты'],
  empty: [
    ['No merchants yet', 'Мерчантов пока нет'],
    [
      'A merchant creates deposits through the API. Add the first one.',
      'Мерчант создаёт депозиты через API. Добавьте первого.',
    ],
  ],
  read,
  columns: {
    name: { rank: 1, cell: (r) => foreign(r.name) },
    state: { rank: 1, cell: (r) => onOff(r.enabled) },
    mode: { rank: 2, cell: (r) => modeOf(r.mode) },
    callback_url: { ...addressFacts.callback_url, rank: 3 },
    merchant: { head: ['ID', 'ID'], rank: 3, cell: (r) => text(r.id) },
  },
  facts: {
    success_url: addressFacts.success_url,
    reject_url: addressFacts.reject_url,
    ...pageFacts,
    ...settingFacts(Object.keys(settingRules) as (keyof typeof settingRules)[]),
  },
  idOf: ({ id }) => id,
  merchantOf: ({ id }) => id,
  title: ({ name }) => name,
  list: ({ db }, page) => listMerchants(db, page),
  find: ({ db }, id) => findMerchant(db, id),
  parts: async (_context, { id }) => [
    note('info', ['Why was a deposit of this merchant refused?', 'Почему депозит этого мерчанта отклонён?'], {
      ...{ to: `/merchants/${id}`, id: 'why', text: ['Check a request', 'Проверить запрос'] },
    }),
    note('info', ['What the merchant sees:', 'Что видит мерчант:'], {
      ...{ at: consoleAt(id), text: ['Open merchant console', 'Открыть кабинет мерчанта'] },
    }),
  ],
  acts: {
    page: onMerchant({
      name: ['Name and language', 'Название и язык'],
      policy: admin,
      done: ['Merchant changed.', 'Мерчант изменён.'],
      audit: 'merchant_change',
      fields: {
        name: { ...nameField, value: ({ name }) => name },
        language: languageField,
      },
      run: (_tx, { given: { name, language }, ...doing }) => changed(doing, { name, language }),
    }),
    times: settingsAct(['Deadlines', 'Сроки'], looserWaits, settingGroups.times),
    differences: settingsAct(
      ['Underpaid, overpaid and late payments', 'Недоплаты, переплаты и опоздания'],
      looserWaits,
      settingGroups.differences,
    ),
    limits: settingsAct(
      ['Request rates and customer limits', 'Частота запросов и лимиты покупателя'],
      ['They apply to new requests.', 'Действуют для новых запросов.'],
      settingGroups.limits,
    ),
    callback: callbackAct(admin, () => true, [
      'Callbacks about payments go to this URL. A second person approves the change.',
      'На этот адрес уходят колбэки об оплатах. Изменение согласует второй сотрудник.',
    ]),
    returns: returnsAct(admin, () => true, [
      'Customers return here unless the request sets its own URLs. A second person approves the change.',
      'Сюда возвращаются покупатели, если в запросе нет своих адресов. Изменение согласует второй сотрудник.',
    ]),
    stop: stopAct<Merchant>({
      name: ['Stop merchant', 'Остановить мерчанта'],
      effect: [
        'Takes effect immediately: API requests are refused. Existing deposits continue.',
        'Действует сразу: запросы к API отклоняются. Созданные депозиты продолжают работать.',
      ],
      from: ({ enabled }) => enabled,
      run: (_tx, doing) => changed(doing, { enabled: false }),
    }),
    start: onMerchant({
      name: ['Turn on merchant', 'Включить мерчанта'],
      done: ['Turned on.', 'Включено.'],
      policy: admin,
      audit: 'merchant_start',
      isPlain: true,
      from: ({ enabled }) => !enabled,
      run: (_tx, doing) => changed(doing, { enabled: true }),
    }),
  },
  sectionActs: {
    create: sectionAct({
      name: ['Add merchant', 'Добавить мерчанта'],
      done: ['Merchant created.', 'Мерчант создан.'],
      policy: admin,
      audit: 'merchant_create',
      kind: 'primary',
      isPlain: true,
      fields: {
        name: nameField,
        mode: { head: ['Mode', 'Режим'], is: 'choice', of: modeChoices },
        callback: {
          ...{ head: ['Callback URL', 'Адрес колбэков'], is: 'text', most: 2_000, isOptional: true },
          hint: [
            'An https URL on the merchant’s server. You can set it later.',
            'Адрес https на сервере мерчанта. Можно задать позже.',
          ],
        },
      },
      run: async (_tx, { given: { name, mode, callback: callbackUrl }, context }) => {
        checkAddresses(context, { mode }, { callback: callbackUrl })
        const asked = { name, mode, callbackUrl }
        const { merchant, keyId, signingSecret, callbackSecret } = await createMerchant(
          context.db,
          context.vault,
          asked,
        )
        return {
          subject: `merchant:${merchant.id}`,
          merchantId: merchant.id,
          after: { ...asked, keyId },
          show: { id: merchant.id },
          secretText: secrets,
          secret: [
            { head: ['Merchant', 'ID мерчанта'], text: merchant.id },
            { head: ['Key ID', 'ID ключа'], text: keyId },
            { head: ['Signing secret', 'Секрет подписи запросов'], text: signingSecret },
            { head: ['Callback secret', 'Секрет подписи колбэков'], text: callbackSecret },
          ],
        }
      },
    }),
  },
})
