/** What was decided about transfers, and why, in the database. */
import { jsonRows, type Queryable, sql, type Tx } from '../../platform/db.ts'
import { sumKept } from '../deposits/store.ts'
import { type MessageOrText, messageJson } from '../messages/message.ts'
import { lastRule, replaceAllocations } from './allocation-store.ts'
import type { Transfer, TransferState } from './transfer.ts'

export type DecisionDraft = {
  transferId: string
  state: TransferState
  depositIds: readonly string[]
  actor: string
  rule: string
  reason: MessageOrText
  evidence: unknown
}

/** `areFirst`: the transfers are new, so that no earlier decision need be looked for. */
export async function insertDecisions(
  tx: Tx,
  drafts: readonly DecisionDraft[],
  { areFirst = false } = {},
): Promise<void> {
  if (drafts.length === 0) return
  const rows = drafts.map((draft) => ({
    ...{ ...draft, reason: `${draft.reason}` },
    message: messageJson(draft.reason),
  }))
  await tx.run(sql`
    insert into transfer_decisions (transfer_id, entry, at, state, deposit_ids, actor, rule, reason, message, evidence)
    select
      "transferId",
      case when ${areFirst}::boolean then 1
        else 1 + coalesce((select max(d.entry) from transfer_decisions d where d.transfer_id = "transferId"), 0) end,
      (select inlet_now()), state, "depositIds", actor, rule, reason, message::jsonb, evidence
    from json_to_recordset(${jsonRows(rows)}::json) as n (
      "transferId" uuid, state text, "depositIds" uuid[], actor text, rule text, reason text, message text, evidence jsonb)`)
}

export const readLastRule = async (tx: Tx, id: string): Promise<string> =>
  (await tx.one<{ rule: string }>(sql`select ${lastRule} as rule from transfers t where t.id = ${id}`)).rule

/** What somebody other than the matcher decided last: the matcher only follows. */
export const readLastAct = (db: Queryable, id: string) =>
  db.find<{ rule: string; before: StoredState | null }>(sql`
    select rule, evidence -> 'before' as before
    from transfer_decisions
    where transfer_id = ${id} and actor <> 'matcher'
    order by entry desc
    limit 1`)

/** Those that no person has decided about. */
export async function findUntouched(tx: Tx, ids: readonly string[]): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(sql`
    select transfer_id as id
    from transfer_decisions
    where transfer_id = any(${ids}::uuid[])
    group by transfer_id
    having bool_and(actor = 'matcher' or actor like 'bank:%')`)
  return new Set(rows.map(({ id }) => id))
}

/** A state of a transfer as the evidence of a decision keeps it, so that the decision can be undone. */
export type StoredState = ReturnType<typeof storedState>

export const storedState = ({ state, heldWith, duplicateOf, shares }: Transfer) => ({
  state,
  held_with: heldWith,
  duplicate_of: duplicateOf,
  shares: shares.map(({ depositId, cents }) => ({ deposit: depositId, cents: cents.toString() })),
})

type Decided = Pick<
  Transfer,
  'id' | 'state' | 'heldWith' | 'duplicateOf' | 'shares' | 'refundCents' | 'openCents'
>

export type Saved = {
  transfer: Decided
  decision: Omit<DecisionDraft, 'transferId' | 'state' | 'depositIds'>
}

/** Changes transfers: state, amounts, shares, since when an open amount is owed, and the decision about each. */
export async function saveDecisions(tx: Tx, saved: readonly Saved[]): Promise<void> {
  if (saved.length === 0) return
  const all = saved.map(({ transfer }) => transfer)
  await tx.run(sql`
    update transfers t
    set
      state = n.state,
      held_with = case when n.state = 'held' then n."heldWith" else '{}' end,
      duplicate_of = case when n.state = 'duplicate' then n."duplicateOf" end,
      deposit_cents = n."depositCents",
      refund_cents = n."refundCents",
      open_cents = n."openCents",
      due_since = case
        when n."openCents" = 0 then null
        when (n.state = 'set_aside' and n.rule = 'by_hand') or n.rule = 'deposit_ended'
          then coalesce(t.due_since, inlet_now())
        -- A part was given back: the rest is owed as it was.
        when n.rule = 'refund' then t.due_since
      end
    from json_to_recordset(${jsonRows(saved.map(rowOf))}::json) as n (
      id uuid, state text, "heldWith" uuid[], "duplicateOf" uuid, "depositCents" bigint, "refundCents" bigint,
      "openCents" bigint, rule text)
    where t.id = n.id`)
  await sumKept(tx, await replaceAllocations(tx, all))
  await insertDecisions(
    tx,
    saved.map(({ transfer: { id, state, shares }, decision }) => ({
      ...decision,
      transferId: id,
      state,
      depositIds: shares.map(({ depositId }) => depositId),
    })),
  )
}

const rowOf = ({ transfer, decision: { rule } }: Saved) => {
  const { id, state, heldWith, duplicateOf, shares, refundCents, openCents } = transfer
  const depositCents = shares.reduce((total, { cents }) => total + cents, 0n)
  return { id, state, heldWith, duplicateOf, depositCents, refundCents, openCents, rule }
}

/** Releases all money of a closed deposit: each part is due to its payer until a person decides. */
export async function releaseParts(
  tx: Tx,
  depositId: string,
  { actor, reason }: Pick<DecisionDraft, 'actor' | 'reason'>,
): Promise<void> {
  const released = await tx.query<{ id: string; state: TransferState; depositIds: string[] }>(sql`
    with gone as (
      delete from allocations
      where deposit_id = ${depositId}
      returning transfer_id, cents
    )
    update transfers t
    set state = case when t.deposit_cents = g.cents then 'unmatched' else t.state end,
      deposit_cents = t.deposit_cents - g.cents, open_cents = t.open_cents + g.cents,
      due_since = coalesce(t.due_since, inlet_now())
    from gone g
    where t.id = g.transfer_id
    returning t.id, t.state,
      array(select deposit_id from allocations where transfer_id = t.id and deposit_id <> ${depositId}) as "depositIds"`)
  const decision = { actor, rule: 'deposit_ended', reason, evidence: { deposit: depositId } }
  await insertDecisions(
    tx,
    released.map(({ id, state, depositIds }) => ({ ...decision, transferId: id, state, depositIds })),
  )
  await sumKept(tx, [depositId])
}
