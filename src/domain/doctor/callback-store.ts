/** What must hold of events, their deliveries and endpoints. */
import { bounds } from '../../platform/bounds.ts'
import { sql } from '../../platform/db.ts'
import { eventTypes } from '../callbacks/callback.ts'
import { isHeldBack } from '../callbacks/store.ts'
import type { ActionName } from '../deposits/deposit.ts'
import { type Invariant, report } from './invariant.ts'

/** After how long automatic work counts as late, and how far ahead it is done. */
const leaseOverSeconds = 300
const unsentSeconds = 3_600
const partitionDays = 7

export const callbackInvariants: readonly Invariant[] = [
  {
    name: 'change-has-one-callback',
    invariant: 'D4',
    says: 'Every change of state has exactly one event with its callback.',
    advice: `The merchant was not notified: tell it the state of these deposits. ${report}`,
    // Every state that a deposit entered after its first has one callback. Optional events are the merchant's choice.
    query: ({ fromId, fromDay, most }) => sql`
      select h.deposit_id as id, h.to_state || ' has ' || count(c.id) || ' callbacks' as detail
      from deposit_history h
      left join events c
        on c.deposit_id = h.deposit_id
        and c.type = 'deposit.' || h.to_state
        and c.made_on >= ${fromDay}::date
      where h.deposit_id >= ${fromId}::uuid
        and h.from_state <> h.to_state
        and h.to_state <> 'created'
        and h.at >= ${fromDay}::date::timestamp at time zone 'UTC'
      group by h.deposit_id, h.entry, h.to_state
      having count(c.id) <> 1
      limit ${most}`,
  },
  {
    name: 'callback-has-its-change',
    invariant: 'D10',
    says: 'Every callback reports a change that happened.',
    advice: `Warn the merchant of these callbacks before it acts on them. ${report}`,
    query: ({ fromDay, most }) => sql`
      select c.id, c.type || ' of deposit ' || c.deposit_id || ', which never happened' as detail
      from events c
      join unnest(${eventTypes}::text[], ${eventTypes.map((type) => actions[type])}::text[]) as expected (type, action) on expected.type = c.type
      where c.made_on >= ${fromDay}::date
        and not exists (
          select from deposit_history h where h.deposit_id = c.deposit_id and h.action = expected.action)
      limit ${most}`,
  },
  {
    name: 'events-without-gap',
    invariant: 'D4',
    says: "The numbers of a merchant's kept events have no gap and no repeat, up to its counter.",
    advice: `The merchant that follows the feed may miss an event: let it compare its deposits with ours. ${report}`,
    // Numbers are given in order of commit, days by the beginning of a transaction: around midnight they mix. So the first number
    // is taken from the second day on, and looked for in the first day too. Numbers that a restore skipped are not reported as missing.
    query: ({ fromDay, most }) => sql`
      with kept as (
        select merchant_id, min(sequence) as first
        from events
        where made_on > ${fromDay}::date
        group by merchant_id
      ), counted as (
        select c.merchant_id, kept.first, max(c.sequence) as last, count(*) as count,
          count(distinct c.sequence) as numbers
        from events c
        join kept on kept.merchant_id = c.merchant_id and c.sequence >= kept.first
        where c.made_on >= ${fromDay}::date
        group by c.merchant_id, kept.first
      ), skipped as (
        select counted.merchant_id,
          coalesce(sum(upper(gap) - lower(gap)) filter (where upper(gap) <= counted.last), 0) as between_events,
          coalesce(sum(upper(gap) - lower(gap)) filter (where upper(gap) > counted.last), 0) as behind
        from counted
        left join event_counters e on e.merchant_id = counted.merchant_id
        left join unnest(e.skipped) as gap on lower(gap) > counted.first
        group by counted.merchant_id
      )
      select counted.merchant_id as id,
        'merchant: ' || count || ' events from ' || first || ' to ' || last || ', ' || count - numbers
          || ' repeated, counter at ' || coalesce(e.last_sequence::text, 'nothing') as detail
      from counted
      join skipped on skipped.merchant_id = counted.merchant_id
      left join event_counters e on e.merchant_id = counted.merchant_id
      where numbers <> count
        or numbers <> last - first + 1 - skipped.between_events
        or e.last_sequence - skipped.behind is distinct from last
      limit ${most}`,
  },
  {
    name: 'callback-is-not-lost',
    invariant: 'D5',
    says: 'Every callback is delivered, pending, or visibly marked as failed.',
    advice:
      'Send them again with "inlet callback replay NUMBER --merchant ID --by EMAIL", then report how it came to this.',
    query: ({ fromDay, most }) => sql`
      select c.id, c.type || ' of deposit ' || c.deposit_id || ': not delivered, not waiting, not given up' as detail
      from events c
      where c.made_on >= ${fromDay}::date
        and not exists (
          select from delivery_attempts a
          where a.made_on = c.made_on and a.event_id = c.id and a.outcome = 'ok')
        and not exists (select from deliveries d where d.event_id = c.id)
      limit ${most}`,
  },
  {
    name: 'queue-fits-records',
    invariant: 'D5',
    says: 'Every queued callback has a record with the same endpoint and deposit.',
    advice: `Nothing can be sent for these. ${report}`,
    // The inner limit keeps this a probe of one partition for each open row.
    query: ({ most }) => sql`
      select d.event_id as id,
        case
          when c.id is null then 'waits for endpoint ' || d.endpoint_id || ', but its event of ' || d.made_on || ' is gone'
          else 'waits for endpoint ' || d.endpoint_id || ' and deposit ' || d.deposit_id || ', its event says otherwise'
        end as detail
      from deliveries d
      left join lateral (
        select k.id, k.merchant_id, k.deposit_id, k.sequence
        from events k
        where k.made_on = d.made_on and k.id = d.event_id
        limit 1
      ) c on true
      left join endpoints p on p.id = d.endpoint_id
      where d.state = 'open'
        and (c.id is null
          or (c.merchant_id, c.merchant_id, c.deposit_id, c.sequence)
            is distinct from (d.merchant_id, p.merchant_id, d.deposit_id, d.sequence))
      limit ${most}`,
  },
  {
    name: 'lease-ends',
    invariant: 'D5, D13',
    says: 'An endpoint is owned for seconds at a time, and taken over soon after its owner is gone.',
    advice:
      'Expired long ago: start a process with the role worker, or find out why it cannot reach the database. Far in the future: a clock has jumped; once no process runs, set owner_until of these lanes to now as the owner of the schema.',
    needsServer: true,
    // A lease too far in the future blocks other nodes; one long expired with work due means that no node serves the lane.
    query: ({ most }) => sql`
      select l.id::text as id, 'endpoint of merchant ' || l.merchant_id || ', owned until ' || l.owner_until as detail
      from endpoints l
      where l.owner_until > now() + make_interval(secs => ${(4 * bounds.delivery.leaseMs) / 1000})
        or (l.owner is not null
          and l.state = 'active'
          and l.open_until <= inlet_now()
          and l.owner_until < now() - make_interval(secs => ${leaseOverSeconds})
          and exists (
            select from deliveries d
            where d.endpoint_id = l.id
              and d.due_at < inlet_now() - make_interval(secs => ${leaseOverSeconds})
              and not ${isHeldBack}))
      limit ${most}`,
  },
  {
    name: 'callbacks-wait-for-a-reason',
    invariant: 'D5',
    says: 'Callbacks wait for an address exactly while the merchant has none.',
    advice:
      'Set the address once more with "inlet merchant callback ID --callback …": that puts its endpoint right. Then report it.',
    // The merchant's own lane waits exactly while there is no address.
    query: ({ most }) => sql`
      select m.id,
        'merchant ' || case when m.callback_url is null then 'without' else 'with' end || ' an address: its endpoint '
          || coalesce('is ' || l.state, 'does not exist') as detail
      from merchants m
      left join endpoints l on l.merchant_id = m.id and l.origin is null
      where l.id is null or (l.state = 'waiting' and m.callback_url is not null)
        or (l.state = 'active' and m.callback_url is null)
      union all
      select l.merchant_id, 'endpoint ' || l.id || ' of ' || l.origin || ' waits, though its callbacks have addresses'
      from endpoints l
      where l.origin is not null and l.state = 'waiting'
      limit ${most}`,
  },
  {
    name: 'due-is-sent',
    invariant: 'D13',
    says: 'A callback that is due is sent within the hour while its endpoint works.',
    advice:
      'Start a process with the role worker, or more of them. When one runs: a merchant that answers slowly holds up its own callbacks; see "inlet callback list".',
    needsServer: true,
    // Left out: what waits behind an earlier callback of its deposit, by the rule of order.
    query: ({ most }) => sql`
      select late.event_id as id,
        'due since ' || late.due_at || ' at endpoint ' || l.id || ' of merchant ' || l.merchant_id as detail
      from endpoints l
      cross join lateral (
        select d.event_id, d.due_at
        from deliveries d
        where d.endpoint_id = l.id
          and d.due_at < inlet_now() - make_interval(secs => ${unsentSeconds})
          and not ${isHeldBack}
        order by d.due_at
        limit ${most}
      ) late
      where l.state = 'active' and l.open_until <= inlet_now()
      order by late.due_at
      limit ${most}`,
  },
  {
    name: 'days-ahead-exist',
    invariant: 'retention',
    says: 'The tables of events have a partition for each of the next seven days.',
    advice:
      'Without today’s partition no deposit can change. Start a process with the role worker and the owner’s login (INLET_OWNER_DATABASE_URL); its log says why it cannot make them.',
    query: () => sql`
      select parent || '_' || to_char(day, 'YYYYMMDD') as id, 'there is no partition for ' || day::date as detail
      from unnest(${['events', 'delivery_attempts']}::text[]) as parent
      cross join generate_series(
        (inlet_now() at time zone 'UTC')::date, (inlet_now() at time zone 'UTC')::date + ${partitionDays}::int, interval '1 day')
        as day
      where not exists (
        select from pg_inherits i
        join pg_class c on c.oid = i.inhrelid
        where i.inhparent = parent::regclass and c.relname = parent || '_' || to_char(day, 'YYYYMMDD'))
      order by day, parent`,
  },
]

/** The action of the history that each event reports. */
const actions: Record<(typeof eventTypes)[number], ActionName> = {
  'deposit.confirmed': 'confirm',
  'deposit.rejected': 'reject',
  'deposit.expired': 'expire',
  'deposit.canceled': 'cancel',
  'deposit.reversed': 'reverse',
  'deposit.underpaid': 'receive',
  'deposit.overpaid': 'receive',
  'deposit.review': 'receive',
  'deposit.method_selected': 'choose_method',
  'deposit.claimed': 'claim',
}
