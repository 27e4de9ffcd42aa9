/** People, their factors and sessions in the database. */

import { fragment, type Queryable, sql, type Tx } from '../../platform/db.ts'
import type { MerchantId, Mode } from '../merchants/merchant.ts'
import type {
  ConsoleLanguage,
  Membership,
  MerchantRole,
  OperatorRole,
  Passkey,
  Person,
  SessionListed,
  Strength,
} from './person.ts'
import { sessionRules } from './session.ts'

const personColumns = fragment`
  p.id, p.email, p.name, p.operator_role as "operatorRole", p.language, p.time_zone as "timeZone",
  p.password is not null as "hasPassword", p.totp_sealed is not null as "hasTotp",
  (select count(*)::int from passkeys k where k.person_id = p.id) as passkeys, p.disabled_at as "disabledAt"`

export async function insertPerson(
  tx: Tx,
  { id, email, name }: Pick<Person, 'id' | 'email' | 'name'>,
): Promise<void> {
  await tx.query(sql`
    insert into people (id, email, name)
    values (${id}, ${email}, ${name})
    on conflict do nothing`)
}

export async function findPerson(db: Queryable, id: string): Promise<Person | undefined> {
  const [row] = await db.query<Person>(sql`select ${personColumns} from people p where p.id = ${id}`)
  return row
}

export async function findPersonByEmail(db: Queryable, email: string): Promise<Person | undefined> {
  const [row] = await db.query<Person>(sql`select ${personColumns} from people p where p.email = ${email}`)
  return row
}

/** The first lock of every change of a person. */
export async function lockPerson(tx: Tx, id: string): Promise<Person | undefined> {
  await tx.query(sql`select id from people where id = ${id} for no key update`)
  return findPerson(tx, id)
}

type PersonListed = Person & { createdAt: Date; lastSeenAt: Date | null; memberships: Membership[] }

/**
 * Of one merchant, or, without one, all who have an account or a place, those of the desk first. Who was only invited is
 * in the list of invitations: a merchant's owner may invite thousands.
 */
export async function listPeople(db: Queryable, merchantId: MerchantId | null): Promise<PersonListed[]> {
  return db.query<PersonListed>(sql`
    select ${personColumns}, p.created_at as "createdAt",
      (select max(s.seen_at) from sessions s where s.person_id = p.id) as "lastSeenAt",
      coalesce((
        select json_agg(json_build_object(
          'merchantId', m.id, 'merchantName', m.name, 'mode', m.mode, 'role', b.role) order by m.name, m.id)
        from memberships b
        join merchants m on m.id = b.merchant_id
        where b.person_id = p.id), '[]') as memberships
    from people p
    where case
        when ${merchantId}::uuid is null
          then p.operator_role is not null
            or p.password is not null
            or exists (select from passkeys k where k.person_id = p.id)
            or exists (select from memberships b where b.person_id = p.id)
        else exists (select from memberships b where b.person_id = p.id and b.merchant_id = ${merchantId})
      end
    order by p.operator_role is null, p.created_at, p.id
    limit 1000`)
}

export async function membershipsOf(db: Queryable, personId: string): Promise<Membership[]> {
  return db.query<{ merchantId: MerchantId; merchantName: string; mode: Mode; role: MerchantRole }>(sql`
    select m.id as "merchantId", m.name as "merchantName", m.mode, b.role
    from memberships b
    join merchants m on m.id = b.merchant_id
    where b.person_id = ${personId}
    order by m.name, m.id`)
}

export async function saveMembership(
  tx: Tx,
  { personId, merchantId, role }: { personId: string; merchantId: MerchantId; role: MerchantRole },
): Promise<void> {
  await tx.query(sql`
    insert into memberships (person_id, merchant_id, role)
    values (${personId}, ${merchantId}, ${role})
    on conflict (person_id, merchant_id) do update
    set role = excluded.role`)
}

export async function countOwners(db: Queryable, merchantId: MerchantId): Promise<number> {
  const [row] = await db.query<{ owners: number }>(sql`
    select count(*)::int as owners
    from memberships
    where merchant_id = ${merchantId} and role = 'owner'`)
  return row!.owners
}

export async function removeMembership(tx: Tx, personId: string, merchantId: MerchantId): Promise<void> {
  await tx.query(sql`delete from memberships where person_id = ${personId} and merchant_id = ${merchantId}`)
}

