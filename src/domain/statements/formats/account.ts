/** Account numbers as statements write them. */
import { message } from '../../messages/message.ts'

import { quoted } from '../../transfers/bank-text/masked.ts'
import { DamagedStatement } from '../entry.ts'

/** Shows the number as written, so that a person finds it in the file or the mapping; a card is masked. */
export const notOurs = (line: number, written: string, at?: string): DamagedStatement =>
  new DamagedStatement(line, message('account_not_ours', { account: quoted(written) }), {
    code: 'statement_account_unknown',
    ...(at && { at }),
  })
