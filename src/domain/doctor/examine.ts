/** Checks every invariant in turn. Each query only reads, and is canceled when it takes too long. */

import { bounds } from '../../platform/bounds.ts'
import type { Queryable } from '../../platform/db.ts'
import { isStatementTimeout } from '../../platform/db-errors.ts'
import { callbackInvariants } from './callback-store.ts'
import { depositInvariants } from './deposit-store.ts'
import { installationInvariants } from './installation-store.ts'
import type { Examined, Invariant, Offender, Scope } from './invariant.ts'
import { readScope, writeNothing } from './store.ts'
import { transferInvariants } from './transfer-store.ts'

export const invariants: readonly Invariant[] = [
  ...depositInvariants,
  ...callbackInvariants,
  ...transferInvariants,
  ...installationInvariants,
]

export type Finding = Pick<Invariant, 'name' | 'invariant' | 'says' | 'advice'> & {
  /** unknown: the query timed out. warning: nothing is broken yet. */
  verdict: 'holds' | 'broken' | 'unknown' | 'warning'
  offenders: Offender[]
  /** There are more than are listed. */
  more: boolean
}

const examineBounds = { days: 7, offenders: 20, questionMs: 60_000, questionMsAll: 1_800_000 } as const

export async function examine(
  examined: Examined,
  { all, isAtRest = false }: { all: boolean; isAtRest?: boolean },
): Promise<Finding[]> {
  const scope = await readScope(examined.db, {
    days: all ? null : examineBounds.days,
    keptDays: bounds.callbackKeepDays,
    // One more than is listed shows that there are more.
    most: examineBounds.offenders + 1,
  })
  const statementMs = all ? examineBounds.questionMsAll : examineBounds.questionMs
  const findings: Finding[] = []
  // In a copy that nobody serves from, nothing is sent, expires or is backed up.
  for (const check of invariants.filter(({ needsServer }) => !(isAtRest && needsServer))) {
    const { name, invariant, says, advice } = check
    const offenders = await examined.db
      .transaction(
        async (tx) => {
          await writeNothing(tx)
          return offendersOf(check, tx, scope, examined)
        },
        { statementMs },
      )
      .catch((error) => {
        if (!isStatementTimeout(error)) throw error
        return undefined
      })
    findings.push({
      name,
      invariant,
      says,
      advice,
      verdict: verdictOf(check.isWarning?.(examined) ?? false, offenders),
      offenders: offenders?.slice(0, examineBounds.offenders) ?? [],
      more: (offenders?.length ?? 0) > examineBounds.offenders,
    })
  }
  return findings
}

function verdictOf(isWarning: boolean, offenders: Offender[] | undefined): Finding['verdict'] {
  if (offenders === undefined) return 'unknown'
  return offenders.length === 0 ? 'holds' : isWarning ? 'warning' : 'broken'
}

export const offendersOf = (
  check: Invariant,
  db: Queryable,
  scope: Scope,
  examined: Examined,
): Promise<Offender[]> =>
  'query' in check ? db.query<Offender>(check.query(scope)) : check.find(db, scope, examined)
