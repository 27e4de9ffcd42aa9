/** Proposals and the settings of approval in the database. */
import { fragment, type Queryable, sql, type Tx } from '../../platform/db.ts'
import { messageJson, withReason } from '../messages/message.ts'
import { linkHours } from '../people/links/link.ts'
import { type Proposer, waitingHours } from './guard.ts'
import type { ApprovalSettings, Proposal } from './proposal.ts'

const proposals = fragment`
  select o.id, o.kind, o.subject, o.merchant_id as "merchantId", o.asked, o.reason, o.message,
    o.proposed_by as "proposedBy", p.name as "proposerName", o.proposed_at as "proposedAt", o.state,
    o.is_guard as "isGuard", o.decided_at as "decidedAt", o.decided_reason as "decidedReason", d.name as "deciderName"
  from proposals o
  join people p on p.id = o.proposed_by
  left join people d on d.id = o.decided_by`
type ProposalRow = Proposal & { message: unknown }

export async function insertProposal(
  tx: Tx,
  proposal: Pick<
    Proposal,
    'id' | 'kind' | 'subject' | 'merchantId' | 'asked' | 'reason' | 'proposedBy' | 'isGuard'
  >,
): Promise<void> {
  const { id, kind, subject, merchantId, asked, reason, proposedBy, isGuard } = proposal
  await tx.query(sql`
    insert into proposals (id, kind, subject, merchant_id, asked, reason, message, proposed_by, is_guard)
    values (
      ${id}, ${kind}, ${subject}, ${merchantId}, ${JSON.stringify(asked)}::jsonb, ${`${reason}`}, ${messageJson(reason)}::jsonb,
      ${proposedBy}, ${isGuard})`)
}

