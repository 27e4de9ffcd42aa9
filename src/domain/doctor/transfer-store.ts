/** What the doctor asks about transfers and the banks that report them. */
import { type Queryable, sql } from '../../platform/db.ts'
import type { Offender, Scope } from './store.ts'

/** The constraint guarantees it too; checked again here in case the constraint was missing for a while. */
export const findUnbalanced = (db: Queryable, { fromId, most }: Scope) =>
  db.query<Offender>(sql`
    select t.id,
      'transfer of ' || t.cents || ' cents that is ' || t.state || ': ' || t.deposit_cents || ' with a deposit, '
        || t.refund_cents || ' given back, ' || t.open_cents || ' open' as detail
    from transfers t
    where (t.id >= ${fromId}::uuid or t.state in ('unmatched', 'ambiguous'))
      and (least(t.deposit_cents, t.refund_cents, t.open_cents) < 0
        or (t.state = 'matched') <> (t.deposit_cents > 0)
        or (t.state = 'matched') <> (t.deposit_id is not null)
        or (t.state <> 'revoked' and (t.state in ('debit', 'reversal')) <> (t.direction = 'debit'))
        or t.deposit_cents + t.refund_cents + t.open_cents
          <> case when t.state in ('duplicate', 'revoked', 'debit', 'reversal') then 0 else t.cents end)
    limit ${most}`)

/**
 * The received amount of a deposit is that of its transfers and of manual entries, so that the transfers alone
 * never exceed it. A reversed deposit keeps the sum that it was reversed with. The kept surplus is the
 * sum of that of its transfers.
 */
export const findUnreceived = (db: Queryable, { fromId, most }: Scope) =>
  db.query<Offender>(sql`
    with looked as materialized (
      select distinct t.deposit_id as id
      from transfers t
      where t.id >= ${fromId}::uuid and t.deposit_id is not null
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
      select sum(t.deposit_cents) as cents, coalesce(sum(t.kept_cents), 0) as kept,
        bool_or(t.currency <> d.currency) as is_foreign
      from transfers t
      where t.deposit_id = d.id
    ) paid
    where paid.is_foreign
      or paid.kept <> d.surplus_kept_cents
      or (d.state <> 'reversed' and paid.cents > d.received_cents)
    limit ${most}`)

/** Decisions are numbered from one, and the last of them is how the transfer stands. */
export const findUndecided = (db: Queryable, { fromId, most }: Scope) =>
  db.query<Offender>(sql`
    select t.id,
      case
        when last.entry is null then 'transfer: nobody decided about it'
        when last.entry <> last.count then 'transfer: a decision is missing'
        else 'transfer: it is ' || t.state || coalesce(' of deposit ' || t.deposit_id, '')
          || ', its last decision says ' || last.state || coalesce(' of deposit ' || last.deposit_id, '')
      end as detail
    from transfers t
    left join lateral (
      select x.entry, x.state, x.deposit_id, count(*) over () as count
      from transfer_decisions x
      where x.transfer_id = t.id
      order by x.entry desc
      limit 1
    ) last on true
    where (t.id >= ${fromId}::uuid or t.state in ('unmatched', 'ambiguous'))
      and (last.entry is null
        or last.entry <> last.count
        or (last.state, last.deposit_id) is distinct from (t.state, t.deposit_id))
    limit ${most}`)

/** An import that was undone left nothing, except what another file reports too. */
export const findLeftOfUndone = (db: Queryable, { fromDay, most }: Scope) =>
  db.query<Offender>(sql`
    select t.id, 'transfer: it is ' || t.state || ', and the import of its file ' || s.id || ' was undone' as detail
    from statements s
    join transfers t on t.statement_id = s.id
    where s.undone_at >= ${fromDay}::date
      and t.state <> 'revoked'
      and not exists (
        select from transfer_repeats r
        join statements o on o.id = r.statement_id
        where r.transfer_id = t.id and r.became is null and not r.is_noted and o.undo_started_at is null)
    limit ${most}`)

/** A source reports only accounts of its mode, and money settles only deposits of its mode. */
export const findMixedTransfers = (db: Queryable, { fromId, most }: Scope) =>
  db.query<Offender>(sql`
    select t.id,
      case
        when s.mode <> a.mode then 'transfer: a source of ' || s.mode || ' mode reported on an account of ' || a.mode || ' mode'
        else 'transfer: money of ' || a.mode || ' mode settles a deposit of ' || m.mode || ' mode'
      end as detail
    from transfers t
    join bank_sources s on s.id = t.source_id
    join receiving_accounts a on a.id = t.account_id
    left join deposits d on d.id = t.deposit_id
    left join merchants m on m.id = d.merchant_id
    where (t.id >= ${fromId}::uuid or t.state in ('unmatched', 'ambiguous'))
      and (s.mode <> a.mode or m.mode <> a.mode)
    limit ${most}`)

/** Banks that push, and speak for every account because nobody has said for which. */
export const findUnboundSources = (db: Queryable, { most }: Scope) =>
  db.query<Offender>(sql`
    select s.id, 'source "' || s.name || '": speaks for every ' || s.mode || ' account' as detail
    from bank_sources s
    where s.kind = 'push' and s.enabled and not s.is_bound
    order by s.created_at
    limit ${most}`)
