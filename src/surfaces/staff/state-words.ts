/** Names of deposit and transfer states and labels, for both consoles in both languages. */
import type { DepositState, Label } from '../../domain/deposits/deposit.ts'
import type { TransferState } from '../../domain/transfers/transfer.ts'

type StateWords = {
  depositStates: Record<DepositState, string>
  transferStates: Record<TransferState, string>
  labels: Record<Label, string>
}

const en: StateWords = {
  depositStates: {
    builded: 'Choosing a method',
    created: 'Awaiting payment',
    confirmed: 'Confirmed',
    rejected: 'Rejected',
    expired: 'Expired',
    canceled: 'Canceled',
    reversed: 'Reversed',
  },
  transferStates: {
    unmatched: 'Unmatched',
    matched: 'Matched',
    ambiguous: 'Ambiguous',
    held: 'On hold',
    duplicate: 'Duplicate',
    revoked: 'Revoked',
    refunded: 'Refunded',
    set_aside: 'Set aside',
    debit: 'Outgoing',
    reversal: 'Unassigned reversal',
  },
  labels: {
    underpaid: 'Underpaid',
    overpaid: 'Overpaid',
    late: 'Late',
    review: 'Under review',
    manual: 'Manual',
  },
}

const ru: StateWords = {
  depositStates: {
    builded: 'Выбор способа',
    created: 'Ожидает оплаты',
    confirmed: 'Подтверждён',
    rejected: 'Отклонён',
    expired: 'Истёк',
    canceled: 'Отменён',
    reversed: 'Возвращён банком',
  },
  transferStates: {
    unmatched: 'Не сопоставлено',
    matched: 'Сопоставлено',
    ambiguous: 'Неоднозначно',
    held: 'Удержано',
    duplicate: 'Дубликат',
    revoked: 'Отозвано',
    refunded: 'Возвращено',
    set_aside: 'Отложено',
    debit: 'Списание',
    reversal: 'Сторно не сопоставлено',
  },
  labels: {
    underpaid: 'Недоплата',
    overpaid: 'Переплата',
    late: 'С опозданием',
    review: 'На проверке',
    manual: 'Вручную',
  },
}

export const stateWords = { en, ru } as const
