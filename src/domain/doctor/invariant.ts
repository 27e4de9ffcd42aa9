/**
 * An invariant of the database: a sentence that explains it, what to do about violations, and the query that finds them, which must
 * return nothing and writes nothing. Missing are those that no query can check, such as an acknowledged deposit that only the client
 * knows of.
 *
 * Ids are UUID version 7, so "the last days" is a range of the primary key, and costs the same however much history comes
 * before it. Callbacks are read by day, which are partitions.
 */
import type { Db, Queryable, Statement } from '../../platform/db.ts'
import type { Foundation } from '../../platform/foundation.ts'
import type { Vault } from '../../platform/vault.ts'

/** What violates an invariant, and how. */
export type Offender = { id: string; detail: string }

/** What is looked at: deposits from this id and callbacks from this day on, besides everything that is open. */
export type Scope = { fromId: string; fromDay: string; most: number }

/** What is examined: a database, the key to its secrets and, where it can be had, the owner's login, which writes too. */
export type Examined = {
  db: Queryable & Pick<Db, 'transaction'>
  vault: Vault
} & Partial<Pick<Foundation, 'asOwner' | 'acceptsLoss'>>

export type Invariant = {
  name: string
  /** Its number in docs/decisions/domain.md. */
  invariant: string
  says: string
  advice: string
  /** Reported, but doctor does not fail: no data are wrong. */
  isWarning?: (examined: Examined) => boolean
  /** This invariant is only true while a server works on the database. */
  needsServer?: true
} & (
  | { query: (scope: Scope) => Statement }
  /** Where a query alone cannot tell. */
  | { find: (db: Queryable, scope: Scope, examined: Examined) => Promise<Offender[]> }
)

export const report =
  'Keep the database as it is and report this output: it is a bug in Inlet or a manual change.'
