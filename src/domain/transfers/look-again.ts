/** Matches stored transfers again: those that a person or a second report has cleared of a doubt. */
import type { Tx } from '../../platform/db.ts'
import type { Change } from '../deposits/decide.ts'
import { saveInParts } from '../deposits/store.ts'
import { message } from '../messages/message.ts'
import { saveDecisions } from './decision-store.ts'
import { type Prepared, prepare } from './entry.ts'
import { matchCredits } from './match-credits.ts'
import type { Match } from './matching.ts'
import { findHeldWith, lockAccounts, lockTransfers } from './store.ts'
import type { Transfer } from './transfer.ts'

/** Of a stored purpose the original pieces are not known. */
const preparedFrom = (transfer: Transfer): Prepared =>
  prepare({ ...transfer, line: null, isReversal: false, isInternal: false })

/** Transfers, each with what is known of it now. The changes of the deposits that got money. */
export async function rematch(
  tx: Tx,
  transfers: ReadonlyMap<Prepared, Transfer>,
  publicUrl: string,
): Promise<Change[]> {
  if (transfers.size === 0) return []
  const accountIds = [...transfers.values()].map(({ accountId }) => accountId)
  const accounts = await lockAccounts(tx, [...new Set(accountIds)])
  const changed: Change[] = []
  async function* parts() {
    const context = { accountOf: (id: string) => accounts.get(id)!, source: { name: 'matcher' } }
    for await (const { matches, changes } of matchCredits(tx, [...transfers.keys()], context)) {
      changed.push(...changes)
      const saved = [...matches].map(([entry, match]) => rematched(transfers.get(entry)!, match))
      yield { changes, beside: [() => saveDecisions(tx, saved)] }
    }
  }
  await saveInParts(tx, parts(), publicUrl)
  return changed
}

export const matchAnew = (tx: Tx, transfers: readonly Transfer[], publicUrl: string) =>
  rematch(tx, new Map(transfers.map((transfer) => [preparedFrom(transfer), transfer])), publicUrl)

const rematched = (before: Transfer, match: Match) => ({
  transfer: {
    ...before,
    state: match.state,
    heldWith: [],
    shares: match.shares.map((share) => ({ ...share, keptCents: 0n })),
    openCents: match.state === 'matched' ? 0n : before.cents,
  },
  decision: {
    actor: 'matcher',
    rule: match.outcome,
    reason: match.reason,
    evidence: { candidates: match.candidates },
  },
})

/** What was held only because of these transfers, of which everything is known now, is matched. */
export async function lookAgain(
  tx: Tx,
  resolved: readonly Pick<Transfer, 'id' | 'accountId'>[],
  publicUrl: string,
): Promise<Change[]> {
  const gone = new Set(resolved.map(({ id }) => id))
  const ids: string[] = []
  for (const one of resolved) ids.push(...(await findHeldWith(tx, one)))
  const held = (await lockTransfers(tx, [...new Set(ids)])).filter(({ id }) => !gone.has(id))
  const left = held.map((transfer) => ({
    ...transfer,
    heldWith: transfer.heldWith.filter((id) => !gone.has(id)),
  }))
  const decision = {
    actor: 'matcher',
    rule: 'held',
    reason: message('one_of_its_doubts_is_resolved'),
    evidence: { resolved: [...gone] },
  }
  await saveDecisions(
    tx,
    left.filter(({ heldWith }) => heldWith.length > 0).map((transfer) => ({ transfer, decision })),
  )
  return matchAnew(
    tx,
    left.filter(({ heldWith }) => heldWith.length === 0),
    publicUrl,
  )
}
