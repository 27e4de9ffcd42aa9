/** The history of deposits in the database: lines are added and never changed. */
import { sql, type Tx } from '../../platform/db.ts'
import { type Message, messageJson } from '../messages/message.ts'
import type { Change } from './decide.ts'

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
      select d.id as deposit_id,
        -- As in deposit_timeline, where the first entry may be the deposit's row, but read backwards from an index.
        greatest(
          (select h.entry from deposit_history h where h.deposit_id = d.id order by h.entry desc limit 1),
          case when d.sent is not null then 1 end, d.details_entries) as entry
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
      d.id, 1 + (select max(t.entry) from deposit_timeline t where t.deposit_id = d.id), (select inlet_now()), 'note',
      d.state, d.state, 'rule', n.reason, n.message
    from unnest(
      ${notes.map((note) => note.depositId)}::uuid[],
      ${notes.map((note) => note.reason.text)}::text[],
      ${notes.map((note) => messageJson(note.reason))}::jsonb[]) as n (deposit_id, reason, message)
    join deposits d on d.id = n.deposit_id`)
}
