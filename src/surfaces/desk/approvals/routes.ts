/** HTTP routes of approvals: the proposals, and the decision of a second person. */

import { readApprovalRuleActs } from '../../../domain/alarms/store.ts'
import { decideProposal } from '../../../domain/approvals/decide-proposal.ts'
import { approvalRight } from '../../../domain/approvals/guard.ts'
import {
  findProposal,
  listDecidedProposals,
  listOpenProposals,
  readApprovalSettings,
  readIndependence,
} from '../../../domain/approvals/store.ts'
import { Refusal } from '../../../platform/refusals.ts'
import { actOfRequest, decideRequest } from '../../../sections/decide-request.ts'
import { allSections } from '../../../sections/sections.ts'
import { secretPage } from '../../office/act-page.ts'
import { staffPath } from '../../staff/paths.ts'
import { deciderOf, idOf } from '../../staff/visit.ts'
import { deciders, workers } from '../frame.ts'
import { deskContextOf, pagesOf } from '../office.ts'
import { deskPath } from '../paths.ts'
import { approvalRuleActsPanel } from '../people/guard-pieces.ts'
import { linkPage } from '../people/people-pages.ts'
import { tokenPage } from '../sources/source-pages.ts'
import { type DeskTools, deskOf, read, reasonOf, sectionRoutes } from '../visit.ts'
import { approvalsPage, proposalPage } from './approvals-page.ts'
import { isDeclared } from './requests.ts'
import { readSubjectNames } from './store.ts'

const verdicts = [
  { word: 'approve', verdict: 'approved', policy: { for: 'operator', roles: deciders, isFresh: true } },
  { word: 'refuse', verdict: 'refused', policy: { for: 'operator', roles: deciders } },
  { word: 'withdraw', verdict: 'withdrawn', policy: { for: 'operator', roles: workers } },
] as const

export function approvalRoutes(tools: DeskTools): void {
  const { get, live, post } = sectionRoutes(tools, 'approvals')
  const { context, directory, publicUrl } = tools
  const { db } = context

  live('/approvals', read, async (visit) => {
    const [desk, open, decided, acts] = await Promise.all([
      deskOf(tools, visit),
      listOpenProposals(db, 200),
      listDecidedProposals(db, 50),
      readApprovalRuleActs(db),
    ])
    const names = await readSubjectNames(
      db,
      [...open, ...decided].map(({ subject }) => subject),
    )
    return approvalsPage(desk, { open, decided, names, acts: approvalRuleActsPanel(desk, acts) })
  })

  get('/approvals/:id', read, async (visit) => {
    const [desk, proposal, { isSingleOperator }] = await Promise.all([
      deskOf(tools, visit),
      findProposal(db, idOf(visit)),
      readApprovalSettings(db),
    ])
    if (!proposal) throw new Refusal('not_found')
    const personId = visit.visitor.person.id
    const [independence, names] = await Promise.all([
      readIndependence(db, { proposedBy: proposal.proposedBy, personId }),
      readSubjectNames(db, [proposal.subject]),
    ])
    const right = approvalRight({ proposal, personId, isSingleOperator, ...independence })
    return proposalPage(desk, { proposal, names, right, isAlone: !independence.hasOtherDecider })
  })

  for (const { word, verdict, policy } of verdicts) {
    post(`/approvals/:id/${word}`, policy, async (visit) => {
      const id = idOf(visit)
      const by = deciderOf(visit)
      const request = await findProposal(db, id)
      if (request && isDeclared(request)) {
        const { isFresh } = visit.visitor.session
        const asked = { id, verdict, by: { ...by, isFresh }, reason: reasonOf(visit) }
        const { acted } = await decideRequest(await deskContextOf(tools, visit), asked)
        if (!acted.secret) return { to: deskPath('/approvals/:id', id), notice: verdict }
        const act = actOfRequest(allSections, request)!
        const { secret, secretText } = acted
        return secretPage(await pagesOf(tools, visit), {
          ...act,
          secret,
          secretText,
          to: deskPath('/approvals'),
        })
      }
      const decided = await decideProposal(context, { id, verdict, by, reason: reasonOf(visit) })
      const { link, source } = decided
      directory.forget()
      if (link) {
        const { token, ...shown } = link
        const view = { ...shown, link: publicUrl + staffPath('/join/:token', token) }
        return linkPage(await deskOf(tools, visit), view)
      }
      if (source) return tokenPage(await deskOf(tools, visit), source)
      return { to: deskPath('/approvals/:id', id), notice: verdict }
    })
  }
}
