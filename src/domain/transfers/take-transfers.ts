/**
 * Takes bank entries: each becomes one transfer, once, and each new credit is matched at once. Transfers, decisions,
 * deposits, events and callbacks are written in one transaction, so money is never stored without its consequence.
 *
 * Locks, in the order of ARCHITECTURE.md: receiving accounts, then transfers and deposits by id, then what a change of deposits
 * locks.
 */

import { bounds } from '../../platform/bounds.ts'
import { monotonicMs } from '../../platform/clock.ts'
import type { Timeouts, Tx } from '../../platform/db.ts'
import { type FairLimit, overloaded } from '../../platform/fair-limit.ts'
import { inStretches } from '../../platform/in-stretches.ts'
import { Refusal } from '../../platform/refusals.ts'
import type { DepositContext } from '../deposits/change-deposit.ts'
import { type Change, statesEntered } from '../deposits/decide.ts'
import { saveInParts } from '../deposits/store.ts'
import { type Message, message } from '../messages/message.ts'
import { recordBankData } from '../requisites/account-store.ts'
import { claimPlaces, findPlaces, refuseOthers, type Span } from './claim-voices.ts'
import { findUntouched } from './decision-store.ts'
import { type Entry, type Prepared, prepare } from './entry.ts'
import { type Judged, judgeReport } from './identify.ts'
import { insertKeys, type NewKey, noteVersions, savePairs } from './identity-store.ts'
import { rematch } from './look-again.ts'
import { matchCredits } from './match-credits.ts'
import type { Match } from './matching.ts'
import { insertReportRows } from './report-store.ts'
import { revokeAll } from './revoke-transfer.ts'
import type { Source } from './source.ts'
import {
  insertTransfers,
  type LockedAccount,
  lockAccounts,
  lockTransfers,
  type TransferDraft,
} from './store.ts'
import { nothingTaken, type Taken } from './taken.ts'
import type { Transfer, TransferState } from './transfer.ts'

/** Takes what a source reports early. */
export async function takeTransfers(
  { db, publicUrl, changed }: DepositContext,
  entries: readonly Entry[],
  { source, timeouts }: { source: Source; timeouts?: Timeouts },
): Promise<Taken> {
  const group = await inStretches(entries, (entry) => prepare(entry))
  const { taken, changes } = await db.transaction(
    (tx) => takeEarly(tx, group, { source, publicUrl }),
    timeouts,
  )
  changed(statesEntered(changes))
  return taken
}

export type TakePush = (source: Source, entries: readonly Entry[]) => Promise<Taken>

/** A longer lock timeout than usual: a file of the same account may be importing, in groups of hundreds of rows. */
const pushTimeouts = { statementMs: bounds.statementTimeoutMs, lockMs: bounds.pushes.lockMs }

/**
 * A few pushes of a source are under way at once, so that those that wait for one account do not take every connection. One that
 * cannot be served in time is refused, to be sent again.
 */
export const pushesInTurn =
  (context: DepositContext, inTurn: FairLimit): TakePush =>
  (source, entries) => {
    const until = monotonicMs() + bounds.pushes.waitMs
    return inTurn(source.id, () => {
      if (monotonicMs() > until) throw overloaded()
      return takeTransfers(context, entries, { source, timeouts: pushTimeouts })
    })
  }

export type Outcome = { taken: Taken; results: Result[]; changes: Change[] }

/** What a row became; of a new or held one the draft, of any other the transfer that it tells again. */
export type Result = {
  judged: Judged
  became: 'new' | 'paired' | 'known' | 'held' | 'undone'
  transferId: string
  draft?: TransferDraft
}

type TakeEarly = {
  source: Source
  publicUrl: string
  /** Parked rows of a file that a person takes, beside the early voice: their file, and their numbers in it. */
  parked?: { statementId: string; places: readonly number[] }
}

export async function takeEarly(
  tx: Tx,
  group: readonly Prepared[],
  { source, publicUrl, parked }: TakeEarly,
): Promise<Outcome> {
  const accounts = await lockedAccounts(tx, group, source)
  const places = await findPlaces(tx, source, 'early', spansOf(group))
  if (!parked) {
    refuseOthers(group.map(({ accountId, bookedOn: day }) => ({ place: places.get(accountId)!, day })))
    await claimPlaces(tx, source, places.values(), `bank:${source.name}`)
  }
  const judged = await judgeReport(tx, group, { source, places, parked })
  const statementId = parked?.statementId ?? null
  return saveJudged(tx, judged, { accounts, source, publicUrl, statementId })
}

