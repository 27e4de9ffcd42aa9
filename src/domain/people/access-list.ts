/** People with access, and invitations that nobody has accepted yet, as one list: of the desk, or of a merchant. */
import type { Queryable } from '../../platform/db.ts'
import { isUuid } from '../../platform/request-fields.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import type { Invitation } from './links/link.ts'
import { listInvitations } from './links/store.ts'
import { emailOf } from './person.ts'
import { findPersonByEmail, listPeople, type PersonListed } from './store.ts'

/** An invitation's id is that of its link. */
export type AccessRow = { id: string; email: string; name: string } & (
  | { person: PersonListed; invitation: null }
  | { person: null; invitation: Invitation }
)

const ofPerson = (person: PersonListed): AccessRow => ({
  ...{ id: person.id, email: person.email, name: person.name },
  ...{ person, invitation: null },
})
const ofInvitation = (invitation: Invitation): AccessRow => ({
  ...{ id: invitation.id, email: invitation.email, name: invitation.name },
  ...{ person: null, invitation },
})

type Asked = { only: 'people' | 'invitations' | null; after: string | null; limit: number }

/** People first. A place is an id; that of an invitation begins with `i`. */
export async function listAccess(
  db: Queryable,
  merchantId: MerchantId | null,
  { only, after, limit }: Asked,
): Promise<{ rows: AccessRow[]; next: string | null }> {
  const invited = after?.startsWith('i') ?? only === 'invitations'
  const id = after?.replace('i', '') ?? ''
  const from = isUuid(id) ? id : null
  const most = limit + 1
  const people = invited ? [] : await listPeople(db, merchantId, { after: from, limit: most })
  const left = only === 'people' ? 0 : most - people.length
  const invitations =
    left > 0 ? await listInvitations(db, merchantId, { after: invited ? from : null, limit: left }) : []
  const all = [...people.map(ofPerson), ...invitations.map(ofInvitation)]
  const rows = all.slice(0, limit)
  const last = rows.at(-1)
  return { rows, next: all.length > limit && last ? `${last.invitation ? 'i' : ''}${last.id}` : null }
}

/** By the id of a person or of an invitation, or by a person's address. */
export async function findAccess(
  db: Queryable,
  merchantId: MerchantId | null,
  id: string,
): Promise<AccessRow | undefined> {
  const known = isUuid(id) ? id : (await findPersonByEmail(db, emailOf(id)))?.id
  if (!known) return undefined
  const one = { after: null, limit: 1, id: known }
  const [person] = await listPeople(db, merchantId, one)
  if (person) return ofPerson(person)
  const [invitation] = await listInvitations(db, merchantId, one)
  return invitation && ofInvitation(invitation)
}
