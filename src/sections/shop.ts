/** A merchant's own settings: its rules, its addresses, its payment page. Rates and limits of customers are the operator's. */
import { type OptionalEvent, optionalEvents } from '../domain/callbacks/callback.ts'
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
  callbackAct,
  changed,
  eventNames,
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
import { facts, note } from './parts.ts'
import { freshDeveloper, freshOwner, owner, viewer } from './roles.ts'
import type { Part, Two } from './section.ts'

const onShop = act<Merchant>()

/** An open session of somebody else must not be enough to let any amount confirm a deposit. */
const rulesAct = (name: Two, effect: Two, names: readonly Setting[]) =>
  onShop({
    ...{ name, effect },
    policy: owner,
    done: ['Settings saved.', 'Настройки сохранены.'],
    audit: 'merchant_settings',
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

const isLive = ({ mode }: Merchant): boolean => mode === 'live'

const eventField = (event: OptionalEvent) =>
  ({
    head: eventNames[event],
    is: 'tick',
    value: ({ optionalEvents }: Merchant) => (optionalEvents.includes(event) ? 'on' : ''),
  }) as const

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
      policy: owner,
      done: ['Settings saved.', 'Настройки сохранены.'],
      audit: 'merchant_settings',
      fields: {
        language: {
          ...languageField,
          hint: [
            'Used when the customer’s browser asks for no supported language.',
            'Если браузер покупателя не запрашивает ни одного из доступных языков.',
          ],
        },
        ...{ methodSelected: eventField('deposit.method_selected'), claimed: eventField('deposit.claimed') },
      },
      run: (_tx, { given: { language, ...given }, ...doing }) => {
        const isOn = { 'deposit.method_selected': given.methodSelected, 'deposit.claimed': given.claimed }
        const wanted = optionalEvents.filter((event) => isOn[event])
        return changed(doing, { language, optionalEvents: wanted })
      },
    }),
    callback: callbackAct(freshDeveloper, isLive, inLive),
    returns: returnsAct(freshOwner, isLive, [
      `Applies to new deposits; open ones keep their URLs. Leave a field empty for no URL. ${inLive[0]}`,
      `Действует для новых депозитов; открытые сохранят свои адреса. Пустое поле — адреса нет. ${inLive[1]}`,
    ]),
  },
})
