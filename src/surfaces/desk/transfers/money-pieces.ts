/** The amount of a transfer as its reader counts it: what went out has a minus. */

import type { Transfer } from '../../../domain/transfers/transfer.ts'
import { moneyOf } from '../../staff/frame.ts'
import type { DeskContext } from '../frame.ts'

export const transferMoney = (
  desk: Pick<DeskContext, 'language'>,
  { direction, cents, currency }: Pick<Transfer, 'direction' | 'cents' | 'currency'>,
): string => moneyOf(desk, direction === 'debit' ? -cents : cents, currency)
