/** HTTP routes of transfers: the list, one transfer with its candidates, and the decisions about it. */

import { type MatchChange, needsSecondPerson } from '../../../domain/approvals/proposal.ts'
import { propose } from '../../../domain/approvals/propose.ts'
import { listProposalsOf, readApprovalSettings } from '../../../domain/approvals/store.ts'
import type { DepositContext } from '../../../domain/deposits/change-deposit.ts'
import { readDeposits } from '../../../domain/deposits/read-store.ts'
import { findMerchant } from '../../../domain/merchants/store.ts'
import { message } from '../../../domain/messages/message.ts'
import type { Currency } from '../../../domain/money.ts'
import { centsFrom } from '../../../domain/money.ts'
import { readClaim } from '../../../domain/people/claim-store.ts'
import { readNames } from '../../../domain/people/store.ts'
import { findAccount } from '../../../domain/requisites/account-store.ts'
import {
  refund,
  revokeByHand,
  setAside,
  type TransferAct,
} from '../../../domain/transfers/decide-transfer.ts'
import { giveSeveral, giveTransfer } from '../../../domain/transfers/give-transfer.ts'
import {
  findBegun,
  findNamed,
  findOfAmount,
  findOtherNamedDeposits,
} from '../../../domain/transfers/match-store.ts'
import { matchTransfer, type Outcome } from '../../../domain/transfers/matching.ts'
import { referencesIn } from '../../../domain/transfers/purpose-references.ts'
import { listReports } from '../../../domain/transfers/report-store.ts'
import { declareGenuine, samePayment } from '../../../domain/transfers/same-payment.ts'
import {
  findHeldWith,
  type LockedTransfer,
  listTransfers,
  readTransfer,
} from '../../../domain/transfers/store.ts'
import { canBecome } from '../../../domain/transfers/transfer.ts'
import { undoableState, undoDecision } from '../../../domain/transfers/undo-decision.ts'
import type { Db } from '../../../platform/db.ts'
import { Refusal } from '../../../platform/refusals.ts'
import { isUuid } from '../../../platform/request-fields.ts'
import type { KnownPolicy, KnownVisit } from '../../staff/guarded-routes.ts'
import { auditLine, deciderOf, idOf } from '../../staff/visit.ts'
import { caseWords } from '../case-words.ts'
import { pageLength } from '../deposits/routes.ts'
import { deskPath } from '../paths.ts'
import { claimOf } from '../queue/claim.ts'
import { itemKey } from '../queue/queue.ts'
import {
  actorOf,
  type DeskTools,
  dangerous,
  deskOf,
  type Refused,
  read,
  reasonOf,
  sectionRoutes,
  work,
} from '../visit.ts'
import type { Notice } from '../words.ts'
import { transferFilter, transfersPage } from './list-page.ts'
import { type Candidate, transferPage } from './transfer-page.ts'
import { othersIn, sharesIn } from './typed-shares.ts'

const candidatesMost = 20

