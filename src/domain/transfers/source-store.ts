/** Bank sources in the database: their tokens, and the accounts that each may report. */

import { newId } from '../../platform/clock.ts'
import { fragment, type Queryable, sql, type Tx } from '../../platform/db.ts'
import type { Mode } from '../merchants/merchant.ts'
import type { Channel } from './channel.ts'
import type { BankSource, ListedSource, Source, SourceAccount } from './source.ts'

const sourceColumns = fragment`
  s.id, s.name, s.mode, s.kind, s.channel, s.enabled, s.last_used_at, s.is_bound as "isBound", s.networks::text[] as networks`

export const insertSource = (tx: Tx, source: { id: string; name: string; mode: Mode; tokenDigest: Buffer }) =>
  tx.run(sql`
    insert into bank_sources (id, name, mode, kind, channel, token_digest)
    values (${source.id}, ${source.name}, ${source.mode}, 'push', 'push', ${source.tokenDigest})`)

/** The sources that tokens belong to, by the digests of these in hex. A disabled one is nobody's. */
export async function findSourcesByTokens(
  db: Queryable,
  digests: readonly string[],
): Promise<Map<string, BankSource>> {
  const rows = await db.query<BankSource & { digest: string }>(sql`
    select ${sourceColumns}, encode(s.token_digest, 'hex') as digest
    from bank_sources s
    where s.token_digest = any(${digests.map((digest) => Buffer.from(digest, 'hex'))}::bytea[]) and s.enabled`)
  return new Map(rows.map(({ digest, ...source }) => [digest, source]))
}

type Named = { mode: Mode; kind: Exclude<Source['kind'], 'push'>; channel: Channel; name?: string }

export const findSourceOf = (db: Queryable, { mode, kind, channel, name = channel }: Named) =>
  db.find<Source>(sql`
    select id, name, mode, kind, channel
    from bank_sources
    where mode = ${mode} and kind = ${kind} and channel = ${channel} and name = ${name}`)

/** The source of these files, of the sandbox's bank or of people, created on first use. */
export async function sourceOf(tx: Tx, source: Named): Promise<Source> {
  const known = await findSourceOf(tx, source)
  if (known) return known
  await insertUnlessKnown(tx, { name: source.channel, ...source, id: newId() })
  return (await findSourceOf(tx, source))!
}

export const insertUnlessKnown = (tx: Tx, { id, name, mode, kind, channel }: Source) =>
  tx.run(sql`
    insert into bank_sources (id, name, mode, kind, channel)
    values (${id}, ${name}, ${mode}, ${kind}, ${channel})
    on conflict do nothing`)

export const sourceWithId = (db: Queryable, id: string) =>
  db.find<Source>(sql`select id, name, mode, kind, channel from bank_sources where id = ${id}`)

export const noteSourceUse = (db: Queryable, id: string) =>
  db.run(sql`update bank_sources set last_used_at = inlet_now() where id = ${id}`)

/** Only sources that push can be disabled: the others have no token. */
export const setSourceEnabled = (tx: Tx, id: string, enabled: boolean) =>
  tx.has(sql`
    update bank_sources
    set enabled = ${enabled}
    where id = ${id} and kind = 'push'
    returning id`)

export const listSources = (db: Queryable) =>
  db.query<ListedSource>(sql`
    select ${sourceColumns},
      (select count(*)::int from bank_source_accounts b where b.source_id = s.id) as accounts
    from bank_sources s
    order by s.created_at, s.id`)

export const findSource = (db: Queryable, id: string) =>
  db.find<BankSource>(sql`select ${sourceColumns} from bank_sources s where s.id = ${id}`)

/** One change of what a source may do at a time. */
export const lockSource = (tx: Tx, id: string) =>
  tx.find<BankSource>(sql`
    select ${sourceColumns} from bank_sources s where s.id = ${id} for update`)

/** The accounts that are listed for a source. */
export const listSourceAccounts = (db: Queryable, sourceId: string) =>
  db.query<SourceAccount>(sql`
    select a.id, a.label, a.number, a.mode
    from bank_source_accounts b
    join receiving_accounts a on a.id = b.account_id
    where b.source_id = ${sourceId}
    order by a.label, a.id`)

/** These accounts, as far as they are of this mode. */
export async function findAccountIds(db: Queryable, mode: Mode, ids: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from receiving_accounts where mode = ${mode} and id = any(${ids}::uuid[])`)
  return rows.map(({ id }) => id)
}

export async function replaceAccounts(
  tx: Tx,
  sourceId: string,
  accountIds: readonly string[],
): Promise<void> {
  await tx.query(sql`
    delete from bank_source_accounts
    where source_id = ${sourceId} and account_id <> all(${accountIds}::uuid[])`)
  await tx.query(sql`
    insert into bank_source_accounts (source_id, account_id)
    select ${sourceId}, unnest(${accountIds}::uuid[])
    on conflict do nothing`)
  await tx.query(sql`update bank_sources set is_bound = true where id = ${sourceId}`)
}

/** Address bits beyond the prefix are dropped. */
export const setNetworks = (tx: Tx, sourceId: string, networks: readonly string[]) =>
  tx.run(sql`
    update bank_sources
    set networks = (
      select coalesce(array_agg(distinct network(n::inet) order by network(n::inet)), '{}')
      from unnest(${networks}::text[]) n)
    where id = ${sourceId}`)

/** Whether a source may still report, and all of these accounts. */
export const readReportRight = (db: Queryable, id: string, accountIds: readonly string[]) =>
  db.find<{ isEnabled: boolean; isForAll: boolean }>(sql`
    select s.enabled as "isEnabled",
      not s.is_bound or not exists (
        select account_id from unnest(${accountIds}::uuid[]) account_id
        except
        select b.account_id from bank_source_accounts b where b.source_id = s.id) as "isForAll"
    from bank_sources s
    where s.id = ${id}`)

type PushedAccount = { id: string; isAllowed: boolean }

/** Accounts of the source's mode by number, and whether the source may report each. */
export async function findPushedAccounts(
  db: Queryable,
  source: Pick<Source, 'id' | 'mode'>,
  numbers: readonly string[],
): Promise<Map<string, PushedAccount>> {
  const rows = await db.query<PushedAccount & { number: string }>(sql`
    select a.number, a.id, b.account_id is not null or not s.is_bound as "isAllowed"
    from receiving_accounts a
    join bank_sources s on s.id = ${source.id}
    left join bank_source_accounts b on b.source_id = s.id and b.account_id = a.id
    where a.mode = ${source.mode} and a.number = any(${numbers}::text[])`)
  return new Map(rows.map(({ number, id, isAllowed }) => [number, { id, isAllowed }]))
}
