/**
 * Takes banks' pushes, each in its own transaction. It locks its account: a few pushes of a source are under way at once, so that
 * those that wait for one account do not take every connection. One that cannot be served in time is refused, to be sent again.
 */

import { bounds } from '../../platform/bounds.ts'
import { monotonicMs } from '../../platform/clock.ts'
import { type FairLimit, overloaded } from '../../platform/fair-limit.ts'
import type { DepositContext } from '../deposits/change-deposit.ts'
import type { Entry } from './entry.ts'
import type { Source } from './source.ts'
import { takeTransfers } from './take-transfers.ts'
import type { Taken } from './taken.ts'

export type TakePush = (source: Source, entries: readonly Entry[]) => Promise<Taken>

/** A longer lock timeout than usual: a file of the same account may be importing, in groups of hundreds of rows. */
const timeouts = { statementMs: bounds.statementTimeoutMs, lockMs: bounds.pushes.lockMs }

export const pushesInTurn =
  (context: DepositContext, inTurn: FairLimit): TakePush =>
  (source, entries) => {
    const until = monotonicMs() + bounds.pushes.waitMs
    return inTurn(source.id, () => {
      if (monotonicMs() > until) throw overloaded()
      return takeTransfers(context, entries, { source, timeouts })
    })
  }