export async function lockedAccounts(
  tx: Tx,
  group: readonly Pick<Prepared, 'accountId'>[],
  source: Pick<Source, 'mode'>,
): Promise<Map<string, LockedAccount>> {
  const accounts = await lockAccounts(tx, [...new Set(group.map((entry) => entry.accountId))])
  for (const { accountId } of group) {
    if (accounts.get(accountId)?.mode !== source.mode)
      throw new Refusal('not_found', { detail: message('no_such_receiving_account_in_mode') })
  }
  const unheard = [...accounts.values()].filter((account) => !account.isHeard)
  if (unheard.length > 0)
    await recordBankData(
      tx,
      unheard.map(({ id }) => id),
    )
  return accounts
}

function spansOf(rows: readonly Pick<Prepared, 'accountId' | 'bookedOn'>[]): Span[] {
  return [...Map.groupBy(rows, ({ accountId }) => accountId)].map(([accountId, own]) => {
    const days = own.map(({ bookedOn }) => bookedOn).sort()
    return { accountId, from: days[0]!, to: days.at(-1)! }
  })
}

type SaveOptions = {
  accounts: ReadonlyMap<string, LockedAccount>
  source: Source
  publicUrl: string
  statementId: string | null
  /** Called when all writes have been sent: the database is then busy for a while, and this process is free. */
  sent?: (() => void) | undefined
}

/** Writes judged rows, with everything that follows from them. */
export async function saveJudged(
  tx: Tx,
  rows: readonly Judged[],
  { accounts, source, publicUrl, statementId, sent }: SaveOptions,
): Promise<Outcome> {
  const told = await lockTold(tx, rows)
  const judged = rows.map((row) => (isLost(row, told) ? { ...row, verdict: heldWith(row) } : row))
  const changed: Change[] = []
  const ended = new Set(judged.flatMap(({ verdict }) => (verdict.as === 'ended' ? verdict.with : [])))
  const toRevoke = [...told.values()].filter(
    ({ id, state }) => ended.has(id) && state !== 'revoked' && state !== 'duplicate',
  )
  if (toRevoke.length > 0)
    changed.push(...(await revokeAll(tx, toRevoke, { actor: `bank:${source.name}`, publicUrl })))
  const undone = new Set(toRevoke.map(({ id }) => id))

  const again = await findToMatchAgain(tx, judged, told)
  const rowOf = new Map(judged.filter(isToMatch).map((row) => [row.entry, row]))
  const drafts = new Map<Judged, TransferDraft>()
  const make = (row: Judged, match?: Match): TransferDraft => {
    const draft = draftOf(row, source, match)
    drafts.set(row, draft)
    return draft
  }
  async function* parts() {
    const pairs = judged.flatMap(pairOf)
    yield {
      changes: [],
      beside: [() => savePairs(tx, pairs), () => noteVersions(tx, judged.flatMap(versionOf))],
    }
    const context = { accountOf: (id: string) => accounts.get(id)!, source }
    for await (const { matches, changes } of matchCredits(tx, [...rowOf.keys()], context)) {
      const made = [...matches].map(([entry, match]) => make(rowOf.get(entry)!, match))
      changed.push(...changes)
      yield { changes, beside: [() => insertTransfers(tx, made)] }
    }
    const others = judged.filter((row) => makesTransfer(row) && !drafts.has(row)).map((row) => make(row))
    yield {
      changes: [],
      beside: [
        () => insertTransfers(tx, others),
        () => insertKeys(tx, source.id, judged.flatMap(keyToInsert)),
        () => insertReportRows(tx, statementId, judged.map(resultOf)),
      ],
    }
    sent?.()
  }
  const resultOf = (row: Judged): Result => {
    const draft = drafts.get(row)
    const { verdict, id } = row
    if (draft) return { judged: row, draft, became: verdict.as === 'held' ? 'held' : 'new', transferId: id }
    const transferId = toldBy(row)!
    const became = verdict.as === 'paired' ? 'paired' : undone.has(transferId) ? 'undone' : 'known'
    return { judged: row, became, transferId }
  }
  await saveInParts(tx, parts(), publicUrl)
  changed.push(...(await rematch(tx, again, publicUrl)))
  const results = judged.map(resultOf)
  return { taken: countOf(results), results, changes: changed }
}

const toldBy = ({ verdict }: Judged): string | undefined =>
  verdict.as === 'paired' || verdict.as === 'known' || verdict.as === 'ended' ? verdict.with : undefined

const makesTransfer = (row: Judged): boolean => toldBy(row) === undefined