export function transferRoutes(tools: DeskTools): void {
  const { live, post } = sectionRoutes(tools, 'transfers')
  const { context } = tools
  const { db } = context
  live('/transfers', read, async (visit) => {
    const filter = transferFilter(visit.query)
    const accountId = filter.account || null
    const day = filter.day === '' ? null : { ...filter, zone: visit.visitor.person.timeZone }
    const before = isUuid(visit.query('before')) ? visit.query('before') : null
    const [desk, found, account] = await Promise.all([
      deskOf(tools, visit),
      listTransfers(db, { state: filter.state || null, accountId, day, before, limit: pageLength + 1 }),
      accountId ? findAccount(db, accountId) : undefined,
    ])
    const rows = found.slice(0, pageLength)
    const next = found.length > pageLength ? rows.at(-1)!.id : null
    const view = { rows, filter, accountLabel: account?.label ?? null, next }
    return transfersPage(desk, { ...view, isFirst: before === null })
  })

  /** Also the answer to a refused form of it, which keeps what was typed. */
  const page = async (visit: KnownVisit, refused?: Refused) => {
    const id = idOf(visit)
    const [desk, found, holder, proposals] = await Promise.all([
      deskOf(tools, visit, refused),
      readTransfer(db, id),
      readClaim(db, itemKey('transfer', id)),
      listProposalsOf(db, `transfer:${id}`),
    ])
    if (!found) throw new Refusal('not_found')
    const { transfer, decisions } = found
    const account = (await findAccount(db, transfer.accountId))!
    const isOpen = canBecome(transfer.state, 'matched')
    const candidates = isOpen ? await candidatesOf(db, found, account.currency) : []
    const others = await Promise.all(suspectsOf(transfer).map((id) => readTransfer(db, id)))
    const suspects = others.flatMap((other) => (other ? [other.transfer] : []))
    const [reports, heldFor] = await Promise.all([listReports(db, id), findHeldWith(db, transfer)])
    const people = await readNames(
      db,
      decisions.map(({ actor }) => actor),
    )
    return transferPage(
      { ...desk, people },
      {
        transfer,
        suspects,
        reports,
        heldFor: heldFor.slice(0, suspectsMost),
        decisions,
        candidates,
        named: await db.transaction((tx) =>
          findOtherNamedDeposits(
            tx,
            transfer,
            transfer.shares.map(({ depositId }) => depositId),
          ),
        ),
        proposals: proposals.filter((proposal) => proposal.state === 'open').map((proposal) => proposal.id),
        canUndo: (await undoableState(db, transfer)) !== null,
        holder: holder ?? null,
      },
    )
  }
  live('/transfers/:id', read, (visit) => page(visit))

  /** Done at once, or proposed where the sum needs a second person. */
  async function decide(visit: KnownVisit, word: Word, { verb, notice, second }: Asked) {
    const id = idOf(visit)
    const to = deskPath('/transfers/:id', id)
    if (second && (await needsSecond(db, [id], second.depositIds))) {
      const claim = claimOf(visit, itemKey('transfer', id))
      await propose(db, { change: second.change, by: deciderOf(visit), reason: reasonOf(visit) }, { claim })
      return { to, notice: 'proposed' } as const
    }
    await decideTransfer(visit, context, { id, act: `transfer_${word.replace('-', '_')}` }, verb)
    return { to, notice }
  }

  const act = (word: Word, policy: KnownPolicy, ask: (visit: KnownVisit) => Asked) =>
    post(`/transfers/:id/${word}`, policy, async (visit) => decide(visit, word, ask(visit)), page)

  post(
    '/transfers/:id/match',
    work,
    async (visit) => {
      const depositId = (visit.field('deposit') || visit.field('candidate')).toLowerCase()
      if (!isUuid(depositId))
        throw new Refusal('invalid_value', { detail: caseWords[visit.language].otherDeposit })
      const transferId = idOf(visit)
      const despiteReference = isDespite(visit)
      const others = othersIn(visit).filter((id) => id !== transferId)
      if (others.length > 0) return matchSeveral(visit, [transferId, ...others], depositId)
      return decide(visit, 'match', {
        notice: 'matched',
        verb: (context, act) => giveTransfer(context, { ...act, depositId, despiteReference }),
        second: {
          depositIds: [depositId],
          change: { kind: 'match', transferId, depositId, despiteReference },
        },
      })
    },
    page,
  )

  /** Audited as one act about the deposit. */
  async function matchSeveral(visit: KnownVisit, transferIds: string[], depositId: string) {
    const [own, ...others] = transferIds.map((id) => itemKey('transfer', id))
    const claim = claimOf(visit, own!, others)
    const to = deskPath('/transfers/:id', idOf(visit))
    const reason = reasonOf(visit)
    const given = { transferIds, depositId, despiteReference: isDespite(visit) }
    if (await needsSecond(db, transferIds, [depositId])) {
      const change = { kind: 'match_several', ...given } as const
      await propose(db, { change, by: deciderOf(visit), reason }, { claim })
      return { to, notice: 'proposed' } as const
    }
    const linesOf = (rows: readonly LockedTransfer[]) =>
      Object.fromEntries(rows.map((row) => [row.id, partsOf(row)]))
    await giveSeveral(context, {
      ...{ ...given, reason, actor: actorOf(visit) },
      hooks: {
        claim,
        audit: (done) =>
          auditLine(visit, {
            ...{ act: 'transfer_match_several', subject: `deposit:${depositId}`, reason },
            before: linesOf(done.map(({ before }) => before)),
            after: linesOf(done.map(({ transfer }) => transfer)),
          }),
      },
    })
    return { to, notice: 'matched' } as const
  }

  act('split', work, (visit) => {
    const shares = sharesIn(visit)
    const despiteReference = isDespite(visit)
    return {
      notice: 'split',
      verb: (context, act) => giveTransfer(context, { ...act, shares, despiteReference }),
      second: {
        depositIds: shares.map(({ depositId }) => depositId),
        change: { kind: 'split', transferId: idOf(visit), shares, despiteReference },
      },
    }
  })
  act('set-aside', work, () => ({ notice: 'set_aside', verb: setAside }))
  act('genuine', dangerous, () => ({ notice: 'genuine', verb: declareGenuine }))
  act('revoke', dangerous, () => ({ notice: 'revoked', verb: revokeByHand }))
  act('undo', dangerous, () => ({ notice: 'undone', verb: undoDecision }))
  act('duplicate', work, (visit) => {
    const sameAs = (visit.field('other') || visit.field('of')).toLowerCase()
    if (!isUuid(sameAs)) throw new Refusal('invalid_value', { detail: caseWords[visit.language].whichOf })
    const mayReverse = visit.visitor.session.isFresh
    const options = { sameAs, mayReverse, despiteReference: isDespite(visit) }
    return {
      notice: 'duplicate',
      verb: (context, act) => samePayment(context, { ...act, ...options }),
    }
  })
  act('refund', dangerous, (visit) => {
    const text = visit.field('amount')
    const cents = text === '' ? null : centsFrom(text)
    if (text !== '' && cents === null)
      throw new Refusal('invalid_value', { detail: caseWords[visit.language].refundHint })
    return { notice: 'refunded', verb: (context, act) => refund(context, { ...act, cents }) }
  })
}

