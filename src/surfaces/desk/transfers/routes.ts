/** HTTP routes of transfers: the list, one transfer with its candidates, and the decisions about it. */

import { needsSecondPerson } from '../../../domain/approvals/proposal.ts'
import { propose } from '../../../domain/approvals/propose.ts'
import { listProposalsOf, readApprovalSettings } from '../../../domain/approvals/store.ts'
import type { DepositContext } from '../../../domain/deposits/change-deposit.ts'
import { readDeposits } from '../../../domain/deposits/read-store.ts'
import { findMerchant } from '../../../domain/merchants/store.ts'
import { listViews } from '../../../domain/people/saved-views/store.ts'
import { readNames } from '../../../domain/people/store.ts'
import { findOtherNamedDeposits, findWaiting } from '../../../domain/transfers/candidate-store.ts'
import {
  declareGenuine,
  markDuplicate,
  matchByHand,
  refund,
  setAside,
  type TransferAct,
} from '../../../domain/transfers/decide-transfer.ts'
import { matchTransfer } from '../../../domain/transfers/matching.ts'
import { referencesIn } from '../../../domain/transfers/purpose-references.ts'
import { findCounting } from '../../../domain/transfers/settled-store.ts'
import { findStillToCome } from '../../../domain/transfers/still-to-come-store.ts'
import { type LockedTransfer, readTransfer } from '../../../domain/transfers/store.ts'
import { canBecome } from '../../../domain/transfers/transfer.ts'
import type { Db } from '../../../platform/db.ts'
import { Refusal } from '../../../platform/refusals.ts'
import { isUuid } from '../../../platform/request-fields.ts'
import { centsFrom } from '../../staff/amount.ts'
import type { KnownVisit } from '../../staff/guarded-routes.ts'
import { auditLine, deciderOf, idOf } from '../../staff/visit.ts'
import { caseWords } from '../case-words.ts'
import { pageLength } from '../deposits/routes.ts'
import { deskPath } from '../paths.ts'
import { claimOf } from '../queue/claim.ts'
import { readClaim } from '../queue/claims/store.ts'
import { itemKey } from '../queue/queue.ts'
import { deskViews } from '../view-routes.ts'
import { actorOf, type DeskTools, dangerous, deskOf, read, reasonOf, sectionRoutes, work } from '../visit.ts'
import { transferFilter, transfersPage } from './list-page.ts'
import { readAccountLabel, searchTransfers } from './store.ts'
import { type Candidate, transferPage } from './transfer-page.ts'

const candidatesMost = 20

