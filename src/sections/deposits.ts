/** The deposits of all merchants: searched, listed, and decided by hand where no transfer decides them. */
import { needsSecondPerson } from '../domain/approvals/proposal.ts'
import { readApprovalSettings } from '../domain/approvals/store.ts'
import { type CallbackRow, listCallbacksOfDeposit } from '../domain/callbacks/list-store.ts'
import { readTypeNames } from '../domain/catalogue/store.ts'
import { cancelDeposit, confirmDeposit, receiveMoney } from '../domain/deposits/change-deposit.ts'
import type { Change } from '../domain/deposits/decide.ts'
import {
  type ActionName,
  type Deposit,
  type DepositState,
  depositStates,
  obstacle,
  transitions,
} from '../domain/deposits/deposit.ts'
import { readDepositHistory } from '../domain/deposits/history-store.ts'
import { type DepositRow, type DepositSearch, textSearch } from '../domain/deposits/search.ts'
import { readDepositRows, searchDeposits } from '../domain/deposits/search-store.ts'
import { type Mode, modes } from '../domain/merchants/merchant.ts'
import { listMerchants } from '../domain/merchants/store.ts'
import { type Cents, readable } from '../domain/money.ts'
import { listTransfersOf } from '../domain/transfers/allocation-store.ts'
import { rejectDeposit, reverseDeposit } from '../domain/transfers/end-deposit.ts'
import { noteMoney } from '../domain/transfers/note-money.ts'
import type { Tx } from '../platform/db.ts'
import { isUuid } from '../platform/request-fields.ts'
import {
  code,
  day,
  foreign,
  link,
  modeOf,
  money,
  number,
  person,
  said,
  state,
  text,
  time,
  words,
} from './cells.ts'
import { dangerous, read, work } from './roles.ts'
import {
  type Acted,
  act,
  both,
  type Chosen,
  type Column,
  type Context,
  type Part,
  section,
  type Two,
} from './section.ts'
import { addNote, evidenceOf, methodWords, modeChoices, notesOf } from './shared.ts'
import {
  choicesFrom,
  depositActionWords,
  depositState,
  depositStateWords,
  labels,
  transferState,
} from './states.ts'

type Row = DepositRow & { method: Two }

/** What stands in every list of deposits: the desk's, and a merchant's own. */
const depositColumns = {
  amount: {
    head: ['Amount', 'Сумма'],
    rank: 1,
    is: 'money',
    cell: ({ deposit }) => money(deposit.amountCents, deposit.currency),
  },
  state: {
    head: ['State', 'Состояние'],
    rank: 1,
    cell: ({ deposit }) => [depositState(deposit.state), ...labels(deposit.labels)],
  },
  created: { head: ['Created', 'Создан'], rank: 2, cell: ({ deposit }) => time(deposit.createdAt) },
  order: { head: ['Order', 'Заказ'], rank: 2, cell: ({ deposit }) => code(deposit.orderId) },
  method: { head: ['Payment type', 'Способ оплаты'], rank: 3, cell: ({ method }) => words(method) },
} as const satisfies Record<string, Column<{ deposit: Deposit; method: Two }>>

const { amount, state: stateColumn, created, order, method } = depositColumns

const noDeposits = [
  ['No deposits found', 'Депозиты не найдены'],
  [
    'Enter a whole order, reference, customer or ID, or an exact amount.',
    'Введите полностью номер заказа, номер для обращения, покупателя или ID либо точную сумму.',
  ],
] as const satisfies readonly [Two, Two]

