/** A merchant's own settings: its rules, its addresses, its payment page. Rates and limits of customers are the operator's. */
import { optionalEvents } from '../domain/callbacks/callback.ts'
import { logoPath } from '../domain/deposits/page-paths.ts'
import type { Brand } from '../domain/merchants/brand.ts'
import { readBrand } from '../domain/merchants/brand-store.ts'
import type { Merchant } from '../domain/merchants/merchant.ts'
import { findMerchant } from '../domain/merchants/store.ts'
import { Refusal } from '../platform/refusals.ts'
import { code, foreign } from './cells.ts'
import { act, section } from './declare.ts'
import {
  addressFacts,
  addressField,
  changed,
  checkAddresses,
  eventNames,
  isLooser,
  languageChoices,
  pageFacts,
  returnFields,
  settingFacts,
  settingFields,
  settingGroups,
  settingsGiven,
} from './merchant-settings.ts'
import { facts, note } from './parts.ts'
import { freshDeveloper, freshOwner, owner, viewer } from './roles.ts'
import type { Part, Two } from './section.ts'

const onShop = act<Merchant>()
const saved: Two = ['Settings saved.', 'Настройки сохранены.']

/** An open session of somebody else must not be enough to let any amount confirm a deposit. */
const rulesAct = (name: Two, effect: Two, names: (typeof settingGroups)['times' | 'differences']) =>
  onShop({
    name,
    effect,
    done: saved,
    policy: owner,
    audit: 'merchant_settings',
    isPlain: true,
    fields: settingFields(names),
    run: async (tx, { given, ...doing }) => {
      const settings = settingsGiven(names, given)
      if (!doing.by.isFresh && (await isLooser(tx, doing.row, settings)))
        throw new Refusal('step_up_required')
      return changed(doing, { settings })
    },
  })

const inLive: Two = [
  'In test mode the change takes effect immediately, in live mode after the operator approves it.',
  'В тестовом режиме изменение действует сразу, в боевом — после согласования оператором.',
]

const branding: Two = ['Branding', 'Оформление']

const brandFacts = ({ accent, logo }: Brand, publicUrl: string): Part =>
  facts(branding, [
    [['Colour', 'Цвет'], code(accent)],
    [['Logo', 'Логотип'], logo && code(publicUrl + logoPath('/:name', `${logo.digest}.png`))],
  ])

export const shop = section<Merchant>()({
  one: 'shop',
  path: '/settings',
  name: ['Settings', 'Настройки'],
  read: viewer,
  only: ({ merchantId }) => merchantId!,
  subjectOf: ({ id }) => `merchant:${id}`,
  merchantOf: ({ id }) => id,
  columns: {
    name: { rank: 1, cell: (r) => foreign(r.name) },
    merchant: { head: ['Merchant ID', 'ID мерчанта'], rank: 1, cell: (r) => code(r.id) },
  },
  facts: {
    ...addressFacts,
    ...pageFacts,
    ...settingFacts([...settingGroups.times, ...settingGroups.differences]),
    ...settingFacts(settingGroups.limits),
  },
  idOf: ({ id }) => id,
  find: ({ db }, id) => findMerchant(db, id),
  parts: async ({ db, publicUrl }, { id }) => [
    note(
      'info',
      [
        'Your logo and colour on the payment page show customers that they are paying you.',
        'Логотип и цвет на платёжной странице показывают покупателю, что он платит именно вам.',
      ],
      { to: '/settings', id: 'branding', text: branding, policy: freshOwner },
    ),
    brandFacts(await readBrand(db, id), publicUrl),
  ],
  acts: {
    times: rulesAct(
      ['Deadlines', 'Сроки'],
      ['They apply to new deposits.', 'Действуют для новых депозитов.'],
      settingGroups.times,
    ),
    differences: rulesAct(
      ['Underpaid, overpaid and late payments', 'Недоплаты, переплаты и опоздания'],
      ['They apply to all open deposits.', 'Действуют для всех открытых депозитов.'],
      settingGroups.differences,
    ),
    page: onShop({
      name: ['Payment page and events', 'Платёжная страница и события'],
      done: saved,
      policy: owner,
      audit: 'merchant_settings',
      isPlain: true,
      fields: {
        language: {
          head: ['Payment page language', 'Язык платёжной страницы'],
          hint: [
            'Used when the customer’s browser asks for no supported language.',
            'Если браузер покупателя не запрашивает ни одного из доступных языков.',
          ],
          is: 'choice',
          of: languageChoices,
          isOptional: true,
          value: ({ language }) => language ?? '',
        },
        methodSelected: {
          head: eventNames['deposit.method_selected'],
          is: 'tick',
          value: (row) => (row.optionalEvents.includes('deposit.method_selected') ? 'on' : ''),
        },
        claimed: {
          head: eventNames['deposit.claimed'],
          is: 'tick',
          value: (row) => (row.optionalEvents.includes('deposit.claimed') ? 'on' : ''),
        },
      },
      run: (_tx, { given: { language, ...given }, ...doing }) => {
        const isOn = { 'deposit.method_selected': given.methodSelected, 'deposit.claimed': given.claimed }
        const wanted = optionalEvents.filter((event) => isOn[event])
        return changed(doing, { language, optionalEvents: wanted })
      },
    }),
    callback: onShop({
      name: ['Change the callback URL', 'Сменить адрес колбэков'],
      effect: inLive,
      done: ['Callback URL saved.', 'Адрес колбэков сохранён.'],
      policy: freshDeveloper,
      audit: 'callback_address',
      isPlain: true,
      fields: {
        address: addressField(['Callback URL', 'Адрес колбэков'], ({ callbackUrl }) => callbackUrl),
      },
      second: (_tx, { row, given, context }) => {
        checkAddresses(context, row, given)
        return row.mode === 'live'
      },
      run: (_tx, { given, ...doing }) => changed(doing, { callbackUrl: given.address }),
    }),
    returns: onShop({
      name: ['Change return URLs', 'Сменить адреса возврата'],
      effect: [
        `Applies to new deposits; open ones keep their URLs. Leave a field empty for no URL. ${inLive[0]}`,
        `Действует для новых депозитов; открытые сохранят свои адреса. Пустое поле — адреса нет. ${inLive[1]}`,
      ],
      done: ['Return URLs saved.', 'Адреса возврата сохранены.'],
      policy: freshOwner,
      audit: 'return_addresses',
      isPlain: true,
      fields: returnFields,
      second: (_tx, { row, given, context }) => {
        checkAddresses(context, row, given)
        return row.mode === 'live'
      },
      run: (_tx, { given, ...doing }) =>
        changed(doing, { successUrl: given.success, rejectUrl: given.reject }),
    }),
  },
})
