/** What must hold of transfers and the banks that report them. */
import { sql } from '../../platform/db.ts'
import { type Invariant, report } from './invariant.ts'

export const transferInvariants: readonly Invariant[] = [
  {
    name: 'transfers-balance',
    invariant: 'D7',
    says: 'The amount of a transfer is the sum of its parts: its shares of deposits, what was refunded, what is open.',
    advice: `Compare these with the statement before you refund anybody. ${report}`,
    // The constraints guarantee it too; checked again here in case they were missing for a while.
    query: ({ fromId, most }) => sql`
      select t.id,
        'transfer of ' || t.cents || ' cents that is ' || t.state || ': ' || t.deposit_cents || ' with deposits, '
          || t.refund_cents || ' given back, ' || t.open_cents || ' open, and its shares are ' || shares.cents as detail
      from transfers t
      cross join lateral (
        select coalesce(sum(cents), 0) as cents from allocations where transfer_id = t.id
      ) shares
      where (t.id >= ${fromId}::uuid or t.state in ('unmatched', 'ambiguous', 'held'))
        and (least(t.deposit_cents, t.refund_cents, t.open_cents) < 0
          or (t.state = 'matched') <> (t.deposit_cents > 0)
          or t.deposit_cents <> shares.cents
          or (t.state not in ('revoked', 'duplicate') and (t.state in ('debit', 'reversal')) <> (t.direction = 'debit'))
          or t.deposit_cents + t.refund_cents + t.open_cents
            <> case when t.state in ('duplicate', 'revoked', 'debit', 'reversal') then 0 else t.cents end)
      limit ${most}`,
  },
  {
    name: 'matched-money-is-received',
    invariant: 'D7',
    says: 'A deposit has received at least the sum of its transfers, in its own currency, and only surplus that was marked as not due is owed to nobody.',
    advice:
      'If money was removed manually, record the refund on the transfer ("inlet transfer refund"). Otherwise keep the database as it is and report this output.',
    // The received amount of a deposit is that of its shares of transfers and of manual entries, so that the shares alone
    // never exceed it. A reversed deposit keeps the sum that it was reversed with. The kept surplus is the
    // sum of that of its shares.
    query: ({ fromId, most }) => sql`
      with looked as materialized (
        select distinct deposit_id as id
        from allocations
        where transfer_id >= ${fromId}::uuid
        union
        select d.id
        from deposits d
        where d.id >= ${fromId}::uuid and d.received_cents > 0
      )
      select d.id,
        case
          when paid.is_foreign then 'a transfer in another currency settles it'
          when paid.kept <> d.surplus_kept_cents
            then 'nobody claims ' || d.surplus_kept_cents || ' cents of it, its transfers say ' || paid.kept
          else 'its transfers brought ' || paid.cents || ' cents, it received ' || d.received_cents
        end as detail
      from looked
      join deposits d on d.id = looked.id
      cross join lateral (
        select sum(s.cents) as cents, coalesce(sum(s.kept_cents), 0) as kept,
          bool_or(t.currency <> d.currency) as is_foreign
        from allocations s
        join transfers t on t.id = s.transfer_id
        where s.deposit_id = d.id
      ) paid
      where paid.is_foreign
        or paid.kept <> d.surplus_kept_cents
        or (d.state <> 'reversed' and paid.cents > d.received_cents)
      limit ${most}`,
  },
  {
    name: 'transfer-is-as-decided',
    invariant: 'D7, D8',
    says: 'The state of every transfer matches the last decision about it, and no decision is missing.',
    advice: `Look at it with "inlet transfer show ID". ${report}`,
    // Decisions are numbered from one, and the last of them is how the transfer stands.
    query: ({ fromId, most }) => sql`
      select t.id,
        case
          when last.entry is null then 'transfer: nobody decided about it'
          when last.entry <> last.count then 'transfer: a decision is missing'
          else 'transfer: it is ' || t.state || coalesce(' of deposits ' || nullif(array_to_string(shares.ids, ', '), ''), '')
            || ', its last decision says ' || last.state
            || coalesce(' of deposits ' || nullif(array_to_string(last.ids, ', '), ''), '')
        end as detail
      from transfers t
      cross join lateral (
        select array(select deposit_id from allocations where transfer_id = t.id order by deposit_id) as ids
      ) shares
      left join lateral (
        select x.entry, x.state, array(select unnest(x.deposit_ids) as id order by id) as ids, count(*) over () as count
        from transfer_decisions x
        where x.transfer_id = t.id
        order by x.entry desc
        limit 1
      ) last on true
      where (t.id >= ${fromId}::uuid or t.state in ('unmatched', 'ambiguous', 'held'))
        and (last.entry is null
          or last.entry <> last.count
          or (last.state, last.ids) is distinct from (t.state, shares.ids))
      limit ${most}`,
  },
  {
    name: 'undone-import-is-gone',
    invariant: 'D7, D8',
    says: 'Nothing of an undone import counts, except payments that another file also reported.',
    advice: `Look at these with "inlet transfer show ID": they may have paid deposits. ${report}`,
    // An import that was undone left nothing: no report, no closed day, nothing parked but what a person took. What nobody tells any
    // more is revoked, as long as its reports are known: those of an undone file are gone.
    query: ({ fromId, fromDay, most }) => sql`
      select left_over.id, left_over.detail
      from (
        select coalesce(r.transfer_id, s.id) as id,
          'row ' || r.line || ' of the file ' || s.id || ' is left, and its import was undone' as detail
        from statements s
        join report_rows r on r.statement_id = s.id
        where s.undone_at >= ${fromDay}::date
        union all
        select d.account_id, 'account: ' || d.day || ' is closed by the file ' || s.id || ', whose import was undone'
        from statements s
        join account_days d on d.closed_by = s.id
        where s.undone_at >= ${fromDay}::date
        union all
        select t.id, 'transfer: it is ' || t.state || ' and counts as booked, and no file or person tells it'
        from transfers t
        where t.id >= ${fromId}::uuid
          and t.told_booked_at is not null
          and t.state not in ('revoked', 'duplicate')
          and not exists (select from report_rows r where r.transfer_id = t.id and r.role = 'booked')
          and not exists (select from transfers o where o.duplicate_of = t.id)
      ) left_over
      limit ${most}`,
  },
  {
    name: 'transfers-stay-in-their-mode',
    invariant: 'D12',
    says: 'Test money is on test accounts and settles test deposits, live money live ones.',
    advice: `A live deposit may have been confirmed with money that does not exist: reverse it, and disable the source. ${report}`,
    // A source reports only accounts of its mode, and money settles only deposits of its mode.
    query: ({ fromId, most }) => sql`
      select t.id,
        case
          when s.mode <> a.mode then 'transfer: a source of ' || s.mode || ' mode reported on an account of ' || a.mode || ' mode'
          else 'transfer: money of ' || a.mode || ' mode settles a deposit of another mode'
        end as detail
      from transfers t
      join bank_sources s on s.id = t.source_id
      join receiving_accounts a on a.id = t.account_id
      where (t.id >= ${fromId}::uuid or t.state in ('unmatched', 'ambiguous', 'held'))
        and (s.mode <> a.mode
          or exists (
            select from allocations x
            join deposits d on d.id = x.deposit_id
            join merchants m on m.id = d.merchant_id
            where x.transfer_id = t.id and m.mode <> a.mode))
      limit ${most}`,
  },
  {
    name: 'sources-are-bound',
    invariant: 'money in',
    says: 'A bank source may report only the receiving accounts listed for it.',
    advice:
      'List the accounts of each with "inlet source allow ID --account …", or at the desk: until then its token can report money on every account of its mode.',
    isWarning: () => true,
    // Banks that push, and speak for every account because nobody has said for which.
    query: ({ most }) => sql`
      select s.id, 'source "' || s.name || '": speaks for every ' || s.mode || ' account' as detail
      from bank_sources s
      where s.kind = 'push' and s.enabled and s.account_ids is null
      order by s.created_at
      limit ${most}`,
  },
]
