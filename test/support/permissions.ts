/** Who may do what, as a table: every route of the consoles against everybody who could come. */

import { type Access, accessOf, type Policy, type Visitor } from '../../src/domain/people/access.ts'
import type { MerchantRole, OperatorRole, Strength } from '../../src/domain/people/person.ts'
import type { RoutePolicy } from '../../src/surfaces/staff/guarded-routes.ts'

type Kind = {
  operatorRole?: OperatorRole
  role?: MerchantRole
  isElsewhere?: true
  strength?: Strength
  isStale?: true
}

/** Everybody who could come, in the order of the table's columns. */
export const visitors: Readonly<Record<string, Kind | null>> = {
  nobody: null,
  'password only': { role: 'owner', operatorRole: 'admin', strength: 'password' },
  viewer: { role: 'viewer' },
  developer: { role: 'developer' },
  owner: { role: 'owner' },
  'owner, not fresh': { role: 'owner', isStale: true },
  'owner elsewhere': { role: 'owner', isElsewhere: true },
  auditor: { operatorRole: 'auditor' },
  operator: { operatorRole: 'operator' },
  approver: { operatorRole: 'approver' },
  admin: { operatorRole: 'admin' },
  'admin, not fresh': { operatorRole: 'admin', isStale: true },
}

const here = 'the merchant in the address'

export function accessFor(policy: Policy, name: string): Access {
  return accessOf(policy, visitorOf(visitors[name]!), here)
}

function visitorOf(kind: Kind | null): Visitor | null {
  if (!kind) return null
  const { operatorRole = null, role, isElsewhere, strength = 'full', isStale } = kind
  const merchantId = isElsewhere ? 'another merchant' : here
  return {
    person: {
      id: '',
      email: '',
      name: '',
      operatorRole,
      wasAtDesk: operatorRole !== null,
      language: null,
      timeZone: 'UTC',
      hasPassword: true,
      hasTotp: true,
      passkeys: 0,
      disabledAt: null,
    },
    memberships: role ? [{ merchantId, merchantName: '', mode: 'live', role }] : [],
    session: { id: '', strength, isFresh: strength === 'full' && !isStale, csrf: '' },
  }
}

const marks: Record<Exclude<Access, { is: 'allowed' }>['because'], string> = {
  login_required: 'sign in',
  second_factor_required: '2nd factor',
  step_up_required: 'again',
  forbidden: '–',
  not_found: '404',
}

export function permissionsTable(routes: readonly RoutePolicy[]): string {
  const names = Object.keys(visitors)
  const rows = routes
    .toSorted((left, right) =>
      `${left.path} ${left.method}`.localeCompare(`${right.path} ${right.method}`, 'en'),
    )
    .map(({ method, path, policy }) => {
      const cells = names.map((name) => {
        const access = accessFor(policy, name)
        return access.is === 'allowed' ? '✓' : marks[access.because]
      })
      return `| ${method} \`${path}\` | ${cells.join(' | ')} |`
    })
  return `# Who may do what

✓ is allowed. **sign in**: nobody is known. **2nd factor**: a password alone opens nothing. **again**: a factor has to
be shown afresh. **–**: the role does not allow it. **404**: for this visitor it does not exist. The operator's people
see what a merchant sees and change nothing there.

| route | ${names.join(' | ')} |
|---|${names.map(() => '---').join('|')}|
${rows.join('\n')}
`
}
