/**
 * Takes bank entries: each becomes one transfer, once, and each credit is matched at once. Transfers, decisions,
 * deposits, events and callbacks are written in one transaction, so money is never stored without its consequence.
 *
 * Locks, in the order of ARCHITECTURE.md: receiving accounts (one import of an account at a time), then deposits by
 * id, then what a change of deposits locks.
 */

import { bounds } from '../../platform/bounds.ts'
import { newId } from '../../platform/clock.ts'
import type { Timeouts, Tx } from '../../platform/db.ts'
import { inStretches } from '../../platform/in-stretches.ts'
import { Refusal } from '../../platform/refusals.ts'
import { type Hooks, perform } from '../audit/perform.ts'
import type { DepositContext } from '../deposits/change-deposit.ts'
import { type Change, statesEntered } from '../deposits/decide.ts'
import type { Deposit, DepositState } from '../deposits/deposit.ts'
import { saveInParts } from '../deposits/store.ts'
import { type Message, message } from '../messages/message.ts'
import { recordBankData } from '../requisites/account-store.ts'
import {
  type Doubt,
  doubts,
  type IncomingEntry,
  type NewEntry,
  namesDeposit,
  type Prepared,
  prepare,
} from './bank-entries.ts'
import { matchCredits } from './match-credits.ts'
import { type Match, matcherVersion } from './matching.ts'
import { CoveredDays } from './moved-days.ts'
import { insertRepeats } from './repeat-store.ts'
import type { PriorTransfer } from './repetitions.ts'
import { restoreUndone } from './restore-undone.ts'
import { revokeKnown } from './revoke-transfer.ts'
import { sortBankEntries } from './sort-bank-entries.ts'
import { otherAccountReported, type Source } from './source.ts'
import { readReportRight } from './source-store.ts'
import { insertTransfers, lockAccounts, type TransferDraft } from './store.ts'
import { suspectEnded, suspectRepetitions } from './suspect-repetitions.ts'
import { nothingTaken, sumTaken, type Taken } from './taken.ts'
import type { TransferState } from './transfer.ts'

type TakeOptions = {
  source: Source
  /** Looks at what would happen, and leaves everything as it was. */
  dryRun?: boolean
  /** An import can wait long for the lock of its account; a push cannot, because the bank waits for the answer. */
  timeouts?: Timeouts
  /** Refuses what may not be taken, in the transaction of each group. */
  check?: Hooks['check'] | undefined
  /** Refuses a deposit that may not change, in the same transaction. */
  checkDeposit?: ((tx: Tx, deposit: Deposit) => Promise<void>) | undefined
  /** The days of the whole file, where it is taken in several groups; else those of the group. */
  covered?: CoveredDays | undefined
  /** Called when all writes have been sent: the database is then busy for a while, and this process is free. */
  sent?: (() => void) | undefined
  /** Called with the transfers that were made of new entries. */
  decided?: (drafts: readonly TransferDraft[]) => void
}

export async function takeTransfers(
  context: DepositContext,
  incoming: readonly IncomingEntry[],
  options: TakeOptions,
): Promise<Taken> {
  let total = nothingTaken
  for (let from = 0; from < incoming.length; from += bounds.sweepGroup) {
    const group = await inStretches(incoming.slice(from, from + bounds.sweepGroup), prepare)
    total = sumTaken(total, await takeGroup(context, group, options))
  }
  return total
}

/** At most `bounds.importGroup` entries, in one transaction. */
export async function takeGroup(
  { db, publicUrl, changed }: DepositContext,
  group: readonly Prepared[],
  { source, dryRun = false, timeouts, check, checkDeposit, covered, sent, decided }: TakeOptions,
): Promise<Taken> {
  try {
    const { taken, entered, drafts } = await perform(db, { check, timeouts }, async (tx) => {
      const done = await takeAll(tx, group, source, publicUrl, { checkDeposit, covered, sent })
      if (dryRun) throw new Undone(done)
      return done
    })
    changed(entered)
    decided?.(drafts)
    return taken
  } catch (error) {
    if (!(error instanceof Undone)) throw error
    decided?.(error.done.drafts)
    return error.done.taken
  }
}

