/**
 * Requisites: the cards, phones and accounts that customers pay to. A stop takes effect at once; a new one, turning on and
 * looser limits wait for a second person.
 */

import { findAccount } from '../domain/requisites/account-store.ts'
import {
  addRequisite,
  changeRequisite,
  refuseFindings,
  refuseInvertedLimits,
  setRequisite,
} from '../domain/requisites/add-requisite.ts'
import { type Obstacle, obstacleTo } from '../domain/requisites/choice.ts'
import { kindWords } from '../domain/requisites/kind-words.ts'
import { type ListedRequisite, listRequisites } from '../domain/requisites/listed-store.ts'
import {
  checkRequisite,
  detailFields,
  detailsOf,
  kindsFor,
  maskedNumber,
  type RequisiteKind,
  requisiteKinds,
} from '../domain/requisites/requisite.ts'
import type { Tx } from '../platform/db.ts'
import { isUuid } from '../platform/request-fields.ts'
import { wordPatterns } from '../platform/text-pattern.ts'
import { foreign, link, modeOf, money, share, since, state, text, words } from './cells.ts'
import { type act, section, sectionAct } from './declare.ts'
import { dangerous, read } from './roles.ts'
import type { Cell, Choice, Given, Texts, Two } from './section.ts'
import {
  accountChoices,
  besideFields,
  centsLimit,
  countLimit,
  currencyFilter,
  limitsAct,
  modeFilter,
  search,
  stopAct,
  turnOnAct,
} from './shared.ts'

/** The same answer as the allocation gives, for the smallest deposit that it may take. */
function obstacleOf(r: ListedRequisite): Obstacle | 'off' | 'account_off' | null {
  if (!r.isOn) return 'off'
  if (!r.isAccountOn) return 'account_off'
  // Of one amount, a slot may be taken; of all, none is.
  return obstacleTo({ ...r, carriesReference: true }, new Set(), r.minCents ?? 1n) ?? null
}

export const obstacles: Record<NonNullable<ReturnType<typeof obstacleOf>>, Two> = {
  off: ['Off', 'Выключен'],
  account_off: ['Account is off', 'Счёт выключен'],
  least: ['Below the minimum', 'Меньше минимума'],
  most: ['Above the maximum', 'Больше максимума'],
  open: ['Open deposits: limit reached', 'Открытые депозиты: лимит исчерпан'],
  day: ['Day limit reached', 'Лимит на день исчерпан'],
  account_open: ['Open deposits of the account: limit reached', 'Открытые депозиты счёта: лимит исчерпан'],
  account_day: ['Day limit of the account reached', 'Лимит счёта на день исчерпан'],
  account_month: ['Month limit of the account reached', 'Лимит счёта на месяц исчерпан'],
  amount_taken: ['Amount is taken', 'Сумма занята'],
}

export function obstacleState(r: ListedRequisite): Cell {
  const obstacle = obstacleOf(r)
  if (obstacle === null) return state('yes', ['Yes', 'Да'], 'ok')
  return state(obstacle, obstacles[obstacle], obstacle === 'off' ? 'bad' : 'warn')
}

export const requisiteCells = {
  open: ({ openDeposits: some, openLimit: all }: ListedRequisite): Cell =>
    all === null ? text(`${some}`) : words([`${some} of ${all}`, `${some} из ${all}`]),
  today: (r: ListedRequisite): Cell => share(r.dayCents, r.dailyCents, r.currency),
  /** How many of the newest deposits that have ended were confirmed. */
  paid: ({ confirmed, ended }: ListedRequisite): Cell =>
    ended === 0 ? null : words([`${confirmed} of ${ended}`, `${confirmed} из ${ended}`]),
}

const choicesOf = (kinds: readonly RequisiteKind[]): readonly Choice[] =>
  kinds.map((value) => ({ value, words: kindWords[value] }))

const limitHeads = {
  min: ['Minimum of a deposit', 'Минимум депозита'],
  max: ['Maximum of a deposit', 'Максимум депозита'],
  daily: ['Per day', 'В день'],
  open: ['Open deposits', 'Открытых депозитов'],
} as const satisfies Record<string, Two>
const mostOpen = 9_999_999
const limitFields = {
  min: centsLimit<ListedRequisite>(limitHeads.min, (r) => r.minCents),
  max: centsLimit<ListedRequisite>(limitHeads.max, (r) => r.maxCents),
  daily: centsLimit<ListedRequisite>(limitHeads.daily, (r) => r.dailyCents),
  open: countLimit<ListedRequisite>(limitHeads.open, mostOpen, (r) => r.openLimit),
} as const

