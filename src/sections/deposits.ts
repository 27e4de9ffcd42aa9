/** The deposits of all merchants: searched, listed, and decided by hand where no transfer decides them. */
import { needsSecondPerson } from '../domain/approvals/proposal.ts'
import { readApprovalSettings } from '../domain/approvals/store.ts'
import { readTypeNames } from '../domain/catalogue/store.ts'
import { cancelDeposit, confirmDeposit, receiveMoney } from '../domain/deposits/change-deposit.ts'
import type { Change } from '../domain/deposits/decide.ts'
import type { HistoryEntry } from '../domain/deposits/deposit.ts'
import {
  type ActionName,
  type Deposit,
  type DepositState,
  obstacle,
  transitions,
} from '../domain/deposits/deposit.ts'
import { readDepositHistory } from '../domain/deposits/history-store.ts'
import { type DepositRow, type DepositSearch, textSearch } from '../domain/deposits/search.ts'
import { readDepositRows, searchDeposits } from '../domain/deposits/search-store.ts'
import type { Mode } from '../domain/merchants/merchant.ts'
import { type Cents, readable } from '../domain/money.ts'
import { listTransfersOf } from '../domain/transfers/allocation-store.ts'
import { rejectDeposit, reverseDeposit } from '../domain/transfers/end-deposit.ts'
import { noteMoney } from '../domain/transfers/note-money.ts'
import type { Tx } from '../platform/db.ts'
import { code, day, foreign, link, modeOf, money, text, time } from './cells.ts'
import { act, section } from './declare.ts'
import { callbackParts, depositColumns, depositFacts, historyTable } from './deposit-pieces.ts'
import { table } from './parts.ts'
import { dangerous, read, work } from './roles.ts'
import type { Acted, Context, Two } from './section.ts'
import {
  addNote,
  evidenceOf,
  merchantFilter,
  methodWords,
  modeFilter,
  noted,
  notesOf,
  search,
} from './shared.ts'
import { choicesFrom, depositStateWords, transferState } from './states.ts'

type Row = DepositRow & { method: Two }
type Chosen = Record<'q' | 'merchant' | 'payer' | 'created' | 'confirmed', string | null> & {
  state: DepositState | null
  mode: Mode | null
}

const columns = depositColumns
const onDeposit = act<Row>()

