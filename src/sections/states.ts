/** What states and labels of deposits and transfers are called, in their order, and their colours. */
import type { DepositState, Label } from '../domain/deposits/deposit.ts'
import type { Channel } from '../domain/transfers/channel.ts'
import type { TransferState } from '../domain/transfers/transfer.ts'
import { state } from './cells.ts'
import { both, type Cell, type Choice, type Tone, type Two } from './section.ts'

type Known<State extends string> = Readonly<Record<State, readonly [words: Two, tone: Tone]>>

export const depositStateWords: Known<DepositState> = {
  builded: [['Choosing a method', 'Выбор способа'], 'info'],
  created: [['Awaiting payment', 'Ожидает оплаты'], 'info'],
  confirmed: [['Confirmed', 'Подтверждён'], 'ok'],
  rejected: [['Rejected', 'Отклонён'], 'bad'],
  expired: [['Expired', 'Истёк'], 'plain'],
  canceled: [['Canceled', 'Отменён'], 'plain'],
  reversed: [['Reversed', 'Возвращён банком'], 'bad'],
}

export const transferStateWords: Known<TransferState> = {
  unmatched: [['Unmatched', 'Не сопоставлено'], 'warn'],
  matched: [['Matched', 'Сопоставлено'], 'ok'],
  ambiguous: [['Ambiguous', 'Неоднозначно'], 'warn'],
  held: [['On hold', 'Удержано'], 'warn'],
  duplicate: [['Duplicate', 'Дубликат'], 'plain'],
  revoked: [['Revoked', 'Отозвано'], 'bad'],
  refunded: [['Refunded', 'Возвращено'], 'plain'],
  set_aside: [['Set aside', 'Отложено'], 'plain'],
  debit: [['Outgoing', 'Списание'], 'plain'],
  reversal: [['Unassigned reversal', 'Сторно не сопоставлено'], 'warn'],
}

export const labelWords: Known<Label> = {
  underpaid: [['Underpaid', 'Недоплата'], 'warn'],
  overpaid: [['Overpaid', 'Переплата'], 'warn'],
  late: [['Late', 'С опозданием'], 'warn'],
  review: [['Under review', 'На проверке'], 'warn'],
  manual: [['Manual', 'Вручную'], 'plain'],
}

/** What happened to a deposit, in its history. */
export const depositActionWords: Readonly<Record<string, Two>> = {
  create: ['Created', 'Создан'],
  build: ['Created, method not chosen', 'Создан, способ не выбран'],
  choose_method: ['Method chosen', 'Выбран способ'],
  claim: ['Customer reported payment', 'Покупатель сообщил об оплате'],
  receive: ['Money received', 'Деньги получены'],
  confirm: ['Confirmed', 'Подтверждён'],
  reject: ['Rejected', 'Отклонён'],
  cancel: ['Canceled', 'Отменён'],
  expire: ['Expired', 'Истёк'],
  reverse: ['Reversed', 'Возвращён банком'],
  note: ['Rule note', 'Сработало правило'],
  pass_time: ['Test clock moved', 'Сдвинуты тестовые часы'],
}

/** How a bank's data comes. */
export const channelWords: Readonly<Record<Channel, Two>> = {
  '1c': ['1C', '1С'],
  camt: both('camt.053/.054'),
  csv: both('CSV'),
  xlsx: both('Excel'),
  mt940: both('MT940'),
  push: ['Bank push', 'Уведомления банка'],
  sandbox: ['Test bank', 'Тестовый банк'],
  hand: ['Noted by a person', 'Отмечено сотрудником'],
}

export const depositState = (value: DepositState): Cell => state(value, ...depositStateWords[value])
export const transferState = (value: TransferState): Cell => state(value, ...transferStateWords[value])
export const labels = (values: readonly Label[]): Cell[] =>
  values.map((value) => state(value, ...labelWords[value]))

export const choicesFrom = <State extends string>(known: Known<State>): readonly Choice<State>[] =>
  (Object.entries(known) as [State, Known<State>[State]][]).map(([value, [words]]) => ({ value, words }))
