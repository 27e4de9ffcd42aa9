/** What states of transfers are called, in their order, and their colours. */
import type { TransferState } from '../domain/transfers/transfer.ts'
import { state } from './cells.ts'
import type { Cell, Choice, Tone, Two } from './section.ts'

type Known<State extends string> = Readonly<Record<State, readonly [words: Two, tone: Tone]>>

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

export const transferState = (value: TransferState): Cell => state(value, ...transferStateWords[value])

export const choicesFrom = <State extends string>(known: Known<State>): readonly Choice[] =>
  (Object.entries(known) as [State, Known<State>[State]][]).map(([value, [words]]) => ({ value, words }))
