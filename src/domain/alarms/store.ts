/** What is wrong now, as queries that return alarms; and the alarms that were reported. */
import { bounds } from '../../platform/bounds.ts'
import { type Queryable, type Statement, sql, type Tx } from '../../platform/db.ts'
import { lossRiskOf, readReplication } from '../../platform/replication.ts'
import { approvalRuleActs, waitingHours } from '../approvals/guard.ts'
import { oldestOverdue } from '../deposits/overdue-store.ts'
import { referenceFor, referenceSpace } from '../deposits/reference.ts'
import { holdsReference } from '../deposits/reference-store.ts'
import type { Mode } from '../merchants/merchant.ts'
import { type Alarm, alarmKinds } from './alarm.ts'

/** From how late automatic work raises an alarm. */
const lateMinutes = 15
const manyCallbacks = 100_000

/** `acceptsLoss`: the operator accepts that a failover can lose commits. */
export async function readAlarms(
  db: Queryable,
  { acceptsLoss = false }: { acceptsLoss?: boolean } = {},
): Promise<Alarm[]> {
  const alarms: Alarm[] = []
  for (const query of queries) alarms.push(...(await db.query<Alarm>(query)))
  const scarce = await readScarceAccounts(db, { sample: sampleReferences, mode: 'live' })
  for (const { accountId, label, heldPercent } of scarce)
    alarms.push({
      kind: 'references_scarce',
      subject: accountId,
      detail: `About ${heldPercent} % of the references of the account "${label}" are held: when all are, it takes no deposits.`,
    })
  for (const { place, act } of await readApprovalRuleActs(db))
    alarms.push({
      kind: 'four_eyes',
      subject: `${place}`,
      detail: `Approval rules, access to the desk or a bank source changed: ${act}, entry ${place} of the audit log.`,
    })
  const lossRisk = acceptsLoss ? undefined : lossRiskOf(await readReplication(db))
  if (lossRisk)
    alarms.push({
      kind: 'replication_can_lose',
      subject: 'all',
      detail: `A failover could lose acknowledged deposits: ${lossRisk}.`,
    })
  return alarms
}

/** Cheap at any size of the tables: they read only lanes with problems, and the ends of indexes. */
const queries: readonly Statement[] = [
  // Of too many lanes the first of each merchant come first: one merchant's thousand must not hide another's only one.
  sql`
    select
      case when l.state = 'paused' then 'lane_paused' else 'lane_failing' end as kind,
      case when l.state = 'paused' then l.id::text else l.id || ':' || l.failing_for || 'h' end as subject,
      'Callbacks to ' || m.name || ', ' || coalesce(l.origin, 'own callback URL')
        || case
          when l.state = 'paused' then ' are paused: ' || coalesce(l.reason, 'manually') || '.'
          else ' have failed for ' || l.failing_for || ' h or more.'
        end as detail
    from (
      select id, merchant_id, origin, state, reason,
        (select max(hours)
          from unnest('{1,24,72}'::int[]) as hours
          where failing_since <= inlet_now() - make_interval(hours => hours)) as failing_for,
        row_number() over (partition by merchant_id order by id) as place
      from endpoints
      where state = 'paused' or failing_since is not null
    ) l
    join merchants m on m.id = l.merchant_id
    where l.state = 'paused' or l.failing_for is not null
    order by l.place, l.id
    limit 1000`,
  sql`
    select 'callbacks_late' as kind, 'all' as subject, ${`A callback is ${lateMinutes} minutes overdue.`} as detail
    where exists (
      select
      from endpoints l
      cross join lateral (
        select due_at from deliveries where endpoint_id = l.id and due_at < 'infinity' order by due_at limit 1) d
      where l.state = 'active'
        and l.open_until <= inlet_now()
        and l.failing_since is null
        and d.due_at <= inlet_now() - make_interval(mins => ${lateMinutes}))
    union all
    select 'callbacks_many', 'all', ${`More than ${manyCallbacks} callbacks are pending.`}
    where exists (select from deliveries where state = 'open' offset ${manyCallbacks})
    union all
    select 'callbacks_given_up', 'today', 'Callbacks failed for good today: see inlet callback list.'
    where exists (select from deliveries where state = 'dead' and died_at >= date_trunc('day', inlet_now()))
    union all
    select 'deposits_overdue', 'all', 'Deposits past their deadline are not expiring.'
    where ${oldestOverdue} < inlet_now() - interval '5 minutes'`,
  sql`
    select 'account_silent' as kind, id as subject,
      'No bank data for the account "' || label || '" for ' || silent_hours
        || ' h: there may be money that nobody has seen.' as detail
    from receiving_accounts
    where enabled
      and mode = 'live'
      and coalesce(heard_at, created_at) <= inlet_now() - make_interval(hours => silent_hours)
    order by id
    limit 1000`,
  sql`
    select 'backup_late' as kind, 'wal' as subject,
      ${`Nothing has been backed up for ${lateMinutes} minutes: see inlet doctor.`} as detail
    from upkeep
    where backups_on and wal_stored_at <= now() - make_interval(mins => ${lateMinutes})
    union all
    select 'backup_drill_failed', 'all', 'The last backup drill failed: ' || coalesce(drill_problem, '')
    from upkeep
    where not drill_ok`,
  // Of each merchant the newest change of branding and of the name: the acts of one must not hide another's, those of its owners not
  // an admin's, and many of them must not raise as many alarms. Someone who took over an owner's account might imitate another shop.
  sql`
    select 'branding_changed' as kind, max(e.place)::text as subject,
      'The payment page of ' || m.name || ' has a new name, logo or colour: entry ' || max(e.place) || ' of the audit log.' as detail
    from audit_entries e
    join merchants m on m.id = e.merchant_id
    where (e.act = 'merchant_branding' or (e.act = 'merchant_change' and e.after::jsonb ? 'name'))
      and e.at > inlet_now() - interval '1 day'
      and m.mode = 'live'
    group by m.id, e.act
    order by max(e.place) desc
    limit 1000`,
]

/**
 * A fixed sample of all references. References are drawn in a secret mixed order, so the share of the sample that is held is
 * that of all.
 */
const sampleReferences = Array.from({ length: bounds.referencesLookedAt }, (_, place) =>
  referenceFor(Math.floor((place * referenceSpace) / bounds.referencesLookedAt)),
)

/**
 * Accounts that hold more than half of the sample. A reference is held until 90 days after its deposit; when all are, the account
 * takes no deposits.
 */
export const readScarceAccounts = (
  db: Queryable,
  { sample, mode }: { sample: readonly string[]; mode: Mode },
) =>
  db.query<{ accountId: string; label: string; heldPercent: number }>(sql`
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

/**
 * Acts of the last day that changed the rules of approval or the people of the desk, newest first. An approval and the
 * change that it made, the entry right before it, count as one act.
 */
export const readApprovalRuleActs = (db: Queryable) =>
  db.query<{ place: bigint; act: string; actor: string }>(sql`
    select e.place, e.act, e.actor
    from audit_entries e
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