/** The transfers that rows change by telling them again, with their state of now. */
async function lockTold(tx: Tx, rows: readonly Judged[]): Promise<Map<string, Transfer>> {
  const ids = rows.filter(({ verdict }) => verdict.as !== 'known').flatMap((row) => toldBy(row) ?? [])
  if (ids.length === 0) return new Map()
  return new Map((await lockTransfers(tx, ids)).map((transfer) => [transfer.id, transfer]))
}

/** Since it was paired, its other report was taken back: a person decides. */
const isLost = ({ verdict }: Judged, told: ReadonlyMap<string, Transfer>): boolean => {
  if (verdict.as !== 'paired') return false
  const state = told.get(verdict.with)?.state
  return state === undefined || state === 'revoked' || state === 'duplicate'
}

const heldWith = (row: Judged) => ({ as: 'held' as const, with: [toldBy(row)!] })

const isToMatch = ({ entry, verdict }: Judged): boolean =>
  verdict.as === 'new' && entry.direction === 'credit' && entry.channel !== 'hand'

/** Paired transfers that nothing named, and that their second report names: matched again, unless a person has decided. */
async function findToMatchAgain(
  tx: Tx,
  rows: readonly Judged[],
  told: ReadonlyMap<string, Transfer>,
): Promise<Map<Prepared, Transfer>> {
  const found = new Map<Prepared, Transfer>()
  for (const { entry, verdict } of rows) {
    const before = verdict.as === 'paired' ? told.get(verdict.with) : undefined
    const isOpen = before?.state === 'unmatched' || before?.state === 'ambiguous'
    if (before && isOpen && before.names.length === 0 && entry.references.written.length > 0)
      found.set(entry, before)
  }
  if (found.size === 0) return found
  const ids = [...found.values()].map(({ id }) => id)
  const untouched = await findUntouched(tx, ids)
  return new Map([...found].filter(([, { id }]) => untouched.has(id)))
}

function draftOf(
  { entry, id, role, verdict }: Judged,
  source: Source,
  match: Match | undefined,
): TransferDraft {
  const heldWith = verdict.as === 'held' ? verdict.with : []
  const { state, ...decision } = match
    ? {
        state: match.state,
        rule: match.outcome,
        reason: match.reason,
        evidence: { candidates: match.candidates },
      }
    : {
        ...withoutMatch(entry, verdict),
        evidence: { source: source.name, ...(heldWith.length > 0 && { same_as: heldWith }) },
      }
  return {
    ...entry,
    ...{ id, role, state, heldWith, decision },
    sourceId: source.id,
    names: entry.references.written,
    shares: match?.shares ?? [],
  }
}

/** The state and the reason of a row that needs no look at the deposits. */
function withoutMatch(
  entry: Prepared,
  verdict: Judged['verdict'],
): { state: TransferState; rule: string; reason: Message } {
  if (verdict.as === 'held') {
    const reason = message(verdict.with.length > 0 ? 'may_be_known_payment' : 'told_alone')
    return { state: 'held', rule: 'held', reason }
  }
  if (entry.direction === 'debit')
    return entry.isReversal
      ? { state: 'reversal', rule: 'reversal', reason: message('bank_takes_unknown_payment_back') }
      : { state: 'debit', rule: 'debit', reason: message('money_left_account') }
  if (entry.channel === 'hand')
    return { state: 'ambiguous', rule: 'noted', reason: message('money_noted_by_hand') }
  return { state: 'revoked', rule: 'revoked', reason: message('bank_told_of_payment_and_its_end') }
}

/** By what the row is known from now on. */
const keyToInsert = (row: Judged): NewKey[] => {
  const { verdict, entry, role, key, variant, id } = row
  if (!makesTransfer(row) && verdict.as !== 'paired') return []
  return [{ accountId: entry.accountId, role, key, variant, transferId: toldBy(row) ?? id }]
}

const pairOf = ({ verdict, role, entry }: Judged) =>
  verdict.as === 'paired' ? [{ ...entry, id: verdict.with, role, names: entry.references.written }] : []

/** Only pushes and the sandbox number what they report anew. */
const versionOf = ({ verdict, entry }: Judged) =>
  (verdict.as === 'known' || verdict.as === 'ended') && entry.version > 0n
    ? [{ id: verdict.with, version: entry.version }]
    : []

function countOf(results: readonly Result[]): Taken {
  const counts = { ...nothingTaken }
  for (const { became, draft } of results) {
    if (draft) {
      counts.taken++
      counts[draft.state as keyof Taken]++
    } else if (became === 'paired') counts.paired++
    else if (became === 'undone') counts.undone++
    else counts.seen++
  }
  return counts
}