/** When somebody first had a place at the desk is never forgotten. */
export async function setOperatorRole(tx: Tx, id: string, role: OperatorRole | null): Promise<void> {
  await tx.query(sql`
    update people
    set operator_role = ${role},
      desk_since = case when ${role}::text is null then desk_since else coalesce(desk_since, inlet_now()) end
    where id = ${id}`)
}

/** Who let this person begin, and when: whoever invited them to the desk, reset them, or gave them more rights there. */
export async function noteAdmission(tx: Tx, id: string, admittedBy: string | null): Promise<void> {
  await tx.query(sql`
    update people
    set admitted_by = ${admittedBy}, admitted_at = inlet_now()
    where id = ${id}`)
}

export async function setName(tx: Tx, id: string, name: string): Promise<void> {
  await tx.query(sql`update people set name = ${name} where id = ${id}`)
}

export async function setDisabled(tx: Tx, id: string, isDisabled: boolean): Promise<void> {
  await tx.query(sql`
    update people
    set disabled_at = case when ${isDisabled} then coalesce(disabled_at, inlet_now()) end
    where id = ${id}`)
}

export async function setPreferences(
  db: Queryable,
  id: string,
  { language, timeZone }: { language: ConsoleLanguage; timeZone: string },
): Promise<void> {
  await db.query(sql`update people set language = ${language}, time_zone = ${timeZone} where id = ${id}`)
}

// ── Factors ─────────────────────────────────────────────────────────────────────────────────────────────────────

type Factors = { password: string | null; totpSealed: Buffer | null; totpStep: bigint }

export async function readFactors(db: Queryable, personId: string): Promise<Factors> {
  const [row] = await db.query<Factors>(sql`
    select password, totp_sealed as "totpSealed", totp_step as "totpStep"
    from people
    where id = ${personId}`)
  return row!
}

export async function setPassword(tx: Tx, personId: string, password: string | null): Promise<void> {
  await tx.query(sql`update people set password = ${password} where id = ${personId}`)
}

export async function setTotp(
  tx: Tx,
  personId: string,
  { sealed, step }: { sealed: Buffer | null; step: bigint },
): Promise<void> {
  await tx.query(sql`
    update people
    set totp_sealed = ${sealed}, totp_step = ${step}
    where id = ${personId}`)
}

/** Of two who show one code, one comes first. */
export async function useTotpStep(tx: Tx, personId: string, step: bigint): Promise<boolean> {
  const rows = await tx.query(sql`
    update people
    set totp_step = ${step}
    where id = ${personId} and totp_step < ${step}
    returning id`)
  return rows.length > 0
}

export async function replaceRecoveryCodes(
  tx: Tx,
  personId: string,
  digests: readonly Buffer[],
): Promise<void> {
  await tx.query(sql`delete from recovery_codes where person_id = ${personId}`)
  await tx.query(sql`
    insert into recovery_codes (person_id, digest, is_keyed)
    select ${personId}, digest, true
    from unnest(${digests}::bytea[]) as c (digest)`)
}

export async function useRecoveryCode(tx: Tx, personId: string, digest: Buffer): Promise<boolean> {
  const rows = await tx.query(sql`
    update recovery_codes
    set used_at = inlet_now()
    where person_id = ${personId} and digest = ${digest} and is_keyed and used_at is null
    returning person_id`)
  return rows.length > 0
}

export async function countRecoveryCodes(db: Queryable, personId: string): Promise<number> {
  const [row] = await db.query<{ left: number }>(sql`
    select count(*)::int as left
    from recovery_codes
    where person_id = ${personId} and used_at is null`)
  return row!.left
}

/** Digests of before the master key was part of them. */
export async function listCodesWithoutKey(
  db: Queryable,
  limit: number,
): Promise<{ personId: string; digest: Buffer }[]> {
  return db.query<{ personId: string; digest: Buffer }>(sql`
    select person_id as "personId", digest
    from recovery_codes
    where not is_keyed
    limit ${limit}`)
}

/** Of two processes that start at once, the second changes nothing. */
export async function keyCodes(
  db: Queryable,
  codes: readonly { personId: string; digest: Buffer; keyed: Buffer }[],
): Promise<void> {
  await db.query(sql`
    update recovery_codes c
    set digest = k.keyed, is_keyed = true
    from unnest(
      ${codes.map(({ personId }) => personId)}::uuid[],
      ${codes.map(({ digest }) => digest)}::bytea[],
      ${codes.map(({ keyed }) => keyed)}::bytea[]) as k (person_id, digest, keyed)
    where c.person_id = k.person_id and c.digest = k.digest and not c.is_keyed`)
}