export const deposits = section<Row>({
  one: 'deposit',
  path: '/deposits',
  name: ['Deposits', 'Депозиты'],
  empty: noDeposits,
  read,
  isLive: true,
  isExported: true,
  columns: {
    ...{ amount, state: stateColumn, created },
    merchant: {
      head: ['Merchant', 'Мерчант'],
      rank: 2,
      cell: ({ deposit, merchantName }) => link('/merchants', deposit.merchantId, merchantName),
    },
    ...{ order, method },
    mode: { head: ['Mode', 'Режим'], rank: 3, cell: ({ mode }) => modeOf(mode) },
    reference: {
      head: ['Reference', 'Номер для обращения'],
      rank: 3,
      isExtra: true,
      cell: ({ deposit }) => code(deposit.reference),
    },
    customer: {
      head: ['Customer', 'Покупатель'],
      rank: 3,
      isExtra: true,
      cell: ({ deposit: { customer } }) =>
        customer === null ? null : { is: 'link', id: customer, text: customer, filter: 'q' },
    },
    received: {
      head: ['Received', 'Получено'],
      rank: 3,
      isExtra: true,
      is: 'money',
      cell: ({ deposit }) => money(deposit.receivedCents, deposit.currency),
    },
  },
  filters: [
    {
      name: 'q',
      head: ['Search', 'Найти'],
      is: 'search',
      hint: ['Order, customer, amount, KT… or ID', 'Заказ, покупатель, сумма, KT… или ID'],
    },
    {
      name: 'state',
      head: ['State', 'Состояние'],
      is: 'choice',
      of: choicesFrom(depositStateWords),
    },
    { name: 'merchant', head: ['Merchant', 'Мерчант'], is: 'choice', of: merchantChoices },
    {
      name: 'payer',
      head: ['Payer (name, account or tax ID)', 'Плательщик (имя, счёт или ИНН)'],
      is: 'text',
    },
    { name: 'created', head: ['Created on', 'Созданы'], is: 'day' },
    { name: 'confirmed', head: ['Confirmed on', 'Подтверждены'], is: 'day' },
    { name: 'until', head: ['Until this time of the day', 'До этого времени дня'], is: 'text' },
    { name: 'mode', head: ['Mode', 'Режим'], is: 'choice', of: modeChoices },
  ],
  idOf: ({ deposit }) => deposit.id,
  merchantOf: ({ deposit }) => deposit.merchantId,
  title: ({ deposit: { amountCents, currency } }) => [
    `Deposit of ${readable(amountCents, currency)}`,
    `Депозит ${readable(amountCents, currency)}`,
  ],
  async list({ db, timeZone }, { chosen, after, limit }) {
    const before = after && isUuid(after) ? after : null
    const [found, names] = await Promise.all([
      searchDeposits(db, searchFor(chosen, timeZone), { before, limit: limit + 1 }),
      readTypeNames(db),
    ])
    const rows = found
      .slice(0, limit)
      .map((row) => ({ ...row, method: methodWords(names, row.deposit.paymentType) }))
    return { rows, next: found.length > limit ? rows.at(-1)!.deposit.id : null }
  },
  async find({ db }, id) {
    const [row] = isUuid(id) ? await readDepositRows(db, [id]) : []
    return row && { ...row, method: methodWords(await readTypeNames(db), row.deposit.paymentType) }
  },
  facts: {
    phone: { head: ['Phone', 'Телефон'], cell: ({ deposit }) => text(deposit.customerPhoneNumber) },
    expires: { head: ['Pay by', 'Оплатить до'], cell: ({ deposit }) => time(deposit.expiresAt) },
    claimed: {
      head: ['Reported paid', 'Покупатель сообщил об оплате'],
      cell: ({ deposit }) => time(deposit.claimedAt),
    },
    shown: {
      head: ['Shown to the customer', 'Показано покупателю'],
      cell: ({ deposit: { shown } }) =>
        shown && foreign(shown.bank_name, `…${shown.number.slice(-4)} · ${shown.name}`),
    },
    account: {
      head: ['Account', 'Счёт'],
      cell: ({ accountId, accountLabel }) => link('/requisites', accountId, accountLabel),
    },
    id: { head: both('ID'), cell: ({ deposit }) => text(deposit.id) },
  },
  parts: partsOf,
  claim: { item: ({ deposit }) => `deposit:${deposit.id}`, minutes: 10, isOptional: true },
  acts: {
    confirm: act<Row>()({
      name: ['Confirm', 'Подтвердить зачисление'],
      effect: [
        'The merchant gets a callback that the money arrived. Confirm only with evidence; above the limit for one person a second one approves.',
        'Мерчант получит колбэк о зачислении. Подтверждайте, только если есть основание; больше лимита одного сотрудника нужно согласование.',
      ],
      done: ['Deposit confirmed.', 'Депозит подтверждён.'],
      policy: dangerous,
      audit: 'deposit_confirm',
      kind: 'primary',
      holds: true,
      from: possible('confirm'),
      reasons: [
        ['Credit visible in the bank app.', 'Зачисление видно в приложении банка.'],
        ['Confirmed by a letter from the bank.', 'Банк подтвердил письмом.'],
      ],
      fields: {},
      second: (tx, { row: { deposit } }) => isAbove(tx, deposit, deposit.amountCents),
      seen: ({ deposit }) => ({ received: readable(deposit.receivedCents, deposit.currency) }),
      run: (_tx, { row, by, context }) =>
        changed((hooks) => confirmDeposit(context, { ...actOf(row, by), hooks })),
    }),
    reject: act<Row>()({
      name: ['Reject', 'Отклонить'],
      effect: [
        'Closes the deposit without payment. The merchant gets a callback with your reason.',
        'Депозит закроется без оплаты. Мерчант получит колбэк с вашей причиной.',
      ],
      done: ['Deposit rejected.', 'Депозит отклонён.'],
      policy: work,
      audit: 'deposit_reject',
      kind: 'danger',
      holds: true,
      from: possible('reject'),
      reasons: [
        ['No money received; the customer has been informed.', 'Деньги не поступили, покупатель уведомлён.'],
        ['The customer changed their mind.', 'Покупатель отказался от оплаты.'],
        ['The payer is on a list.', 'Плательщик внесён в список.'],
      ],
      fields: {},
      run: (_tx, { row, by, context }) =>
        changed((hooks) => rejectDeposit(context, { ...actOf(row, by), hooks })),
    }),
    reverse: act<Row>()({
      name: ['The bank took it back', 'Банк забрал деньги'],
      effect: [
        'For confirmed money that the bank has taken back. The merchant gets a callback. This cannot be undone.',
        'Если банк забрал уже подтверждённые деньги. Мерчант получит колбэк. Отменить это нельзя.',
      ],
      done: ['Deposit marked as reversed.', 'Депозит отмечен как возвращённый банком.'],
      policy: dangerous,
      audit: 'deposit_reverse',
      kind: 'danger',
      holds: true,
      from: possible('reverse'),
      reasons: [['Reported by a letter from the bank.', 'Банк сообщил письмом.']],
      fields: {},
      run: (_tx, { row, by, context }) =>
        changed((hooks) => reverseDeposit(context, { ...actOf(row, by), hooks })),
    }),
    receive: act<Row>()({
      name: ['Note money received', 'Отметить поступление'],
      effect: [
        'Money that you see at the bank before Inlet is told of it. The rules of the merchant decide what follows; what the bank tells later is paired with it.',
        'Деньги, которые видны в банке раньше, чем о них узнал Inlet. Что дальше, решают правила мерчанта; сообщение банка соединится с этой отметкой.',
      ],
      policy: dangerous,
      audit: 'deposit_receive',
      holds: true,
      from: possible('receive'),
      fields: { amount: { head: ['Amount', 'Сумма'], is: 'cents' } },
      second: (tx, { row: { deposit }, given }) => isAbove(tx, deposit, given.amount),
      seen: ({ deposit }) => ({ received: readable(deposit.receivedCents, deposit.currency) }),
      run: (_tx, { row, given, by, context }) =>
        moved(row, async (hooks) => {
          await noteMoney(context, { ...actOf(row, by), cents: given.amount, hooks })
        }),
    }),
    gone: act<Row>()({
      name: ['Note money gone', 'Отметить списание'],
      effect: [
        'Money of this deposit that has left the account. A deposit without enough money may be reversed.',
        'Деньги этого депозита, которые ушли со счёта. Депозит, которому не хватит денег, может стать возвращённым.',
      ],
      policy: dangerous,
      audit: 'deposit_gone',
      holds: true,
      from: ({ deposit }) => deposit.receivedCents > 0n,
      fields: { amount: { head: ['Amount', 'Сумма'], is: 'cents' } },
      run: (_tx, { row, given, by, context }) =>
        changed((hooks) => receiveMoney(context, { ...actOf(row, by), cents: -given.amount, hooks })),
    }),
    cancel: act<Row>()({
      name: ['Cancel', 'Отменить'],
      effect: ['Cancels an unpaid deposit for its merchant.', 'Отменяет неоплаченный депозит за мерчанта.'],
      done: ['Deposit canceled.', 'Депозит отменён.'],
      policy: work,
      audit: 'deposit_cancel',
      holds: true,
      from: possible('cancel'),
      fields: {},
      run: (_tx, { row, by, context }) =>
        changed((hooks) => cancelDeposit(context, { ...actOf(row, by), merchantId: null, hooks })),
    }),
    note: addNote<Row>('deposit_note'),
  },
})

