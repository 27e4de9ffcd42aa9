/** HTTP routes of one statement: its page, and its undo. */

import { needsSecondPerson } from '../../../domain/approvals/proposal.ts'
import { propose } from '../../../domain/approvals/propose.ts'
import { listProposalsOf, readApprovalSettings } from '../../../domain/approvals/store.ts'
import { message } from '../../../domain/messages/message.ts'
import { readNames } from '../../../domain/people/store.ts'
import { readStatement } from '../../../domain/statements/store.ts'
import { sumUndo } from '../../../domain/statements/undo/store.ts'
import { beginUndo, undoStatement } from '../../../domain/statements/undo/undo-statement.ts'
import { Refusal } from '../../../platform/refusals.ts'
import { deciderOf, idOf } from '../../staff/visit.ts'
import { deskPath } from '../paths.ts'
import { actorOf, type DeskTools, dangerous, deskOf, read, reasonOf, sectionRoutes } from '../visit.ts'
import { statementPage } from './statement-page.ts'
import { listTransfersOf, sumParked, sumStatement } from './store.ts'

const pageLength = 50

export function statementRoutes(tools: DeskTools): void {
  const { live, post } = sectionRoutes(tools, 'statements')
  const { background } = tools
  const { db } = tools.context

  /** What an undo would revoke, and whether one person may decide it. */
  async function undoOf(id: string) {
    const [sums, settings] = await Promise.all([sumUndo(db, id), readApprovalSettings(db)])
    return { sums, needsSecond: sums.some((sum) => needsSecondPerson(settings, sum)) }
  }

  live('/statements/:id', read, async (visit) => {
    const id = idOf(visit)
    const after = /^\d{1,9}$/.test(visit.query('after')) ? Number(visit.query('after')) : null
    const [desk, statement, stateSums, parked, found, undo, proposals] = await Promise.all([
      deskOf(tools, visit),
      readStatement(db, id),
      sumStatement(db, id),
      sumParked(db, id),
      listTransfersOf(db, { id, after, limit: pageLength + 1 }),
      undoOf(id),
      listProposalsOf(db, `statement:${id}`),
    ])
    if (!statement) throw new Refusal('not_found')
    const transfers = found.slice(0, pageLength)
    const people = await readNames(db, [statement.takenBy, statement.undoneBy])
    return statementPage(
      { ...desk, people },
      {
        statement,
        stateSums,
        parked,
        transfers,
        next: found.length > pageLength ? transfers.at(-1)!.place : null,
        isFirst: after === null,
        ...undo,
        proposals: proposals.filter((proposal) => proposal.state === 'open').map((proposal) => proposal.id),
        isRunning: false,
      },
    )
  })

  post('/statements/:id/undo', dangerous, async (visit) => {
    const id = idOf(visit)
    const reason = reasonOf(visit)
    const to = deskPath('/statements/:id', id)
    const { sums, needsSecond } = await undoOf(id)
    if (needsSecond) {
      await propose(db, {
        change: { kind: 'statement_undo', statementId: id },
        by: deciderOf(visit),
        reason,
      })
      return { to, notice: 'proposed' }
    }
    const by = {
      actor: actorOf(visit),
      personId: visit.visitor.person.id,
      requestId: visit.client.requestId,
    }
    await beginUndo(db, { statementId: id, reason, by, seen: sums })
    background.begin(`undo:${id}`, (context) => undoStatement(context, { statementId: id }))
    return visit.reply.redirect(to, 303)
  })

  post('/statements/:id/go-on', dangerous, async (visit) => {
    const id = idOf(visit)
    const statement = await readStatement(db, id)
    if (!statement) throw new Refusal('not_found')
    if (!statement.undoStartedAt || statement.undoneAt)
      throw new Refusal('state_conflict', { detail: message('import_is_not_being_undone') })
    background.begin(`undo:${id}`, (context) => undoStatement(context, { statementId: id }))
    return visit.reply.redirect(deskPath('/statements/:id', id), 303)
  })
}