export function transferRoutes(tools: DeskTools): void {
  const { live, post } = sectionRoutes(tools, 'transfers')
  const { context } = tools
  const { db } = context
  const decided = (visit: KnownVisit, act: string, verb: Parameters<typeof decideTransfer>[3]) =>
    decideTransfer(visit, context, { id: idOf(visit), act }, verb)

  live('/transfers', read, async (visit) => {
    const filter = transferFilter(visit.query)
    const accountId = filter.account || null
    const day = filter.day === '' ? null : { ...filter, zone: visit.visitor.person.timeZone }
    const before = isUuid(visit.query('before')) ? visit.query('before') : null
    const [desk, found, views, account] = await Promise.all([
      deskOf(tools, visit),
      searchTransfers(db, { state: filter.state || null, accountId, day, before, limit: pageLength + 1 }),
      listViews(db, deskViews(visit, 'desk_transfers')),
      accountId ? readAccountLabel(db, accountId) : undefined,
    ])
    const rows = found.slice(0, pageLength)
    const next = found.length > pageLength ? rows.at(-1)!.id : null
    const view = { rows, filter, accountLabel: account?.label ?? null, views, next }
    return transfersPage(desk, { ...view, isFirst: before === null })
  })

  live('/transfers/:id', read, async (visit) => {
    const id = idOf(visit)
    const [desk, found, holder, proposals] = await Promise.all([
      deskOf(tools, visit),
      readTransfer(db, id),
      readClaim(db, itemKey('transfer', id)),
      listProposalsOf(db, `transfer:${id}`),
    ])
    if (!found) throw new Refusal('not_found')
    const { transfer, decisions } = found
    const account = (await readAccountLabel(db, transfer.accountId))!
    const isOpen = canBecome(transfer.state, 'matched')
    const candidates = isOpen ? await candidatesOf(db, found, account.currency) : []
    const { ids, isCorrection } = await suspectsOf(db, found)
    const others = await Promise.all(ids.map((id) => readTransfer(db, id)))
    const suspects = others.flatMap((other) => (other ? [other.transfer] : []))
    const people = await readNames(
      db,
      decisions.map(({ actor }) => actor),
    )
    return transferPage(
      { ...desk, people },
      {
        transfer,
        suspects,
        isCorrection,
        accountLabel: account.label,
        decisions,
        candidates,
        named: await db.transaction((tx) => findOtherNamedDeposits(tx, transfer, [transfer.depositId])),
        proposals: proposals.filter((proposal) => proposal.state === 'open').map((proposal) => proposal.id),
        holder: holder ?? null,
      },
    )
  })

  post('/transfers/:id/match', work, async (visit) => {
    const depositId = (visit.field('deposit') || visit.field('candidate')).toLowerCase()
    if (!isUuid(depositId))
      throw new Refusal('invalid_value', { detail: caseWords[visit.language].otherDeposit })
    const transferId = idOf(visit)
    const despiteReference = visit.field('despite') === 'on'
    if (await needsSecond(db, transferId, depositId)) {
      const change = { kind: 'match', transferId, depositId, despiteReference } as const
      const claim = claimOf(visit, itemKey('transfer', transferId))
      await propose(db, { change, by: deciderOf(visit), reason: reasonOf(visit) }, { claim })
      return { to: deskPath('/transfers/:id', transferId), notice: 'proposed' }
    }
    await decided(visit, 'transfer_match', (context, act) =>
      matchByHand(context, { ...act, depositId, despiteReference }),
    )
    return { to: deskPath('/transfers/:id', idOf(visit)), notice: 'matched' }
  })

  post('/transfers/:id/set-aside', work, async (visit) => {
    await decided(visit, 'transfer_set_aside', setAside)
    return { to: deskPath('/transfers/:id', idOf(visit)), notice: 'set_aside' }
  })

  post('/transfers/:id/duplicate', work, async (visit) => {
    const duplicateOf = visit.field('of').toLowerCase()
    if (!isUuid(duplicateOf))
      throw new Refusal('invalid_value', { detail: caseWords[visit.language].whichOf })
    const mayReverse = visit.visitor.session.isFresh
    const despiteReference = visit.field('despite') === 'on'
    await decided(visit, 'transfer_duplicate', (context, act) =>
      markDuplicate(context, { ...act, duplicateOf, mayReverse, despiteReference }),
    )
    return { to: deskPath('/transfers/:id', idOf(visit)), notice: 'duplicate' }
  })

  post('/transfers/:id/genuine', dangerous, async (visit) => {
    await decided(visit, 'transfer_genuine', declareGenuine)
    return { to: deskPath('/transfers/:id', idOf(visit)), notice: 'genuine' }
  })

  post('/transfers/:id/refund', dangerous, async (visit) => {
    const text = visit.field('amount')
    const cents = text === '' ? null : centsFrom(text)
    if (text !== '' && cents === null)
      throw new Refusal('invalid_value', { detail: caseWords[visit.language].refundHint })
    await decided(visit, 'transfer_refund', (context, act) => refund(context, { ...act, cents }))
    return { to: deskPath('/transfers/:id', idOf(visit)), notice: 'refunded' }
  })
}

/** Whether a second person has to approve the match: one person may match up to the sum that one may confirm alone. */
async function needsSecond(db: Db, transferId: string, depositId: string): Promise<boolean> {
  const [settings, found, [wanted]] = await Promise.all([
    readApprovalSettings(db),
    readTransfer(db, transferId),
    readDeposits(db, [depositId]),
  ])
  if (!found || !wanted || found.transfer.mode === 'test') return false
  const { transfer } = found
  const { amountCents, currency } = wanted.deposit
  const cents = amountCents > transfer.cents ? amountCents : transfer.cents
  return needsSecondPerson(settings, { cents, currency })
}

/** Decides a transfer that the person has taken, and writes the audit line in the same transaction. */
export async function decideTransfer(
  visit: KnownVisit,
  context: DepositContext,
  { id, act }: { id: string; act: string },
  verb: typeof setAside,
): Promise<void> {
  const reason = reasonOf(visit)
  const subject = `transfer:${id}`
  const hooks: TransferAct['hooks'] = {
    claim: claimOf(visit, itemKey('transfer', id)),
    audit: ({ before, transfer }) =>
      auditLine(visit, { act, subject, reason, before: partsOf(before), after: partsOf(transfer) }),
  }
  await verb(context, { transferId: id, actor: actorOf(visit), reason, hooks })
}

