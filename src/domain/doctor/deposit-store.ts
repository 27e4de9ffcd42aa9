/** What must hold of deposits and requisites. */
import { sql } from '../../platform/db.ts'
import { transitions } from '../deposits/deposit.ts'
import { isAwaited } from '../deposits/overdue-store.ts'
import { holdsReference } from '../deposits/reference-store.ts'
import { carriesReference, requisiteKinds } from '../requisites/requisite.ts'
import { type Invariant, report } from './invariant.ts'

/** After how long automatic work counts as late. */
const overdueSeconds = 300

/** Those whose payments carry no reference. */
const kindsByAmount = requisiteKinds.filter((kind) => !carriesReference(kind))

export const depositInvariants: readonly Invariant[] = [
  {
    name: 'one-deposit-per-order',
    invariant: 'D2',
    says: 'A merchant has at most one deposit for an order_id.',
    advice: `Ask the merchant which of the two its customer was shown; reject the other. ${report}`,
    query: ({ fromId, most }) => sql`
      select d.id, 'the same order as deposit ' || o.id as detail
      from deposits d
      join deposits o on o.merchant_id = d.merchant_id and o.order_id = d.order_id and o.id <> d.id
      where d.id >= ${fromId}::uuid or d.state in ('builded', 'created')
      limit ${most}`,
  },
  {
    name: 'history-is-a-path',
    invariant: 'D3',
    says: "A deposit's history is a whole path of the lifecycle and ends at its state.",
    advice: `Look at it with "inlet deposit show ID". ${report}`,
    query: ({ fromId, most }) => sql`
      with looked as materialized (
        select d.id, d.state
        from deposits d
        where d.id >= ${fromId}::uuid or d.state in ('builded', 'created')
      ), entries as materialized (
        select h.deposit_id, h.entry, h.action, h.from_state, h.to_state
        from looked
        -- Asked deposit by deposit: a join may read the first entries of all deposits.
        cross join lateral (
          select deposit_id, entry, action, from_state, to_state
          from deposit_timeline
          where deposit_id = looked.id
          offset 0
        ) h
      ), lines as (
        select
          h.deposit_id, h.entry, h.action, h.from_state, h.to_state, looked.state,
          h.action || ' ' || coalesce(h.from_state, '-') || ' ' || h.to_state as path,
          row_number() over of_deposit as place,
          lag(h.to_state) over of_deposit as before,
          lead(h.entry) over of_deposit is null as is_last
        from looked
        join entries h on h.deposit_id = looked.id
        window of_deposit as (partition by h.deposit_id order by h.entry)
      )
      select deposit_id as id,
        case
          when entry <> place then 'entry ' || place || ' is missing from its history'
          when from_state is distinct from before
            then 'entry ' || entry || ' begins at ' || coalesce(from_state, 'nothing') || ' after ' || coalesce(before, 'nothing')
          when path <> all(${lifecyclePaths()}::text[]) then 'entry ' || entry || ' is no step of the lifecycle: ' || path
          else 'its history ends at ' || to_state || ', it is ' || state
        end as detail
      from lines
      where entry <> place
        or from_state is distinct from before
        or path <> all(${lifecyclePaths()}::text[])
        or (is_last and to_state <> state)
      limit ${most}`,
  },
  {
    name: 'one-final-outcome',
    invariant: 'D3',
    says: 'A final deposit stays final: it has a final time, and nothing changes after the late grace period.',
    advice: `Look at it with "inlet deposit show ID" and tell the merchant its true state. ${report}`,
    query: ({ fromId, most }) => sql`
      select d.id,
        'it is ' || d.state || case when d.final_at is null then ' without a final time' else ' with a final time' end as detail
      from deposits d
      where (d.id >= ${fromId}::uuid or d.state in ('builded', 'created'))
        and (d.state in ('confirmed', 'rejected', 'canceled', 'reversed')) <> (d.final_at is not null)
      union all
      select d.id, h.action || ' after the late grace had ended'
      from deposits d
      join deposit_history h on h.deposit_id = d.id
      where d.id >= ${fromId}::uuid
        and h.deposit_id >= ${fromId}::uuid
        and h.from_state = 'expired'
        and h.to_state <> 'expired'
        and h.at >= d.late_until
      limit ${most}`,
  },
  {
    name: 'amount-belongs-to-one',
    invariant: 'D6',
    says: 'Where no reference tells deposits apart, an amount on an account is kept for one of them.',
    advice: `Do not confirm these by amount: ask the customers for proof. Disable the requisite until it is clear. ${report}`,
    // `kinds`: those whose payments carry no reference. Their deposits that can still receive money are distinguished by the
    // amount alone.
    query: ({ most }) => sql`
      with waiting as materialized (
        select d.id, d.account_id, d.currency, d.amount_cents
        from deposits d
        where d.state = 'created' and d.shown->>'kind' = any(${kindsByAmount}::text[])
        union all
        select d.id, d.account_id, d.currency, d.amount_cents
        from deposits d
        where d.id >= rpad(lpad(to_hex(floor(extract(epoch from now() - interval '40 days') * 1000)::bigint), 12, '0'), 32, '0')::uuid
          and d.state = 'expired' and d.late_until > inlet_now()
          and d.shown->>'kind' = any(${kindsByAmount}::text[])
      )
      select (min(w.id::text)) as id, 'shares its account and amount with ' || max(w.id::text) as detail
      from waiting w
      group by w.account_id, w.currency, w.amount_cents
      having count(*) > 1
      union all
      select w.id::text, 'can receive money, but its amount is not kept for it'
      from waiting w
      where not exists (
        select from deposit_slots s
        where s.deposit_id = w.id
          and (s.account_id, s.currency, s.amount_cents) = (w.account_id, w.currency, w.amount_cents))
      limit ${most}`,
  },
  {
    name: 'reference-names-one',
    invariant: 'D6',
    says: 'A payment reference names one deposit of its account.',
    advice: `Do not confirm these by reference: ask the customers for proof. ${report}`,
    query: ({ fromId, most }) => sql`
      with looked as materialized (
        select d.id, d.account_id, d.reference
        from deposits d
        where (d.id >= ${fromId}::uuid or d.state in ('builded', 'created')) and ${holdsReference}
      )
      select l.id, 'reference ' || l.reference || ' also names deposit ' || o.id as detail
      from looked l
      -- Asked deposit by deposit: a join may read all references.
      cross join lateral (
        select d.id from deposits d where d.reference = l.reference and d.account_id = l.account_id and d.id <> l.id and ${holdsReference}
        limit 1) o
      limit ${most}`,
  },
  {
    name: 'confirmed-for-a-reason',
    invariant: 'D8',
    says: 'A deposit is confirmed by enough money under the merchant’s policy, or by a named person with a reason.',
    advice:
      'Check each against the statement. When the money is not there, reverse it with "inlet deposit reverse ID --reason …", and find out who confirmed it.',
    // By a named person with a reason, or by money: then the line before it is the money that arrived.
    query: ({ fromId, most }) => sql`
      with entries as materialized (
        select deposit_id, entry, action, actor, reason
        from deposit_history
        where deposit_id >= ${fromId}::uuid and action in ('receive', 'confirm')
      ), confirmed as (
        select d.id, d.state, d.amount_cents, d.received_cents, d.labels, h.actor, h.reason, h.entry,
          h.actor like 'operator:%' as by_hand,
          exists (
            select from entries m
            where m.deposit_id = d.id and m.entry = h.entry - 1 and m.action = 'receive') as by_money
        from deposits d
        left join entries h on h.deposit_id = d.id and h.action = 'confirm'
        where d.id >= ${fromId}::uuid and d.state in ('confirmed', 'reversed')
      )
      select id,
        case
          when entry is null then 'nobody confirmed it'
          when by_hand then 'confirmed by "' || actor || '" without a name or a reason'
          when not by_money then 'confirmed by "' || actor || '", though no money had arrived'
          else 'confirmed for ' || received_cents || ' of ' || amount_cents || ' cents without a decision'
        end as detail
      from confirmed
      where entry is null
        or (by_hand and (char_length(actor) <= char_length('operator:') or coalesce(trim(reason), '') = ''))
        or (not by_hand and not by_money)
        or (not by_hand and state = 'confirmed' and received_cents < amount_cents
          and not labels && array['underpaid', 'review'])
      limit ${most}`,
  },
  {
    name: 'shown-is-kept',
    invariant: 'D9',
    says: 'What a customer was shown is kept whole with the deposit.',
    advice: `Confirm these by the statement and the reference only. ${report}`,
    query: ({ fromId, most }) => sql`
      select d.id,
        case
          when d.shown is null then 'it is ' || d.state || ', but what the customer was shown is not kept'
          when r.account_id <> d.account_id then 'its requisite belongs to another receiving account'
          else 'what the customer was shown is incomplete'
        end as detail
      from deposits d
      left join requisites r on r.id = d.requisite_id
      where (d.id >= ${fromId}::uuid or d.state in ('builded', 'created'))
        and ((d.shown is null and (d.flow = 'create' or d.state in ('created', 'confirmed', 'reversed')))
          or (d.shown is not null and (
            r.id is null
            or r.account_id <> d.account_id
            or coalesce(d.shown->>'kind', '') = ''
            or coalesce(d.shown->>'number', '') = ''
            or coalesce(d.shown->>'name', '') = ''
            or coalesce(d.shown->>'bank_name', '') = '')))
      limit ${most}`,
  },
  {
    name: 'merchants-stay-apart',
    invariant: 'D12',
    says: 'No merchant gets data of another merchant, and test and live are never mixed.',
    advice: `Disable the requisite immediately: money may be on its way to the wrong account. ${report}`,
    query: ({ fromId, fromDay, most }) => sql`
      with looked as materialized (
        select id, merchant_id, account_id
        from deposits
        where id >= ${fromId}::uuid or state in ('builded', 'created')
      )
      select d.id,
        case
          when m.mode <> a.mode then 'a ' || m.mode || ' merchant was given an account of ' || a.mode || ' mode'
          else 'it was given the account of another merchant'
        end as detail
      from looked d
      join merchants m on m.id = d.merchant_id
      join receiving_accounts a on a.id = d.account_id
      where m.mode <> a.mode or (a.merchant_id is not null and a.merchant_id <> d.merchant_id)
      union all
      select c.id, 'event: its merchant and its deposit are not of one merchant'
      from events c
      left join lateral (select merchant_id from deposits where id = c.deposit_id limit 1) d on true
      where c.made_on >= ${fromDay}::date and d.merchant_id is distinct from c.merchant_id
      limit ${most}`,
  },
  {
    name: 'deadlines-are-kept',
    invariant: 'D13',
    says: 'An open deposit past its deadline expires within minutes.',
    advice:
      'Start a process with the role worker. When one runs, its log says why the sweep fails (lines "sweep failed").',
    needsServer: true,
    // While expiry waits after an absence of the whole installation, nothing is late.
    query: ({ most }) => sql`
      select id, 'is ' || state || ', its deadline was ' || expires_at as detail
      from deposits
      cross join upkeep h
      where state in ('builded', 'created')
        and not labels @> '{review}'
        and expires_at < inlet_now() - make_interval(secs => ${overdueSeconds})
        and h.expiry_from < inlet_now() - make_interval(secs => ${overdueSeconds})
        and not ${isAwaited}
      order by expires_at
      limit ${most}`,
  },
  {
    name: 'load-is-true',
    invariant: 'D14',
    says: 'The counter of a requisite equals its open deposits.',
    advice:
      'A counter that is too high refuses customers; one that is too low exceeds the limit. As the owner of the schema set requisite_loads.open_deposits to the number that is open, then report it.',
    query: ({ most }) => sql`
      with open as (
        select requisite_id, count(*) as deposits
        from deposits
        where state = 'created'
        group by requisite_id
      )
      select r.id,
        'requisite: counted ' || coalesce(l.open_deposits::text, 'nothing') || ', open are ' || coalesce(open.deposits, 0) as detail
      from requisites r
      left join requisite_loads l on l.requisite_id = r.id
      left join open on open.requisite_id = r.id
      where l.open_deposits is distinct from coalesce(open.deposits, 0)::int
      limit ${most}`,
  },
  {
    name: 'limits-are-kept',
    invariant: 'D14',
    says: 'A requisite stays within its limits of open deposits and of money per day.',
    advice:
      'If the limit was lowered just now, wait until its deposits close. Otherwise disable the requisite and report it.',
    // Late money joins the sum of its day unasked, so only what was check that day is held against the limit.
    query: ({ most }) => sql`
      select r.id, 'requisite: ' || l.open_deposits || ' open deposits, ' || r.open_deposits || ' allowed' as detail
      from requisites r
      join requisite_loads l on l.requisite_id = r.id
      where l.open_deposits > r.open_deposits
      union all
      select r.id, 'requisite: ' || sum(d.amount_cents) || ' cents today, ' || r.daily_cents || ' allowed'
      from requisites r
      join deposits d on d.requisite_id = r.id
      where r.daily_cents is not null
        -- No day is longer than two.
        and d.id >= rpad(lpad(to_hex(floor(extract(epoch from now() - interval '2 days') * 1000)::bigint),
          12, '0'), 32, '0')::uuid
        and bank_day(r.currency, d.issued_at) = bank_day(r.currency, inlet_now())
        and d.state in ('created', 'confirmed', 'reversed')
        and not 'late' = any(d.labels)
      group by r.id, r.daily_cents
      having sum(d.amount_cents) > r.daily_cents
      limit ${most}`,
  },
]

/** The transition table as lines "action before after"; the first entry of a history has no state before. */
function lifecyclePaths(): string[] {
  const steps = Object.entries(transitions).flatMap(([action, { from, to }]) =>
    from.map((state) => `${action} ${state} ${to === 'same' ? state : to}`),
  )
  // The clock of test mode changes deadlines, never a state.
  const passed = ['builded', 'created', 'expired'].map((state) => `pass_time ${state} ${state}`)
  // A rule adds a note to a new deposit, and changes no state.
  const noted = ['builded', 'created'].map((state) => `note ${state} ${state}`)
  return ['create - created', 'build - builded', ...steps, ...passed, ...noted]
}