export type Done = { taken: Taken; drafts: readonly TransferDraft[]; entered: DepositState[] }

class Undone extends Error {
  readonly done: Done
  constructor(done: Done) {
    super('This was a dry run.')
    this.done = done
  }
}

export async function takeAll(
  tx: Tx,
  group: readonly Prepared[],
  source: Source,
  publicUrl: string,
  {
    checkDeposit,
    covered = new CoveredDays(group),
    sent,
  }: Pick<TakeOptions, 'checkDeposit' | 'covered' | 'sent'> = {},
): Promise<Done> {
  const accounts = await lockAccounts(tx, [...new Set(group.map((entry) => entry.accountId))])
  for (const { accountId } of group) {
    if (accounts.get(accountId)?.mode !== source.mode) {
      throw new Refusal('not_found', { detail: message('no_such_receiving_account_in_mode') })
    }
  }
  if (source.kind === 'push') await refuseFormerSource(tx, source, [...accounts.keys()])
  const unheard = [...accounts.values()].filter((account) => !account.isHeard)
  if (unheard.length > 0)
    await recordBankData(
      tx,
      unheard.map(({ id }) => id),
    )
  const { fresh, duplicates, undone, updates, seen, repeats, repeated, known } = await sortBankEntries(
    tx,
    group,
    source,
  )
  const actor = `bank:${source.name}`
  // A group is of one file, or of none.
  const statementId = group[0]?.statementId ?? null
  const entered: DepositState[] = []
  const noteChanges = async (changes: readonly Change[]) => {
    if (checkDeposit) for (const { deposit } of changes) await checkDeposit(tx, deposit)
    entered.push(...statesEntered(changes))
  }
  const revoked = await revokeKnown(tx, updates, { actor, publicUrl, statementId })
  await noteChanges(revoked.flatMap((revocation) => revocation.changes))
  const restored = await restoreUndone(tx, repeated, actor)
  const credits = fresh.filter(
    (entry) =>
      entry.direction === 'credit' &&
      !duplicates.has(entry) &&
      !entry.isRevoked &&
      !undone.has(entry) &&
      !entry.isInternal &&
      !entry.doubt,
  )
  const context = {
    accountOf: (id: string) => accounts.get(id)!,
    source,
    repeated: new Set([...known, ...[...duplicates.values()].map(({ id }) => id)]),
    movedDays: covered.movedDays,
  }
  const ended = fresh.filter(
    (entry) =>
      entry.direction === 'credit' && (entry.isRevoked || undone.has(entry)) && !duplicates.has(entry),
  )
  const mayCount = await suspectEnded(tx, ended, context)
  const made = new Map<NewEntry, TransferDraft>()
  const make = (entry: NewEntry, match?: Match) => {
    const counting = mayCount.get(entry)
    const isEnded = entry.isRevoked || undone.has(entry)
    const draft = counting
      ? draftOfEnded(entry, source, counting)
      : draftOf({ ...entry, isRevoked: isEnded }, source, duplicates.get(entry), match)
    made.set(entry, draft)
    return draft
  }
  async function* parts() {
    for await (const { matches, changes } of matchCredits(tx, credits, context)) {
      const judged = await suspectRepetitions(tx, matches, context)
      const drafts = [...judged].map(([entry, match]) => make(entry, match))
      await noteChanges(changes.flat())
      const [first = [], ...waves] = changes
      yield { changes: first, beside: [() => insertTransfers(tx, drafts)] }
      for (const wave of waves) yield { changes: wave, beside: [] }
    }
    const others = fresh.filter((entry) => !made.has(entry)).map((entry) => make(entry))
    yield { changes: [], beside: [() => insertTransfers(tx, others), () => insertRepeats(tx, repeats)] }
    sent?.()
  }
  await saveInParts(tx, parts(), publicUrl)
  const drafts = fresh.map((entry) => made.get(entry)!)
  return {
    taken: countOf([...drafts, ...restored], seen, revoked.length),
    drafts,
    entered,
  }
}

