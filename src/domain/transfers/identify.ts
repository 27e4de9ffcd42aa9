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
  pairStaged,
  type Staged,
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
  /** Its number in its file. */
  place: number | null
  verdict: Verdict | { as: 'known'; with: string; isNewer?: boolean } | { as: 'ended'; with: string | null }
}

type JudgeReport = {
  source: Source
  places: ReadonlyMap<string, Place>
  /** A person takes rows of a file that has no early place: they are judged like notes. */
  isTakenByHand?: boolean
}

/** Early rows, with the places that their source has; accounts are locked. */
export async function judgeReport(
  tx: Tx,
  entries: readonly Prepared[],
  { source, places, isTakenByHand = false }: JudgeReport,
): Promise<Judged[]> {
  const keyed = entries.map((entry) => ({
    ...{ entry, id: newId(), role: 'early' as const, place: null },
    ...keyOf(entry, places.get(entry.accountId)!.ids),
  }))
  const found = await findByKeys(tx, {
    sourceId: source.id,
    role: 'early',
    keys: keyed.map(({ entry, key }) => ({ accountId: entry.accountId, key })),
  })
  const known = new KnownKeys(found)
  const judged = new Map<(typeof keyed)[number], Judged['verdict']>()
  for (const row of keyed) {
    const verdict = known.judge(row)
    if (verdict) judged.set(row, verdict)
    // Reported and revoked in one delivery.
    const first = verdict?.as === 'known' && isEnd(row.entry) && keyed.find(({ id }) => id === verdict.with)
    if (first) judged.set(first, { as: 'ended', with: null })
  }
  const fresh = Map.groupBy(
    keyed.filter((row) => !judged.has(row)),
    ({ entry }) => entry.accountId,
  )
  for (const [accountId, rows] of fresh) {
    const credits = rows.filter(({ entry }) => entry.direction === 'credit')
    const verdicts = await judgeCredits(tx, credits, { source, place: places.get(accountId)!, isTakenByHand })
    for (const row of rows) judged.set(row, verdicts.get(row) ?? { as: 'new' })
  }
  return keyed.map((row) => ({ ...row, verdict: judged.get(row)! }))
}

/** Of several under one id the one that may have settled something. */
const counts = (state: TransferState): boolean =>
  state !== 'held' && state !== 'revoked' && state !== 'duplicate'

const isEnd = ({ isReversal, direction }: Prepared): boolean => isReversal && direction === 'credit'

/** What a source has told under its keys, and what it tells now. */
class KnownKeys {
  readonly #known: Map<string, KnownByKey[]>
  /** Of this report. */
  readonly #fresh = new Set<string>()

  constructor(found: readonly KnownByKey[]) {
    this.#known = Map.groupBy(found, ({ key }) => key)
  }

  /** Undefined: no key knows it. */
  judge({ entry, id, key }: Key & { entry: Prepared; id: string }): Judged['verdict'] | undefined {
    const hex = key.toString('hex')
    const known = this.#known.get(hex) ?? []
    const told = toldOf(entry)
    const same = known.find((one) => isSamePayment(told, one))
    if (isEnd(entry)) {
      // An id is given once: whatever the bank says of its money now, it takes this payment back.
      const ended = same ?? known.find(({ state }) => counts(state)) ?? known.at(-1)
      if (ended && this.#fresh.has(ended.id)) return { as: 'known', with: ended.id }
      if (!ended)
        this.#add(hex, { ...told, id, ...nothing, key: hex, state: 'revoked', version: entry.version })
      return { as: 'ended', with: ended?.id ?? null }
    }
    if (same) {
      const isNewer = same.state === 'revoked' && entry.version > same.version && !this.#fresh.has(same.id)
      return { as: 'known', with: same.id, isNewer }
    }
    const maybe = known.slice(0, mostIdsShown).map((one) => one.id)
    this.#add(hex, { ...told, id, ...nothing, key: hex, state: 'unmatched', version: entry.version })
    return maybe.length > 0 && entry.direction === 'credit' ? { as: 'held', with: maybe } : undefined
  }

  #add(hex: string, one: KnownByKey): void {
    this.#fresh.add(one.id)
    const known = this.#known.get(hex)
    if (known) known.push(one)
    else this.#known.set(hex, [one])
  }
}

const nothing = { credited: [] as string[], isNote: false }

async function judgeCredits<Row extends { entry: Prepared; id: string }>(
  tx: Tx,
  credits: readonly Row[],
  { source, place, isTakenByHand }: { source: Source; place: Place; isTakenByHand: boolean },
): Promise<Map<Row, Verdict>> {
  if (credits.length === 0) return new Map()
  const days = credits.map(({ entry }) => entry.bookedOn).sort()
  const around = { accountId: place.accountId, from: days[0]!, to: days.at(-1)! }
  const areNotes = isTakenByHand || source.kind === 'hand'
  const before = areNotes ? holidayDays : 0
  const closed = new Set((await findClosedDays(tx, [place.accountId], around)).map(({ day }) => day))
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
    ...{ isBeside, isClosed: (day) => closed.has(day) },
    areNotes,
  })
  const judged = new Map(credits.map((row, at) => [row, verdicts[at]!]))
  return withStaged(tx, judged, staged)
}

/** A pair of a row that an import has not come to yet is a new transfer, which that row will tell again. */
async function withStaged<Row extends { id: string }>(
  tx: Tx,
  judged: Map<Row, Verdict>,
  staged: readonly Staged[],
): Promise<Map<Row, Verdict>> {
  if (staged.length === 0) return judged
  const rowOf = new Map(staged.map((row) => [row.id, row]))
  const pairs = []
  for (const [row, verdict] of judged) {
    const found = verdict.as === 'paired' && rowOf.get(verdict.with)
    if (!found) continue
    pairs.push({ runId: found.runId, place: found.place, transferId: row.id })
    judged.set(row, { as: 'new' })
  }
  await pairStaged(tx, pairs)
  return judged
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
