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
    builded: 'choosing a method',
    created: 'waiting for money',
    confirmed: 'confirmed',
    rejected: 'rejected',
    expired: 'expired',
    canceled: 'canceled',
    reversed: 'reversed',
  },
  transferStates: {
    unmatched: 'unmatched',
    matched: 'matched',
    ambiguous: 'ambiguous',
    duplicate: 'duplicate',
    revoked: 'revoked',
    refunded: 'refunded',
    set_aside: 'set aside',
    debit: 'outgoing',
    reversal: 'unassigned reversal',
  },
  labels: {
    underpaid: 'underpaid',
    overpaid: 'overpaid',
    late: 'late',
    review: 'under review',
    manual: 'by hand',
  },
}

const ru: StateWords = {
  depositStates: {
    builded: 'выбор способа',
    created: 'ждёт денег',
    confirmed: 'подтверждён',
    rejected: 'отклонён',
    expired: 'истёк',
    canceled: 'отменён',
    reversed: 'возвращён банком',
  },
  transferStates: {
    unmatched: 'не сопоставлено',
    matched: 'сопоставлено',
    ambiguous: 'неоднозначно',
    duplicate: 'сообщено дважды',
    revoked: 'отозвано',
    refunded: 'возвращено',
    set_aside: 'отложено',
    debit: 'списание',
    reversal: 'возврат банка, найти платёж',
  },
  labels: {
    underpaid: 'недоплата',
    overpaid: 'переплата',
    late: 'с опозданием',
    review: 'на проверке',
    manual: 'вручную',
  },
}

export const stateWords = { en, ru } as const
