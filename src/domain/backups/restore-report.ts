/** What the operator must know after a restore: callbacks that may be sent twice, and events that merchants have but the database has lost. */
import { readFile } from 'node:fs/promises'
import type { Queryable } from '../../platform/db.ts'
import { OperatorProblem, reasonOf } from '../../platform/operator-problem.ts'
import { isUuid } from '../../platform/request-fields.ts'
import { listArchives } from '../deposits/archive-store.ts'
import { findMissingArchives } from './archives.ts'
import { countDueCallbacks, type DueCallback, findKnown, listDueCallbacks, listLastEvents } from './store.ts'

/** An event of a copy of the feed that the restored database does not have. */
type LostEvent = {
  id: string
  merchant: string
  type: string
  sequence: number
  timestamp: string
  deposit: string
  order: string
  state: string
  amount_cents: number
  /** The deposit itself is lost, not only its latest changes. */
  is_deposit_lost: boolean
}

export type RestoreReport = {
  due: DueCallback[]
  due_in_all: number
  last_events: { merchant: string; name: string; last: number; next: number }[]
  archives: { file: string; folder: string; is_there: boolean }[]
  /** null: no copy of the feed was given. */
  lost: LostEvent[] | null
}

const maxListed = 100_000
const eventsAtOnce = 1_000

export async function reportRestore(
  db: Queryable,
  feed: readonly FeedEntry[] | null,
): Promise<RestoreReport> {
  return {
    due: await listDueCallbacks(db, maxListed),
    due_in_all: await countDueCallbacks(db),
    last_events: await listLastEvents(db),
    archives: await listArchivePlaces(db),
    lost: feed && (await findLost(db, feed)),
  }
}

async function listArchivePlaces(db: Queryable): Promise<RestoreReport['archives']> {
  const missing = new Set((await findMissingArchives(db)).map(({ file }) => file))
  return (await listArchives(db))
    .filter(({ state }) => state === 'archived')
    .map(({ file, folder }) => ({ file, folder, is_there: !missing.has(file) }))
}

export type FeedEntry = Omit<LostEvent, 'is_deposit_lost'>

async function findLost(db: Queryable, entries: readonly FeedEntry[]): Promise<LostEvent[]> {
  const lost: LostEvent[] = []
  for (let at = 0; at < entries.length; at += eventsAtOnce) {
    const group = entries.slice(at, at + eventsAtOnce)
    const known = await findKnown(db, group)
    const [events, deposits] = [new Set(known.events), new Set(known.deposits)]
    for (const entry of group)
      if (!events.has(entry.id)) lost.push({ ...entry, is_deposit_lost: !deposits.has(entry.deposit) })
  }
  return lost
}

/** A line is an event, or a whole answer of GET /events. */
export async function readFeed(path: string | null): Promise<FeedEntry[] | null> {
  if (path === null) return null
  const text = await readFile(path, 'utf8').catch((error) => {
    throw new OperatorProblem(`The copy of the feed ${path} cannot be read (${reasonOf(error)}).`)
  })
  const lines = text.split('\n').map((line, index) => ({ line: line.trim(), number: index + 1 }))
  return lines
    .filter(({ line }) => line !== '')
    .flatMap(({ line, number }) => entriesIn(line, `${path}:${number}`))
}

function entriesIn(line: string, place: string): FeedEntry[] {
  try {
    const value = JSON.parse(line)
    return (Array.isArray(value.events) ? value.events : [value]).map(entryOf)
  } catch {
    throw new OperatorProblem(
      `${place} is no event: each line is an event, or an answer of GET /events, as the API gave it.`,
    )
  }
}

// biome-ignore lint/suspicious/noExplicitAny: it comes from outside; what is missing or wrong makes it throw.
function entryOf({ id, type, sequence, timestamp, data }: any): FeedEntry {
  if (!isUuid(id) || !isUuid(data.id)) throw new Error('no event')
  return {
    id,
    type: String(type),
    sequence: Number(sequence),
    timestamp: String(timestamp),
    merchant: String(data.merchant),
    deposit: data.id,
    order: String(data.external_id),
    state: String(data.state ?? ''),
    amount_cents: Number(data.amount_cents),
  }
}
