/** Which source of an account counts, which tells early, and from which day on. Pure. */
import { daysAfter, holidayDays } from './bank-text/days.ts'
import type { Ids } from './channel.ts'
import type { Source } from './source.ts'

export const roles = ['booked', 'early'] as const
export type Role = (typeof roles)[number]

/** The source that an account listens to in this role, from this day on. */
export type Voice = {
  accountId: string
  role: Role
  fromDay: string
  source: Source
  ids: Ids
}

/** As it is kept, with the name of its account. */
export type StoredVoice = Voice & { label: string; changedAt: Date; changedBy: string }

/** An account with a day that its booked voice has not closed for longer than one day of its bank. */
export type OpenDays = Pick<Source, 'name' | 'kind' | 'channel'> & {
  accountId: string
  label: string
  firstOpenDay: string
}

/**
 * What a source is on a day: `voice` the one that rules; `beside` the one before or after it, near the change: what it tells is
 * compared, and counts only by another report or by a person; `other` somebody else has this role.
 */
export type Standing = 'voice' | 'beside' | 'other'

/** `voices`: those of one account and one role, the earliest first. */
export function standingOf(voices: readonly Voice[], sourceId: string, day: string): Standing {
  // Where nobody has the role, it takes it.
  if ((rulingOn(voices, day)?.source.id ?? sourceId) === sourceId) return 'voice'
  const isNear = voices.some(({ source, fromDay }, place) => {
    if (source.id !== sourceId) return false
    const end = voices[place + 1]?.fromDay
    const begins = daysAfter(fromDay, -holidayDays) <= day && day < fromDay
    const ended = end !== undefined && end <= day && day < daysAfter(end, holidayDays)
    return begins || ended
  })
  return isNear ? 'beside' : 'other'
}

/** Before the first voice, the first one rules: it is asked about earlier days too. */
export const rulingOn = (voices: readonly Voice[], day: string): Voice | undefined =>
  voices.findLast(({ fromDay }) => fromDay <= day) ?? voices[0]

/** The sources before and after a change within fourteen days of these: what they tell is compared. */
export function neighboursOf(
  voices: readonly Voice[],
  sourceId: string,
  { from, to }: { from: string; to: string },
): string[] {
  const [first, last] = [daysAfter(from, -holidayDays), daysAfter(to, holidayDays)]
  const near = voices.flatMap((voice, place) => {
    const before = voices[place - 1]
    return before && first <= voice.fromDay && voice.fromDay <= last
      ? [before.source.id, voice.source.id]
      : []
  })
  return [...new Set(near)].filter((id) => id !== sourceId)
}