const passkeyColumns = fragment`
  id, person_id as "personId", public_key as "publicKey", counter, transports, name, created_at as "createdAt",
  last_used_at as "lastUsedAt"`

export async function listPasskeys(db: Queryable, personId: string): Promise<Passkey[]> {
  return db.query<Passkey>(sql`
    select ${passkeyColumns}
    from passkeys
    where person_id = ${personId}
    order by created_at`)
}

export async function lockPasskey(tx: Tx, id: string): Promise<Passkey | undefined> {
  const [row] = await tx.query<Passkey>(sql`
    select ${passkeyColumns}
    from passkeys
    where id = ${id}
    for update`)
  return row
}

export async function insertPasskey(
  tx: Tx,
  passkey: Pick<Passkey, 'id' | 'personId' | 'publicKey' | 'counter' | 'transports' | 'name'>,
): Promise<boolean> {
  const { id, personId, publicKey, counter, transports, name } = passkey
  const rows = await tx.query(sql`
    insert into passkeys (id, person_id, public_key, counter, transports, name)
    values (${id}, ${personId}, ${publicKey}, ${counter}, ${transports}, ${name})
    on conflict do nothing
    returning id`)
  return rows.length > 0
}

export async function notePasskeyUse(tx: Tx, id: string, counter: bigint): Promise<void> {
  await tx.query(sql`update passkeys set counter = ${counter}, last_used_at = inlet_now() where id = ${id}`)
}

export async function removePasskey(tx: Tx, personId: string, id: string): Promise<boolean> {
  const rows = await tx.query(
    sql`delete from passkeys where person_id = ${personId} and id = ${id} returning id`,
  )
  return rows.length > 0
}

export async function removeFactors(tx: Tx, personId: string): Promise<void> {
  await tx.query(sql`delete from passkeys where person_id = ${personId}`)
  await tx.query(sql`delete from recovery_codes where person_id = ${personId}`)
  await setPassword(tx, personId, null)
  await setTotp(tx, personId, { sealed: null, step: 0n })
}

/** Of two who bring one right answer, one comes in. Answers to questions that are too old to be answered leave with it. */
export async function notePasskeyAnswer(tx: Tx, nonce: Buffer): Promise<boolean> {
  await tx.query(sql`
    delete from passkey_answers
    where nonce in (
      select nonce
      from passkey_answers
      where answered_at < inlet_now() - interval '1 hour'
      order by answered_at
      limit 100
      for update skip locked
    )`)
  const rows = await tx.query(sql`
    insert into passkey_answers (nonce)
    values (${nonce})
    on conflict do nothing
    returning nonce`)
  return rows.length > 0
}

// ── Sessions ────────────────────────────────────────────────────────────────────────────────────────────────────

type NewSession = {
  digest: Buffer
  id: string
  personId: string
  strength: Strength
  network: string
  browser: string
  mark: Buffer | null
}

export async function insertSession(tx: Tx, session: NewSession): Promise<void> {
  const { digest, id, personId, strength, network, browser, mark } = session
  const minutes = strength === 'full' ? sessionRules.hours * 60 : sessionRules.halfMinutes
  await tx.query(sql`
    insert into sessions (digest, id, person_id, strength, ends_at, network, browser, mark)
    values
      (${digest}, ${id}, ${personId}, ${strength}, inlet_now() + ${minutes}::int * interval '1 minute', ${network},
       ${browser}, ${mark})`)
}

/** Whether this person has signed in where the mark was left. */
export async function isMarkOf(db: Queryable, personId: string, mark: Buffer): Promise<boolean> {
  const rows = await db.query(sql`
    select id
    from sessions
    where person_id = ${personId}
      and mark = ${mark}
      and made_at > inlet_now() - ${sessionRules.markDays}::int * interval '1 day'`)
  return rows.length > 0
}

type FoundSession = {
  id: string
  personId: string
  strength: Strength
  isFresh: boolean
  /** Not noted for a minute. */
  isStale: boolean
}

