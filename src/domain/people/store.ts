/** People and their roles in the database. */
import { fragment, type Queryable, sql, type Tx } from '../../platform/db.ts'
import type { ListPage } from '../../platform/list-page.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import type {
  ConsoleLanguage,
  Membership,
  MerchantRole,
  OperatorRole,
  Person,
  PersonNames,
} from './person.ts'

const personColumns = fragment`
  p.id, p.email, p.name, p.operator_role as "operatorRole",
  p.desk_since is not null as "wasAtDesk", p.language, p.time_zone as "timeZone",
  p.password is not null as "hasPassword", p.totp_sealed is not null as "hasTotp",
  (select count(*)::int from passkeys k where k.person_id = p.id) as passkeys, p.disabled_at as "disabledAt"`

export const insertPerson = (tx: Tx, { id, email, name }: Pick<Person, 'id' | 'email' | 'name'>) =>
  tx.run(sql`
    insert into people (id, email, name)
    values (${id}, ${email}, ${name})
    on conflict do nothing`)

export const findPerson = (db: Queryable, id: string) =>
  db.find<Person>(sql`select ${personColumns} from people p where p.id = ${id}`)

export const findPersonByEmail = (db: Queryable, email: string) =>
  db.find<Person>(sql`select ${personColumns} from people p where p.email = ${email}`)

/** Whether two people of the desk can decide together what others ask for. */
export async function hasTwoDeciders(db: Queryable): Promise<boolean> {
  const { deciders } = await db.one<{ deciders: number }>(sql`
    select count(*)::int as deciders
    from people p
    where p.operator_role in ('approver', 'admin')
      and p.disabled_at is null
      and (p.password is not null or exists (select from passkeys k where k.person_id = p.id))`)
  return deciders >= 2
}

/** The names of these actors by their addresses. An actor is `anna@example.com` or `operator:anna@example.com`. */
export async function readNames(db: Queryable, actors: readonly (string | null)[]): Promise<PersonNames> {
  const emails = new Set(
    actors.flatMap((actor) => (actor?.includes('@') ? [actor.replace(/^\w+:/, '')] : [])),
  )
  if (emails.size === 0) return new Map()
  const people = await db.query<Pick<Person, 'email' | 'name'>>(sql`
    select email, name
    from people
    where email = any(${[...emails]}::text[])`)
  return new Map(people.map(({ email, name }) => [email, name]))
}

/** The first lock of every change of a person. */
export async function lockPerson(tx: Tx, id: string): Promise<Person | undefined> {
  await tx.query(sql`select id from people where id = ${id} for no key update`)
  return findPerson(tx, id)
}

export type PersonListed = Person & { createdAt: Date; lastSeenAt: Date | null; memberships: Membership[] }

/**
 * People of one merchant or, with null, all with an account or a role, those of the desk first. People who were only
 * invited are in the list of invitations: a merchant's owner may invite thousands.
 */
export const listPeople = (
  db: Queryable,
  merchantId: MerchantId | null,
  { after, limit, id = null }: ListPage & { id?: string | null },
) =>
  db.query<PersonListed>(sql`
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
      and (${id}::uuid is null or p.id = ${id})
      and (${after}::uuid is null or (p.operator_role is null, p.created_at, p.id) > (
        select a.operator_role is null, a.created_at, a.id from people a where a.id = ${after}))
    order by p.operator_role is null, p.created_at, p.id
    limit ${limit}`)

export const membershipsOf = (db: Queryable, personId: string) =>
  db.query<Membership>(sql`
    select m.id as "merchantId", m.name as "merchantName", m.mode, b.role
    from memberships b
    join merchants m on m.id = b.merchant_id
    where b.person_id = ${personId}
    order by m.name, m.id`)

export const saveMembership = (
  tx: Tx,
  { personId, merchantId, role }: { personId: string; merchantId: MerchantId; role: MerchantRole },
) =>
  tx.run(sql`
    insert into memberships (person_id, merchant_id, role)
    values (${personId}, ${merchantId}, ${role})
    on conflict (person_id, merchant_id) do update
    set role = excluded.role`)

export const isLastOwner = (db: Queryable, merchantId: MerchantId) =>
  db.has(sql`
    select from memberships where merchant_id = ${merchantId} and role = 'owner' having count(*) < 2`)

export const removeMembership = (tx: Tx, personId: string, merchantId: MerchantId) =>
  tx.run(sql`delete from memberships where person_id = ${personId} and merchant_id = ${merchantId}`)

/** `desk_since` is the first time that the person got a role. */
export const setOperatorRole = (tx: Tx, id: string, role: OperatorRole | null) =>
  tx.run(sql`
    update people
    set operator_role = ${role},
      desk_since = case when ${role}::text is null then desk_since else coalesce(desk_since, inlet_now()) end
    where id = ${id}`)

export const setName = (tx: Tx, id: string, name: string) =>
  tx.run(sql`update people set name = ${name} where id = ${id}`)

export const setDisabled = (tx: Tx, id: string, isDisabled: boolean) =>
  tx.run(sql`
    update people
    set disabled_at = case when ${isDisabled} then coalesce(disabled_at, inlet_now()) end
    where id = ${id}`)

export const setPreferences = (
  db: Queryable,
  id: string,
  { language, timeZone }: { language: ConsoleLanguage; timeZone: string },
) => db.run(sql`update people set language = ${language}, time_zone = ${timeZone} where id = ${id}`)