const limitsOf = ({ minCents, maxCents, dailyCents, openLimit: openDeposits }: ListedRequisite) => ({
  ...{ minCents, maxCents, dailyCents, openDeposits },
})
const wantedOf = ({ min, max, daily, open }: Given<typeof limitFields>) => ({
  ...{ minCents: min, maxCents: max, dailyCents: daily, openDeposits: open },
})
/** The database looks at them when they are saved; a request is saved later. */
const checkRange = (limits: ReturnType<typeof wantedOf>) =>
  besideFields({ limits_upside_down: 'max' }, async () => refuseInvertedLimits(limits))

const limitsFold: Two = ['Limits', 'Лимиты']
const detailsFold: Two = ['Details of a bank account', 'Реквизиты банковского счёта']
const detail = { is: 'text', most: 34, isOptional: true, isFolded: detailsFold } as const

/** Every kind has its own details. */
const ofKind =
  (name: (typeof detailFields)[number]) =>
  ({ kind }: Texts): boolean =>
    requisiteKinds.some((known) => (!kind || known === kind) && detailsOf(known).includes(name))

const newFields = {
  account: { head: ['Account', 'Счёт'], is: 'choice', of: ({ db }) => accountChoices(db) },
  kind: {
    head: ['Kind', 'Вид'],
    is: 'choice',
    of: async ({ db }, _row, { account = '' }) => {
      const found = isUuid(account) ? await findAccount(db, account) : undefined
      return found ? choicesOf(kindsFor(found.currency)) : choicesOf(requisiteKinds)
    },
  },
  number: { head: ['Number', 'Номер'], is: 'digits', most: 40 },
  holder: { head: ['Holder', 'Держатель'], is: 'text', most: 500 },
  bankName: { head: ['Bank', 'Банк'], is: 'text', most: 500 },
  bic: { head: ['BIC', 'БИК'], ...detail, asks: ofKind('bic') },
  corrAccount: {
    head: ['Correspondent account', 'Корреспондентский счёт'],
    ...detail,
    asks: ofKind('corrAccount'),
  },
  taxId: { head: ['Tax ID', 'ИНН'], ...detail, asks: ofKind('taxId') },
  kpp: { head: ['KPP', 'КПП'], ...detail, asks: ofKind('kpp') },
  kbe: { head: ['KBe', 'КБе'], ...detail, asks: ofKind('kbe') },
  knp: { head: ['KNP', 'КНП'], ...detail, asks: ofKind('knp') },
  min: { ...centsLimit(limitHeads.min), isFolded: limitsFold },
  max: { ...centsLimit(limitHeads.max), isFolded: limitsFold },
  daily: { ...centsLimit(limitHeads.daily), isFolded: limitsFold },
  open: { ...countLimit(limitHeads.open, mostOpen), isFolded: limitsFold },
  bankCode: {
    head: ['Bank code', 'Код банка'],
    hint: [
      'For payment types that take cards of one bank only.',
      'Для способов оплаты, которые принимают карты одного банка.',
    ],
    ...{ is: 'text', most: 32, isOptional: true, isFolded: true },
  },
  link: {
    head: ['Bank link', 'Ссылка банка'],
    ...{ is: 'text', most: 500, isOptional: true, isFolded: true },
  },
  confirmed: {
    head: ['I have checked the warnings with the bank.', 'Предупреждения проверены с банком.'],
    is: 'tick',
    isForWarnings: true,
  },
} as const satisfies Parameters<ReturnType<typeof act<undefined>>>[0]['fields']

const draftOf = ({ number, holder, bankName, link, ...given }: Given<typeof newFields>) => ({
  kind: requisiteKinds.find((kind) => kind === given.kind)!,
  ...{ number, holder, bankName, ...(link && { link }) },
  ...Object.fromEntries(detailFields.flatMap((name) => (given[name] ? [[name, given[name]]] : []))),
})

async function findingsOf(tx: Tx, given: Given<typeof newFields>) {
  const account = await findAccount(tx, given.account)
  return checkRequisite({ ...draftOf(given), currency: account!.currency }).findings
}

