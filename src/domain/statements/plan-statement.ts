/**
 * What each row of a file is, before the first one is taken: known, another report of a stored payment, held, parked, or new. The
 * whole file is judged at once, because one row may take what another one needs. See docs/money-in.md.
 */
import type { Queryable } from '../../platform/db.ts'
import { daysAfter, holidayDays } from '../transfers/bank-text/days.ts'
import { findPlaces, type Place, refuseOthers } from '../transfers/claim-voices.ts'
import { findToldBeside } from '../transfers/identify.ts'
import {
  isSamePayment,
  judgeBooked,
  judgeEarly,
  type Known,
  mayConcern,
  mostIdsShown,
} from '../transfers/identity.ts'
import { findByKeys, findOnlyBooked, findOnlyEarly, findUntold } from '../transfers/identity-store.ts'
import type { Source } from '../transfers/source.ts'
import type { Role } from '../transfers/voice.ts'
import { findClosedDays } from '../transfers/voice-store.ts'
import {
  findTold,
  type Planned,
  type PlanRow,
  readUnjudged,
  saveVerdicts,
  setDays,
  setKnown,
} from './plan-store.ts'
import type { PlannedVerdict } from './store.ts'

export type FileAccount = {
  accountId: string
  role: Role
  /** Its period, or the days of its rows. */
  from: string
  to: string
  days: readonly string[]
  closes: readonly string[]
}

/**
 * Judges the staged rows of a file; returns the places that its source takes. Refuses a file whose source has no place in one of
 * its accounts.
 */
export async function planStatement(
  db: Queryable,
  { runId, source, accounts }: { runId: string; source: Source; accounts: readonly FileAccount[] },
): Promise<Place[]> {
  const booked = await findPlaces(db, source, 'booked', accounts)
  const early = await findPlaces(db, source, 'early', accounts)
  refuseOthers(
    accounts.flatMap(({ accountId, role, days }) =>
      days.map((day) => ({ place: (role === 'booked' ? booked : early).get(accountId)!, day })),
    ),
  )
  const claimed: Place[] = []
  for (const account of accounts) {
    const { accountId, role, days, closes } = account
    const of = { runId, accountId }
    const ownEarly = early.get(accountId)!
    const isClosing = new Set(role === 'booked' ? closes : [])
    const roleOn = (day: string) =>
      isClosing.has(day) ? 'booked' : ownEarly.standingOn(day) === 'other' ? 'parked' : 'early'
    await setDays(
      db,
      of,
      days.map((day) => ({ day, role: roleOn(day) })),
    )
    await setKnown(db, of, source.id)
    if (role === 'booked') {
      const place = booked.get(accountId)!
      claimed.push(place)
      await judgeRole(db, { ...of, source, place, account })
    }
    const told = days.filter((day) => roleOn(day) === 'early')
    if (told.length > 0) {
      const [from, to] = [told[0]!, told.at(-1)!]
      claimed.push({ ...ownEarly, from })
      await judgeRole(db, { ...of, source, place: ownEarly, account: { ...account, from, to } })
    }
  }
  return claimed
}

type Judging = { runId: string; accountId: string; source: Source; place: Place; account: FileAccount }

/** Rows that nothing can concern are new, and not even read into memory at once. */
async function judgeRole(db: Queryable, judging: Judging): Promise<void> {
  const { runId, accountId, source, place, account } = judging
  const { role } = place
  const { from, to } = account
  const around = { accountId, from, to }
  const ofRole = { ...around, role, sourceId: source.id, runId }
  const [others, untold, missing] = [
    await findToldBeside(db, { ...around, source, place }),
    await findUntold(db, { ...ofRole, ids: place.ids }),
    role === 'booked'
      ? await findOnlyEarly(db, around)
      : await findOnlyBooked(db, { ...around, before: 0, runId }),
  ]
  const early = role === 'booked' ? missing : []
  const booked = role === 'booked' ? [] : [...missing, ...others.filter(({ isBooked }) => isBooked)]
  const ofOtherVoice = role === 'booked' ? others : others.filter(({ isBooked }) => !isBooked)
  const [first, last] = [daysAfter(from, -holidayDays), daysAfter(to, holidayDays)]
  const isClosed = await findClosedDays(db, { accountId, from: first, to: last })
  const isBeside = (day: string) => place.standingOn(day) === 'beside'
  const isNotUsual = (day: string) => isBeside(day) || (role === 'early' && isClosed(day))
  const concerns = mayConcern([...early, ...booked, ...untold, ...ofOtherVoice])
  const rows = await readConcerned(db, judging, (row) => concerns(row) || isNotUsual(row.day))
  const verdicts =
    role === 'booked'
      ? judgeBooked({
          ...{ rows, untold, ofOtherVoice, isBeside, from, to, isClosed },
          early,
          closesDays: account.closes.length > 0,
          hasGap: hasGap(place, { from, to, isClosed }),
        })
      : judgeEarly({ rows, booked, untold, ofOtherVoice, isBeside, isClosed })
  const planned = rows.map(({ place: number }, at) => ({ place: number, verdict: verdicts[at]! }))
  for (let at = 0; at < planned.length; at += atOnce)
    await saveVerdicts(db, runId, planned.slice(at, at + atOnce))
}

const atOnce = 5_000

/** Of this voice an earlier day, of the last fourteen, is open, or a later one was told already. */
function hasGap(
  { voices, from: claimed }: Place,
  { from, to, isClosed }: { from: string; to: string; isClosed: (day: string) => boolean },
): boolean {
  const begins = voices[0]?.fromDay ?? claimed
  for (let apart = 1; apart <= holidayDays; apart++) {
    const [before, after] = [daysAfter(to, -apart), daysAfter(to, apart)]
    if ((before < from && before >= begins && !isClosed(before)) || isClosed(after)) return true
  }
  return false
}

/** Credits that the rule has to look at; those that their id knows in other words are decided on the way. */
async function readConcerned(
  db: Queryable,
  { runId, accountId, source, place: { role } }: Judging,
  isConcerned: (row: PlanRow) => boolean,
): Promise<PlanRow[]> {
  const concerned: PlanRow[] = []
  for (let after = 0; ; ) {
    const ask = { sourceId: source.id, role, after, limit: atOnce }
    const rows = await readUnjudged(db, { runId, accountId }, ask)
    const keys = rows.filter(({ hasKey }) => hasKey).map(({ key }) => ({ accountId, key }))
    const known = await findByKeys(db, { sourceId: source.id, role, keys })
    const told = await findTold(
      db,
      runId,
      known.map(({ id }) => id),
    )
    const untold = Map.groupBy(
      known.filter(({ id }) => !told.has(id)),
      ({ key }) => key,
    )
    const planned: Planned[] = []
    for (const row of rows) {
      const verdict = verdictByKey(row, untold.get(row.key.toString('hex')) ?? [])
      if (verdict) planned.push({ place: row.place, verdict })
      else if (isConcerned(row)) concerned.push(row)
    }
    await saveVerdicts(db, runId, planned)
    if (rows.length < atOnce) return concerned
    after = rows.at(-1)!.place
  }
}

/**
 * A known id in other words: the same payment, or one that a person looks at. Where the file tells all that is known under the
 * id, the row is one more payment of it.
 */
function verdictByKey(row: PlanRow, known: Known[]): PlannedVerdict | undefined {
  const at = known.findIndex((one) => isSamePayment(row, one))
  if (at !== -1) return { as: 'known', with: known.splice(at, 1)[0]!.id }
  if (known.length > 0) return { as: 'held', with: known.slice(0, mostIdsShown).map(({ id }) => id) }
}
