/** The history of deposits in the database: lines are added and never changed. */
import { fragment, type Queryable, sql, type Tx } from '../../platform/db.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import { type Message, messageJson, withReason } from '../messages/message.ts'
import type { Change } from './decide.ts'
import type { HistoryEntry } from './deposit.ts'

/** The newest entries that are shown: a deposit may have been paid in very many parts. */
const maxEntries = 1_000

/** The history of a deposit, oldest first; of one merchant's deposit, where a merchant is named. */
export async function readDepositHistory(
  db: Queryable,
  { id, merchantId }: { id: string; merchantId: string | null },
): Promise<HistoryEntry[]> {
  const entries = await db.query<HistoryEntry & { message: unknown }>(sql`
    select at, action, from_state, to_state, actor, reason, message, evidence
    from deposit_timeline
    where deposit_id = (
      select id from deposits where id = ${id} and (${merchantId}::uuid is null or merchant_id = ${merchantId}))
    order by entry desc
    limit ${maxEntries}`)
  return entries.reverse().map(withReason)
}

/**
 * Leaves out notes of rules and reasons of matches, which could reveal the operator's block and watch lists, and which of
 * the operator's people decided: their addresses would be good for letters in their name.
 */
export async function readHistoryForMerchant(db: Queryable, merchantId: MerchantId, depositId: string) {
  const entries = await readDepositHistory(db, { id: depositId, merchantId })
  return entries
    .filter(({ action }) => action !== 'note')
    .slice(0, 500)
    .map(({ actor, reason, evidence, ...entry }) => ({
      ...entry,
      actor: actor.startsWith('operator:') ? 'operator' : actor,
      reason: entry.action === 'receive' ? null : reason,
      evidence: withoutProposal(evidence),
    }))
}

function withoutProposal(evidence: unknown): unknown {
  const { proposal: _proposal, proposed_by: _person, ...shown } = (evidence ?? {}) as Record<string, unknown>
  return evidence && shown
}

/** The newest entry of deposit `d`: as in deposit_timeline, but read backwards from an index. */
const lastEntry = fragment`
  coalesce((select h.entry from deposit_history h where h.deposit_id = d.id order by h.entry desc limit 1), 1)`

/** Adds the lines of these changes, in the transaction that makes them. */
export async function insertHistory(tx: Tx, changes: readonly Change[]): Promise<void> {
  const lines = changes.flatMap(({ deposit, history, at }) =>
    history.map((line, index) => ({ ...line, depositId: deposit.id, place: index + 1, at })),
  )
  await tx.query(sql`
    insert into deposit_history
      (deposit_id, entry, at, action, from_state, to_state, actor, reason, message, evidence)
    select
      n.deposit_id, n.place + h.entry, n.at, n.action, n.from_state, n.to_state, n.actor, n.reason, n.message, n.evidence
    from (
      select
        unnest(${lines.map((line) => line.depositId)}::uuid[]) as deposit_id,
        unnest(${lines.map((line) => line.place)}::int[]) as place,
        unnest(${lines.map((line) => line.at)}::timestamptz[]) as at,
        unnest(${lines.map((line) => line.action)}::text[]) as action,
        unnest(${lines.map((line) => line.fromState)}::text[]) as from_state,
        unnest(${lines.map((line) => line.toState)}::text[]) as to_state,
        unnest(${lines.map((line) => line.actor)}::text[]) as actor,
        unnest(${lines.map((line) => line.reason?.toString())}::text[]) as reason,
        unnest(${lines.map((line) => messageJson(line.reason))}::jsonb[]) as message,
        unnest(${lines.map((line) => line.evidence && JSON.stringify(line.evidence))}::jsonb[]) as evidence
    ) n
    join (
      select d.id as deposit_id, ${lastEntry} as entry
      from deposits d
      where d.id = any((select ${changes.map(({ deposit }) => deposit.id)}::uuid[])::uuid[])
    ) h on h.deposit_id = n.deposit_id`)
}

/** Adds notes of rules to the history of deposits. */
export async function insertNotes(
  tx: Tx,
  notes: readonly { depositId: string; reason: Message }[],
): Promise<void> {
  if (notes.length === 0) return
  await tx.query(sql`
    insert into deposit_history (deposit_id, entry, at, action, from_state, to_state, actor, reason, message)
    select
      d.id, 1 + ${lastEntry}, (select inlet_now()), 'note',
      d.state, d.state, 'rule', n.reason, n.message
    from unnest(
      ${notes.map((note) => note.depositId)}::uuid[],
      ${notes.map((note) => note.reason.text)}::text[],
      ${notes.map((note) => messageJson(note.reason))}::jsonb[]) as n (deposit_id, reason, message)
    join deposits d on d.id = n.deposit_id`)
}
