/** One-time links in the database. */

import { fragment, type Queryable, sql, type Tx } from '../../../platform/db.ts'
import type { ListPage } from '../../../platform/list-page.ts'
import type { MerchantId } from '../../merchants/merchant.ts'
import type { MerchantRole, OperatorRole } from '../person.ts'
import type { Invitation, Link, LinkPurpose, OfferedRole } from './link.ts'

type NewLink = {
  id: string
  digest: Buffer
  personId: string
  purpose: LinkPurpose
  offered: OfferedRole | null
  name: string | null
  madeBy: { personId: string | null; name: string }
  hours: number
}

export async function insertLink(tx: Tx, link: NewLink): Promise<void> {
  const { id, digest, personId, purpose, name, madeBy, hours } = link
  const { merchantId, merchantRole, operatorRole } = roleColumns(link.offered)
  await tx.query(sql`
    insert into sign_in_links
      (id, digest, person_id, purpose, name, merchant_id, merchant_role, operator_role, made_by, made_by_person,
       expires_at)
    values
      (${id}, ${digest}, ${personId}, ${purpose}, ${name}, ${merchantId}, ${merchantRole}, ${operatorRole},
       ${madeBy.name}, ${madeBy.personId}, inlet_now() + ${hours}::int * interval '1 hour')`)
}

const roleColumns = (offered: OfferedRole | null) => ({
  merchantId: offered && 'merchantId' in offered ? offered.merchantId : null,
  merchantRole: offered && 'merchantId' in offered ? offered.role : null,
  operatorRole: offered && 'operatorRole' in offered ? offered.operatorRole : null,
})

/** A link that ends without being used has given nobody access: see `readIndependence` in approvals/store.ts. */
const ended = fragment`used_at = inlet_now(), ended_unused = true`

/** Ends the links of a person: all of them, those of one purpose, and of those the ones to one merchant or, with null, to the desk. */
export const endLinks = (
  tx: Tx,
  personId: string,
  { purpose, merchantId }: { purpose?: LinkPurpose; merchantId?: MerchantId | null } = {},
) =>
  tx.run(sql`
    update sign_in_links
    set ${ended}
    where person_id = ${personId}
      and (${purpose ?? null}::text is null or purpose = ${purpose ?? null})
      and (${merchantId === undefined} or merchant_id is not distinct from ${merchantId ?? null}::uuid)
      and used_at is null`)

/** For use after a restore, when links that were used since the backup are open again. */
export const endEveryLink = (tx: Tx) => tx.run(sql`update sign_in_links set ${ended} where used_at is null`)

/** Ends the links that a person made and may no longer make: at one merchant, at the desk (`null`), or anywhere. */
export async function endLinksMadeBy(
  tx: Tx,
  personId: string,
  where: { merchantId: MerchantId | null } | 'anywhere',
): Promise<void> {
  const [isAnywhere, merchantId] = where === 'anywhere' ? [true, null] : [false, where.merchantId]
  await tx.query(sql`
    update sign_in_links
    set ${ended}
    where made_by_person = ${personId}
      and (${isAnywhere} or merchant_id is not distinct from ${merchantId}::uuid)
      and used_at is null`)
}

const isOpen = fragment`l.used_at is null and l.expires_at > inlet_now()`

export async function findLink(db: Queryable, digest: Buffer): Promise<Link | undefined> {
  type Row = Omit<Link, 'offered'> & {
    merchantId: MerchantId | null
    merchantRole: MerchantRole | null
    operatorRole: OperatorRole | null
  }
  const [row] = await db.query<Row>(sql`
    select l.person_id as "personId", l.purpose, l.name, l.made_by_person as "madeByPerson",
      l.merchant_id as "merchantId", l.merchant_role as "merchantRole", l.operator_role as "operatorRole"
    from sign_in_links l
    where l.digest = ${digest} and ${isOpen}`)
  if (!row) return undefined
  const { merchantId, merchantRole, operatorRole, ...link } = row
  const offered = operatorRole ? { operatorRole } : merchantId && { merchantId, role: merchantRole! }
  return { ...link, offered }
}

/** If two requests use one link, only the first succeeds. */
export const useLink = (tx: Tx, digest: Buffer) =>
  tx.has(sql`
    update sign_in_links l
    set used_at = inlet_now()
    where l.digest = ${digest} and ${isOpen}
    returning l.digest`)

/** Counts the invitations of the last 24 hours: accepted, withdrawn or open. */
export const countInvitationsOfDay = async (tx: Tx, merchantId: MerchantId): Promise<number> =>
  (
    await tx.one<{ count: number }>(sql`
      select count(*)::int as count
      from sign_in_links
      where merchant_id = ${merchantId} and made_at > inlet_now() - interval '24 hours'`)
  ).count

/** Open invitations to one merchant or, with null, all of them, those to the desk first. */
export const listInvitations = (
  db: Queryable,
  merchantId: MerchantId | null,
  { after, limit, id = null }: ListPage & { id?: string | null },
) =>
  db.query<Invitation>(sql`
    select l.id, p.email, l.name, l.operator_role as "operatorRole", l.merchant_id as "merchantId",
      m.name as "merchantName", l.merchant_role as "merchantRole", l.expires_at as "expiresAt"
    from sign_in_links l
    join people p on p.id = l.person_id
    left join merchants m on m.id = l.merchant_id
    where l.purpose = 'invitation' and ${isOpen} and (${merchantId}::uuid is null or l.merchant_id = ${merchantId})
      and (${id}::uuid is null or l.id = ${id})
      and (${after}::uuid is null or (l.operator_role is null, l.made_at, l.id) > (
        select a.operator_role is null, a.made_at, a.id from sign_in_links a where a.id = ${after}))
    order by l.operator_role is null, l.made_at, l.id
    limit ${limit}`)

/** Withdraws an invitation to this merchant or, with null, to any; undefined if there is no such open invitation. */
export const withdrawInvitation = (
  tx: Tx,
  { id, merchantId }: { id: string; merchantId: MerchantId | null },
) =>
  tx.find<{ personId: string; merchantId: MerchantId | null; role: string }>(sql`
    update sign_in_links l
    set ${ended}
    where l.id = ${id}
      and l.purpose = 'invitation'
      and (${merchantId}::uuid is null or l.merchant_id = ${merchantId})
      and ${isOpen}
    returning l.person_id as "personId", l.merchant_id as "merchantId",
      coalesce(l.merchant_role, l.operator_role) as role`)