/** Waits until nobody else acts on this thing. */
export const lockSubject = (tx: Tx, subject: string) =>
  tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${subject}, 0))`)

/** Oldest first. */
export const listOpenProposals = async (db: Queryable, limit: number): Promise<Proposal[]> =>
  (
    await db.query<ProposalRow>(
      sql`${proposals} where o.state = 'open' order by o.proposed_at, o.id limit ${limit}`,
    )
  ).map(withReason)

/** The last decided first. */
export async function listDecidedProposals(db: Queryable, limit: number): Promise<Proposal[]> {
  const rows = await db.query<ProposalRow>(sql`
    ${proposals}
    where o.state <> 'open'
    order by o.decided_at desc, o.id desc
    limit ${limit}`)
  return rows.map(withReason)
}

/** The open proposals about one thing. */
export async function listOpenProposalsOf(db: Queryable, subject: string): Promise<Proposal[]> {
  const rows = await db.query<ProposalRow>(sql`
    ${proposals}
    where o.subject = ${subject} and o.state = 'open'
    order by o.proposed_at desc
    limit 50`)
  return rows.map(withReason)
}

export async function findProposal(db: Queryable, id: string): Promise<Proposal | undefined> {
  const row = await db.find<ProposalRow>(sql`${proposals} where o.id = ${id}`)
  return row && withReason(row)
}

export async function lockProposal(tx: Tx, id: string): Promise<Proposal | undefined> {
  const row = await tx.find<ProposalRow>(sql`${proposals} where o.id = ${id} for update of o`)
  return row && withReason(row)
}

type ProposalEnd = {
  id: string
  state: 'approved' | 'refused' | 'withdrawn'
  decidedBy: string
  reason: string
  /** Decided by its proposer: in an installation with one operator, or after a day of waiting. */
  mark: 'single_operator' | 'delayed' | null
}

export const endProposal = (tx: Tx, { id, state, decidedBy, reason, mark }: ProposalEnd) =>
  tx.run(sql`
    update proposals
    set
      state = ${state},
      decided_by = ${decidedBy},
      decided_at = inlet_now(),
      decided_reason = ${reason},
      asked = asked || ${JSON.stringify(mark ? { [mark]: true } : {})}::jsonb
    where id = ${id}`)

export const readApprovalSettings = (db: Queryable) =>
  db.one<ApprovalSettings>(sql`
    select single_operator as "isSingleOperator", second_person_above as "secondPersonAbove"
    from installation`)

/** Locked, so that two changes do not overlap. */
export const lockApprovalSettings = (tx: Tx) =>
  tx.one<ApprovalSettings>(sql`
    select single_operator as "isSingleOperator", second_person_above as "secondPersonAbove"
    from installation
    for update`)

export const saveApprovalSettings = (tx: Tx, settings: ApprovalSettings) =>
  tx.run(sql`
    update installation
    set single_operator = ${settings.isSingleOperator},
      second_person_above = ${JSON.stringify(settings.secondPersonAbove)}::jsonb`)

/**
 * The facts by which guard.ts decides whether two people are independent of each other: whether anybody but the proposer could ever
 * decide, and when they last became dependent (`admittedAt`): one got access through the other, or both through the same person, who may
 * have kept the links of both. Access is given by a link, by a change of a member's role, or by a request that somebody proposed and somebody approved; also through
 * people in between, because a merchant's owner invites without a second person.
 */
export const readIndependence = (
  db: Queryable,
  { proposedBy, personId }: { proposedBy: string; personId: string },
) =>
  db.one<{ now: Date; hasOtherDecider: boolean; admittedAt: Date | null }>(sql`
    with recursive given (person, giver, at) as materialized (
      select substr(subject, 8)::uuid, person_id, at
      from audit_entries
      where act = 'membership_set'
        and at > inlet_now() - ${waitingHours}::int * interval '1 hour'
        and person_id is not null
      union
      select person_id, made_by_person, used_at
      from sign_in_links
      where used_at > inlet_now() - ${waitingHours}::int * interval '1 hour'
        and not ended_unused
      union
      select p.id, giver, greatest(o.decided_at, l.used_at)
      from proposals o
      join people p on o.subject = 'person:' || p.id
      cross join unnest(array[o.proposed_by, o.decided_by]) giver
      -- So long after its approval the invited person may still join.
      left join sign_in_links l
        on l.person_id = p.id
          and not l.ended_unused
          and l.used_at between o.decided_at and o.decided_at + ${linkHours.invitation}::int * interval '1 hour'
      where o.is_guard
        and o.state = 'approved'
        and o.decided_at > inlet_now() - ${linkHours.invitation + waitingHours}::int * interval '1 hour'
    ), access (person, giver, at) as (
      values (${proposedBy}::uuid, ${proposedBy}::uuid, 'infinity'::timestamptz), (${personId}, ${personId}, 'infinity')
      union
      select access.person, a.giver, least(access.at, a.at)
      from access
      join given a on a.person = access.giver
    )
    select
      inlet_now() as now,
      -- The demo's operator, closed before production, was nobody's second person.
      exists (
        select
        from people
        where decides_since is not null
          and id <> ${proposedBy}
          and not (is_demo and disabled_at is not null)) as "hasOtherDecider",
      (select max(least(proposer.at, decider.at))
        from access proposer
        join access decider using (giver)
        where proposer.person = ${proposedBy}
          and decider.person = ${personId}
          and isfinite(least(proposer.at, decider.at))) as "admittedAt"`)

/**
 * The amounts that came in or were reversed by the live files of a person in the last day, including files whose import
 * started earlier. What another source had told early counts too: the file
 * may have named its deposit.
 */
export const sumImportedInLastDay = (
  db: Queryable,
  email: string,
): Promise<{ currency: string; cents: bigint }[]> =>
  db.query(sql`
    with files as (
      select id
      from statements
      where mode = 'live'
        and taken_by = ${`operator:${email}`}
        and (finished_at is null or finished_at > inlet_now() - interval '24 hours')
    ), reported as (
      select t.account_id, t.cents
      from files
      join report_rows r on r.statement_id = files.id and r.outcome in ('new', 'paired', 'held')
      join transfers t on t.id = r.transfer_id
      where coalesce(t.told_booked_at, t.taken_at) > inlet_now() - interval '24 hours'
        and (t.direction = 'credit' or t.state = 'reversal')
      union all
      -- A person may take them at any time.
      select p.account_id, p.cents
      from files
      join report_rows p on p.statement_id = files.id
      where p.parked_at > inlet_now() - interval '24 hours'
        and p.closed_by is null
        and p.transfer_id is null
        and p.facts ->> 'direction' = 'credit'
    )
    select a.currency, sum(reported.cents) as cents
    from reported
    join receiving_accounts a on a.id = reported.account_id
    group by a.currency`)

/** The current rights of the proposer. */
export const readProposer = (
  db: Queryable,
  { proposedBy, merchantId }: Pick<Proposal, 'proposedBy' | 'merchantId'>,
) =>
  db.one<Proposer>(sql`
    select p.disabled_at is not null as "isDisabled", p.operator_role as "operatorRole", m.role as "merchantRole"
    from people p
    left join memberships m on m.person_id = p.id and m.merchant_id = ${merchantId}
    where p.id = ${proposedBy}`)
