/** The deposits that a transfer may belong to. */
import { sql, type Tx } from '../../platform/db.ts'
import type { Reference } from '../deposits/reference.ts'
import type { Mode } from '../merchants/merchant.ts'
import type { Cents } from '../money.ts'
import { referencesIn, referencesWrittenIn } from './purpose-references.ts'
import { type Payer, taxIdOf } from './repetitions.ts'
import type { Channel, TransferFacts } from './transfer.ts'

export type Wait = { accountId: string; depositId: string; reference: Reference; cents: Cents }

/** How many deposits are considered for one amount; where there are more, a person decides. */
export const maxWaiting = 50

/** The deposits that wait for these amounts, and those with these references on any account, or on any account of one mode. */
export async function findWaiting(
  tx: Tx,
  facts: readonly { accountId: string; cents: Cents }[],
  references: readonly Reference[],
  mode: Mode | null = null,
): Promise<Wait[]> {
  if (facts.length === 0 && references.length === 0) return []
  return tx.query<Wait>(sql`
    select d.account_id as "accountId", d.id as "depositId", d.reference, d.amount_cents as cents
    from (
      select distinct account_id, cents
      from unnest((select ${facts.map((entry) => entry.accountId)}::uuid[]), ${facts.map((entry) => entry.cents)}::bigint[])
        as k (account_id, cents)
    ) k
    cross join lateral (
      select d.account_id, d.id, d.reference, d.amount_cents
      from deposits d
      where d.account_id = k.account_id
        and d.amount_cents = k.cents
        and d.state in ('created', 'expired')
        and d.late_until > (select inlet_now())
      limit ${maxWaiting + 1}
    ) d
    union
    select d.account_id, d.id, d.reference, d.amount_cents
    from deposits d
    where d.reference = any((select ${references}::text[])::text[])
      and d.holds_reference
      and (${mode}::text is null
        or exists (select from receiving_accounts a where a.id = d.account_id and a.mode = ${mode}))`)
}

/** The deposits that each of these purposes names. */
export async function findNamedIn(
  tx: Tx,
  purposes: readonly string[],
): Promise<Map<string, Pick<Wait, 'depositId' | 'reference'>[]>> {
  const written = new Map(purposes.map((purpose) => [purpose, referencesWrittenIn(purpose)]))
  const named = Map.groupBy(await findWaiting(tx, [], [...written.values()].flat()), (wait) => wait.reference)
  return new Map(
    [...written].map(([purpose, references]) => [purpose, references.flatMap((one) => named.get(one) ?? [])]),
  )
}

/** The deposits that a purpose names; none where it names one of `except`. */
export async function findOtherNamedDeposits(
  tx: Tx,
  transfer: Pick<TransferFacts, 'purpose' | 'purposeParts'>,
  except: readonly (string | null)[],
): Promise<Wait[]> {
  const named = await findWaiting(tx, [], referencesIn(transfer).written)
  return named.some(({ depositId }) => except.includes(depositId)) ? [] : named
}

type Begun = Payer & { depositId: string; accountId: string; channel: Channel }

/** How many payers of one deposit are looked at, of those who may be in a group, and how many deposits may be begun. */
const payersOfDeposit = 100
const begunMost = 2_000

/**
 * Deposits of these accounts that have a part of their money from somebody who may be one of these payers, with who sent it. Where too many
 * are begun none is returned, and a person decides about whatever names no deposit.
 */
export async function findBegun(
  tx: Tx,
  accountIds: readonly string[],
  payers: readonly Payer[],
): Promise<{ begun: Begun[]; isCrowded: boolean }> {
  if (accountIds.length === 0) return { begun: [], isCrowded: false }
  const deposits = await tx.query<{ id: string; accountId: string }>(sql`
    select id, account_id as "accountId"
    from deposits
    where account_id = any(${accountIds}::uuid[])
      and state in ('created', 'expired')
      and received_cents > 0
      and received_cents < amount_cents
      and late_until > (select inlet_now())
    limit ${begunMost + 1}`)
  if (deposits.length > begunMost) return { begun: [], isCrowded: true }
  if (deposits.length === 0) return { begun: [], isCrowded: false }
  const begun = await tx.query<Begun>(sql`
    select distinct d.id as "depositId", d.account_id as "accountId", t.payer_account as "payerAccount",
      t.payer_tax_id as "payerTaxId", t.payer_name as "payerName", t.channel
    from unnest(
      (select ${deposits.map(({ id }) => id)}::uuid[]),
      ${deposits.map(({ accountId }) => accountId)}::uuid[]) as d (id, account_id)
    cross join lateral (
      -- The names of this group first: many names may have one masked account.
      select distinct payer_account, payer_tax_id, payer_name, channel,
        payer_name in (select unnest(${payers.map(({ payerName }) => payerName)}::text[])) as is_of_group
      from transfers
      where deposit_id = d.id
        and (
          (payer_tax_id <> '' and payer_tax_id in (select unnest(${payers.map(taxIdOf)}::text[])))
          or (payer_account <> '' and payer_account in (select unnest(${payers.map(({ payerAccount }) => payerAccount)}::text[]))))
      order by is_of_group desc
      limit ${payersOfDeposit}
    ) t`)
  return { begun, isCrowded: false }
}

/** Test and live never meet, and a merchant's own account serves nobody else: also by a person's hand. */
export const mayServe = (tx: Tx, transferId: string, depositId: string) =>
  tx.has(sql`
    select t.id
    from transfers t
    join receiving_accounts a on a.id = t.account_id
    join deposits d on d.id = ${depositId}
    join merchants m on m.id = d.merchant_id
    where t.id = ${transferId}
      and m.mode = a.mode
      and (a.merchant_id is null or a.merchant_id = d.merchant_id)`)
