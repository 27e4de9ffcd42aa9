/** The audit log in the database: appended to, and read. */
import { fragment, type Queryable, sql, type Tx, unprepared } from '../../platform/db.ts'
import { checkActing } from './acting.ts'
import { type AuditDraft, type AuditEntry, digestOf, type Link, type Seal } from './audit.ts'

/**
 * Takes the last lock of a transaction: the next audited act waits for its commit. Under it the rights of the person who acts
 * are checked again, so an act that takes away the person's own rights writes its entry first.
 */
export async function appendAudit(tx: Tx, draft: AuditDraft): Promise<void> {
  const [head] = await tx.query<Link & { now: Date }>(sql`
    select audit_place as place, audit_digest as digest, inlet_now() as now
    from installation
    for no key update`)
  await checkActing(tx, draft.personId)
  const { merchantId = null, reason = '', before = null, after = null, ...rest } = draft
  const entry = {
    ...rest,
    merchantId,
    reason,
    place: head!.place + 1n,
    at: head!.now,
    before: JSON.stringify(before, printable),
    after: JSON.stringify(after, printable),
    previous: head!.digest,
  }
  const digest = digestOf(entry)
  await tx.query(sql`
    insert into audit_entries
      (place, at, person_id, actor, act, subject, merchant_id, reason, before, after, request_id, previous, digest)
    values
      (${entry.place}, ${entry.at}, ${entry.personId}, ${entry.actor}, ${entry.act}, ${entry.subject},
       ${entry.merchantId}, ${entry.reason}, ${entry.before}, ${entry.after}, ${entry.requestId}, ${entry.previous},
       ${digest})`)
  await tx.query(sql`update installation set audit_place = ${entry.place}, audit_digest = ${digest}`)
}

const printable = (_name: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)

export const readHead = (db: Queryable) =>
  db.one<Link>(sql`select audit_place as place, audit_digest as digest from installation`)

const entryColumns = fragment`
  place, at, person_id as "personId", actor, act, subject, merchant_id as "merchantId", reason, before, after,
  request_id as "requestId", previous, digest`

/** The entries after this one, in the order they were written. */
export const readAuditAfter = (db: Queryable, place: bigint, limit: number) =>
  db.query<AuditEntry>(sql`
    select ${entryColumns}
    from audit_entries
    where place > ${place}
    order by place
    limit ${limit}`)

type AuditFilter = {
  merchantId: string | null
  personId: string | null
  subject: string | null
  acts?: readonly string[] | null
  /** The last entry of the page before. */
  before: bigint | null
  limit: number
}

/** Newest first, by keyset. Not prepared: a plan shared by all filters would read the whole table for most. */
export async function listAudit(db: Queryable, filter: AuditFilter): Promise<AuditEntry[]> {
  const { merchantId, personId, subject, acts, before, limit } = filter
  return db.query<AuditEntry>(
    unprepared(sql`
    select ${entryColumns}
    from audit_entries
    where (${merchantId}::uuid is null or merchant_id = ${merchantId})
      and (${personId}::uuid is null or person_id = ${personId})
      and (${subject}::text is null or subject = ${subject})
      and (${acts ? [...acts] : null}::text[] is null or act = any(${acts ? [...acts] : null}))
      and (${before}::bigint is null or place < ${before})
    order by place desc
    limit ${limit}`),
  )
}

// ── Seals ───────────────────────────────────────────────────────────────────────────────────────────────────────

const sealColumns = fragment`s.number, s.place, s.digest, s.sealed_at as "sealedAt", s.mac`

export async function readLastSeal(db: Queryable): Promise<{ last: Seal | undefined; now: Date }> {
  const [row] = await db.query<{ now: Date }>(sql`select inlet_now() as now`)
  const [last] = await db.query<Seal>(sql`
    select ${sealColumns}
    from audit_seals s
    order by s.number desc
    limit 1`)
  return { last, now: row!.now }
}

/** If two processes seal at once, the first wins. */
export const insertSeal = (db: Queryable, seal: Seal) =>
  db.run(sql`
    insert into audit_seals (number, place, digest, sealed_at, mac)
    values (${seal.number}, ${seal.place}, ${seal.digest}, ${seal.sealedAt}, ${seal.mac})
    on conflict do nothing`)

/** `entry`: the current digest of the sealed entry. `firstAt`: when the first entry after the previous seal was written. */
type SealListed = Seal & { entry: Buffer | null; firstAt: Date | null }

export const readSealsAfter = (db: Queryable, number: bigint, limit: number) =>
  db.query<SealListed>(sql`
    select ${sealColumns}, e.digest as entry, f.at as "firstAt"
    from audit_seals s
    left join audit_entries e on e.place = s.place
    left join audit_seals p on p.number = s.number - 1
    left join audit_entries f on f.place = p.place + 1
    where s.number > ${number}
    order by s.number
    limit ${limit}`)

/** When the first entry after a place was written, counted since sealing was introduced. */
export async function firstUnsealed(db: Queryable, place: bigint): Promise<Date | null> {
  const [row] = await db.query<{ at: Date }>(sql`
    select at
    from audit_entries
    where place > ${place}
      and at > (select sealing_since from installation)
    order by place
    limit 1`)
  return row?.at ?? null
}

export const findAuditEntry = (db: Queryable, place: bigint) =>
  db.find<AuditEntry>(sql`select ${entryColumns} from audit_entries where place = ${place}`)
