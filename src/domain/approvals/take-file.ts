/**
 * A file that a person brings says what that person wants it to say. Where it tells of more money than one person may
 * confirm by hand, come in or taken back, one brings it and a second one takes it; so do several files of one day together.
 */

import type { Queryable } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import type { Mode } from '../merchants/merchant.ts'
import { message } from '../messages/message.ts'
import type { Currency } from '../money.ts'
import type { OperatorRole } from '../people/person.ts'
import { type ApprovalRight, approvalRight, mayApprove, mayTake, type TakeRight } from './guard.ts'
import { needsSecondPerson } from './proposal.ts'
import { readApprovalSettings, readIndependence, sumTakenToday } from './store.ts'

export type BroughtFile = {
  mode: Mode
  /** Whoever brought it, and whoever said how it is read. */
  broughtBy: readonly string[]
  /** What it says has come in, or was taken back. */
  incoming: readonly { cents: string; currency: Currency }[]
}

export async function rightToTake(
  db: Queryable,
  { mode, broughtBy, incoming }: BroughtFile,
  person: { id: string; email: string; operatorRole: OperatorRole | null },
): Promise<TakeRight> {
  if (mode === 'test') return { is: 'alone' }
  const [settings, today] = [await readApprovalSettings(db), await sumTakenToday(db, person.email)]
  const isAbove = incoming.some(({ cents, currency }) => {
    const before = today.find((sum) => sum.currency === currency)?.cents ?? 0n
    return needsSecondPerson(settings, { cents: before + BigInt(cents), currency })
  })
  if (!isAbove) return { is: 'alone' }
  if (person.operatorRole !== 'approver' && person.operatorRole !== 'admin') return { is: 'not_decider' }
  const { isSingleOperator } = settings
  let right: ApprovalRight = { is: 'second_person' }
  for (const proposedBy of broughtBy) {
    const independence = await readIndependence(db, { proposedBy, personId: person.id })
    const proposal = { kind: 'confirm', proposedBy, proposedAt: independence.now } as const
    right = approvalRight({ proposal, personId: person.id, isSingleOperator, ...independence })
    if (!mayApprove(right)) return right
  }
  return right
}

export function refuseTaking(right: TakeRight): void {
  if (mayTake(right)) return
  const detail =
    right.is === 'later'
      ? message('access_given_by_uploader_too_recent')
      : message('file_above_sum_of_one_person')
  throw new Refusal('state_conflict', { detail })
}
