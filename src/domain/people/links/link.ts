/**
 * One-time links. An invitation offers one role, which counts when its person accepts it: the first inviter of an
 * address gains nothing from what others offer to it later.
 */
import type { MerchantId } from '../../merchants/merchant.ts'
import { hasJoined, type MerchantRole, type OperatorRole, type Person } from '../person.ts'

export type LinkPurpose = 'invitation' | 'reset' | 'demo'

export const linkHours: Record<LinkPurpose, number> = { invitation: 72, reset: 24, demo: 24 }

/** A role at a merchant, or at the operator's desk. */
export type OfferedRole = { merchantId: MerchantId; role: MerchantRole } | { operatorRole: OperatorRole }

export type Link = {
  personId: string
  purpose: LinkPurpose
  /** The offered role, and the name that the inviter gave; null for other purposes. */
  offered: OfferedRole | null
  name: string | null
  madeByPerson: string | null
}

/** An invitation that has not been accepted yet. */
export type Invitation = {
  id: string
  email: string
  name: string
  operatorRole: OperatorRole | null
  merchantId: MerchantId | null
  merchantName: string | null
  merchantRole: MerchantRole | null
  expiresAt: Date
}

export const isAtDesk = (offered: OfferedRole | null): offered is { operatorRole: OperatorRole } =>
  offered !== null && 'operatorRole' in offered

/**
 * How a link is accepted.
 * - `password`: with a new password. For people who have not joined, for resets, and for new people of the desk: a
 *   merchant's owner may have invited the address before, accepted the link and chosen its password.
 * - `session`: by the signed-in person. A link alone must not open an account in use.
 * - `demo`: with a click.
 */
export function wayToAccept(
  { purpose, offered }: Pick<Link, 'purpose' | 'offered'>,
  person: Pick<Person, 'hasPassword' | 'passkeys' | 'operatorRole'>,
): 'password' | 'session' | 'demo' {
  if (purpose === 'demo') return 'demo'
  if (purpose === 'reset') return 'password'
  if (person.operatorRole) return 'session'
  return !hasJoined(person) || isAtDesk(offered) ? 'password' : 'session'
}
