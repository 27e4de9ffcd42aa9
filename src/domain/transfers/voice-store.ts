/** The voices of accounts, the days that files have closed, and the imports under way, in the database. */
import { fragment, type Queryable, sql, type Tx } from '../../platform/db.ts'
import type { Mode } from '../merchants/merchant.ts'
import type { Source } from './source.ts'
import type { OpenDays, Role, StoredVoice, Voice } from './voice.ts'

type VoiceRow = Omit<StoredVoice, 'source'> & Source & { sourceId: string }

/** The earliest first. */
export async function readVoices(db: Queryable, accountIds: readonly string[]): Promise<StoredVoice[]> {
  const rows = await db.query<VoiceRow>(sql`
    select v.account_id as "accountId", a.label, v.role, v.from_day as "fromDay", v.ids, v.changed_at as "changedAt",
      v.changed_by as "changedBy", s.id as "sourceId", s.name, s.mode, s.kind, s.channel
    from account_voices v
    join bank_sources s on s.id = v.source_id
    join receiving_accounts a on a.id = v.account_id
    where v.account_id = any(${accountIds}::uuid[])
    order by v.account_id, v.role, v.from_day`)
  return rows.map(({ sourceId: id, name, mode, kind, channel, ...voice }) => ({
    ...voice,
    source: { id, name, mode, kind, channel },
  }))
}

export const voicesOf = (voices: readonly StoredVoice[], accountId: string, role: Role): StoredVoice[] =>
  voices.filter((voice) => voice.accountId === accountId && voice.role === role)

export const saveVoice = (tx: Tx, { accountId, role, fromDay, source, ids }: Voice, by: string) =>
  tx.run(sql`
    insert into account_voices (account_id, role, from_day, source_id, ids, changed_by)
    values (${accountId}, ${role}, ${fromDay}, ${source.id}, ${ids}, ${by})
    on conflict (account_id, role, from_day) do update
    set source_id = excluded.source_id, ids = excluded.ids, changed_at = inlet_now(), changed_by = excluded.changed_by`)

/** The first voice of an account has told of an earlier day. */
export const moveVoice = (tx: Tx, { accountId, role, fromDay }: Voice, earlier: string) =>
  tx.run(sql`
    update account_voices
    set from_day = ${earlier}
    where account_id = ${accountId} and role = ${role} and from_day = ${fromDay}`)

/** Which of these days a file has closed. */
export async function findClosedDays(
  db: Queryable,
  { accountId, from, to }: { accountId: string; from: string; to: string },
): Promise<(day: string) => boolean> {
  const rows = await db.query<{ day: string }>(sql`
    select distinct day
    from account_days
    where account_id = ${accountId} and day between ${from} and ${to}`)
  const closed = new Set(rows.map(({ day }) => day))
  return (day) => closed.has(day)
}

export const closeDays = (
  tx: Tx,
  { accountId, days, statementId }: { accountId: string; days: readonly string[]; statementId: string },
) =>
  tx.run(sql`
    insert into account_days (account_id, day, closed_by)
    select ${accountId}, day, ${statementId}
    from unnest(${days}::date[]) as d (day)
    on conflict do nothing`)

/** Begins or resumes an import; the ids of accounts into which another file is being imported. A new run takes over from a dead one. */
export async function beginImports(
  tx: Tx,
  { accountIds, statementId, runId }: { accountIds: readonly string[]; statementId: string; runId: string },
): Promise<{ label: string; fileName: string }[]> {
  await tx.run(sql`
    update receiving_accounts
    set import_statement_id = ${statementId}, import_run_id = ${runId}
    where id = any(${accountIds}::uuid[]) and coalesce(import_statement_id, ${statementId}) = ${statementId}`)
  return tx.query(sql`
    select a.label, s.file_name as "fileName"
    from receiving_accounts a
    join statements s on s.id = a.import_statement_id
    where a.id = any(${accountIds}::uuid[]) and a.import_statement_id <> ${statementId}
    order by a.label`)
}

/** False once another run of the file has taken over. */
export const isImporting = (tx: Tx, { statementId, runId }: { statementId: string; runId: string }) =>
  tx.has(sql`
    select id from receiving_accounts where import_statement_id = ${statementId} and import_run_id = ${runId} limit 1`)

export const endImports = (tx: Tx, statementId: string) =>
  tx.run(sql`
    update receiving_accounts
    set import_statement_id = null, import_run_id = null
    where import_statement_id = ${statementId}`)

/** Accounts with the first day that their booked voice has not closed. */
const openDays = fragment`
  select a.id as "accountId", a.label, o.day as "firstOpenDay", s.name, s.kind, s.channel
  from receiving_accounts a
  cross join lateral (
    select source_id, from_day
    from account_voices
    where account_id = a.id and role = 'booked'
    order by from_day desc
    limit 1
  ) v
  join bank_sources s on s.id = v.source_id
  cross join lateral (
    select (coalesce(max(day), v.from_day - 1) + 1)::date as day
    from account_days
    where account_id = a.id
  ) o`

/** Those whose last closed day is older than the day before yesterday. */
export const listOpenDays = (db: Queryable, mode: Mode, limit: number) =>
  db.query<OpenDays>(sql`
    ${openDays}
    where a.enabled and a.mode = ${mode} and o.day < bank_day(a.currency, inlet_now()) - 1
    order by o.day, a.label
    limit ${limit}`)

/** Of one account, if the day is over. */
export const findOpenDay = (db: Queryable, accountId: string) =>
  db.find<OpenDays>(sql`${openDays} where a.id = ${accountId} and o.day < bank_day(a.currency, inlet_now())`)
