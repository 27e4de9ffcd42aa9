/** Queries for the facts behind alarms, and the alarms that were reported. */
import { bounds } from '../../platform/bounds.ts'
import { type Queryable, sql, type Tx } from '../../platform/db.ts'
import { lossRiskOf, readReplication } from '../../platform/replication.ts'
import { approvalRuleActs, waitingHours } from '../approvals/guard.ts'
import { readBackupState } from '../backups/store.ts'
import { oldestOverdue } from '../deposits/overdue-store.ts'
import { referenceFor, referenceSpace } from '../deposits/reference.ts'
import { holdsReference } from '../deposits/reference-store.ts'
import type { Mode } from '../merchants/merchant.ts'
import {
  type Alarm,
  type ApprovalRuleAct,
  alarmKinds,
  type BackupFact,
  type BrandingAct,
  type Facts,
  type LaneFact,
  type ScarceAccount,
  type SilentAccount,
} from './alarm.ts'

/**
 * Cheap at any size of the tables: it reads only lanes with problems, and the ends of indexes. Of too many lanes the first
 * of each merchant come first: one merchant's thousand must not hide another's only one.
 */
export async function readFacts(db: Queryable): Promise<Facts> {
  const lanes = await db.query<{
    id: bigint
    merchant: string
    origin: string | null
    state: LaneFact['state']
    reason: string | null
    failing_hours: number | null
  }>(sql`
    select
      l.id, m.name as merchant, l.origin, l.state, l.reason,
      (extract(epoch from inlet_now() - l.failing_since) / 3600)::float8 as failing_hours
    from (
      select id, merchant_id, origin, state, reason, failing_since,
        row_number() over (partition by merchant_id order by id) as place
      from endpoints
      where state = 'paused' or failing_since is not null
    ) l
    join merchants m on m.id = l.merchant_id
    order by l.place, l.id
    limit 1000`)
  const [row] = await db.query<{ oldest: number; due: bigint; dead: boolean; overdue: boolean }>(sql`
    select
      coalesce((
        select max(extract(epoch from inlet_now() - d.due_at) / 60)
        from endpoints l
        cross join lateral (
          select due_at from deliveries where endpoint_id = l.id and due_at < 'infinity' order by due_at limit 1) d
        where l.state = 'active' and l.open_until <= inlet_now() and l.failing_since is null), 0)::float8 as oldest,
      (select count(*) from (select from deliveries where state = 'open' limit 100001) due) as due,
      exists (select from deliveries where state = 'dead' and died_at >= date_trunc('day', inlet_now())) as dead,
      coalesce(${oldestOverdue} < inlet_now() - interval '5 minutes', false) as overdue`)
  const silentAccounts = await db.query<SilentAccount>(sql`
    select id as "accountId", label, silent_hours as "silentHours"
    from receiving_accounts
    where enabled
      and mode = 'live'
      and coalesce(heard_at, created_at) <= inlet_now() - make_interval(hours => silent_hours)
    order by id
    limit 1000`)
  return {
    lanes: lanes.map((lane) => ({
      laneId: lane.id,
      merchant: lane.merchant,
      origin: lane.origin,
      state: lane.state,
      reason: lane.reason,
      failingHours: lane.failing_hours,
    })),
    oldestDueMinutes: row!.oldest,
    due: Number(row!.due),
    deadToday: row!.dead,
    overdueDeposits: row!.overdue,
    silentAccounts,
    scarceAccounts: await readScarceAccounts(db, { sample: sampleReferences, mode: 'live' }),
    backup: await readBackupFact(db),
    approvalRuleActs: await readApprovalRuleActs(db),
    brandingActs: await readBrandingActs(db),
    lossRisk: lossRiskOf(await readReplication(db)) ?? null,
  }
}

/**
 * A fixed sample of all references. References are drawn in a secret mixed order, so the share of the sample that is held is
 * that of all.
 */
const sampleReferences = Array.from({ length: bounds.referencesLookedAt }, (_, place) =>
  referenceFor(Math.floor((place * referenceSpace) / bounds.referencesLookedAt)),
)

