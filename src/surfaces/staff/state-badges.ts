/** Badges of deposit and transfer states and labels, the same in both consoles. */
import type { DepositState, Label } from '../../domain/deposits/deposit.ts'
import type { TransferState } from '../../domain/transfers/transfer.ts'
import { depositStateWords, labelWords, transferStateWords } from '../../sections/states.ts'
import { html, type Markup } from '../web/html.ts'
import { badge } from '../web/pieces.ts'
import { stateWords } from './state-words.ts'

type Reader = { language: keyof typeof stateWords }

export const depositBadge = ({ language }: Reader, state: DepositState): Markup =>
  badge(stateWords[language].depositStates[state], depositStateWords[state][1])

export const transferBadge = ({ language }: Reader, state: TransferState): Markup =>
  badge(stateWords[language].transferStates[state], transferStateWords[state][1])

export const labelBadges = ({ language }: Reader, labels: readonly Label[]): Markup[] =>
  labels.map((label) => html` ${badge(stateWords[language].labels[label], labelWords[label][1])}`)
