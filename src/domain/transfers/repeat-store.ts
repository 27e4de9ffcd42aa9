/** Rows of statements that equal a transfer of another file. */
import { type Queryable, sql, type Tx } from '../../platform/db.ts'

/** A row of a file that equals a transfer from another file. */
export type Repeat = { statementId: string; line: number; transferId: string }

export async function insertRepeats(tx: Tx, repeats: readonly Repeat[]): Promise<void> {
  if (repeats.length === 0) return
  await tx.query(sql`
    insert into transfer_repeats (statement_id, line, transfer_id)
    select distinct statement_id, line, transfer_id
    from unnest(
      ${repeats.map((repeat) => repeat.statementId)}::uuid[],
      ${repeats.map((repeat) => repeat.line)}::int[],
      ${repeats.map((repeat) => repeat.transferId)}::uuid[]) as r (statement_id, line, transfer_id)
    on conflict (statement_id, line, transfer_id) do update
    set is_noted = false
    where transfer_repeats.is_noted`)
}

type RepeatFound = Repeat & { became: string | null }

export async function listRepeats(db: Queryable, filter: { transferId: string } | { statementId: string }) {
  const { transferId = null, statementId = null } = filter as { transferId?: string; statementId?: string }
  return db.query<RepeatFound>(sql`
    select statement_id as "statementId", line, transfer_id as "transferId", became
    from transfer_repeats
    where (${transferId}::uuid is null or transfer_id = ${transferId})
      and (${statementId}::uuid is null or statement_id = ${statementId})
      and not is_noted
    order by statement_id, line
    limit 1000`)
}

/**
 * Makes a repeated row a transfer of its own, once, with the facts of the transfer that it equals. A person looks at
 * it before it counts.
 */
export async function insertAnother(
  tx: Tx,
  { id, statementId, line, transferId }: Repeat & { id: string },
): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into transfers
      (id, source_id, account_id, direction, cents, currency, booked_on, booked_at, paid_on, document_number,
       payer_name, payer_account, payer_tax_id, payer_bank, purpose, bank_id, entry_reference,
       entry_cents, channel, version, fingerprint, occurrence, statement_id, line, raw, taken_at, state, open_cents,
       payer_account_is_whole, sent_cents)
    select
      ${id}, t.source_id, t.account_id, t.direction, t.cents, t.currency, t.booked_on, t.booked_at, t.paid_on,
      t.document_number, t.payer_name, t.payer_account, t.payer_tax_id, t.payer_bank, t.purpose, null,
      t.entry_reference, t.entry_cents, t.channel, t.version, t.fingerprint,
      1 + coalesce((
        select max(o.occurrence)
        from transfers o
        where o.account_id = t.account_id and o.fingerprint = t.fingerprint and o.bank_id is null), 0),
      r.statement_id, r.line, t.raw, inlet_now(), 'ambiguous', t.cents, t.payer_account_is_whole, t.sent_cents
    from transfer_repeats r
    join transfers t on t.id = r.transfer_id
    where r.statement_id = ${statementId}
      and r.line = ${line}
      and r.transfer_id = ${transferId}
      and r.became is null
      and not r.is_noted
      and t.direction = 'credit'
    returning id`)
  if (rows.length === 0) return false
  await tx.query(sql`
    update transfer_repeats
    set became = ${id}
    where statement_id = ${statementId} and line = ${line} and transfer_id = ${transferId}`)
  return true
}
