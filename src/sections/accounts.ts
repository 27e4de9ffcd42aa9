/**
 * Receiving accounts, each with its owner on record. A stop takes effect at once; turning on, looser limits, and what
 * makes more payments count wait for a second person.
 */

import {
  accountNumberIn,
  addAccount,
  changeAccount,
  changeAccountNumber,
} from '../domain/requisites/add-requisite.ts'
import { type ListedAccount, listAccounts, listRequisites } from '../domain/requisites/listed-store.ts'
import { type AmountMatching, maskedNumber } from '../domain/requisites/requisite.ts'
import { wordPatterns } from '../platform/text-pattern.ts'
import { foreign, link, modeOf, onOff, person, share, since, text, words } from './cells.ts'
import { act, choices, section, sectionAct } from './declare.ts'
import { table } from './parts.ts'
import { obstacleState, requisiteCells } from './requisites.ts'
import { admin, read } from './roles.ts'
import type { Given, Two } from './section.ts'
import {
  besideFields,
  centsLimit,
  countLimit,
  currencyChoices,
  currencyFilter,
  limitsAct,
  merchantField,
  modeChoices,
  modeFilter,
  search,
  stopAct,
  turnOnAct,
} from './shared.ts'
import { voiceAct, voiceParts } from './voices.ts'

const matchingWords = {
  by_kind: ['Cards and phones only', 'Только карты и телефоны'],
  always: ['Always', 'Всегда'],
  never: ['Never; review manually', 'Никогда, проверять вручную'],
} as const satisfies Record<AmountMatching, Two>
/** Which lets more payments match comes later. */
const rank = (matching: AmountMatching): number => ['never', 'by_kind', 'always'].indexOf(matching)

const onAccount = act<ListedAccount>()

const limitFields = {
  day: centsLimit<ListedAccount>(['Per day', 'В день'], (r) => r.dayLimit),
  month: centsLimit<ListedAccount>(['Per month', 'В месяц'], (r) => r.monthLimit),
  open: countLimit<ListedAccount>(['Open deposits', 'Открытых депозитов'], 1_000_000, (r) => r.openLimit),
  silent: countLimit<ListedAccount>(
    ['Alert after so many hours without bank data', 'Предупредить, если данных нет дольше, часов'],
    8_760,
    (r) => r.silentHours,
  ),
} as const

const limitsOf = ({ dayLimit, monthLimit, openLimit, silentHours }: ListedAccount) => ({
  ...{ dayCents: dayLimit, monthCents: monthLimit, openDeposits: openLimit, silentHours },
})
const wantedOf = ({ day, month, open, silent }: Given<typeof limitFields>) => ({
  ...{ dayCents: day, monthCents: month, openDeposits: open, silentHours: silent },
})

const owner = { most: 200, is: 'text' } as const

