/**
 * The operator adds a receiving account with its owner, or a requisite on one. A requisite that the country's
 * rules refuse is not saved; one that only looks unusual is saved after the operator said so.
 */
import { newId } from '../platform/clock.ts'
import { type Db, violates } from '../platform/db.ts'
import { type FieldProblem, Refusal } from '../refusals.ts'
import { checkRequisite, type Finding, type RequisiteDraft } from './requisite.ts'
import {
  findAccount,
  insertAccount,
  insertRequisite,
  type ReceivingAccount,
  type RequisiteLimits,
  setRequisiteEnabled,
} from './store.ts'

export async function addAccount(db: Db, account: Omit<ReceivingAccount, 'id'>) {
  const id = newId()
  try {
    return await db.transaction(async (tx) => {
      await insertAccount(tx, { ...account, id })
      return { id }
    })
  } catch (error) {
    if (violates(error, 'receiving_account_merchant')) {
      throw new Refusal('not_found', { detail: 'There is no merchant with this id.' })
    }
    if (violates(error, 'receiving_account_owner')) {
      throw new Refusal('invalid_value', {
        detail:
          'An owner has a legal and a public name (up to 160 characters), a tax id (20) and an agreement (200).',
      })
    }
    throw error
  }
}

export type AddRequisite = {
  accountId: string
  draft: Omit<RequisiteDraft, 'currency'>
  /** The bank's short name, for payment types that take one bank's cards only. */
  bankCode: string | null
  limits: RequisiteLimits
  /** The operator has seen the warnings and stands by the requisite. */
  confirmed: boolean
}

export async function addRequisite(db: Db, { accountId, draft, bankCode, limits, confirmed }: AddRequisite) {
  try {
    return await db.transaction(async (tx) => {
      const account = await findAccount(tx, accountId)
      if (!account) throw new Refusal('not_found', { detail: 'There is no receiving account with this id.' })
      const { requisite, findings } = checkRequisite({ ...draft, currency: account.currency })
      refuseFindings(findings, confirmed)
      const id = newId()
      await insertRequisite(tx, { ...requisite, ...limits, id, accountId, bankCode, mode: account.mode })
      return { id, warnings: findings.map(problemFrom) }
    })
  } catch (error) {
    if (violates(error, 'requisite_once') || violates(error, 'requisite_phone_once')) {
      throw new Refusal('already_exists', { detail: 'This requisite is already registered.' })
    }
    if (violates(error, 'requisite_limits')) {
      throw new Refusal('invalid_value', {
        detail: 'Limits are above zero, and the least is not above the most.',
      })
    }
    throw error
  }
}

export const setRequisite = (db: Db, id: string, enabled: boolean) =>
  db.transaction(async (tx) => {
    if (!(await setRequisiteEnabled(tx, id, enabled))) {
      throw new Refusal('not_found', { detail: 'There is no requisite with this id.' })
    }
    return { id, enabled }
  })

function refuseFindings(findings: readonly Finding[], confirmed: boolean): void {
  const hard = findings.filter((finding) => finding.severity === 'hard')
  if (hard.length > 0) throw new Refusal('invalid_value', { errors: hard.map(problemFrom) })
  if (findings.length > 0 && !confirmed) {
    throw new Refusal('confirmation_required', { errors: findings.map(problemFrom) })
  }
}

const problemFrom = ({ field, code, detail }: Finding): FieldProblem => ({
  pointer: `#/${field}`,
  code,
  detail,
})
