/** What was decided about transfers, and why, in the database. */
import { fragment, sql, type Tx } from '../../platform/db.ts'
import { sumKept } from '../deposits/store.ts'
import { messageJson } from '../messages/message.ts'
import type { Cents } from '../money.ts'
import type { DecisionDraft, LockedTransfer } from './store.ts'
import { rulesWithoutName } from './transfer.ts'

/** By which rule the last decision about the transfer `t` was made. */
export const lastRule = fragment`
  (select x.rule from transfer_decisions x where x.transfer_id = t.id order by x.entry desc limit 1)`

/**
 * A restored transfer is what it was before it was revoked, a suspected repetition too; so is a later version with the same
 * amount. A version with another amount is a separate transfer, which may be the same payment as the earlier one.
 */
const isOfState = fragment`
  x.rule not in ('revoked', 'import_undone', 'restored')
  and (x.rule <> 'new_version' or x.evidence ? 'same_as')`

/** The rule that decided the current state of the transfer `t`, whatever was revoked and restored since. */
export const standingRule = fragment`
  (select x.rule from transfer_decisions x where x.transfer_id = t.id and ${isOfState} order by x.entry desc limit 1)`

export async function insertDecisions(tx: Tx, drafts: readonly DecisionDraft[]): Promise<void> {
  if (drafts.length === 0) return
  await tx.query(sql`
    insert into transfer_decisions (transfer_id, entry, at, state, deposit_id, actor, rule, reason, message, evidence)
    select
      n.transfer_id,
      1 + coalesce((select max(d.entry) from transfer_decisions d where d.transfer_id = n.transfer_id), 0),
      (select inlet_now()), n.state, n.deposit_id, n.actor, n.rule, n.reason, n.message, n.evidence
    from unnest(
      ${drafts.map((draft) => draft.transferId)}::uuid[],
      ${drafts.map((draft) => draft.state)}::text[],
      ${drafts.map((draft) => draft.depositId)}::uuid[],
      ${drafts.map((draft) => draft.actor)}::text[],
      ${drafts.map((draft) => draft.rule)}::text[],
      ${drafts.map((draft) => `${draft.reason}`)}::text[],
      ${drafts.map((draft) => messageJson(draft.reason))}::jsonb[],
      ${drafts.map((draft) => JSON.stringify(draft.evidence))}::jsonb[])
      as n (transfer_id, state, deposit_id, actor, rule, reason, message, evidence)`)
}

/** How much of a revoked transfer had been refunded before its first revocation. */
export async function readRefunded(tx: Tx, id: string): Promise<Cents> {
  const [row] = await tx.query<{ cents: Cents }>(sql`
    select coalesce(evidence ->> 'refunded', '0')::bigint as cents
    from transfer_decisions
    where transfer_id = ${id} and rule = 'revoked' and evidence ->> 'before' is distinct from 'revoked'
    order by entry desc
    limit 1`)
  return row?.cents ?? 0n
}

export async function readStandingRule(tx: Tx, id: string): Promise<string> {
  const row = await tx.find<{ rule: string | null }>(sql`
    select ${standingRule} as rule from transfers t where t.id = ${id}`)
  return row?.rule ?? ''
}

export async function readLastRule(tx: Tx, id: string): Promise<string> {
  const [row] = await tx.query<{ rule: string }>(sql`
    select rule
    from transfer_decisions
    where transfer_id = ${id}
    order by entry desc
    limit 1`)
  return row?.rule ?? ''
}

/** Whether it was found, as it came in, that a transfer may be the same payment as another. */
export async function isSuspected(tx: Tx, id: string, otherId: string): Promise<boolean> {
  const [row] = await tx.query<{ isSuspected: boolean }>(sql`
    select exists (
      select from transfer_decisions where transfer_id = ${id} and evidence -> 'same_as' ? ${otherId}
    ) as "isSuspected"`)
  return row!.isSuspected
}

/**
 * The transfers that count for a deposit and that this undecided one may be the same payment as, by the last suspicion, unless a
 * person has said that it is another.
 */
