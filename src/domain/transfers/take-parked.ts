/** A person takes booked rows before a file has closed their day: they count now, as told early, and that file pairs them. */
import { Refusal } from '../../platform/refusals.ts'
import type { DepositContext } from '../deposits/change-deposit.ts'
import { type Change, statesEntered } from '../deposits/decide.ts'
import { message } from '../messages/message.ts'
import { preparedFrom } from './entry.ts'
import { lockParked, type ParkedChoice } from './report-store.ts'
import { findSource } from './source-store.ts'
import { lockAccounts } from './store.ts'
import { takeEarly } from './take-transfers.ts'
import { nothingTaken, sumTaken, type Taken } from './taken.ts'

/** At most 500 at once: what became of them. */
export async function takeParked(
  { db, publicUrl, changed }: DepositContext,
  choice: ParkedChoice,
): Promise<Taken> {
  const changes: Change[] = []
  const taken = await db.transaction(async (tx) => {
    await lockAccounts(tx, [choice.accountId])
    const rows = await lockParked(tx, choice)
    if (rows.length === 0) throw new Refusal('not_found', { detail: message('no_parked_rows') })
    let total = nothingTaken
    for (const [statementId, own] of Map.groupBy(rows, (one) => one.statementId)) {
      const source = (await findSource(tx, own[0]!.sourceId))!
      const entries = own.map(({ facts }) => preparedFrom(facts))
      const places = own.map(({ place }) => place)
      const done = await takeEarly(tx, entries, { source, publicUrl, parked: { statementId, places } })
      changes.push(...done.changes)
      total = sumTaken(total, done.taken)
    }
    return total
  })
  changed(statesEntered(changes))
  return taken
}