/** While the body arrived, or waited for its account, the source may have been disabled, or have lost the account. */
async function refuseFormerSource(tx: Tx, { id }: Source, accountIds: readonly string[]): Promise<void> {
  const right = await readReportRight(tx, id, accountIds)
  if (!right?.isEnabled) throw new Refusal('bank_token_invalid')
  if (!right.isForAll) throw new Refusal('not_found', { detail: otherAccountReported })
}

function draftOf(
  entry: NewEntry,
  source: Source,
  original: PriorTransfer | undefined,
  match: Match | undefined,
): TransferDraft {
  // A new report of revoked money goes to a person.
  const doubt = entry.doubt ?? (original?.state === 'revoked' ? 'told_of_revoked' : null)
  const state = stateOf(entry, doubt, original, match)
  const duplicateOf = state === 'duplicate' ? original!.id : null
  const decided = match ?? reasonFor(state, doubt)
  const evidence = match
    ? {
        version: matcherVersion,
        score: match.score,
        candidates: match.candidates,
        line: entry.line,
        ...sameAs(match.sameAs),
      }
    : {
        source: source.name,
        twin: original?.id,
        line: entry.line,
        ...sameAs(entry.sameAs ?? (doubt && original ? [original.id] : [])),
      }
  return {
    ...entry,
    id: newId(),
    sourceId: source.id,
    state,
    depositId: match?.depositId ?? null,
    duplicateOf,
    decision: { rule: decided.rule, reason: decided.reason, evidence },
  }
}

/** The bank revoked it, and it may be the same as one of these, which count, or as money that a person recorded. */
function draftOfEnded(entry: NewEntry, source: Source, counting: readonly string[]): TransferDraft {
  const doubted = { ...entry, isRevoked: false, doubt: 'told_of_revoked', sameAs: counting } as const
  const draft = draftOf(doubted, source, undefined, undefined)
  const why = counting.length > 0 ? 'taken_back_but_may_count' : 'taken_back_but_noted'
  return { ...draft, decision: { ...draft.decision, reason: message(why) } }
}

/** The transfers that a person is shown for comparison. */
const sameAs = (ids: readonly string[]) => (ids.length > 0 ? { same_as: ids } : {})

function stateOf(
  entry: NewEntry,
  doubt: Doubt | null,
  original: PriorTransfer | undefined,
  match: Match | undefined,
): TransferState {
  if (entry.direction === 'debit') return doubt === 'reversal_unclear' ? 'reversal' : 'debit'
  if (entry.isRevoked) return 'revoked'
  if (doubt) return 'ambiguous'
  if (original) return 'duplicate'
  // A customer may pay from an account that is also ours, such as that of another merchant.
  if (entry.isInternal) return namesDeposit(entry) ? 'ambiguous' : 'set_aside'
  return match!.outcome
}

/** The reason of a decision that needs no look at the deposits. */
function reasonFor(state: TransferState, doubt: Doubt | null): { rule: string; reason: Message } {
  if (doubt && state !== 'revoked') return { rule: doubt, reason: doubts[doubt] }
  if (state === 'duplicate') return { rule: 'seen_before', reason: message('payment_told_by_another_source') }
  if (state === 'revoked') return { rule: 'revoked', reason: message('bank_told_of_payment_and_its_end') }
  if (state === 'ambiguous') return { rule: 'internal', reason: message('own_money_names_deposit') }
  if (state === 'set_aside') return { rule: 'internal', reason: message('own_money_between_accounts') }
  return { rule: 'debit', reason: message('money_left_account') }
}

export function countOf(drafts: readonly { state: TransferState }[], seen: number, undone: number): Taken {
  const counts = { ...nothingTaken, taken: drafts.length, seen, undone }
  for (const { state } of drafts) counts[state as keyof Taken]++
  return counts
}
