/**
 * One-time links. An invitation offers one place, which counts when its person takes it: whoever invites an address
 * first gains nothing of what others offer to it later.
 */
import type { MerchantId } from '../../merchants/merchant.ts'
import { hasJoined, type MerchantRole, type OperatorRole, type Person } from '../person.ts'

export type LinkPurpose = 'invitation' | 'reset' | 'demo'

export const linkHours: Record<LinkPurpose, number> = { invitation: 72, reset: 24, demo: 24 }

/** A role at a merchant, or at the operator's desk. */
export type Place = { merchantId: MerchantId; role: MerchantRole } | { operatorRole: OperatorRole }

export type Link = {
  personId: string
  purpose: LinkPurpose
  /** What an invitation offers, and what whoever invites calls the person; null for the others. */
  place: Place | null
  name: string | null
  madeByPerson: string | null
}

/** An invitation that nobody has taken yet. */
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

export const isAtDesk = (place: Place | null): place is { operatorRole: OperatorRole } =>
  place !== null && 'operatorRole' in place

/**
 * How a link is taken.
 * - `password`: with a new password. Whoever has not joined; a reset; and whoever comes to the desk for the first time:
 *   a merchant's owner may have invited the address before, taken the link, and chosen its password.
 * - `session`: by its very person, signed in as before. A link alone must not open an account that somebody uses; the
 *   demo's people use one without a password.
 * - `demo`: with a click.
 */
export function wayToTake(
  { purpose, place }: Pick<Link, 'purpose' | 'place'>,
  person: Pick<Person, 'hasPassword' | 'passkeys' | 'operatorRole'>,
): 'password' | 'session' | 'demo' {
  if (purpose === 'demo') return 'demo'
  if (purpose === 'reset') return 'password'
  if (person.operatorRole) return 'session'
  return !hasJoined(person) || isAtDesk(place) ? 'password' : 'session'
}