export async function findCountingSuspects(tx: Tx, id: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    select o.id
    from transfers t
    cross join lateral (
      select d.rule, d.evidence
      from transfer_decisions d
      where d.transfer_id = t.id and (d.rule = 'not_repeated' or d.evidence -> 'same_as' is not null)
      order by d.entry desc
      limit 1
    ) d
    cross join lateral jsonb_array_elements_text(d.evidence -> 'same_as') as s (id)
    join transfers o on o.id = s.id::uuid
    where t.id = ${id} and t.state in ('ambiguous', 'set_aside') and d.rule <> 'not_repeated' and o.state = 'matched'
    order by o.id`)
  return rows.map((row) => row.id)
}

/**
 * The transfer of another source that replaced this one when its import was undone, or that this one had repeated, if it
 * still counts.
 */
export async function findReplacement(tx: Tx, id: string): Promise<string | undefined> {
  const [row] = await tx.query<{ id: string }>(sql`
    select t.id
    from (
      select d.transfer_id as id
      from transfer_decisions d
      where d.rule = 'original_undone' and d.evidence ->> 'instead_of' = ${id}::text
      union
      select (d.evidence ->> 'duplicate_of')::uuid
      from transfer_decisions d
      where d.transfer_id = ${id}::uuid and d.rule = 'import_undone' and d.evidence ->> 'duplicate_of' is not null
    ) i
    join transfers o on o.id = i.id
    join transfers t on t.id = coalesce(o.duplicate_of, o.id)
    where t.id <> ${id}::uuid and t.state not in ('duplicate', 'revoked')
    order by t.id
    limit 1`)
  return row?.id
}

/** Changes a transfer: its state, its amounts, since when they are owed, and the decision. */
export async function saveDecision(
  tx: Tx,
  transfer: Pick<
    LockedTransfer,
    | 'id'
    | 'state'
    | 'depositId'
    | 'duplicateOf'
    | 'depositCents'
    | 'refundCents'
    | 'openCents'
    | 'keptCents'
    | 'version'
  >,
  decision: Omit<DecisionDraft, 'transferId' | 'state' | 'depositId'>,
): Promise<void> {
  const { id, state, depositId, duplicateOf, depositCents, refundCents, openCents, keptCents, version } =
    transfer
  const [before] = await tx.query<{ depositId: string | null }>(sql`
    with before as (
      select deposit_id from transfers where id = ${id}
    )
    update transfers
    set
      state = ${state},
      deposit_id = ${depositId},
      duplicate_of = case when ${state} = 'duplicate' then ${duplicateOf}::uuid end,
      deposit_cents = ${depositCents},
      refund_cents = ${refundCents},
      open_cents = ${openCents},
      -- What has left the deposit is kept by nobody.
      kept_cents = least(${keptCents}::bigint, ${depositCents}::bigint),
      version = ${version},
      is_decided = is_decided or ${rulesWithoutName.includes(decision.rule)}::boolean,
      due_since = case
        when (${state} = 'set_aside' and ${decision.rule} = 'by_hand') or ${decision.rule} = 'deposit_ended'
          then coalesce(due_since, inlet_now())
        -- A part was given back, or the bank corrected it: the rest is owed as it was.
        when ${decision.rule} in ('refund', 'new_version') and ${openCents}::bigint > 0 then due_since
      end
    where id = ${id}
    returning (select deposit_id from before) as "depositId"`)
  await sumKept(
    tx,
    [before?.depositId, depositId].filter((id) => id != null),
  )
  await insertDecisions(tx, [{ ...decision, transferId: id, state, depositId }])
}

/** Parts that are let go in one statement: a deposit may have been paid in very many. */
const partsAtOnce = 500

/** Releases all money of a closed deposit: each part is due to its payer until a person decides. */
export async function releaseParts(
  tx: Tx,
  depositId: string,
  { actor, reason }: Pick<DecisionDraft, 'actor' | 'reason'>,
): Promise<void> {
  for (;;) {
    const released = await tx.query<{ id: string }>(sql`
      update transfers
      set state = 'unmatched', deposit_id = null, deposit_cents = 0, open_cents = deposit_cents, kept_cents = 0,
        is_decided = true, due_since = coalesce(due_since, inlet_now())
      where id in (select id from transfers where deposit_id = ${depositId} limit ${partsAtOnce})
      returning id`)
    const decision = { actor, rule: 'deposit_ended', reason, evidence: { deposit: depositId } }
    await insertDecisions(
      tx,
      released.map(({ id }) => ({ ...decision, transferId: id, state: 'unmatched', depositId: null })),
    )
    if (released.length < partsAtOnce) break
  }
  await sumKept(tx, [depositId])
}
