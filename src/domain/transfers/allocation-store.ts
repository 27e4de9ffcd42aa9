/** Which deposits have which part of a transfer, in the database. */
import { fragment, type Queryable, sql, type Tx } from '../../platform/db.ts'
import type { Cents } from '../money.ts'
import type { Allocation, Share, Transfer } from './transfer.ts'

/** Those of the transfer `t`, as JSON: amounts are texts there. */
export const allocationsOf = fragment`
  coalesce((
    select json_agg(json_build_object(
      'depositId', s.deposit_id, 'cents', s.cents::text, 'keptCents', s.kept_cents::text) order by s.deposit_id)
    from allocations s
    where s.transfer_id = t.id), '[]'::json)`

export const allocationFrom = ({ depositId, cents, keptCents }: Allocation): Allocation => ({
  depositId,
  cents: BigInt(cents),
  keptCents: BigInt(keptCents),
})

type NewAllocation = Share & { transferId: string; keptCents?: Cents }

export async function insertAllocations(tx: Tx, allocations: readonly NewAllocation[]): Promise<void> {
  if (allocations.length === 0) return
  await tx.run(sql`
    insert into allocations (transfer_id, deposit_id, cents, kept_cents)
    select
      unnest(${allocations.map((one) => one.transferId)}::uuid[]), unnest(${allocations.map((one) => one.depositId)}::uuid[]),
      unnest(${allocations.map((one) => one.cents)}::bigint[]), unnest(${allocations.map((one) => one.keptCents ?? 0n)}::bigint[])`)
}

/** Replaces the shares of transfers; the deposits that had a part of one, or have one now. */
export async function replaceAllocations(
  tx: Tx,
  transfers: readonly { id: string; shares: readonly Allocation[] }[],
): Promise<string[]> {
  const before = await tx.query<{ depositId: string }>(sql`
    delete from allocations
    where transfer_id = any(${transfers.map(({ id }) => id)}::uuid[])
    returning deposit_id as "depositId"`)
  const now = transfers.flatMap(({ id, shares }) =>
    shares.map((share) => ({
      ...share,
      transferId: id,
      // What has left a deposit is kept by nobody.
      keptCents: share.keptCents > share.cents ? share.cents : share.keptCents,
    })),
  )
  await insertAllocations(tx, now)
  return [...new Set([...before, ...now].map(({ depositId }) => depositId))]
}

/** By which rule the last decision about the transfer `t` was made. */
export const lastRule = fragment`
  (select x.rule from transfer_decisions x where x.transfer_id = t.id order by x.entry desc limit 1)`

/** A transfer with the part of it that a deposit has. The payer's account number is shown to the operator only. */
type DepositTransfer = Pick<
  Transfer,
  'id' | 'state' | 'cents' | 'currency' | 'bookedOn' | 'payerName' | 'purpose'
> & { shareCents: Cents; rule: string }

export const listTransfersOf = (db: Queryable, depositId: string) =>
  db.query<DepositTransfer>(sql`
    select t.id, t.state, t.cents, s.cents as "shareCents", t.currency, t.booked_on as "bookedOn",
      t.payer_name as "payerName", t.purpose, ${lastRule} as rule
    from allocations s
    join transfers t on t.id = s.transfer_id
    where s.deposit_id = ${depositId}
    order by t.taken_at, t.id
    limit 100`)
