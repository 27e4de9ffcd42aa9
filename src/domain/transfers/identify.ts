/** What the rows of one early report are: known, another report of a stored payment, held, or new. See docs/money-in.md. */
import { newId } from '../../platform/clock.ts'
import type { Queryable, Tx } from '../../platform/db.ts'
import { holidayDays } from './bank-text/days.ts'
import type { Place } from './claim-voices.ts'
import { type Key, keyOf, type Prepared, toldOf } from './entry.ts'
import { isSamePayment, judgeEarly, mostIdsShown, type Verdict } from './identity.ts'
import {
  findByKeys,
  findOnlyBooked,
  findStagedBooked,
  findToldByOthers,
  type KnownByKey,
} from './identity-store.ts'
import type { Source } from './source.ts'
import type { TransferState } from './transfer.ts'
import { neighboursOf, type Role } from './voice.ts'
import { findClosedDays } from './voice-store.ts'

/** A row, and what it is. `id` is that of the transfer that it makes, if it makes one. */
export type Judged = Key & {
  entry: Prepared
  id: string
  role: Role
  place: number | null
  verdict:
    | Verdict
    | { as: 'known'; with: string }
    /** The bank takes it back. */
    | { as: 'ended'; with: string }
    /** The bank takes back what nobody told before, also in the report that tells it. */
    | { as: 'revoked' }
}

type JudgeReport = {
  source: Source
  places: ReadonlyMap<string, Place>
  /** A person takes these rows of a file that has no early place: they are judged like notes. */
  parked?: { places: readonly number[] } | undefined
}

/** Early rows, with the places that their source has; accounts are locked. */
export async function judgeReport(
  tx: Tx,
  entries: readonly Prepared[],
  { source, places, parked }: JudgeReport,
): Promise<Judged[]> {
  const areNotes = parked !== undefined || source.kind === 'hand'
  const keyed = entries.map((entry, at) => ({
    ...{ entry, id: newId(), role: 'early' as const, place: parked?.places[at] ?? null },
    ...keyOf(entry, places.get(entry.accountId)!.ids),
  }))
  const keys = keyed.map(({ entry, key }) => ({ accountId: entry.accountId, key }))
  const known = Map.groupBy(
    await findByKeys(tx, { sourceId: source.id, role: 'early', keys }),
    ({ key }) => key,
  )
  const judged = judgeByKeys(keyed, known)
  const fresh = Map.groupBy(
    keyed.filter((row) => !judged.has(row)),
    ({ entry }) => entry.accountId,
  )
  for (const [accountId, rows] of fresh) {
    const credits = rows.filter(({ entry }) => entry.direction === 'credit')
    const verdicts = await judgeCredits(tx, credits, { source, place: places.get(accountId)!, areNotes })
    for (const row of rows) judged.set(row, verdicts.get(row) ?? { as: 'new' })
  }
  return keyed.map((row) => ({ ...row, verdict: judged.get(row)! }))
}

type Keyed = Omit<Judged, 'verdict'>

/** What follows from what a source has told under its keys, before or in this report. */
function judgeByKeys(rows: readonly Keyed[], known: Map<string, KnownByKey[]>) {
  const judged = new Map<Keyed, Judged['verdict']>()
  const ofReport = new Map<string, Keyed>()
  for (const row of rows) {
    const { entry, id } = row
    const key = row.key.toString('hex')
    const told = toldOf(entry)
    const ofKey = known.get(key) ?? []
    // The newest: what is told anew follows what the bank took back.
    const same = ofKey.findLast((one) => isSamePayment(told, one))
    const isEnd = entry.isReversal && entry.direction === 'credit'
    // An id is given once: whatever the bank says of its money now, it takes this payment back.
    const other = isEnd ? (ofKey.find(({ state }) => counts(state)) ?? ofKey.at(-1)) : undefined
    const found = same ?? other
    const first = found && ofReport.get(found.id)
    // A higher version brings a revoked one back: a person decides.
    const isBack = !isEnd && !first && found?.state === 'revoked' && entry.version > found.version
    if (found && !isBack) {
      judged.set(row, { as: isEnd && !first ? 'ended' : 'known', with: found.id })
      if (isEnd && first) judged.set(first, { as: 'revoked' })
      continue
    }
    const maybe = isBack ? [found.id] : ofKey.slice(0, mostIdsShown).map((one) => one.id)
    if (isEnd) judged.set(row, { as: 'revoked' })
    else if (maybe.length > 0 && entry.direction === 'credit') judged.set(row, { as: 'held', with: maybe })
    ofReport.set(id, row)
    const state = isEnd ? 'revoked' : 'unmatched'
    const added = { ...told, id, key, state, version: entry.version, credited: [], isNote: false } as const
    known.set(key, [...ofKey, added])
  }
  return judged
}

/** Of several under one id the one that may have settled something. */
const counts = (state: TransferState): boolean =>
  state !== 'held' && state !== 'revoked' && state !== 'duplicate'

async function judgeCredits<Row extends { entry: Prepared; id: string }>(
  tx: Tx,
  credits: readonly Row[],
  { source, place, areNotes }: { source: Source; place: Place; areNotes: boolean },
): Promise<Map<Row, Verdict>> {
  if (credits.length === 0) return new Map()
  const days = credits.map(({ entry }) => entry.bookedOn).sort()
  const around = { accountId: place.accountId, from: days[0]!, to: days.at(-1)! }
  const before = areNotes ? holidayDays : 0
  const isClosed = await findClosedDays(tx, around)
  const staged = await findStagedBooked(tx, { ...around, before })
  const beside = await findToldBeside(tx, { ...around, source, place })
  const isBeside = (day: string) => place.standingOn(day) === 'beside'
  const verdicts = judgeEarly({
    rows: credits.map(({ entry }) => toldOf(entry)),
    booked: [
      ...(await findOnlyBooked(tx, { ...around, before })),
      ...beside.filter(({ isBooked }) => isBooked),
      ...staged,
    ],
    ofOtherVoice: beside.filter(({ isBooked }) => !isBooked),
    ...{ isBeside, isClosed, areNotes },
  })
  // A row that an import has not come to yet is no transfer: a person pairs it.
  const isStaged = new Set(staged.map(({ id }) => id))
  return new Map(
    credits.map((row, at) => {
      const verdict = verdicts[at]!
      const isOfStaged = verdict.as === 'paired' && isStaged.has(verdict.with)
      return [row, isOfStaged ? { as: 'held', with: [verdict.with] } : verdict]
    }),
  )
}

/** Near a change of voice the other voice is compared too; what a person notes is beside everything that is told early. */
export async function findToldBeside(
  tx: Queryable,
  { source, place, ...around }: { accountId: string; from: string; to: string; source: Source; place: Place },
): ReturnType<typeof findToldByOthers> {
  const { voices, role } = place
  const isBesideAll = source.kind === 'hand' || place.standingOn(around.to) === 'other'
  const others = isBesideAll
    ? voices.map((voice) => voice.source.id)
    : neighboursOf(voices, source.id, around)
  return findToldByOthers(tx, { ...around, role, sourceId: source.id, others })
}
