/** What the merchant is told: one event of one deposit, rendered once; every attempt sends the same bytes. */
import type { EventType } from '../deposits/decide.ts'
import type { Deposit } from '../deposits/deposit.ts'
import { recordOf } from '../deposits/record.ts'

export type EventDraft = { type: EventType; deposit: Deposit; at: Date }

/** The optional events are told to merchants who asked for them; the others to everybody. */
export const optionalEvents: readonly EventType[] = ['deposit.method_selected', 'deposit.claimed']

export const isWanted = (type: EventType, asked: readonly string[]): boolean =>
  !optionalEvents.includes(type) || asked.includes(type)

export const bodyOf = (
  { type, deposit, at }: EventDraft,
  { id, sequence, publicUrl }: { id: string; sequence: bigint; publicUrl: string },
): string =>
  JSON.stringify({
    type,
    id,
    sequence: Number(sequence),
    timestamp: at.toISOString(),
    data: recordOf(deposit, at, publicUrl),
  })

/** A lane is one endpoint's queue: per origin of a request's own address, or the merchant's (null). */
export const originOf = (callbackUrl: string | null): string | null =>
  callbackUrl === null ? null : new URL(callbackUrl).origin