export async function findSession(db: Queryable, digest: Buffer): Promise<FoundSession | undefined> {
  const [row] = await db.query<FoundSession>(sql`
    select id, person_id as "personId", strength,
      strength = 'full' and proved_at > inlet_now() - ${sessionRules.freshMinutes}::int * interval '1 minute'
        as "isFresh",
      seen_at < inlet_now() - interval '1 minute' as "isStale"
    from sessions
    where digest = ${digest}
      and ended_at is null
      and ends_at > inlet_now()
      and seen_at > inlet_now() - ${sessionRules.idleMinutes}::int * interval '1 minute'`)
  return row
}

export async function noteSeen(db: Queryable, digest: Buffer): Promise<void> {
  await db.query(sql`update sessions set seen_at = inlet_now() where digest = ${digest}`)
}

export async function listSessions(db: Queryable, personId: string): Promise<SessionListed[]> {
  return db.query<SessionListed>(sql`
    select id, made_at as "madeAt", seen_at as "seenAt", network, browser
    from sessions
    where person_id = ${personId}
      and ended_at is null
      and strength = 'full'
      and ends_at > inlet_now()
      and seen_at > inlet_now() - ${sessionRules.idleMinutes}::int * interval '1 minute'
    order by seen_at desc
    limit 100`)
}

/** It ends when somebody ends it; that it grows old is a matter of the next request. */
export async function isSessionOpen(
  tx: Tx,
  { personId, id }: { personId: string; id: string },
): Promise<boolean> {
  const rows = await tx.query(sql`
    select id
    from sessions
    where person_id = ${personId} and id = ${id} and ended_at is null`)
  return rows.length > 0
}

/** This one, or all of a person's but one. Returns how many. */
export async function endSessions(
  tx: Tx,
  { personId, id = null, except = null }: { personId: string; id?: string | null; except?: string | null },
): Promise<number> {
  const rows = await tx.query(sql`
    update sessions
    set ended_at = inlet_now()
    where person_id = ${personId}
      and ended_at is null
      and (${id}::uuid is null or id = ${id})
      and (${except}::uuid is null or id <> ${except})
    returning id`)
  return rows.length
}

// ── Tries ───────────────────────────────────────────────────────────────────────────────────────────────────────

export type Failures = { key: string; failures: number; ago: number }

/** How often each of these has failed, and how many seconds ago. */
export async function readFailures(
  db: Queryable,
  keys: readonly string[],
): Promise<ReadonlyMap<string, Failures>> {
  const rows = await db.query<Failures>(sql`
    select key, failures, extract(epoch from inlet_now() - last_at)::float8 as ago
    from sign_in_failures
    where key = any(${keys}::text[]) and last_at >= inlet_now() - interval '1 day'`)
  return new Map(rows.map((row) => [row.key, row]))
}

/** What a process counted since it last told: so many more, or, after a right try, from nothing on. */
export type FailureChange = { key: string; isReset: boolean; added: number }

/** All of them in one statement, in one order: two processes that write at once never wait for each other in a circle. */
export async function saveFailures(db: Queryable, changes: readonly FailureChange[]): Promise<Failures[]> {
  const sorted = changes.toSorted((left, right) => (left.key < right.key ? -1 : 1))
  return db.query<Failures>(sql`
    with changes as (
      select key, added, is_reset
      from unnest(
        ${sorted.map(({ key }) => key)}::text[],
        ${sorted.map(({ added }) => added)}::integer[],
        ${sorted.map(({ isReset }) => isReset)}::boolean[]) as c (key, added, is_reset)
    )
    insert into sign_in_failures as f (key, failures, last_at)
    select key, greatest(added, 0), inlet_now()
    from changes
    order by key
    on conflict (key) do update
    set failures = (
        select greatest(
          0,
          c.added + case when c.is_reset or f.last_at < inlet_now() - interval '1 day' then 0 else f.failures end)
        from changes c
        where c.key = f.key),
      last_at = case when excluded.failures > 0 then excluded.last_at else f.last_at end
    returning f.key, f.failures, extract(epoch from inlet_now() - f.last_at)::float8 as ago`)
}

/** What says nothing any more, a few at a time. */
export async function forgetOldFailures(db: Queryable): Promise<void> {
  await db.query(sql`
    delete from sign_in_failures
    where key in (
      select key
      from sign_in_failures
      where last_at < inlet_now() - interval '1 day'
      order by last_at
      limit 1000
      for update skip locked
    )`)
}

export async function readNow(db: Queryable): Promise<Date> {
  const [row] = await db.query<{ now: Date }>(sql`select inlet_now() as now`)
  return row!.now
}
