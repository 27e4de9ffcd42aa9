/** Account numbers as statements write them. */
import type { Mode } from '../../merchants/merchant.ts'

import { quoted } from '../../transfers/bank-text/masked.ts'
import { DamagedStatement } from '../entry.ts'

/** The number is shown as it is written, so that a person finds it in the file or the mapping; a card is masked. */
export const notOurs = (line: number, written: string, at?: string): DamagedStatement =>
  new DamagedStatement(
    line,
    `The account ${quoted(written)} is not one of ours in this mode: give a receiving account this number, or export without it.`,
    { code: 'statement_account_unknown', account: written, ...(at && { at }) },
  )

/** The same, where it is one of ours in the other mode: that was not chosen. */
export const oursOtherwise = ({ line, at, account }: DamagedStatement, mode: Mode): DamagedStatement =>
  new DamagedStatement(
    line,
    mode === 'test'
      ? `The account ${quoted(account!)} is one of ours in test mode, and the file was brought as live: choose test mode.`
      : `The account ${quoted(account!)} is one of ours in live mode, and the file was brought as a test: choose live mode.`,
    { code: 'statement_account_unknown', ...(at && { at }) },
  )
