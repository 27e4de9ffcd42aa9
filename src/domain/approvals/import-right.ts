/**
 * Who may import a statement file. An uploaded file can be forged by its uploader. If it reports more money, in or out,
 * than one person may confirm, alone or with the person's other files of the day, a second person has to import it.
 */

import type { Queryable } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import type { Mode } from '../merchants/merchant.ts'
import { message } from '../messages/message.ts'
import type { Currency } from '../money.ts'
import { isDecider, type OperatorRole } from '../people/person.ts'
import { type ApprovalRight, approvalRight, type ImportRight, mayApprove, mayImport } from './guard.ts'
import { needsSecondPerson } from './proposal.ts'
import { readApprovalSettings, readIndependence, sumImportedInLastDay } from './store.ts'

export type UploadedFile = {
  mode: Mode
  /** The person who uploaded it, and the one who chose its column mapping. */
  broughtBy: readonly string[]
  /** The amounts that it reports as received or reversed. */
  incoming: readonly { cents: string; currency: Currency }[]
}

export async function importRight(
  db: Queryable,
  { mode, broughtBy, incoming }: UploadedFile,
  person: { id: string; email: string; operatorRole: OperatorRole | null },
): Promise<ImportRight> {
  if (mode === 'test') return { is: 'alone' }
  const [settings, imported] = [await readApprovalSettings(db), await sumImportedInLastDay(db, person.email)]
  const isAbove = incoming.some(({ cents, currency }) => {
    const before = imported.find((sum) => sum.currency === currency)?.cents ?? 0n
    return needsSecondPerson(settings, { cents: before + BigInt(cents), currency })
  })
  if (!isAbove) return { is: 'alone' }
  if (!isDecider(person)) return { is: 'not_decider' }
  const { isSingleOperator } = settings
  let right: ApprovalRight = { is: 'second_person' }
  for (const proposedBy of broughtBy) {
    const independence = await readIndependence(db, { proposedBy, personId: person.id })
    const proposal = {
      isGuard: false,
      subject: 'statement',
      proposedBy,
      proposedAt: independence.now,
    } as const
    right = approvalRight({ proposal, personId: person.id, isSingleOperator, ...independence })
    if (!mayApprove(right)) return right
  }
  return right
}

export function refuseImport(right: ImportRight): void {
  if (mayImport(right)) return
  const detail =
    right.is === 'later'
      ? message('access_given_by_uploader_too_recent')
      : message('file_above_sum_of_one_person')
  throw new Refusal('state_conflict', { detail })
}