async function merchantChoices({ db }: Context) {
  const merchants = await listMerchants(db, { after: null, limit: 500 })
  return merchants.map(({ id, name }) => ({ value: id, words: both(name) }))
}

/** One way of searching: a text, a payer, a day, or the newest of a merchant, state and mode. */
function searchFor({ q = '', payer = '', ...chosen }: Chosen, zone: string): DepositSearch {
  const mode: Mode | null = modes.find((known) => known === chosen.mode) ?? null
  const dayOf = chosen.created || chosen.confirmed
  if (q !== '') return textSearch(q)
  if (payer !== '') return { by: 'payer', payer }
  if (dayOf) {
    const until = /^([01]\d|2[0-3]):[0-5]\d$/.test(chosen.until ?? '') ? chosen.until! : null
    return { by: chosen.created ? 'created' : 'confirmed', day: dayOf, until, mode, zone }
  }
  const state: DepositState | null = depositStates.find((known) => known === chosen.state) ?? null
  return { by: 'newest', merchantId: chosen.merchant || null, state, mode }
}

/** An act that the state of the deposit does not know is hidden; what else prevents it is said. */
function possible(action: ActionName) {
  return ({ deposit, now }: Row) =>
    (transitions[action].from as readonly DepositState[]).includes(deposit.state) &&
    (obstacle(deposit, action, now) ?? true)
}

