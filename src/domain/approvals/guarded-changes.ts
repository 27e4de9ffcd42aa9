/**
 * Proposals about approvals themselves, described when they are made and applied after the decision: the approval
 * settings, roles of the desk, and resets of its people. A change in between makes a proposal void.
 */

import type { Tx } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import { message } from '../messages/message.ts'
import {
  changeOperatorRole,
  disablePersonWithin,
  invitePersonWithin,
  lockInvitee,
  resetPersonWithin,
} from '../people/change-person.ts'
import { emailOf, hasJoined, type OperatorRole, type Person } from '../people/person.ts'
import { findPersonByEmail, lockPerson } from '../people/store.ts'
import { type SettingValues, settingsFrom, settingValues } from './guard.ts'
import {
  type ApprovalRuleChange,
  type Decider,
  type Described,
  type Proposal,
  subjectId,
} from './proposal.ts'
import { lockApprovalSettings, saveApprovalSettings } from './store.ts'

/** The link of an invitation or of a reset. */
export type OneTimeLink = {
  email: string
  token: string
  isReset: boolean
  /** An account with this address existed already: the link resets it. */
  hadAccount: boolean
}

export async function describeApprovalRuleChange(tx: Tx, change: ApprovalRuleChange): Promise<Described> {
  if (change.kind === 'approval_settings') {
    const now = settingValues(await lockApprovalSettings(tx))
    const before = Object.fromEntries(Object.keys(change.settings).map((name) => [name, now[name] ?? null]))
    const values = { before, settings: change.settings }
    return { subject: 'installation', merchantId: null, asked: values, audited: values }
  }
  const person =
    change.kind === 'desk_invitation'
      ? await lockInvitee(tx, change)
      : await findPersonByEmail(tx, emailOf(change.email))
  if (!person) throw new Refusal('not_found', { detail: message('no_person_with_address') })
  refuseImpossible(person, change.kind)
  const { email, operatorRole } = person
  // The stored name may come from an earlier invitation by someone else.
  const label = 'name' in change ? change.name.trim() : person.name
  const audited = { before: operatorRole, role: 'role' in change ? change.role : operatorRole }
  return { subject: `person:${person.id}`, merchantId: null, asked: { label, email, ...audited }, audited }
}

/** Refuses a proposal that could not be carried out now. */
function refuseImpossible(
  person: Person,
  kind: Exclude<ApprovalRuleChange['kind'], 'approval_settings'>,
): void {
  const { operatorRole, disabledAt } = person
  if (kind === 'desk_invitation' && operatorRole)
    throw new Refusal('state_conflict', { detail: message('person_has_desk_role_already') })
  if (kind === 'desk_reset' && !hasJoined(person))
    throw new Refusal('state_conflict', { detail: message('person_not_joined_yet') })
  if (kind === 'desk_role' && !operatorRole)
    throw new Refusal('state_conflict', { detail: message('person_must_be_invited') })
  if (kind === 'desk_enable' && !disabledAt)
    throw new Refusal('state_conflict', { detail: message('already_on') })
  if (kind !== 'desk_enable' && disabledAt)
    throw new Refusal('state_conflict', { detail: message('person_is_disabled') })
}

/** Returns the link that was made, if one was. */
export async function applyApprovalRuleChange(
  tx: Tx,
  proposal: Proposal,
  by: Decider,
): Promise<OneTimeLink | null> {
  if (proposal.kind === 'approval_settings') {
    await loosenSettings(tx, proposal)
    return null
  }
  const person = await lockUnchanged(tx, proposal)
  const { email } = person
  const role = proposal.asked.role as OperatorRole
  const actor = { personId: by.personId, name: by.email, requestId: by.requestId }
  switch (proposal.kind) {
    case 'desk_invitation': {
      const { token } = await invitePersonWithin(tx, {
        email,
        name: String(proposal.asked.label),
        operatorRole: role,
        membership: null,
        actor,
      })
      return { email, token, isReset: false, hadAccount: hasJoined(person) }
    }
    case 'desk_reset':
      return { email, token: await resetPersonWithin(tx, email, actor), isReset: true, hadAccount: false }
    case 'desk_role':
      await changeOperatorRole(tx, email, role, actor)
      break
    default:
      await disablePersonWithin(tx, email, false, actor)
  }
  return null
}

/** Refuses if the settings have changed since the proposal. */
async function loosenSettings(tx: Tx, { asked }: Proposal): Promise<void> {
  const { before, settings } = asked as { before: SettingValues; settings: SettingValues }
  const now = settingValues(await lockApprovalSettings(tx))
  if (Object.keys(settings).some((name) => (now[name] ?? null) !== before[name]))
    throw new Refusal('state_conflict', { detail: message('settings_changed_since_proposed') })
  await saveApprovalSettings(tx, settingsFrom({ ...now, ...settings }))
}

/** Refuses if the person's role or access has changed since the proposal. */
async function lockUnchanged(tx: Tx, { kind, subject, asked }: Proposal): Promise<Person> {
  const person = await lockPerson(tx, subjectId({ subject }))
  const isDisabled = person?.disabledAt != null
  if (!person || person.operatorRole !== asked.before || isDisabled !== (kind === 'desk_enable'))
    throw new Refusal('state_conflict', { detail: message('person_changed_since_proposed') })
  return person
}
