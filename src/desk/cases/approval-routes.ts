/** Approvals over HTTP: what was asked for, and the second person's word. */
import { decideProposal } from '../../approvals/decide-proposal.ts'
import {
  findProposal,
  listDecidedProposals,
  listOpenProposals,
  readApprovalSettings,
} from '../../approvals/store.ts'
import { Refusal } from '../../refusals.ts'
import { deciders, everybody, workers } from '../frame.ts'
import { undoneBy } from '../statements/routes.ts'
import { type DeskTools, deciderOf, deskOf, idOf, perform, reasonOf, show } from '../visit.ts'
import { approvalsPage, proposalPage } from './approvals-page.ts'

const read = { for: 'operator', roles: everybody } as const

const verdicts = {
  approve: { verdict: 'approved', policy: { for: 'operator', roles: deciders, isFresh: true } },
  refuse: { verdict: 'refused', policy: { for: 'operator', roles: deciders } },
  withdraw: { verdict: 'withdrawn', policy: { for: 'operator', roles: workers } },
} as const

export function approvalRoutes(tools: DeskTools): void {
  const { doors, ledger, directory, undos } = tools
  const { db } = ledger

  doors.live('/operator/approvals', read, async (visit) => {
    const [desk, open, decided] = await Promise.all([
      deskOf(tools, visit),
      listOpenProposals(db, 200),
      listDecidedProposals(db, 50),
    ])
    return approvalsPage(desk, { open, decided })
  })

  doors.get('/operator/approvals/:id', read, async (visit) => {
    const [desk, proposal, { isSingleOperator }] = await Promise.all([
      deskOf(tools, visit),
      findProposal(db, idOf(visit)),
      readApprovalSettings(db),
    ])
    if (!proposal) throw new Refusal('not_found')
    return show(visit, proposalPage(desk, { proposal, isSingleOperator }))
  })

  for (const [word, { verdict, policy }] of Object.entries(verdicts)) {
    doors.post(`/operator/approvals/:id/${word}`, policy, (visit) =>
      perform(tools, visit, 'approvals', async () => {
        const id = idOf(visit)
        const by = deciderOf(visit)
        const { kind, subject } = await decideProposal(ledger, { id, verdict, by, reason: reasonOf(visit) })
        if (kind === 'statement_undo' && verdict === 'approved')
          undos.run(subject.slice(subject.indexOf(':') + 1), undoneBy(visit))
        directory.forget()
        return { to: `/operator/approvals/${id}`, notice: verdict }
      }),
    )
  }
}
