/**
 * Whether a source may tell of an account, and in which role. The first source takes an open place by itself; where another has
 * it, everything is refused, with the act that changes it.
 */
import type { Queryable, Tx } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import { message } from '../messages/message.ts'
import { channelIds, type Ids } from './channel.ts'
import { type Source, sourceWords } from './source.ts'
import { type Role, rulingOn, type Standing, standingOf } from './voice.ts'
import { moveVoice, readVoices, saveVoice, voicesOf } from './voice-store.ts'

export type Span = { accountId: string; from: string; to: string }

export type Place = Span & {
  role: Role
  voices: ReturnType<typeof voicesOf>
  ids: Ids
  standingOn: (day: string) => Standing
}

export async function findPlaces(
  db: Queryable,
  source: Source,
  role: Role,
  spans: readonly Span[],
): Promise<Map<string, Place>> {
  const all = await readVoices(
    db,
    spans.map(({ accountId }) => accountId),
  )
  return new Map(
    spans.map((span) => {
      const voices = voicesOf(all, span.accountId, role)
      const own = voices.findLast((voice) => voice.source.id === source.id)
      const standingOn = (day: string) =>
        // What a person notes is always early, beside every source.
        source.kind === 'hand' ? ('voice' as const) : standingOf(voices, source.id, day)
      const ids = own?.ids ?? channelIds[source.channel]
      return [span.accountId, { ...span, role, voices, ids, standingOn }]
    }),
  )
}

/** Takes open places; a first voice that tells of an earlier day than before begins there. */
export async function claimPlaces(
  tx: Tx,
  source: Source,
  places: Iterable<Place>,
  by: string,
): Promise<void> {
  if (source.kind === 'hand') return
  for (const { accountId, role, voices, ids, from } of places) {
    const [first] = voices
    if (!first) await saveVoice(tx, { accountId, role, fromDay: from, source, ids }, by)
    else if (first.source.id === source.id && from < first.fromDay) await moveVoice(tx, first, from)
  }
}

export function refuseOthers(told: readonly { place: Place; day: string }[]): void {
  const refused = told.filter(({ place, day }) => place.standingOn(day) === 'other')
  const errors = [...new Map(refused.map((one) => [one.place.accountId, one])).values()].map(
    ({ place: { role, voices }, day }) => {
      const { label, source } = rulingOn(voices, day)! as (typeof voices)[number]
      const sentence = role === 'booked' ? 'account_counted_from' : 'account_told_early_by'
      const detail = message(sentence, { account: label, source: sourceWords(source) })
      return { pointer: `#/${label}`, code: 'other_source_counts', detail }
    },
  )
  const [first] = errors
  if (first) throw new Refusal('other_source_counts', { detail: first.detail, errors })
}
