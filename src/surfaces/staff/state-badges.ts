/** Badges of deposit and transfer states and labels, the same in both consoles. */
import { type DepositState, depositStates, type Label } from '../../domain/deposits/deposit.ts'
import type { TransferState } from '../../domain/transfers/transfer.ts'
import { html, type Markup } from '../web/html.ts'
import { badge, type Tone } from '../web/pieces.ts'
import { stateWords } from './state-words.ts'

type Reader = { language: keyof typeof stateWords }

const depositTones: Record<DepositState, Tone> = {
  builded: 'info',
  created: 'info',
  confirmed: 'ok',
  rejected: 'bad',
  expired: 'plain',
  canceled: 'plain',
  reversed: 'bad',
}

export const depositTone = (state: string): Tone =>
  depositStates.some((depositState) => depositState === state) ? depositTones[state as DepositState] : 'plain'

export const depositBadge = ({ language }: Reader, state: DepositState): Markup =>
  badge(stateWords[language].depositStates[state], depositTones[state])

const transferTones: Record<TransferState, Tone> = {
  unmatched: 'warn',
  ambiguous: 'warn',
  held: 'warn',
  matched: 'ok',
  duplicate: 'plain',
  revoked: 'bad',
  refunded: 'plain',
  set_aside: 'plain',
  debit: 'plain',
  reversal: 'warn',
}

export const transferBadge = ({ language }: Reader, state: TransferState): Markup =>
  badge(stateWords[language].transferStates[state], transferTones[state])

export const labelBadges = ({ language }: Reader, labels: readonly Label[]): Markup[] =>
  labels.map(
    (label) => html` ${badge(stateWords[language].labels[label], label === 'manual' ? 'plain' : 'warn')}`,
  )