const partsOf = ({ state, depositId, depositCents, refundCents, openCents }: LockedTransfer) => ({
  state,
  depositId,
  depositCents,
  refundCents,
  openCents,
})

/** The deposits that the matcher looked at and those that wait now, each judged alone by the matcher's rules. */
async function candidatesOf(
  db: Db,
  { transfer, decisions }: NonNullable<Awaited<ReturnType<typeof readTransfer>>>,
  currency: string,
): Promise<Candidate[]> {
  const { written, bare } = referencesIn(transfer)
  const waits = await db.transaction(async (tx) => [
    ...(await findWaiting(tx, [transfer], [...written, ...bare])),
    ...(await findStillToCome(tx, [transfer])).toCome,
  ])
  const ids = [...new Set([...waits.map((wait) => wait.depositId), ...lookedAt(decisions)])]
  const found = await readDeposits(db, ids.slice(0, candidatesMost))
  const names = new Map(
    await Promise.all(
      [...new Set(found.map(({ deposit }) => deposit.merchantId))].map(
        async (id) => [id, (await findMerchant(db, id))?.name ?? ''] as const,
      ),
    ),
  )
  const judged = found.map(({ deposit, accountId, now }): Candidate => {
    const listener = [{ deposit, accountId: accountId ?? '' }]
    const isNamed = deposit.reference !== null && written.includes(deposit.reference)
    const isWaiting = accountId === transfer.accountId && deposit.amountCents === transfer.cents
    const { score, rule } = matchTransfer({
      transfer,
      currency,
      // Here a person decides whether the amount is enough.
      amountMatching: 'always',
      named: isNamed ? listener : [],
      waiting: isWaiting ? listener : [],
      now,
    })
    return { deposit, merchantName: names.get(deposit.merchantId) ?? '', score, rule }
  })
  // If several deposits wait for this amount, each gets its share of the score.
  const equals = judged.filter((candidate) => candidate.rule === 'amount_unique').length
  return judged
    .map(
      (one): Candidate =>
        one.rule === 'amount_unique' && equals > 1
          ? { ...one, rule: 'several_candidates', score: Math.floor(one.score / equals) }
          : one,
    )
    .toSorted((a, b) => b.score - a.score || a.deposit.createdAt.getTime() - b.deposit.createdAt.getTime())
}

const suspectsMost = 20

/**
 * The payments that the last suspicion names, or that count by now and may be the same, unless a person has declared it another
 * payment since; for a duplicate, the payment that it repeats.
 */
async function suspectsOf(
  db: Db,
  { transfer, decisions }: NonNullable<Awaited<ReturnType<typeof readTransfer>>>,
): Promise<{ ids: string[]; isCorrection: boolean }> {
  if (transfer.duplicateOf) return { ids: [transfer.duplicateOf], isCorrection: false }
  const last = decisions.findLast(
    ({ rule, evidence }) => rule === 'not_repeated' || sameAsIn(evidence).length > 0,
  )
  if (last?.rule === 'not_repeated') return { ids: [], isCorrection: false }
  if (last)
    return { ids: sameAsIn(last.evidence).slice(0, suspectsMost), isCorrection: last.rule === 'correction' }
  const isOpen = canBecome(transfer.state, 'matched')
  const counting = isOpen ? await db.transaction((tx) => findCounting(tx, transfer)) : []
  return { ids: counting.slice(0, suspectsMost), isCorrection: false }
}

function sameAsIn(evidence: unknown): string[] {
  const named = (evidence as { same_as?: unknown } | null)?.same_as
  return Array.isArray(named) ? named.map(String).filter(isUuid) : []
}

/** The deposits in the evidence of the last decision that looked at any. */
function lookedAt(decisions: readonly { evidence: unknown }[]): string[] {
  const last = decisions.findLast(({ evidence }) =>
    Array.isArray((evidence as { candidates?: unknown } | null)?.candidates),
  )
  const candidates = (last?.evidence as { candidates: { deposit?: unknown }[] } | undefined)?.candidates ?? []
  return candidates.map((candidate) => String(candidate.deposit)).filter(isUuid)
}
