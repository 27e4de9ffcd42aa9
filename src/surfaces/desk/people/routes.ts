/** HTTP routes of the desk's people. Only admins may use them, with a fresh factor. */

import { readApprovalRuleActs } from '../../../domain/alarms/store.ts'
import { changeRole, enableAgain, resetAccess } from '../../../domain/approvals/change-desk-person.ts'
import type { Decider, ProposalKind } from '../../../domain/approvals/proposal.ts'
import { propose } from '../../../domain/approvals/propose.ts'
import { listOpenProposalsOfKinds } from '../../../domain/approvals/store.ts'
import { type Actor, disablePerson, takeInvitationBack } from '../../../domain/people/change-person.ts'
import { listInvitations } from '../../../domain/people/links/store.ts'
import { emailOf, operatorRoles } from '../../../domain/people/person.ts'
import { listPeople } from '../../../domain/people/store.ts'
import { Refusal } from '../../../platform/refusals.ts'
import { isUuid } from '../../../platform/request-fields.ts'
import type { KnownVisit } from '../../staff/guarded-routes.ts'
import { readPart } from '../../staff/long-list.ts'
import { staffPath } from '../../staff/paths.ts'
import { deciderOf } from '../../staff/visit.ts'
import { officeWords } from '../office-words.ts'
import { deskPath } from '../paths.ts'
import { admin, type DeskTools, deskOf, read, reasonOf, sectionRoutes } from '../visit.ts'
import { approvalRuleActsPanel } from './guard-pieces.ts'
import { linkPage, peoplePage } from './people-pages.ts'

const personKinds: readonly ProposalKind[] = ['desk_invitation', 'desk_role', 'desk_enable', 'desk_reset']

export function peopleRoutes(tools: DeskTools): void {
  const { get, post } = sectionRoutes(tools, 'people')
  const { publicUrl } = tools
  const { db } = tools.context

  get('/people', read, async (visit) => {
    const [desk, people, invitations, open, acts] = await Promise.all([
      deskOf(tools, visit),
      readPart(visit, 'after', (page) => listPeople(db, null, page)),
      readPart(visit, 'invited', (page) => listInvitations(db, null, page)),
      listOpenProposalsOfKinds(db, personKinds),
      readApprovalRuleActs(db),
    ])
    return peoplePage(desk, { people, invitations, open, acts: approvalRuleActsPanel(desk, acts) })
  })

  post('/people/invite', admin, async (visit) => {
    const role = operatorRoles.find((operatorRole) => operatorRole === visit.field('role'))
    if (!role) throw new Refusal('invalid_value')
    const { email, by, reason } = changeIn(visit)
    const change = { kind: 'desk_invitation', email, name: visit.field('name'), role } as const
    await propose(db, { change, by, reason })
    return asked
  })

  post('/people/reset', admin, async (visit) => {
    const change = changeIn(visit)
    const reset = await resetAccess(db, change)
    if (reset.isProposed) return asked
    const link = publicUrl + staffPath('/join/:token', reset.done)
    const view = { email: emailOf(change.email), link, isReset: true, hadAccount: false }
    return linkPage(await deskOf(tools, visit), view)
  })

  post('/people/role', admin, async (visit) => {
    const text = visit.field('role')
    const role = operatorRoles.find((operatorRole) => operatorRole === text) ?? null
    if (!role && text !== '') throw new Refusal('invalid_value')
    const { isProposed } = await changeRole(db, { ...changeIn(visit), role })
    return isProposed ? asked : saved
  })

  post('/people/withdraw', admin, async (visit) => {
    const id = visit.field('id')
    if (!isUuid(id)) throw new Refusal('not_found')
    await takeInvitationBack(db, { id, merchantId: null, actor: personsActor(visit) })
    return { to: deskPath('/people'), notice: 'saved' }
  })

  post('/people/disable', admin, async (visit) => {
    await disablePerson(db, changeIn(visit).email, true, personsActor(visit))
    return saved
  })

  post('/people/enable', admin, async (visit) => {
    const { isProposed } = await enableAgain(db, changeIn(visit))
    return isProposed ? asked : saved
  })
}

const asked = { to: deskPath('/people'), notice: 'proposed' } as const
const saved = { to: deskPath('/people'), notice: 'saved' } as const

/** Nobody changes their own role or access; another admin has to. */
function changeIn(visit: KnownVisit): { email: string; by: Decider; reason: string } {
  const email = visit.field('email')
  if (emailOf(email) === visit.visitor.person.email)
    throw new Refusal('state_conflict', { detail: `${email}: ${officeWords[visit.language].yourself}.` })
  return { email, by: deciderOf(visit), reason: reasonIn(visit) }
}

const personsActor = (visit: KnownVisit): Actor => ({
  personId: visit.visitor.person.id,
  name: visit.visitor.person.email,
  requestId: visit.client.requestId,
  reason: reasonIn(visit),
})

/** The reason may be left out when rights are removed. */
const reasonIn = (visit: KnownVisit): string => (visit.field('reason') === '' ? '' : reasonOf(visit))
