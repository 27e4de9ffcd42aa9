/**
 * Notes which rows of a file are known from other files, before its first group is taken: what the file has further down as well is
 * not the payment that its bank has moved to another day.
 */
import type { Db, Timeouts } from '../../platform/db.ts'
import { type Hooks, perform } from '../audit/perform.ts'
import type { Prepared } from './bank-entries.ts'
import { insertRepeats } from './repeat-store.ts'
import { findRepeats } from './sort-bank-entries.ts'
import type { Source } from './source.ts'
import { lockAccounts } from './store.ts'

/** At most `bounds.importGroup` rows, in one transaction. */
export const noteRepeats = (
  db: Db,
  group: readonly Prepared[],
  { source, timeouts, check }: { source: Source; timeouts: Timeouts; check: Hooks['check'] },
): Promise<void> =>
  perform(db, { check, timeouts }, async (tx) => {
    // The import that added a row is not undone meanwhile.
    await lockAccounts(tx, [...new Set(group.map((entry) => entry.accountId))])
    await insertRepeats(tx, await findRepeats(tx, group, source))
  })