/** One person alone may confirm so much by hand. */
const isAbove = async (tx: Tx, { currency }: Deposit, cents: Cents): Promise<boolean> =>
  needsSecondPerson(await readApprovalSettings(tx), { cents, currency })

type Actor = Parameters<typeof evidenceOf>[0] & { actor: string; reason: string }

const actOf = ({ deposit }: Row, by: Actor) => ({
  ...{ depositId: deposit.id, actor: by.actor, reason: by.reason, evidence: evidenceOf(by) },
})

const standing = ({ state, labels }: Pick<Deposit, 'state' | 'labels'>) => ({ state, labels })

/** Runs a change, and says for the audit log what the deposit was before and is after. */
async function changed(
  change: (hooks: { audit: (done: Change) => null }) => Promise<unknown>,
): Promise<Acted> {
  let done: Change | undefined
  const audit = (change: Change) => {
    done = change
    return null
  }
  await change({ audit })
  return { before: standing(done!.before), after: standing(done!.deposit) }
}

/** As `changed`, for money that comes as a transfer. */
async function moved(
  { deposit }: Row,
  note: (hooks: { audit: (done: { deposit: Deposit }) => null }) => Promise<void>,
): Promise<Acted> {
  let after: Deposit | undefined
  const audit = (done: { deposit: Deposit }) => {
    after = done.deposit
    return null
  }
  await note({ audit })
  return { before: standing(deposit), after: standing(after!) }
}

