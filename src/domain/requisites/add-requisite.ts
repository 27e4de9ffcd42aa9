/**
 * The operator adds a receiving account with its owner, or a requisite on one. A requisite that breaks the country's
 * rules is not saved; one that only looks unusual is saved after the operator has confirmed it.
 */

import { newId } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { naming } from '../../platform/db-errors.ts'
import { type FieldProblem, Refusal } from '../../platform/refusals.ts'
import { message } from '../messages/message.ts'
import {
  type AccountSettings,
  findAccount,
  insertAccount,
  lockAccountSettings,
  setAccountNumber,
  updateAccount,
} from './account-store.ts'
import {
  carriesReference,
  checkRequisite,
  type Finding,
  type ReceivingAccount,
  type RequisiteDraft,
  type RequisiteLimits,
} from './requisite.ts'
import { insertRequisite, lockRequisiteLimits, setRequisiteEnabled, updateRequisiteLimits } from './store.ts'

type NewAccount = Omit<ReceivingAccount, 'id'>

export async function addAccount(db: Db, account: NewAccount): Promise<{ id: string }> {
  const id = newId()
  await naming(wrong, () => db.transaction((tx) => insertAccount(tx, { ...account, id })))
  return { id }
}

type AddRequisite = {
  accountId: string
  draft: Omit<RequisiteDraft, 'currency'>
  /** The bank's short name, for payment types that take one bank's cards only. */
  bankCode: string | null
  limits: RequisiteLimits
  /** The operator has confirmed the warnings. */
  confirmed: boolean
}

export const addRequisite = (db: Db, { accountId, draft, bankCode, limits, confirmed }: AddRequisite) =>
  db.transaction(async (tx) => {
    const account = await findAccount(tx, accountId)
    if (!account) throw noAccount()
    const { requisite, findings } = checkRequisite({ ...draft, currency: account.currency })
    refuseFindings(findings, confirmed)
    const id = newId()
    await naming(wrong, async () => {
      await insertRequisite(tx, { ...requisite, ...limits, id, accountId, bankCode, mode: account.mode })
      if (carriesReference(requisite.kind))
        await setAccountNumber(tx, accountId, requisite.number, { onlyIfNone: true })
    })
    return { id, warnings: findings.map(problemFrom) }
  })

export function accountNumberIn(text: string): string {
  const plain = text.replace(/[\s-]/g, '').toUpperCase()
  if (/^[A-Z0-9]{4,34}$/.test(plain)) return plain
  throw new Refusal('invalid_value', { detail: message('account_number_shape') })
}

/** Sets the account number by which statements are assigned to the account. */
export async function changeAccountNumber(db: Db, accountId: string, number: string): Promise<void> {
  const plain = accountNumberIn(number)
  const isKnown = await naming(wrong, () => db.transaction((tx) => setAccountNumber(tx, accountId, plain)))
  if (!isKnown) throw noAccount()
}

/** Changes the settings of an account; those that are left out stay. */
export const changeAccount = (db: Db, accountId: string, changes: Partial<AccountSettings>) =>
  db.transaction(async (tx) => {
    const account = await lockAccountSettings(tx, accountId)
    if (!account) throw noAccount()
    const changed = { ...account, ...changes }
    await updateAccount(tx, accountId, changed)
    return { id: accountId, wasEnabled: account.enabled, ...changed }
  })

/** For limits that wait for a second person: the database looks at them when they are saved. */
export function refuseInvertedLimits({
  minCents,
  maxCents,
}: Pick<RequisiteLimits, 'minCents' | 'maxCents'>): void {
  if (minCents !== null && maxCents !== null && minCents > maxCents) throw wrong.requisite_limits()
}

/** Changes the limits of one requisite; those that are left out stay. */
export const changeRequisite = (db: Db, id: string, changes: Partial<RequisiteLimits>) =>
  db.transaction(async (tx) => {
    const limits = await lockRequisiteLimits(tx, id)
    if (!limits) throw new Refusal('not_found', { detail: message('no_requisite_with_id') })
    const changed = { ...limits, ...changes }
    await naming(wrong, () => updateRequisiteLimits(tx, id, changed))
    return { id, ...changed }
  })

export const setRequisite = (db: Db, id: string, enabled: boolean) =>
  db.transaction(async (tx) => {
    const before = await setRequisiteEnabled(tx, id, enabled)
    if (!before) throw new Refusal('not_found', { detail: message('no_requisite_with_id') })
    return { id, enabled, ...before }
  })

export function refuseFindings(findings: readonly Finding[], confirmed: boolean): void {
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

const noAccount = () => new Refusal('not_found', { detail: message('no_receiving_account_with_id') })

const registered = () => new Refusal('already_exists', { detail: message('requisite_is_already_registered') })

/** What is wrong, by the constraint of the database that finds it. */
const wrong = {
  receiving_account_merchant: () => new Refusal('not_found', { detail: message('no_merchant_with_id') }),
  receiving_account_owner: () => new Refusal('invalid_value', { detail: message('owner_fields_length') }),
  receiving_account_number: () => new Refusal('already_exists', { detail: message('account_number_taken') }),
  requisite_once: registered,
  requisite_phone_once: registered,
  requisite_limits: () => new Refusal('invalid_value', { detail: message('limits_upside_down') }),
}
