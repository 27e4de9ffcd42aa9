/** The amount of a transfer as its reader counts it, and the cell of a list that has it. */

import type { Mode } from '../../../domain/merchants/merchant.ts'
import type { Transfer } from '../../../domain/transfers/transfer.ts'
import { moneyOf } from '../../staff/frame.ts'
import { html, type Markup, type Value } from '../../web/html.ts'
import { type DeskContext, modeBadge } from '../frame.ts'

type Reader = Pick<DeskContext, 'language'>

/** Outgoing money has a minus sign. */
export const transferMoney = (
  desk: Reader,
  { direction, cents, currency }: Pick<Transfer, 'direction' | 'cents' | 'currency'>,
): string => moneyOf(desk, direction === 'debit' ? -cents : cents, currency)

/** The badge stands before the amount, so that digits are below digits; on a phone after it. */
export const withMode = (desk: Reader, mode: Mode, money: Value): Markup =>
  html`<span class="with-mode">${modeBadge(desk, mode)} ${money}</span>`
