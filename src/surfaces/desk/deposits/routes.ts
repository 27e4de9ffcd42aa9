/** HTTP routes of deposits: the list, one deposit, taking it from the queue and deciding it. */

import { needsSecondPerson } from '../../../domain/approvals/proposal.ts'
import { propose } from '../../../domain/approvals/propose.ts'
import { listProposalsOf, readApprovalSettings } from '../../../domain/approvals/store.ts'
import { readTypeNames } from '../../../domain/catalogue/store.ts'
import {
  confirmDeposit,
  type DepositAct,
  type DepositContext,
} from '../../../domain/deposits/change-deposit.ts'
import { readTimeline } from '../../../domain/deposits/read-store.ts'
import { dropClaim, readClaim, takeClaim } from '../../../domain/people/claim-store.ts'
import { readNames } from '../../../domain/people/store.ts'
import { rejectDeposit, reverseDeposit } from '../../../domain/transfers/end-deposit.ts'
import { Refusal } from '../../../platform/refusals.ts'
import { isUuid } from '../../../platform/request-fields.ts'
import type { KnownVisit } from '../../staff/guarded-routes.ts'
import { auditLine, deciderOf, idOf } from '../../staff/visit.ts'
import { caseWords } from '../case-words.ts'
import { deskPath } from '../paths.ts'
import { claimOf } from '../queue/claim.ts'
import { itemKey } from '../queue/queue.ts'
import { actorOf, type DeskTools, dangerous, deskOf, read, reasonOf, sectionRoutes, work } from '../visit.ts'
import { depositPage } from './deposit-page.ts'
import { depositFilter, depositsPage, searchFor } from './list-page.ts'
import { listCallbacksOf, listTransfersOf, readMerchantAndAccount, searchDeposits } from './store.ts'

export const pageLength = 50

export function depositRoutes(tools: DeskTools): void {
  const { live, post } = sectionRoutes(tools, 'deposits')
  const { context } = tools
  const { db } = context

  for (const noun of ['transfer', 'deposit'] as const) {
    const { post } = sectionRoutes(tools, `${noun}s`)
    post(`/${noun}s/:id/take`, work, async (visit) => {
      const id = idOf(visit)
      const { personId, name } = await takeClaim(db, itemKey(noun, id), visit.visitor.person.id)
      if (personId !== visit.visitor.person.id)
        throw new Refusal('state_conflict', { detail: caseWords[visit.language].takenBy(name) })
      return { to: deskPath(`/${noun}s/:id`, id), notice: 'taken' }
    })
    post(`/${noun}s/:id/release`, work, async (visit) => {
      const id = idOf(visit)
      await dropClaim(db, itemKey(noun, id), visit.visitor.person.id)
      return { to: deskPath(`/${noun}s/:id`, id), notice: 'released' }
    })
  }

  live('/deposits', read, async (visit) => {
    const filter = depositFilter(visit.query)
    const asked = searchFor(filter, visit.visitor.person.timeZone)
    if (asked.by === 'id') return deskPath('/deposits/:id', asked.id)
    const before = isUuid(visit.query('before')) ? visit.query('before') : null
    const [desk, found, names] = await Promise.all([
      deskOf(tools, visit),
      searchDeposits(db, asked, { before, limit: pageLength + 1 }),
      readTypeNames(db),
    ])
    const rows = found.slice(0, pageLength)
    const hasMore = found.length > pageLength
    const isPaged = asked.by !== 'order' && asked.by !== 'reference'
    const next = hasMore && isPaged ? rows.at(-1)!.id : null
    return depositsPage(desk, { rows, filter, names, next, isFirst: before === null })
  })

  live('/deposits/:id', read, async (visit) => {
    const id = idOf(visit)
    const [desk, found, merchantAndAccount, transfers, callbacks, proposals, holder, settings, names] =
      await Promise.all([
        deskOf(tools, visit),
        readTimeline(db, id),
        readMerchantAndAccount(db, id),
        listTransfersOf(db, id),
        listCallbacksOf(db, id),
        listProposalsOf(db, `deposit:${id}`),
        readClaim(db, itemKey('deposit', id)),
        readApprovalSettings(db),
        readTypeNames(db),
      ])
    if (!found || !merchantAndAccount) throw new Refusal('not_found')
    const { deposit, history } = found
    const needsSecond = needsSecondPerson(settings, {
      cents: deposit.amountCents,
      currency: deposit.currency,
    })
    const view = {
      ...merchantAndAccount,
      deposit,
      history,
      transfers,
      callbacks,
      proposals: proposals.filter((proposal) => proposal.state === 'open').map((proposal) => proposal.id),
      needsSecond,
      names,
      holder: holder ?? null,
    }
    const people = await readNames(
      db,
      history.map(({ actor }) => actor),
    )
    return depositPage({ ...desk, people }, view)
  })

  post('/deposits/:id/confirm', dangerous, async (visit) => {
    const id = idOf(visit)
    const reason = reasonOf(visit)
    const to = deskPath('/deposits/:id', id)
    const found = await readTimeline(db, id)
    if (!found) throw new Refusal('not_found')
    const { amountCents: cents, currency } = found.deposit
    if (needsSecondPerson(await readApprovalSettings(db), { cents, currency })) {
      const asked = { change: { kind: 'confirm', depositId: id }, by: deciderOf(visit), reason } as const
      await propose(db, asked, { claim: claimOf(visit, itemKey('deposit', id)) })
      return { to, notice: 'proposed' }
    }
    await actOn(visit, context, { id, reason, act: 'deposit_confirm', verb: confirmDeposit })
    return { to, notice: 'confirmed' }
  })

  post('/deposits/:id/reject', work, async (visit) => {
    const id = idOf(visit)
    await actOn(visit, context, { id, reason: reasonOf(visit), act: 'deposit_reject', verb: rejectDeposit })
    return { to: deskPath('/deposits/:id', id), notice: 'rejected' }
  })

  post('/deposits/:id/reverse', dangerous, async (visit) => {
    const id = idOf(visit)
    await actOn(visit, context, {
      id,
      reason: reasonOf(visit),
      act: 'deposit_reverse',
      verb: reverseDeposit,
    })
    return { to: deskPath('/deposits/:id', id), notice: 'reversed' }
  })
}

/** Acts on the deposit if the person has taken it. */
async function actOn(
  visit: KnownVisit,
  context: DepositContext,
  { id, reason, act, verb }: { id: string; reason: string; act: string; verb: typeof confirmDeposit },
): Promise<void> {
  const hooks: DepositAct['hooks'] = {
    claim: claimOf(visit, itemKey('deposit', id)),
    audit: ({ before, deposit }) =>
      auditLine(visit, {
        act,
        subject: `deposit:${id}`,
        merchantId: deposit.merchantId,
        reason,
        before: { state: before.state, labels: before.labels },
        after: { state: deposit.state, labels: deposit.labels },
      }),
  }
  await verb(context, { depositId: id, actor: actorOf(visit), reason, hooks })
}
