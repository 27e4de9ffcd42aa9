/** A callback: one event of one deposit for its merchant, rendered once; every attempt sends the same bytes. */
import { eventTypes } from '../../../sdk/event-types.ts'
import type { MerchantId } from '../merchants/merchant.ts'

export { eventTypes }
export type EventType = (typeof eventTypes)[number]

/** An event before it has its number. `data` is the record of the deposit, as the API shows it. */
export type EventDraft = {
  type: EventType
  merchantId: MerchantId
  depositId: string
  /** The address that the request named; null: the merchant's own. */
  callbackUrl: string | null
  at: Date
  data: object
}

/** These events are sent only to merchants who asked for them; the others to all. */
export const optionalEvents = [
  'deposit.method_selected',
  'deposit.claimed',
] as const satisfies readonly EventType[]
export type OptionalEvent = (typeof optionalEvents)[number]

export const isOptional = (type: string): type is OptionalEvent =>
  (optionalEvents as readonly string[]).includes(type)

export const isWanted = (type: EventType, requested: readonly string[]): boolean =>
  !isOptional(type) || requested.includes(type)

/** The body before and after the event's number, which the database assigns when it stores the event. */
export const bodyAround = ({ type, at, data }: EventDraft, id: string): { head: string; tail: string } => ({
  head: `${JSON.stringify({ type, id }).slice(0, -1)},"sequence":`,
  tail: `,${JSON.stringify({ timestamp: at.toISOString(), data }).slice(1)}`,
})

/** A lane is one endpoint's queue: per origin of a request's own address, or the merchant's (null). */
export const originOf = (callbackUrl: string | null): string | null =>
  callbackUrl === null ? null : new URL(callbackUrl).origin

/** delivered: acknowledged. pending: waits for its turn, an address or a resumed lane. failed: given up. */
export const callbackStates = ['delivered', 'pending', 'failed'] as const
export type CallbackState = (typeof callbackStates)[number]

export type AttemptRow = {
  at: Date
  ms: number
  outcome: string
  status: number | null
  error: string | null
  answer: string | null
  address: string | null
}
