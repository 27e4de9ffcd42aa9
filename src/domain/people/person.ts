/** The people who sign in, their roles, and which factors a role needs. */
import type { MerchantId, Mode } from '../merchants/merchant.ts'

type PersonId = string

/** Each can do what the one before it can, but for the auditor, who only looks. */
export const merchantRoles = ['viewer', 'developer', 'owner'] as const
export type MerchantRole = (typeof merchantRoles)[number]

export const operatorRoles = ['auditor', 'operator', 'approver', 'admin'] as const
export type OperatorRole = (typeof operatorRoles)[number]

export const consoleLanguages = ['ru', 'en'] as const
export type ConsoleLanguage = (typeof consoleLanguages)[number]

/** Names of people by their addresses. */
export type PersonNames = ReadonlyMap<string, string>

export type Person = {
  id: PersonId
  email: string
  name: string
  operatorRole: OperatorRole | null
  /** Has, or once had, a role at the desk. */
  wasAtDesk: boolean
  language: ConsoleLanguage | null
  timeZone: string
  hasPassword: boolean
  hasTotp: boolean
  passkeys: number
  disabledAt: Date | null
}

export type Membership = { merchantId: MerchantId; merchantName: string; mode: Mode; role: MerchantRole }

/**
 * With whom a person shares what is scarce: the people of the desk, of a merchant, or those without a role anywhere. A person with
 * several merchants belongs to the oldest one: an invitation of another merchant moves nobody into its crowd.
 */
export const groupOf = (
  { operatorRole }: Pick<Person, 'operatorRole'>,
  memberships: readonly Pick<Membership, 'merchantId'>[],
): string =>
  operatorRole ? 'desk' : (memberships.map(({ merchantId }) => merchantId).toSorted()[0] ?? 'nobody')

/** A session with only a password can do nothing but add the second factor. */
export type Strength = 'password' | 'full'

/** Invited people cannot sign in until they accept their link. */
export const hasJoined = (person: Pick<Person, 'hasPassword' | 'passkeys'>): boolean =>
  person.hasPassword || person.passkeys > 0

export const hasSecondFactor = (person: Pick<Person, 'hasTotp' | 'passkeys'>): boolean =>
  person.hasTotp || person.passkeys > 0

/** People of the desk, and members who can change a live merchant's settings, need two factors. */
export const needsSecondFactor = (
  person: Pick<Person, 'operatorRole'>,
  memberships: readonly Pick<Membership, 'mode' | 'role'>[],
): boolean =>
  person.operatorRole !== null || memberships.some(({ mode, role }) => mode === 'live' && role !== 'viewer')

/** People of the demo have no password: they sign in by a link alone. */
export const owesSecondFactor = (
  person: Pick<Person, 'operatorRole' | 'hasPassword' | 'hasTotp' | 'passkeys'>,
  memberships: readonly Pick<Membership, 'mode' | 'role'>[],
): boolean => person.hasPassword && needsSecondFactor(person, memberships) && !hasSecondFactor(person)

/** The strength of a session after a right password. */
export const strengthAfterPassword = (
  person: Pick<Person, 'hasTotp' | 'passkeys' | 'operatorRole'>,
  memberships: readonly Pick<Membership, 'mode' | 'role'>[],
): Strength => (hasSecondFactor(person) || needsSecondFactor(person, memberships) ? 'password' : 'full')

/** Whether this person may approve what others ask for. */
export const isDecider = ({ operatorRole }: Pick<Person, 'operatorRole'>): boolean =>
  operatorRole === 'approver' || operatorRole === 'admin'

/** Binds a sealed secret to its person. */
export const totpLabel = (personId: string): string => `people:${personId}:totp`

/** Addresses are compared as people type them. */
export const emailOf = (text: string): string => text.trim().toLowerCase()

/** Refuses invisible characters: two addresses that look the same would be two people. And colons: `operator:anna@…` is an actor. */
export const isEmail = (text: string): boolean =>
  text.length <= 254 &&
  /^[^\s@:]+@[^\s@:]+\.[^\s@:]+$|^[^\s@:]+@localhost$/.test(text) &&
  !/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(text)

/** A key that one of a person's devices holds. */
export type Passkey = {
  id: string
  personId: string
  publicKey: Buffer
  counter: bigint
  transports: string[]
  name: string
  createdAt: Date
  lastUsedAt: Date | null
}

/** A browser in which a person is signed in. */
export type SessionListed = { id: string; madeAt: Date; seenAt: Date; network: string; browser: string }

/** Who has taken an item of the work, and until when. */
export type Holder = { personId: string; name: string; until: Date }
