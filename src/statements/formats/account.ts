/** Account numbers as statements write them. */

import { quoted } from '../../transfers/bank-text/masked.ts'
import { DamagedStatement } from '../entry.ts'

/** The number is shown as it is written, so that a person finds it in the file or the mapping; a card is masked. */
export const notOurs = (line: number, written: string, at?: string): DamagedStatement =>
  new DamagedStatement(
    line,
    `The account ${quoted(written)} is not one of ours in this mode: give a receiving account this number, or export without it.`,
    { code: 'statement_account_unknown', ...(at && { at }) },
  )
