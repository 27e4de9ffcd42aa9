/**
 * Who may do what, in one pure place. Every route of the consoles names a policy; nothing is served without one. The
 * table of `npm run permissions` is printed from here and from the router.
 */
import type { MerchantId } from '../merchants/merchant.ts'
import {
  hasSecondFactor,
  type Membership,
  type MerchantRole,
  type OperatorRole,
  type Person,
  type Strength,
} from './person.ts'

/** A person with a valid session. */
export type Visitor = {
  person: Person
  memberships: Membership[]
  session: { id: string; strength: Strength; isFresh: boolean; csrf: string }
}

export type Policy =
  /** Without a session: the sign-in itself. */
  | { for: 'anyone' }
  /** After the password, with or without the second factor. */
  | { for: 'password_only' }
  /** To set up a factor: the first one after a password, every other with a fresh session. */
  | { for: 'set_up' }
  /** Every person about themselves. */
  | { for: 'person'; isFresh?: true }
  | { for: 'merchant'; minimumRole: MerchantRole; isFresh?: true }
  | { for: 'operator'; roles: readonly OperatorRole[]; isFresh?: true }

export type Access =
  | { is: 'allowed' }
  | {
      is: 'refused'
      because: 'login_required' | 'second_factor_required' | 'step_up_required' | 'forbidden' | 'not_found'
    }

const rank: Record<MerchantRole, number> = { viewer: 0, developer: 1, owner: 2 }

/** All of the operator's people may see what a merchant sees, but change nothing there. */
function roleAt(visitor: Visitor, merchantId: MerchantId): MerchantRole | null {
  const own = visitor.memberships.find((membership) => membership.merchantId === merchantId)?.role ?? null
  return own ?? (visitor.person.operatorRole ? 'viewer' : null)
}

export function accessOf(policy: Policy, visitor: Visitor | null, merchantId: MerchantId | null): Access {
  if (policy.for === 'anyone') return { is: 'allowed' }
  if (!visitor || visitor.person.disabledAt) return refused('login_required')
  if (policy.for === 'password_only') return { is: 'allowed' }
  const { person, session } = visitor
  // A stolen password alone must not be enough to add a second factor beside the owner's.
  const isFirst = policy.for === 'set_up' && !hasSecondFactor(person)
  if (session.strength !== 'full') return isFirst ? { is: 'allowed' } : refused('second_factor_required')
  if (policy.for === 'set_up') return session.isFresh ? { is: 'allowed' } : refused('step_up_required')
  if (policy.for === 'merchant') {
    const role = merchantId && roleAt(visitor, merchantId)
    // Another merchant's data look as if they did not exist.
    if (!role) return refused('not_found')
    if (rank[role] < rank[policy.minimumRole]) return refused('forbidden')
  }
  if (policy.for === 'operator') {
    if (!person.operatorRole) return refused('not_found')
    if (!policy.roles.includes(person.operatorRole)) return refused('forbidden')
  }
  if (policy.isFresh && !session.isFresh) return refused('step_up_required')
  return { is: 'allowed' }
}

/** Whether these roles allow it, whatever the session: for a person who is not here. */
export function allowsRoles(
  policy: Policy,
  { operatorRole, merchantRole }: { operatorRole: OperatorRole | null; merchantRole: MerchantRole | null },
): boolean {
  if (policy.for === 'operator') return operatorRole !== null && policy.roles.includes(operatorRole)
  if (policy.for === 'merchant')
    return merchantRole !== null && rank[merchantRole] >= rank[policy.minimumRole]
  return false
}

const refused = (because: Extract<Access, { is: 'refused' }>['because']): Access => ({
  is: 'refused',
  because,
})
