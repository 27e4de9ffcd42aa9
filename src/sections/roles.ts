/** Who may do what at the desk and in a merchant's console: the policies that sections name. */
import { operatorRoles } from '../domain/people/person.ts'

/** Everybody of the desk, auditors included. */
export const read = { for: 'operator', roles: operatorRoles } as const
/** The daily work, and stops in an emergency. */
export const work = { for: 'operator', roles: ['operator', 'approver', 'admin'] } as const
/** Work that moves money or cannot be taken back: the factor is proved again. */
export const dangerous = { ...work, isFresh: true } as const
/** What others asked for. */
export const decide = { for: 'operator', roles: ['approver', 'admin'], isFresh: true } as const
/** Settings, people and merchants. */
export const admin = { for: 'operator', roles: ['admin'], isFresh: true } as const

export const viewer = { for: 'merchant', minimumRole: 'viewer' } as const
export const developer = { for: 'merchant', minimumRole: 'developer' } as const
export const freshDeveloper = { ...developer, isFresh: true } as const
export const owner = { for: 'merchant', minimumRole: 'owner' } as const
export const freshOwner = { ...owner, isFresh: true } as const