async function partsOf({ db }: Context, { deposit }: Row): Promise<readonly Part[]> {
  const [transfers, callbacks, history, notes] = await Promise.all([
    listTransfersOf(db, deposit.id),
    listCallbacksOfDeposit(db, deposit.id, null),
    readDepositHistory(db, { id: deposit.id, merchantId: null }),
    notesOf(db, `deposit:${deposit.id}`, 'deposit_note'),
  ])
  return [
    ...callbacks.flatMap(undelivered),
    ...(transfers.length === 0
      ? []
      : [
          {
            is: 'table' as const,
            head: ['Transfers', 'Поступления'] as Two,
            columns: [
              { head: ['Part', 'Доля'] as Two, is: 'number' as const },
              ['Payer', 'Плательщик'] as Two,
              ['State', 'Состояние'] as Two,
              ['Booked', 'Проведено'] as Two,
              ['Purpose', 'Назначение'] as Two,
            ],
            rows: transfers.map((one) => [
              money(one.shareCents, one.currency),
              link('/transfers', one.id, one.payerName || '–'),
              transferState(one.state),
              day(one.bookedOn),
              foreign(one.purpose.slice(0, 140)),
            ]),
          },
        ]),
    ...(callbacks.length === 0 ? [] : [callbackTable(callbacks)]),
    ...notes,
    {
      is: 'table',
      head: ['History', 'История'],
      columns: [
        ['When', 'Когда'],
        ['What', 'Что'],
        ['State', 'Состояние'],
        ['Who', 'Кто'],
        ['Why', 'Почему'],
        ['Evidence', 'Основание'],
      ],
      rows: history.map((entry) => [
        time(entry.at),
        words(depositActionWords[entry.action] ?? both(entry.action)),
        entry.from_state === entry.to_state ? null : depositState(entry.to_state),
        person(entry.actor),
        said(entry.reason ?? ''),
        evidence(entry.evidence),
      ]),
    },
  ]
}

/** What a callback that did not arrive says, on top of the page. */
const undelivered = ({ type, attempts, lastStatus, ackedAt }: CallbackRow): Part[] =>
  ackedAt !== null || attempts === 0
    ? []
    : [
        {
          is: 'note',
          tone: 'bad',
          text: [
            `${type} was not delivered: ${attempts} attempts, ${lastStatus ? `the last was answered with ${lastStatus}` : 'the last had no answer'}.`,
            `Колбэк ${type} не доставлен: попыток ${attempts}, ${lastStatus ? `последний ответ ${lastStatus}` : 'на последнюю нет ответа'}.`,
          ],
        },
      ]

const callbackTable = (callbacks: readonly CallbackRow[]): Part => ({
  is: 'table',
  head: ['Callbacks', 'Колбэки'],
  columns: [
    ['What', 'Что'],
    ['When', 'Когда'],
    ['State', 'Состояние'],
    { head: ['Attempts', 'Попытки'], is: 'number' },
    { head: ['Last answer', 'Последний ответ'], is: 'number' },
  ],
  rows: callbacks.map((one) => [
    text(one.type),
    time(one.madeAt),
    one.ackedAt
      ? state('delivered', ['Delivered', 'Доставлен'], 'ok')
      : one.url === null
        ? state('no_address', ['Callback URL not set', 'Не задан адрес колбэков'], 'warn')
        : state('waiting', ['Not delivered yet', 'Ещё не доставлен'], 'warn'),
    number(one.attempts),
    one.lastStatus === null ? null : number(one.lastStatus),
  ]),
})

/** The transfer or the request that decided it; how the deposit was asked for. */
function evidence(kept: unknown) {
  const { transfer, proposed_by, request, key } = (kept ?? {}) as Record<string, unknown>
  if (typeof transfer === 'string') return link('/transfers', transfer, `…${transfer.slice(-8)}`)
  if (typeof proposed_by === 'string') return text(proposed_by)
  return typeof request === 'string' ? code(`${request} ${key ?? ''}`.trim()) : null
}