export const accounts = section<ListedAccount>()({
  one: 'account',
  path: '/accounts',
  name: ['Accounts', 'Счета'],
  about: [
    'Accounts that receive money, each with the owner who agreed to it. Customers pay to their requisites.',
    'Счета, на которые приходят деньги; у каждого есть владелец и договор. Покупатели платят на их реквизиты.',
  ],
  empty: [
    ['No receiving accounts yet', 'Счетов для приёма пока нет'],
    [
      'Add an account with its owner, then add its requisites.',
      'Добавьте счёт и его владельца, затем реквизиты.',
    ],
  ],
  read,
  columns: {
    label: { head: ['Account', 'Счёт'], rank: 1, cell: (r) => foreign(r.label) },
    state: { rank: 1, cell: (r) => onOff(r.enabled) },
    owner: { head: ['Owner', 'Владелец'], rank: 3, cell: (r) => foreign(r.ownerLegalName) },
    currency: { rank: 3, cell: (r) => text(r.currency) },
    mode: { rank: 3, cell: (r) => modeOf(r.mode) },
    requisites: {
      head: ['Requisites on', 'Реквизитов включено'],
      rank: 2,
      cell: ({ requisitesOn, requisites }) => words(ofAll(requisitesOn, requisites)),
    },
    open: { rank: 2, is: 'number', cell: ({ open, openLimit }) => words(ofAll(open, openLimit)) },
    today: { rank: 2, is: 'number', cell: (r) => share(r.dayCents, r.dayLimit, r.currency) },
    month: {
      head: ['This month', 'За месяц'],
      rank: 3,
      is: 'number',
      cell: (r) => share(r.monthCents, r.monthLimit, r.currency),
    },
    heard: { head: ['Last bank data', 'Последние данные'], rank: 3, cell: (r) => since(r.heardAt) },
  },
  facts: {
    public_name: {
      head: ['Public name of the owner', 'Публичное имя владельца'],
      cell: (r) => foreign(r.ownerPublicName),
    },
    tax_id: { head: ['Owner’s tax ID', 'ИНН владельца'], cell: (r) => foreign(r.ownerTaxId) },
    agreement: { head: ['Agreement', 'Договор'], cell: (r) => foreign(r.ownerAgreement) },
    number: {
      head: ['Account number on statements', 'Номер счёта в выписках'],
      cell: (r) => text(r.number && maskedNumber(r.number)),
    },
    merchant: {
      head: ['Only for merchant', 'Только для мерчанта'],
      cell: (r) => link('/merchants', r.merchantId, null),
    },
    matching: {
      head: ['Match by amount only', 'Сопоставлять только по сумме'],
      cell: (r) => words(matchingWords[r.amountMatching]),
    },
    silent_hours: {
      head: ['Alert without bank data after, hours', 'Предупредить без данных через, часов'],
      cell: (r) => text(r.silentHours?.toString() ?? null),
    },
    added_by: { head: ['Added by', 'Добавил'], cell: (r) => person(r.addedBy) },
    transfers: {
      head: ['Transfers', 'Операции'],
      cell: (r) => ({ is: 'link', to: '/transfers', id: r.id, text: ['All', 'Все'], filter: 'account' }),
    },
    add: {
      head: ['Requisites', 'Реквизиты'],
      cell: (r) => ({
        ...{ is: 'link', to: '/requisites/add', id: r.id, filter: 'account' },
        text: ['Add requisite', 'Добавить реквизит'],
      }),
    },
  },
  filters: {
    q: search('Name, owner, bank or last digits', 'Название, банк, последние цифры'),
    ...{ mode: modeFilter, currency: currencyFilter },
  },
  idOf: ({ id }) => id,
  merchantOf: ({ merchantId }) => merchantId,
  title: ({ label }) => label,
  list: ({ db }, { chosen: { q, mode, currency }, ...page }) =>
    listAccounts(db, { patterns: wordPatterns(q ?? ''), mode, currency }, page),
  find: async ({ db }, id) => (await listAccounts(db, { id }))[0],
  parts: async (context, account) => {
    const some = await listRequisites(context.db, { accountId: account.id }, { after: null, limit: 20 })
    return [
      table(
        ['Requisites', 'Реквизиты'],
        some,
        [
          [
            ['Requisite', 'Реквизит'],
            (r) => link('/requisites', r.id, `${r.bankName} ${maskedNumber(r.number)}`),
          ],
          [['Available', 'Доступен'], obstacleState],
          [['Open now', 'Открыто'], requisiteCells.open, 'number'],
          [['Today', 'Сегодня'], requisiteCells.today, 'number'],
          [['Paid', 'Оплачено'], requisiteCells.paid],
          [['Last confirmed', 'Последняя оплата'], (r) => since(r.lastConfirmedAt)],
        ],
        { to: '/requisites', chosen: { account: account.id } },
      ),
      ...(await voiceParts(context, account)),
    ]
  },
  acts: {
    stop: stopAct<ListedAccount>({
      name: ['Stop this account', 'Остановить счёт'],
      effect: [
        'Stopping takes effect immediately: new deposits get none of its requisites. Turning it on again needs approval.',
        'Остановка действует сразу: новым депозитам его реквизиты не выдаются. Чтобы включить снова, нужно согласование.',
      ],
      isOffered: ({ enabled }) => enabled,
      run: async (_tx, { row, context }) => {
        const { wasEnabled } = await changeAccount(context.db, row.id, { enabled: false })
        return { before: { enabled: wasEnabled }, after: { enabled: false } }
      },
    }),
    on: turnOnAct<ListedAccount>(
      ({ enabled }) => enabled,
      (db, { id }) => changeAccount(db, id, { enabled: true }),
    ),
    limits: limitsAct({
      effect: [
        'For all requisites of the account together. Empty means no limit. A change with a higher limit waits for approval as a whole; lower limits apply immediately.',
        'На все реквизиты счёта вместе. Пусто — без лимита. Изменение, где есть более высокий лимит, целиком ждёт согласования; более низкие действуют сразу.',
      ],
      done: ['Account limits changed.', 'Лимиты счёта изменены.'],
      audit: 'account_limits',
      fields: limitFields,
      now: limitsOf,
      wanted: wantedOf,
      save: (db, { id }, wanted) => changeAccount(db, id, wanted),
    }),
    matching: onAccount({
      name: ['Match by amount only', 'Сопоставлять только по сумме'],
      effect: [
        'Deposits paid to an account carry a reference. A transfer without one may belong to someone else even if the amount matches. In live mode matching more needs approval.',
        'В назначении перевода на счёт указан номер. Перевод без номера может быть чужим, даже если сумма совпадает. В боевом режиме расширение требует согласования.',
      ],
      policy: admin,
      audit: 'account_matching',
      fields: {
        matching: {
          head: ['By amount only', 'Только по сумме'],
          is: 'choice',
          of: choices<AmountMatching>(matchingWords),
          value: ({ amountMatching }) => amountMatching,
        },
      },
      second: (_tx, { row, given }) => row.mode === 'live' && rank(given.matching) > rank(row.amountMatching),
      run: async (_tx, { row, given, context }) => {
        const amountMatching = given.matching
        await changeAccount(context.db, row.id, { amountMatching })
        return { before: { amountMatching: row.amountMatching }, after: { amountMatching } }
      },
    }),
    number: onAccount({
      name: ['Set account number', 'Задать номер счёта'],
      effect: [
        'As written on the bank’s statements, which are assigned by it. In live mode a second person approves it.',
        'Как в выписках банка: по нему они относятся к счёту. В боевом режиме нужно согласование.',
      ],
      policy: admin,
      audit: 'account_number',
      fields: { number: { head: ['Number', 'Номер'], is: 'digits', most: 40 } },
      second: async (_tx, { row, given }) => {
        await besideFields(numberFields, async () => accountNumberIn(given.number))
        return row.mode === 'live'
      },
      seen: ({ number }) => ({ number: number ? maskedNumber(number) : '' }),
      run: async (_tx, { row, given, context }) => {
        await besideFields(numberFields, () => changeAccountNumber(context.db, row.id, given.number))
        const number = maskedNumber(accountNumberIn(given.number))
        return { before: { number: row.number && maskedNumber(row.number) }, after: { number } }
      },
    }),
    voice: voiceAct,
  },
  sectionActs: {
    add: sectionAct({
      name: ['Add account', 'Добавить счёт'],
      done: ['Account added. Now add its requisites.', 'Счёт добавлен. Теперь добавьте реквизиты.'],
      policy: admin,
      audit: 'account_add',
      kind: 'primary',
      isPlain: true,
      fields: {
        mode: { head: ['Mode', 'Режим'], is: 'choice', of: modeChoices },
        currency: { head: ['Currency', 'Валюта'], is: 'choice', of: currencyChoices },
        owner: { head: ['Owner', 'Владелец'], ...owner, most: 160 },
        taxId: { head: ['Owner’s tax ID', 'ИНН владельца'], ...owner, most: 20 },
        agreement: {
          head: ['Agreement', 'Договор'],
          hint: [
            'The agreement that allows you to use this account.',
            'Договор, по которому вы используете этот счёт.',
          ],
          ...owner,
        },
        label: {
          head: ['Name', 'Название'],
          hint: ['For your colleagues. Empty means the owner.', 'Для коллег. Пусто — владелец.'],
          ...{ is: 'text', most: 100, isOptional: true },
        },
        publicName: {
          head: ['Public name of the owner', 'Публичное имя владельца'],
          hint: [
            'Shown to customers. Leave empty to show the legal name.',
            'Его видят покупатели. Если пусто — юридическое название.',
          ],
          ...{ is: 'text', most: 160, isOptional: true, isFolded: true },
        },
        merchant: merchantField,
      },
      run: async (_tx, { given, by, context }) => {
        const { mode, currency, owner, merchant: merchantId } = given
        const account = {
          ...{ mode, currency, merchantId },
          label: given.label ?? owner,
          ownerLegalName: owner,
          ownerPublicName: given.publicName ?? owner,
          ownerTaxId: given.taxId,
          ownerAgreement: given.agreement,
          addedBy: by.email,
        }
        const { id } = await besideFields({ no_merchant_with_id: 'merchant' }, () =>
          addAccount(context.db, account),
        )
        return { subject: `account:${id}`, merchantId, after: account, show: { id } }
      },
    }),
  },
})

const numberFields = { account_number_shape: 'number', account_number_taken: 'number' }

/** `3 of 10`; without a limit the number alone. */
const ofAll = (some: number, all: number | null): Two =>
  all === null ? [`${some}`, `${some}`] : [`${some} of ${all}`, `${some} из ${all}`]
