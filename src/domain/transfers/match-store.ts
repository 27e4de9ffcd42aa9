/** The deposits that a transfer may be for. */
import { sql, type Tx } from '../../platform/db.ts'
import type { Reference } from '../deposits/reference.ts'
import { holdsReference } from '../deposits/reference-store.ts'
import type { Mode } from '../merchants/merchant.ts'
import { mostOfAmount } from './matching.ts'
import { isBank, taxIdOf } from './payer-shapes.ts'
import { bookingDelayMs, longestLifeDays, seenBeforeDays, sentBetween } from './payment-times.ts'
import { referencesIn } from './purpose-references.ts'
import type { TransferFacts } from './transfer.ts'

type Named = { depositId: string; accountId: string; reference: Reference }

export async function findNamed(
  tx: Tx,
  references: readonly Reference[],
  mode: Mode | null = null,
): Promise<Named[]> {
  if (references.length === 0) return []
  return tx.query<Named>(sql`
    select d.id as "depositId", d.account_id as "accountId", d.reference
    from deposits d
    where d.reference = any((select ${[...new Set(references)]}::text[])::text[])
      and ${holdsReference}
      and (${mode}::text is null
        or exists (select from receiving_accounts a where a.id = d.account_id and a.mode = ${mode}))`)
}

/** The deposits that a purpose names; none where it names one of `except`. */
export async function findOtherNamedDeposits(
  tx: Tx,
  transfer: Pick<TransferFacts, 'purpose' | 'purposeParts'>,
  except: readonly (string | null)[],
): Promise<Named[]> {
  const named = await findNamed(tx, referencesIn(transfer).written)
  return named.some(({ depositId }) => except.includes(depositId)) ? [] : named
}

/** A payment by the facts that say which deposits of its amount could be paid when it was sent. */
type Sent = Pick<TransferFacts, 'accountId' | 'cents' | 'currency' | 'paidOn' | 'bookedOn' | 'bookedAt'>

type OfAmount = { depositId: string; isListening: boolean }

/**
 * The deposits of the account and amount of each payment that could be paid when it was sent, as `wasPayable` says, in any
 * state. One more than `mostOfAmount` stands for many.
 */
export async function findOfAmount(
  tx: Tx,
  payments: readonly Sent[],
): Promise<(payment: Sent) => readonly OfAmount[]> {
  const sent = [...new Map(payments.map((payment) => [sentKey(payment), payment])).values()]
  if (sent.length === 0) return () => []
  const times = sent.map(sentBetween)
  const rows = await tx.query<OfAmount & { place: number }>(sql`
    select k.place::int, d.id as "depositId", d.is_listening as "isListening"
    from unnest(
      (select ${sent.map((payment) => payment.accountId)}::uuid[]),
      ${sent.map((payment) => payment.cents)}::bigint[],
      ${sent.map((payment) => payment.bookedAt)}::timestamptz[],
      ${times.map(({ day }) => day)}::timestamptz[],
      ${times.map(({ since }) => since)}::timestamptz[],
      ${times.map(({ until }) => until)}::timestamptz[])
      with ordinality as k (account_id, cents, booked_at, day, since, until, place)
    cross join lateral (
      select id, state = 'created' or (state = 'expired' and late_until > (select inlet_now())) as is_listening
      from deposits
      where account_id = k.account_id
        and amount_cents = k.cents
        and late_until >= k.since - make_interval(days => ${seenBeforeDays}::int)
        and late_until <= k.until + make_interval(days => ${longestLifeDays}::int)
        and issued_at <= k.until
        and (
          state = 'created'
          or (state = 'expired' and late_until > (select inlet_now()))
          or (state = 'confirmed' and labels @> '{manual}' and received_cents < amount_cents)
          or least(late_until, final_at + make_interval(secs => ${bookingDelayMs / 1_000}::int)) >= k.booked_at
          or least(expires_at, final_at) >= k.day)
      order by late_until
      limit ${mostOfAmount + 1}
    ) d`)
  const found = Map.groupBy(rows, ({ place }) => sentKey(sent[place - 1]!))
  return (payment) => found.get(sentKey(payment)) ?? []
}

const sentKey = ({ accountId, cents, paidOn, bookedOn, bookedAt }: Sent): string =>
  [accountId, cents, paidOn, bookedOn, bookedAt?.getTime()].join(':')

type Payer = Pick<TransferFacts, 'accountId' | 'payerName' | 'payerAccount' | 'payerTaxId'>

/**
 * What a payer of an account is known by: the tax id, and the account as it is stored. A bank sends the money of all its
 * customers under its own account and tax id, so it is nobody.
 */
export function payerMarks(payer: Payer): string[] {
  const { accountId, payerAccount } = payer
  if (isBank(payer)) return []
  const taxId = taxIdOf(payer)
  return [
    ...(taxId === '' ? [] : [`${accountId}:tax:${taxId}`]),
    ...(payerAccount === '' ? [] : [`${accountId}:account:${payerAccount}`]),
  ]
}

type Begun = Payer & { depositId: string }

/** Open deposits of these accounts that have a part of their money from one of these payers, and could still be paid by them. */
export async function findBegun(tx: Tx, payments: readonly (Payer & Sent)[]): Promise<Begun[]> {
  const known = payments.filter((payment) => payerMarks(payment).length > 0)
  if (known.length === 0) return []
  const [since] = known.map((payment) => sentBetween(payment).since).sort((a, b) => a.getTime() - b.getTime())
  return tx.query<Begun>(sql`
    with d as materialized (
      select id, account_id
      from deposits
      where account_id = any((select ${[...new Set(known.map(({ accountId }) => accountId))]}::uuid[])::uuid[])
        and state in ('created', 'expired')
        and received_cents > 0
        and received_cents < amount_cents
        and late_until >= ${since}::timestamptz - make_interval(days => ${seenBeforeDays}::int)
    )
    select distinct d.id as "depositId", d.account_id as "accountId", t.payer_account as "payerAccount",
      t.payer_tax_id as "payerTaxId", t.payer_name as "payerName"
    from d
    join allocations a on a.deposit_id = d.id
    join transfers t on t.id = a.transfer_id
    where (t.payer_tax_id <> '' and t.payer_tax_id in (select unnest(${known.map(({ payerTaxId }) => payerTaxId)}::text[])))
      or (t.payer_account <> '' and t.payer_account in (select unnest(${known.map(({ payerAccount }) => payerAccount)}::text[])))`)
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