export const requisites = section<ListedRequisite>()({
  one: 'requisite',
  path: '/requisites',
  name: ['Requisites', 'Реквизиты'],
  empty: [
    ['No requisites yet', 'Реквизитов пока нет'],
    ['Add a card, a phone or an account that customers pay to.', 'Добавьте карту, телефон или счёт.'],
  ],
  read,
  columns: {
    requisite: {
      head: ['Requisite', 'Реквизит'],
      rank: 1,
      cell: (r) => [words(kindWords[r.kind]), text(maskedNumber(r.number))],
    },
    available: { head: ['Available', 'Доступен'], rank: 1, cell: obstacleState },
    bank: { head: ['Bank', 'Банк'], rank: 2, cell: (r) => foreign(r.bankName) },
    account: { rank: 2, cell: (r) => link('/accounts', r.accountId, r.accountLabel) },
    today: { rank: 2, is: 'number', cell: requisiteCells.today },
    open: { rank: 3, is: 'number', cell: requisiteCells.open },
    paid: { head: ['Paid', 'Оплачено'], rank: 2, is: 'number', cell: requisiteCells.paid },
    last_confirmed: {
      head: ['Last confirmed', 'Последняя оплата'],
      rank: 3,
      cell: (r) => since(r.lastConfirmedAt),
    },
    currency: { rank: 'file', cell: (r) => text(r.currency) },
    mode: { rank: 3, cell: (r) => modeOf(r.mode) },
  },
  facts: {
    kind: { head: ['Kind', 'Вид'], cell: (r) => state(r.kind, kindWords[r.kind]) },
    holder: { head: ['Holder', 'Держатель'], cell: (r) => foreign(r.holder) },
    owner: { head: ['Owner of the account', 'Владелец счёта'], cell: (r) => foreign(r.ownerLegalName) },
    bank_code: { head: ['Bank code', 'Код банка'], cell: (r) => foreign(r.bankCode) },
    bic: { head: ['BIC', 'БИК'], cell: (r) => foreign(r.bic ?? null) },
    tax_id: { head: ['Tax ID', 'ИНН'], cell: (r) => foreign(r.taxId ?? null) },
    month: { head: ['This month', 'За месяц'], cell: (r) => money(r.monthCents, r.currency) },
    min: { head: limitHeads.min, cell: (r) => money(r.minCents, r.currency) },
    max: { head: limitHeads.max, cell: (r) => money(r.maxCents, r.currency) },
  },
  filters: {
    q: search('Bank, holder, account or last digits', 'Банк, держатель, счёт, цифры'),
    account: { head: ['Account (ID)', 'Счёт (ID)'], is: 'id' },
    ...{ mode: modeFilter, currency: currencyFilter },
  },
  idOf: ({ id }) => id,
  title: ({ bankName, number }) => `${bankName} ${maskedNumber(number)}`,
  list: ({ db }, { chosen: { q, account: accountId, mode, currency }, ...page }) =>
    listRequisites(db, { patterns: wordPatterns(q ?? ''), accountId, mode, currency }, page),
  find: async ({ db }, id) => (await listRequisites(db, { id }))[0],
  acts: {
    stop: stopAct<ListedRequisite>({
      name: ['Stop this requisite', 'Остановить реквизит'],
      effect: [
        'Stopping takes effect immediately: new deposits do not get this requisite. Turning it on again needs approval.',
        'Остановка действует сразу: новым депозитам этот реквизит не выдаётся. Чтобы включить снова, нужно согласование.',
      ],
      isOffered: ({ isOn }) => isOn,
      run: async (_tx, { row, context }) => {
        const { wasEnabled } = await setRequisite(context.db, row.id, false)
        return { before: { enabled: wasEnabled }, after: { enabled: false } }
      },
    }),
    on: turnOnAct<ListedRequisite>(
      ({ isOn }) => isOn,
      (db, { id }) => setRequisite(db, id, true),
    ),
    limits: limitsAct({
      effect: [
        'For this requisite only. Empty means no limit. A change with a looser limit waits for approval as a whole; stricter limits apply immediately.',
        'Только для этого реквизита. Пусто — без лимита. Изменение, где есть более мягкий лимит, целиком ждёт согласования; более строгие действуют сразу.',
      ],
      done: ['Requisite limits changed.', 'Лимиты реквизита изменены.'],
      audit: 'requisite_limits',
      fields: limitFields,
      now: limitsOf,
      wanted: wantedOf,
      check: checkRange,
      save: (db, { id }, wanted) => changeRequisite(db, id, wanted),
    }),
  },
  sectionActs: {
    add: sectionAct({
      name: ['Add requisite', 'Добавить реквизит'],
      effect: [
        'It is used only after a second person approves it.',
        'Реквизит начнёт работать после согласования вторым сотрудником.',
      ],
      first: { to: '/accounts/add', text: ['A new account first', 'Сначала новый счёт'] },
      policy: dangerous,
      audit: 'requisite_add',
      kind: 'primary',
      fields: newFields,
      second: async (tx, { given }) => {
        refuseFindings(await findingsOf(tx, given), given.confirmed)
        await checkRange(wantedOf(given))
        return true
      },
      seen: async (_row, given, tx) => ({ warnings: (await findingsOf(tx, given)).map(({ code }) => code) }),
      run: async (_tx, { given, context }) => {
        const { account: accountId, bankCode, confirmed } = given
        const draft = draftOf(given)
        const known = { requisite_is_already_registered: 'number', account_number_taken: 'number' }
        const { id } = await besideFields(known, () =>
          addRequisite(context.db, { accountId, draft, bankCode, limits: wantedOf(given), confirmed }),
        )
        const { kind, bankName: bank, holder } = draft
        return {
          ...{ subject: `requisite:${id}`, show: { id } },
          after: { account: accountId, kind, number: maskedNumber(draft.number), bank, holder },
        }
      },
    }),
  },
})
