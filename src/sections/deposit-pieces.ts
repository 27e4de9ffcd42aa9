/** What the desk and a merchant's console show of deposits alike. */
import { type CallbackRow, listCallbacksOfDeposit } from '../domain/callbacks/list-store.ts'
import type { Deposit, HistoryEntry } from '../domain/deposits/deposit.ts'
import type { Queryable } from '../platform/db.ts'
import { attemptCount, callbackStateCell, lastAnswer, undelivered } from './callbacks.ts'
import { code, link, money, person, said, state, text, time, words } from './cells.ts'
import type { Columns, Facts } from './declare.ts'
import { note, table } from './parts.ts'
import { both, type Cell, type Part, type Section, type Two } from './section.ts'
import { depositActionWords, depositState, labels } from './states.ts'

type Row = {
  deposit: Pick<
    Deposit,
    | ('id' | 'amountCents' | 'receivedCents' | 'currency' | 'state' | 'labels' | 'createdAt')
    | ('orderId' | 'customer' | 'reference')
  >
  method: Two
}

export const depositColumns = {
  amount: { rank: 1, is: 'money', cell: ({ deposit }) => money(deposit.amountCents, deposit.currency) },
  state: {
    head: ['State', 'Состояние'],
    rank: 1,
    cell: ({ deposit }) => [depositState(deposit.state), ...labels(deposit.labels)],
  },
  created: { head: ['Created', 'Создан'], rank: 2, cell: ({ deposit }) => time(deposit.createdAt) },
  order: { head: ['Order', 'Заказ'], rank: 2, cell: ({ deposit }) => code(deposit.orderId) },
  method: { head: ['Payment type', 'Способ оплаты'], rank: 3, cell: ({ method }) => words(method) },
  received: {
    ...{ rank: 'file', is: 'money' },
    cell: ({ deposit }) => money(deposit.receivedCents, deposit.currency),
  },
  reference: { rank: 'file', cell: ({ deposit }) => code(deposit.reference) },
} as const satisfies Columns<Row>

type WholeRow = { deposit: Pick<Deposit, 'customerPhoneNumber' | 'expiresAt' | 'shown'> }
export const depositFacts = {
  phone: ({ deposit }) => text(deposit.customerPhoneNumber),
  expires: { head: ['Pay by', 'Оплатить до'], cell: ({ deposit }) => time(deposit.expiresAt) },
} as const satisfies Facts<WholeRow>

/** `evidence`: what led to a step, as far as the reader may know. */
export const historyTable = (
  history: readonly HistoryEntry[],
  evidence: (entry: HistoryEntry) => Cell,
): Part =>
  table(['History', 'История'], history, [
    [['When', 'Когда'], ({ at }) => time(at)],
    [['What', 'Что'], ({ action }) => words(depositActionWords[action] ?? both(action))],
    [['State', 'Состояние'], (one) => (one.from_state === one.to_state ? null : depositState(one.to_state))],
    [['Who', 'Кто'], ({ actor }) => person(actor)],
    [['Why', 'Почему'], ({ reason }) => said(reason ?? '')],
    [['Evidence', 'Основание'], evidence],
  ])

/** The callbacks of a deposit; on top of the page those that did not arrive, with the act that sends them again. */
export async function callbackParts(
  db: Queryable,
  { merchantId, id }: Pick<Deposit, 'merchantId' | 'id'>,
  page: Section | null,
): Promise<Record<'late' | 'all', Part[]>> {
  const sent = await listCallbacksOfDeposit(db, id, merchantId)
  const event = ({ sequence, type }: CallbackRow) =>
    page ? link(page.path, String(sequence), type) : text(type)
  return {
    late: sent.flatMap((row): Part[] => {
      const why = undelivered(row)
      if (!why) return []
      const act = page && { in: page, id: String(row.sequence), name: 'replay' }
      return [{ ...note(row.state === 'failed' ? 'bad' : 'warn', why), ...(act && { act }) }]
    }),
    all: [
      table(['Callbacks', 'Колбэки'], sent, [
        [['Event', 'Событие'], event],
        [
          ['State', 'Состояние'],
          (row) => (row.url === null && row.ackedAt === null ? noAddress : callbackStateCell(row)),
        ],
        [['Last answer', 'Последний ответ'], lastAnswer],
        [['Attempts', 'Попытки'], attemptCount, 'number'],
        [['Created', 'Создан'], ({ madeAt }) => time(madeAt)],
      ]),
    ],
  }
}

const noAddress = state('no_address', ['Callback URL not set', 'Не задан адрес колбэков'], 'warn')