export const deposits = section<Row>()({
  one: 'deposit',
  path: '/deposits',
  name: ['Deposits', 'Депозиты'],
  empty: [
    ['No deposits found', 'Депозиты не найдены'],
    [
      'Enter a whole order, reference, customer or ID, or an exact amount.',
      'Введите полностью номер заказа, номер для обращения, покупателя или ID либо точную сумму.',
    ],
  ],
  read,
  isLive: true,
  isExported: true,
  columns: {
    ...{ amount: columns.amount, state: columns.state, created: columns.created },
    merchant: {
      rank: 2,
      cell: ({ deposit, merchantName }) => link('/merchants', deposit.merchantId, merchantName),
    },
    ...{ order: columns.order, method: columns.method },
    mode: { rank: 3, cell: ({ mode }) => modeOf(mode) },
    reference: columns.reference,
    customer: {
      rank: 'file',
      cell: ({ deposit: { customer } }) =>
        customer === null ? null : { is: 'link', id: customer, text: customer, filter: 'q' },
    },
    received: columns.received,
  },
  filters: {
    q: search('Order, customer, amount, KT… or ID', 'Заказ, покупатель, сумма, KT… или ID'),
    state: { is: 'choice', of: choicesFrom(depositStateWords) },
    merchant: merchantFilter,
    payer: { head: ['Payer (name, account or tax ID)', 'Плательщик (имя, счёт или ИНН)'], is: 'text' },
    created: { head: ['Created on', 'Созданы'], is: 'day' },
    confirmed: { head: ['Confirmed on', 'Подтверждены'], is: 'day' },
    mode: modeFilter,
  },
  idOf: ({ deposit }) => deposit.id,
  merchantOf: ({ deposit }) => deposit.merchantId,
  title: ({ deposit: { amountCents, currency } }) => [
    `Deposit of ${readable(amountCents, currency)}`,
    `Депозит ${readable(amountCents, currency)}`,
  ],
  async list({ db, timeZone }, { chosen, after: before, limit }) {
    const [found, names] = await Promise.all([
      searchDeposits(db, searchFor(chosen, timeZone), { before, limit }),
      readTypeNames(db),
    ])
    return found.map((row) => ({ ...row, method: methodWords(names, row.deposit.paymentType) }))
  },
  async find({ db }, id) {
    const [row] = await readDepositRows(db, [id])
    return row && { ...row, method: methodWords(await readTypeNames(db), row.deposit.paymentType) }
  },
  facts: {
    ...depositFacts,
    claimed: {
      head: ['Reported paid', 'Покупатель сообщил об оплате'],
      cell: ({ deposit }) => time(deposit.claimedAt),
    },
    shown: ({ deposit: { shown } }) =>
      shown && foreign(shown.bank_name, `…${shown.number.slice(-4)} · ${shown.name}`),
    account: ({ accountId, accountLabel }) => link('/requisites', accountId, accountLabel),
    id: ({ deposit }) => text(deposit.id),
  },
  parts: partsOf,
  claim: { item: ({ deposit }) => `deposit:${deposit.id}`, minutes: 10, isOptional: true },
  acts: {
    confirm: onDeposit({
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
      second: (tx, { row: { deposit } }) => isAbove(tx, deposit, deposit.amountCents),
      seen: ({ deposit }) => ({ received: readable(deposit.receivedCents, deposit.currency) }),
      run: (_tx, { row, by, context }) =>
        changed((hooks) => confirmDeposit(context, { ...actOf(row, by), hooks })),
    }),
    reject: onDeposit({
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
      run: (_tx, { row, by, context }) =>
        changed((hooks) => rejectDeposit(context, { ...actOf(row, by), hooks })),
    }),
    reverse: onDeposit({
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
      run: (_tx, { row, by, context }) =>
        changed((hooks) => reverseDeposit(context, { ...actOf(row, by), hooks })),
    }),
    receive: onDeposit({
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
      run: async (_tx, { row, given, by, context }) => {
        const { deposit } = await noteMoney(context, { ...actOf(row, by), cents: given.amount })
        return { before: standing(row.deposit), after: standing(deposit) }
      },
    }),
    gone: onDeposit({
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
    cancel: onDeposit({
      name: ['Cancel', 'Отменить'],
      effect: ['Cancels an unpaid deposit for its merchant.', 'Отменяет неоплаченный депозит за мерчанта.'],
      done: ['Deposit canceled.', 'Депозит отменён.'],
      policy: work,
      audit: 'deposit_cancel',
      holds: true,
      from: possible('cancel'),
      run: (_tx, { row, by, context }) =>
        changed((hooks) => cancelDeposit(context, { ...actOf(row, by), merchantId: null, hooks })),
    }),
    note: addNote<Row>('deposit_note'),
  },
})

/** One way of searching: a text, a payer, a day, or the newest of a merchant, state and mode. */
function searchFor(
  { q, payer, created, confirmed, merchant: merchantId, state, mode }: Chosen,
  zone: string,
): DepositSearch {
  if (q) return textSearch(q)
  if (payer) return { by: 'payer', payer }
  const day = created ?? confirmed
  if (!day) return { by: 'newest', merchantId, state, mode }
  return { by: created ? 'created' : 'confirmed', day, mode, zone }
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
async function changed(change: Parameters<typeof noted<Change>>[0]): Promise<Acted> {
  const { before, deposit } = await noted(change)
  return { before: standing(before), after: standing(deposit) }
}

async function partsOf({ db }: Context, { deposit }: Row) {
  const [transfers, callbacks, history, notes] = await Promise.all([
    listTransfersOf(db, deposit.id),
    callbackParts(db, deposit, null),
    readDepositHistory(db, { id: deposit.id, merchantId: null }),
    notesOf(db, `deposit:${deposit.id}`, 'deposit_note'),
  ])
  return [
    ...callbacks.late,
    transfers.length > 0 &&
      table(['Transfers', 'Поступления'], transfers, [
        [['Part', 'Доля'], (one) => money(one.shareCents, one.currency), 'number'],
        [['Payer', 'Плательщик'], (one) => link('/transfers', one.id, one.payerName || '–')],
        [['State', 'Состояние'], (one) => transferState(one.state)],
        [['Booked', 'Проведено'], (one) => day(one.bookedOn)],
        [['Purpose', 'Назначение'], (one) => foreign(one.purpose.slice(0, 140))],
      ]),
    ...callbacks.all,
    ...notes,
    historyTable(history, evidence),
  ]
}

/** The transfer or the request that decided it; how the deposit was asked for. */
function evidence({ evidence: kept }: HistoryEntry) {
  const { transfer, proposed_by, request, key } = (kept ?? {}) as Record<string, unknown>
  if (typeof transfer === 'string') return link('/transfers', transfer, `…${transfer.slice(-8)}`)
  if (typeof proposed_by === 'string') return text(proposed_by)
  return typeof request === 'string' ? code(`${request} ${key ?? ''}`.trim()) : null
}