/** Accounts that hold more than half of the sample. */
export const readScarceAccounts = (
  db: Queryable,
  { sample, mode }: { sample: readonly string[]; mode: Mode },
) =>
  db.query<ScarceAccount>(sql`
    select a.id as "accountId", a.label, (held.count * 100 / ${sample.length}::int)::int as "heldPercent"
    from (
      select d.account_id, count(*) as count
      from deposits d
      where d.reference = any(${sample}::text[]) and ${holdsReference}
      group by d.account_id
      having count(*) * 2 > ${sample.length}::int
    ) held
    join receiving_accounts a on a.id = held.account_id
    where a.enabled and a.mode = ${mode}
    order by a.id
    limit 1000`)

const readBackupFact = async (db: Queryable): Promise<BackupFact> => {
  const state = await readBackupState(db)
  return {
    walMinutes: state.is_on && state.wal_age_seconds !== null ? state.wal_age_seconds / 60 : null,
    drillProblem: state.drill_ok === false ? state.drill_problem : null,
  }
}

/**
 * Of each merchant the newest change of branding and of the name: the acts of one must not hide another's, those of its owners not an
 * admin's, and many of them must not raise as many alarms.
 */
const readBrandingActs = (db: Queryable) =>
  db.query<BrandingAct>(sql`
    select max(e.place) as place, m.name as merchant
    from audit_entries e
    join merchants m on m.id = e.merchant_id
    where (e.act = 'merchant_branding' or (e.act = 'merchant_change' and e.after::jsonb ? 'name'))
      and e.at > inlet_now() - interval '1 day'
      and m.mode = 'live'
    group by m.id, e.act
    order by place desc
    limit 1000`)

/**
 * Acts of the last day that changed the rules of approval or the people of the desk, newest first. An approval and the
 * change that it made, the entry right before it, count as one act.
 */
export const readApprovalRuleActs = (db: Queryable) =>
  db.query<ApprovalRuleAct>(sql`
    select e.place, e.at, e.act, e.actor, p.name
    from audit_entries e
    left join people p on p.id = e.person_id
    where e.act = any(${[...approvalRuleActs]}::text[])
      and e.at > inlet_now() - ${waitingHours}::int * interval '1 hour'
      and e.merchant_id is null
      -- The demo invites its own people again at every start; no other actor has this name.
      and e.actor <> 'demo'
      and not exists (
        select
        from audit_entries n
        where n.place = e.place + 1 and n.subject = e.subject and n.act like 'approve%' and e.act like 'person%')
    order by e.place desc
    limit 1000`)

/** Stores new alarms and deletes those that have ended: of several callers one gets each of them. */
export async function noteAlarms(
  tx: Tx,
  now: readonly Alarm[],
): Promise<{ raised: Alarm[]; cleared: Alarm[] }> {
  const raised = await tx.query<Alarm>(sql`
    insert into operator_alarms (kind, subject, detail)
    select kind, subject, detail
    from unnest(
      ${now.map((alarm) => alarm.kind)}::text[],
      ${now.map((alarm) => alarm.subject)}::text[],
      ${now.map((alarm) => alarm.detail)}::text[]) as n (kind, subject, detail)
    order by kind, subject
    on conflict do nothing
    returning kind, subject, detail`)
  const cleared = await tx.query<Alarm>(sql`
    delete from operator_alarms a
    where not exists (
      select
      from unnest(${now.map((alarm) => alarm.kind)}::text[], ${now.map((alarm) => alarm.subject)}::text[])
        as n (kind, subject)
      where n.kind = a.kind and n.subject = a.subject)
    returning kind, subject, detail`)
  return { raised, cleared }
}

/** The gravest alarm that has not been reported. No other caller gets it for a minute, which is longer than a call takes. */
export const claimAlarm = (db: Queryable) =>
  db.find<Alarm>(sql`
    update operator_alarms
    set tried_until = now() + interval '1 minute'
    where (kind, subject) = (
      select kind, subject
      from operator_alarms
      where told_at is null and tried_until < now()
      order by array_position(${[...alarmKinds]}::text[], kind), tried_until, raised_at
      limit 1
      for update skip locked)
    returning kind, subject, detail`)

export const isRaised = (db: Queryable, { kind, subject }: Alarm) =>
  db.has(sql`select kind from operator_alarms where kind = ${kind} and subject = ${subject}`)

export const markReported = (db: Queryable, { kind, subject }: Alarm) =>
  db.run(sql`
    update operator_alarms
    set told_at = inlet_now()
    where kind = ${kind} and subject = ${subject}`)
