/** Account numbers as statements write them. */
import type { Mode } from '../../merchants/merchant.ts'
import { message } from '../../messages/message.ts'

import { quoted } from '../../transfers/bank-text/masked.ts'
import { DamagedStatement } from '../entry.ts'

/** Shows the number as written, so that a person finds it in the file or the mapping; a card is masked. */
export const notOurs = (line: number, written: string, at?: string): DamagedStatement =>
  new DamagedStatement(line, message('account_not_ours', { account: quoted(written) }), {
    code: 'statement_account_unknown',
    account: written,
    ...(at && { at }),
  })

/** For an account that is ours in the other mode: the wrong mode was chosen. */
export const oursInOtherMode = ({ line, at, account }: DamagedStatement, mode: Mode): DamagedStatement =>
  new DamagedStatement(
    line,
    mode === 'test'
      ? message('account_ours_in_test_mode', { account: quoted(account!) })
      : message('account_ours_in_live_mode', { account: quoted(account!) }),
    { code: 'statement_account_unknown', ...(at && { at }) },
  )
