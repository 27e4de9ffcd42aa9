/** Bank sources in the database: their tokens, and the accounts that each may report. */

import { newId } from '../../platform/clock.ts'
import { fragment, type Queryable, sql, type Tx } from '../../platform/db.ts'
import type { Mode } from '../merchants/merchant.ts'
import type { Channel } from './channel.ts'
import type { BankSource, Source } from './source.ts'

const names = fragment`s.id, s.name, s.mode, s.kind, s.channel`

const columns = fragment`
  ${names}, s.enabled, s.last_used_at, s.account_ids is not null as "isBound", s.networks::text[] as networks,
  coalesce((
    select json_agg(json_build_object('id', a.id, 'label', a.label, 'number', a.number) order by a.label, a.id)
    from receiving_accounts a
    where a.id = any(s.account_ids) and a.mode = s.mode), '[]'::json) as accounts`

export const insertSource = (tx: Tx, source: { id: string; name: string; mode: Mode; tokenDigest: Buffer }) =>
  tx.run(sql`
    insert into bank_sources (id, name, mode, kind, channel, token_digest)
    values (${source.id}, ${source.name}, ${source.mode}, 'push', 'push', ${source.tokenDigest})`)

/** The sources that tokens belong to, by the digests of these in hex. A disabled one is nobody's. */
export async function findSourcesByTokens(
  db: Queryable,
  digests: readonly string[],
): Promise<Map<string, Source & { networks: string[] }>> {
  const rows = await db.query<Source & { networks: string[]; digest: string }>(sql`
    select ${names}, s.networks::text[] as networks, encode(s.token_digest, 'hex') as digest
    from bank_sources s
    where s.token_digest = any(${digests.map((digest) => Buffer.from(digest, 'hex'))}::bytea[]) and s.enabled`)
  return new Map(rows.map(({ digest, ...source }) => [digest, source]))
}

type Named = { mode: Mode; kind: Exclude<Source['kind'], 'push'>; channel: Channel; name?: string }

/** The source of these files, of the sandbox's bank or of people, created on first use. */
export async function sourceOf(tx: Tx, source: Named): Promise<Source> {
  const known = await findSourceOf(tx, source)
  if (known) return known
  await insertUnlessKnown(tx, { name: source.channel, ...source, id: newId() })
  return (await findSourceOf(tx, source))!
}

export const findSourceOf = (db: Queryable, { mode, kind, channel, name = channel }: Named) =>
  db.find<Source>(sql`
    select ${names}
    from bank_sources s
    where s.mode = ${mode} and s.kind = ${kind} and s.channel = ${channel} and s.name = ${name}`)

export const insertUnlessKnown = (tx: Tx, { id, name, mode, kind, channel }: Source) =>
  tx.run(sql`
    insert into bank_sources (id, name, mode, kind, channel)
    values (${id}, ${name}, ${mode}, ${kind}, ${channel})
    on conflict do nothing`)

export const noteSourceUse = (db: Queryable, id: string) =>
  db.run(sql`update bank_sources set last_used_at = inlet_now() where id = ${id}`)

export const listSources = (db: Queryable) =>
  db.query<BankSource>(sql`select ${columns} from bank_sources s order by s.created_at, s.id`)

export const findSource = (db: Queryable, id: string) =>
  db.find<BankSource>(sql`select ${columns} from bank_sources s where s.id = ${id}`)

/** One change of what a source may do at a time. */
export const lockSource = (tx: Tx, id: string) =>
  tx.find<BankSource>(sql`select ${columns} from bank_sources s where s.id = ${id} for update`)

/** Address bits beyond the prefix are dropped. Without `accountIds` it reports what it reported. */
export const saveSource = (
  tx: Tx,
  {
    id,
    enabled,
    networks,
    accountIds,
  }: Pick<BankSource, 'id' | 'enabled'> & {
    networks: readonly string[]
    accountIds: readonly string[] | undefined
  },
) =>
  tx.run(sql`
    update bank_sources
    set enabled = ${enabled}, account_ids = coalesce(${accountIds}::uuid[], account_ids), networks = (
      select coalesce(array_agg(distinct network(n::inet) order by network(n::inet)), '{}')
      from unnest(${networks}::text[]) n)
    where id = ${id}`)

type PushedAccount = { id: string; isAllowed: boolean }

/** Accounts of the source's mode by number, and whether the source may report each. */
export async function findPushedAccounts(
  db: Queryable,
  source: Pick<Source, 'id' | 'mode'>,
  numbers: readonly string[],
): Promise<Map<string, PushedAccount>> {
  const rows = await db.query<PushedAccount & { number: string }>(sql`
    select a.number, a.id, s.account_ids is null or a.id = any(s.account_ids) as "isAllowed"
    from receiving_accounts a
    join bank_sources s on s.id = ${source.id}
    where a.mode = ${source.mode} and a.number = any(${numbers}::text[])`)
  return new Map(rows.map(({ number, id, isAllowed }) => [number, { id, isAllowed }]))
}