type Word = 'match' | 'split' | 'set-aside' | 'genuine' | 'revoke' | 'undo' | 'duplicate' | 'refund'

/** What a form asks for. `second`: what is proposed if one person may not decide it alone. */
type Asked = {
  notice: Notice
  verb: typeof setAside
  second?: { depositIds: readonly string[]; change: MatchChange }
}

/** The purpose names another deposit, and the person knows it. */
const isDespite = (visit: KnownVisit): boolean => visit.field('despite') === 'on'

/** Whether a second person has to approve it: one person may match up to the sum that one may confirm alone. */
async function needsSecond(
  db: Db,
  transferIds: readonly string[],
  depositIds: readonly string[],
): Promise<boolean> {
  const [settings, transfers, deposits] = await Promise.all([
    readApprovalSettings(db),
    Promise.all(transferIds.map((id) => readTransfer(db, id))),
    readDeposits(db, [...depositIds]),
  ])
  const live = transfers.flatMap((found) => (found?.transfer.mode === 'live' ? [found.transfer] : []))
  const [wanted] = deposits
  if (!wanted || live.length === 0) return false
  const { currency } = wanted.deposit
  const sent = live.reduce((sum, { cents }) => sum + cents, 0n)
  const cents = deposits.reduce(
    (most, { deposit }) => (deposit.amountCents > most ? deposit.amountCents : most),
    sent,
  )
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

const partsOf = ({ state, shares, depositCents, refundCents, openCents }: LockedTransfer) => ({
  state,
  deposits: shares.map(({ depositId, cents }) => ({ depositId, cents: cents.toString() })),
  depositCents,
  refundCents,
  openCents,
})

/** The deposits that the matcher looked at and those that it would look at now, each judged alone by the matcher's rules. */
async function candidatesOf(
  db: Db,
  { transfer, decisions }: NonNullable<Awaited<ReturnType<typeof readTransfer>>>,
  currency: Currency,
): Promise<Candidate[]> {
  const references = referencesIn(transfer)
  const names = [...references.written, ...references.bare]
  const { named, ofAmount, begun } = await db.transaction(async (tx) => ({
    named: (await findNamed(tx, names)).map(({ depositId }) => depositId),
    ofAmount: (await findOfAmount(tx, [transfer]))(transfer).map(({ depositId }) => depositId),
    begun: (await findBegun(tx, [transfer])).map(({ depositId }) => depositId),
  }))
  const ids = [...new Set([...named, ...ofAmount, ...begun, ...lookedAt(decisions)])]
  const found = await readDeposits(db, ids.slice(0, candidatesMost))
  const merchantNames = new Map(
    await Promise.all(
      [...new Set(found.map(({ deposit }) => deposit.merchantId))].map(
        async (id) => [id, (await findMerchant(db, id))?.name ?? ''] as const,
      ),
    ),
  )
  const judged = found.map(({ deposit, accountId, now }) => {
    const only = [{ deposit, accountId: accountId ?? '' }]
    const { outcome, reason } = matchTransfer({
      transfer: { ...transfer, references, isInternal: false },
      // Here a person decides whether the amount is enough.
      account: { currency, amountMatching: 'always' },
      named: named.includes(deposit.id) ? only : [],
      ofAmount: ofAmount.includes(deposit.id) ? only : [],
      ofPayer: begun.includes(deposit.id) ? only : [],
      ...{ alike: [], listed: [], now },
    })
    return { deposit, merchantName: merchantNames.get(deposit.merchantId) ?? '', outcome, reason }
  })
  const count = judged.filter(({ outcome }) => outcome === 'amount').length
  return judged
    .map(({ outcome, reason, ...one }) => ({
      ...one,
      likelihood: likelihoods[outcome],
      reason: outcome === 'amount' && count > 1 ? message('match_several_candidates', { count }) : reason,
    }))
    .toSorted(
      (a, b) => b.likelihood - a.likelihood || a.deposit.createdAt.getTime() - b.deposit.createdAt.getTime(),
    )
}

/** The likeliest candidate comes first; one of 0 is not chosen for the person. */
const likelihoods: Record<Outcome, number> = {
  reference: 3,
  amount: 2,
  reference_doubt: 1,
  amount_doubt: 0,
  not_payment: 0,
  listed: 0,
}

const suspectsMost = 20

/** The payments that a held transfer may be; for one that was called the same payment, the one that remains. */
const suspectsOf = ({ state, duplicateOf, heldWith }: LockedTransfer): string[] =>
  duplicateOf ? [duplicateOf] : state === 'held' ? heldWith.slice(0, suspectsMost) : []

/** The deposits in the evidence of the last decision that looked at any. */
function lookedAt(decisions: readonly { evidence: unknown }[]): string[] {
  const last = decisions.findLast(({ evidence }) =>
    Array.isArray((evidence as { candidates?: unknown } | null)?.candidates),
  )
  const candidates = (last?.evidence as { candidates: { deposit?: unknown }[] } | undefined)?.candidates ?? []
  return candidates.map((candidate) => String(candidate.deposit)).filter(isUuid)
}
