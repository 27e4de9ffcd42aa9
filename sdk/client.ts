// The merchant's client: signs requests, turns refusals into InletError, reads callbacks.
// It must never retry by itself (the shop decides, and `retryable` says when it may), never follow a
// redirect with a signed request, and never hand out a callback whose signature, amount or currency
// was not checked.
import type { eventTypes } from './event-types.ts'
import { type Operation, signLiteral, signV2, verifyCallback } from './signature.ts'

export type InletOptions = {
  /** The gateway's address, for example `https://pay.example`. */
  baseUrl: string
  merchant: string
  secret: string
  /** With a key id requests carry a v2 signature; everything but creating, building and limits needs one. */
  keyId?: string | undefined
  timeoutMs?: number | undefined
  /** Unix seconds; for tests. */
  now?: (() => number) | undefined
}

export type NewDeposit = {
  order_id: string
  /** Minor units: 3 units 12 is 312. */
  cents: number | bigint
  currency: 'RUB' | 'UZS' | 'KZT' | 'TJS'
  payment_type: string
  customer: string
  callback_url?: string | undefined
  success_url?: string | undefined
  reject_url?: string | undefined
  customer_phone_number?: string | undefined
}

/** The customer chooses the method on the payment page. */
export type NewSelection = Omit<
  NewDeposit,
  'currency' | 'payment_type' | 'customer' | 'customer_phone_number'
> & {
  currency: 'RUB' | 'UZS'
  customer?: string | undefined
}

export type PaymentData = { url: string } & Partial<
  Record<'number' | 'name' | 'bank_name' | 'bic' | 'payment_reason', string>
>

export type Deposit = {
  id: string
  merchant: string
  external_id: string
  state: 'builded' | 'created' | 'confirmed' | 'rejected' | 'expired' | 'canceled' | 'reversed'
  kind: 'deposit'
  amount_cents: number
  amount_currency: string
  seller: string | null
  buyer: string
  payment_data: PaymentData
  payment_bill_url: string | null
  payment_type: string
  received_cents: number
  /** `review`: money is there, and the operator decides whether it counts. Wait. */
  labels: Label[]
  is_final: boolean
  final_at: string | null
  created_at: string
  expires_at: string
  /** Of a selection only: the names that its first answer had for `id` and `external_id`. */
  uuid?: string
  order_id?: string
}

export type Label = 'underpaid' | 'overpaid' | 'late' | 'review' | 'manual' | (string & {})

/** A deposit of the selection flow before the customer's choice. */
export type BuiltDeposit = {
  uuid: string
  merchant: string
  order_id: string
  state: Deposit['state']
  amount_currency: string
  payment_data: { url: string }
  is_final: boolean
  created_at: string
  expires_at: string
}

type Limit = Record<'operation' | 'currency' | 'payment_type', string> &
  Record<'min_cents' | 'max_cents', number>
export type Limits = {
  currencies: string[]
  payment_types: string[]
  limits: (Limit & { available: boolean })[]
}
export type LimitFilter = { currency?: string | undefined; payment_type?: string | undefined }
export type DepositFilter = {
  state?: Deposit['state'] | undefined
  from?: string | undefined
  to?: string | undefined
  after?: string | undefined
  /** Deposits per page: 50 without it, 200 at most. */
  limit?: number | undefined
}
export type DepositPage = { deposits: Deposit[]; next_after: string | null }

// `& {}` keeps the open end from swallowing the names beside it, which editors offer.
export type EventType = (typeof eventTypes)[number] | (`deposit.${string}` & {})

/** One event of one deposit: what a callback carries and what the feed lists. */
export type CallbackEvent = {
  type: EventType
  id: string
  sequence: number
  timestamp: string
  data: Deposit
}
/** The call that "Send a test" in the console makes: signed like any other, and about no deposit. */
export type TestEvent = { type: 'test'; id: string; timestamp: string; data: { merchant: string } }
export type EventPage = { events: CallbackEvent[]; next_after: number }

/** The delivery status of one event. */
export type Callback = {
  id: string
  sequence: number
  type: EventType
  deposit: string
  state: 'delivered' | 'pending' | 'failed'
  url: string | null
  attempts: number
  last_status: number | null
  created_at: string
  delivered_at: string | null
  next_attempt_at: string | null
  held_because: string | null
}
export type CallbackFilter = { state?: Callback['state'] | undefined; before?: number | undefined }
export type CallbackPage = { callbacks: Callback[]; next_before: number | null }

/** Test mode: what the fake bank sends for a deposit. Fields that are left out are taken from the deposit. */
export type SandboxPayment = {
  deposit: string
  cents?: number | bigint | undefined
  purpose?: string | undefined
  payer?: string | undefined
  /** The bank's day, `2026-11-15`. */
  booked_on?: string | undefined
  delay_days?: number | undefined
  bank_id?: string | undefined
  version?: number | undefined
  revoked?: 'true' | 'false' | undefined
}

/** Test mode: what became of it, and the deposit afterwards. */
export type SandboxPaid = {
  transfer: {
    id: string
    bank_id: string
    version: number
    cents: number
    currency: string
    booked_on: string
    purpose: string
    state: string
    deposit: string | null
    rule: string
    reason: string
  }
  deposit: Deposit
}

export type FieldProblem = { pointer: string; code: string; detail: string }

/** A refusal of the gateway (problem+json), or `unreachable` / `unexpected_answer` of the way to it. */
export class InletError extends Error {
  override readonly name = 'InletError'
  readonly code: string
  /** 0 when no answer arrived. */
  readonly status: number
  /** The same request with the same order_id may be sent again later. */
  readonly retryable: boolean
  /** Seconds to wait before that, where the answer named them. */
  readonly retryAfter: number | undefined
  readonly requestId: string | undefined
  readonly errors: readonly FieldProblem[]
  /** Everything the answer said, for example `min_cents` and `max_cents`. */
  readonly problem: Readonly<Record<string, unknown>>

  constructor(
    code: string,
    status: number,
    problem: Record<string, unknown>,
    { retryAfter, ...options }: ErrorOptions & { retryAfter?: number | undefined } = {},
  ) {
    super(text(problem.detail) ?? text(problem.title) ?? code, options)
    this.code = code
    this.status = status
    this.retryable = problem.retryable === true
    this.retryAfter = retryAfter
    this.requestId = text(problem.request_id)
    this.errors = Array.isArray(problem.errors) ? problem.errors : []
    this.problem = problem
  }
}

export class Inlet {
  readonly #options: InletOptions & { timeoutMs: number; now: () => number }
  /** Calls that the gateway takes once per signature, and the last second that each was signed for. */
  readonly #signedFor = new Map<string, number>()

  constructor(options: InletOptions) {
    if (!options.merchant || !options.secret) throw new TypeError('merchant and secret are required')
    const { timeoutMs = 30_000, now = unixSeconds } = options
    this.#options = { ...options, timeoutMs, now }
  }

  /** Safe to repeat: the same order_id with the same data answers the deposit that already exists. */
  async createDeposit(deposit: NewDeposit): Promise<Deposit> {
    const body = { ...deposit, cents: wholeCents(deposit), merchant: this.#options.merchant }
    return this.#send('POST', '/api/v1/requests/deposit/create', { operation: 'create', body })
  }

  /** The customer chooses the method on the page of `payment_data.url`. As safe to repeat as creating. */
  async buildDeposit(selection: NewSelection): Promise<BuiltDeposit> {
    const { merchant } = this.#options
    const body = { ...selection, payment_type: 'uzs_select', cents: wholeCents(selection), merchant }
    return this.#send('POST', '/api/v1/requests/deposit/build', { operation: 'build', body })
  }

  /** This merchant's own limits, payment types and what is available now. */
  async limits(filter: LimitFilter = {}): Promise<Limits> {
    const { merchant, keyId, now } = this.#options
    const query = { ...filter, merchant, timestamp: keyId ? undefined : String(now()) }
    return this.#send('GET', '/api/v1/requests/limit', { operation: 'limit', query })
  }

  async deposit(id: string): Promise<Deposit> {
    return this.#send('GET', `/api/v1/requests/deposit/${encodeURIComponent(id)}`, {})
  }

  async depositByOrder(orderId: string): Promise<Deposit> {
    return this.#send('GET', '/api/v1/requests/deposit', { query: { order_id: orderId } })
  }

  /** One page, newest first; pass the answer's `next_after` as `after` for the next one. */
  async deposits({ limit, ...filter }: DepositFilter = {}): Promise<DepositPage> {
    return this.#send('GET', '/api/v1/requests/deposits', { query: { ...filter, limit: limit?.toString() } })
  }

  /** Only while no money has arrived. As safe to repeat as creating: it returns the canceled deposit. */
  async cancelDeposit(id: string): Promise<Deposit> {
    return this.#send('POST', `/api/v1/requests/deposit/${encodeURIComponent(id)}/cancel`, {})
  }

  /** In order; pass the answer's `next_after` as `after` to go on, until no events come. */
  async events(after: number = 0): Promise<EventPage> {
    return this.#send('GET', '/api/v1/events', { query: { after: String(after) } })
  }

  /** One page, newest first; pass the answer's `next_before` as `before` for the next one, until it is null: of one state a page may be empty. */
  async callbacks({ state, before }: CallbackFilter = {}): Promise<CallbackPage> {
    return this.#send('GET', '/api/v1/callbacks', { query: { state, before: before?.toString() } })
  }

  /** The callback comes again, with the same id and the same bytes; once for each call of this. */
  async replayCallback(id: string): Promise<{ id: string; state: 'pending' }> {
    return this.#send('POST', `/api/v1/callbacks/${encodeURIComponent(id)}/replay`, { once: true })
  }

  /** Test mode only: a bank sends money for a deposit of yours. With a `bank_id` it is as safe to repeat as creating. */
  async sandboxTransfer({ cents, ...payment }: SandboxPayment): Promise<SandboxPaid> {
    const body = { ...payment, ...(cents !== undefined && { cents: wholeCents({ cents }) }) }
    return this.#send('POST', '/api/v1/sandbox/transfers', { body, once: true })
  }

  /** Test mode only, and not in production: so much time passes for your open deposits. Repeated, it passes again. */
  async sandboxClock(minutes: number): Promise<{ minutes: number; deposits: number }> {
    return this.#send('POST', '/api/v1/sandbox/clock', { body: { minutes }, once: true })
  }

  /** The same call twice in one second would have one signature: the second one is signed for the next second. */
  #secondFor(call: string): number {
    const now = this.#options.now()
    for (const [known, t] of this.#signedFor) if (t < now) this.#signedFor.delete(known)
    const t = Math.max(now, (this.#signedFor.get(call) ?? 0) + 1)
    this.#signedFor.set(call, t)
    return t
  }

  async #send<T>(
    method: 'GET' | 'POST',
    path: string,
    { operation, body, query = {}, once }: Sent,
  ): Promise<T> {
    const { baseUrl, secret, keyId, timeoutMs, now } = this.#options
    const url = new URL(baseUrl.replace(/\/+$/, '') + path)
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.append(name, value)
    }
    // The signature covers this target and these bytes, so both are made once and sent as they are.
    const target = url.pathname + url.search
    const json = body ? JSON.stringify(body) : ''
    const bytes = new TextEncoder().encode(json)
    const headers: Record<string, string> = body ? { 'content-type': 'application/json' } : {}
    if (keyId) {
      const t = once ? this.#secondFor(`${target} ${json}`) : now()
      headers['x-signature'] = signV2({ secret, kid: keyId, t, method, target, body: bytes })
    } else if (operation) {
      const values = body ? texts(body) : query
      headers['x-signature'] = signLiteral(secret, operation, values)
    } else {
      // The literal rule names neither method nor path; the gateway takes it for the spec's operations only.
      throw new TypeError('this call needs a v2 signature: pass keyId')
    }
    const signal = AbortSignal.timeout(timeoutMs)
    const sent = { method, headers, redirect: 'error', signal, body: body ? bytes : null } as const
    const { status, retryAfter, answer } = await fetch(url, sent)
      .then(async (response) => ({
        status: response.status,
        retryAfter: wholeSeconds(response.headers.get('retry-after')),
        answer: parseObject(await response.text()),
      }))
      .catch((cause) => {
        // Whether the request took effect is unknown; outside test mode no request does harm when it is repeated.
        const detail = 'The gateway did not answer; repeat the same request.'
        throw new InletError('unreachable', 0, { detail, retryable: true }, { cause })
      })
    if (answer && status >= 200 && status < 300) return answer as T
    const code = text(answer?.code)
    if (answer && code) throw new InletError(code, status, answer, { retryAfter })
    const detail = `The answer (HTTP ${status}) is not the gateway's; is a proxy in between?`
    const retryable = status >= 500 || status === 429
    throw new InletError('unexpected_answer', status, { detail, retryable }, { retryAfter })
  }
}

type Sent = {
  /** Does something each time: the gateway takes each signature of it once. */
  once?: true
  /** The operation a literal signature is made for; absent where only v2 is taken. */
  operation?: Operation
  body?: Record<string, string | number | undefined>
  query?: Record<string, string | undefined>
}

/** What a callback is signed with (Standard Webhooks): its id, its time in unix seconds, its signatures. */
export const callbackHeaders = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const

export type CallbackToRead = {
  headers: Headers | Readonly<Record<string, string | string[] | undefined>>
  /** The raw body, before any JSON parser. */
  body: Uint8Array | string
  secrets: readonly string[]
  /** What the shop itself expects for this order; `undefined` or `null` when it has no such order. */
  expected: (orderId: string) => Expected | Promise<Expected>
  /** Unix seconds; for tests. */
  now?: number | undefined
}

export type ExpectedAmount = { cents: number | bigint; currency: string }
type Expected = ExpectedAmount | undefined | null

/** Only a deposit's event can say that it is paid; a test call never does. */
export type ReadCallback =
  | { event: CallbackEvent; paid: true }
  | { event: CallbackEvent | TestEvent; paid: false }

/**
 * Verifies a callback and compares its amount with the shop's own order before handing it out: a valid signature alone says
 * that a deposit was paid, not that it was the price of this order (CVE-2026-9189). Release goods only if `paid` is true. The
 * same event may arrive twice: store `event.id` to recognise it.
 */
export async function readCallback(call: CallbackToRead): Promise<ReadCallback> {
  const { secrets, body, now = unixSeconds() } = call
  const [id, timestamp, signature] = callbackHeaders.map((name) => header(call.headers, name))
  if (!verifyCallback({ secrets, id, timestamp, signature, body, now })) {
    throw new InletError('callback_signature_invalid', 0, { detail: 'The callback is not signed by Inlet.' })
  }
  const parsed = parseObject(typeof body === 'string' ? body : new TextDecoder().decode(body))
  if (parsed?.type === 'test') return { event: parsed as TestEvent, paid: false }
  const event = parsed as CallbackEvent | undefined
  const deposit = event?.data
  if (typeof deposit?.external_id !== 'string')
    throw new InletError('callback_malformed', 0, { detail: 'No deposit inside.' })
  const expected = await call.expected(deposit.external_id)
  if (!expected) throw new InletError('callback_order_unknown', 0, { detail: 'The shop has no such order.' })
  const sameAmount = BigInt(deposit.amount_cents) === BigInt(expected.cents)
  if (!sameAmount || deposit.amount_currency !== expected.currency) {
    throw new InletError('callback_amount_differs', 0, {
      detail: 'The deposit is not for the amount expected.',
    })
  }
  return { event: event!, paid: deposit.state === 'confirmed' }
}

function wholeCents({ cents }: Pick<NewDeposit, 'cents'>): number {
  const whole = Number(cents)
  if (!Number.isSafeInteger(whole) || whole < 1) throw new TypeError('cents is a positive whole number')
  return whole
}

/** What a literal signature covers: the decimal text of an amount; what is not sent is not signed. */
function texts(body: NonNullable<Sent['body']>): Record<string, string> {
  const sent = Object.entries(body).filter(([, value]) => value !== undefined)
  return Object.fromEntries(sent.map(([name, value]) => [name, String(value)]))
}

function header(headers: CallbackToRead['headers'], name: string): string | undefined {
  const value = headers instanceof Headers ? headers.get(name) : headers[name]
  return typeof value === 'string' ? value : undefined
}

function parseObject(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** The gateway names whole seconds. A proxy's date is left alone: it is only as good as two clocks. */
function wholeSeconds(value: string | null): number | undefined {
  return value !== null && /^[0-9]{1,9}$/.test(value) ? Number(value) : undefined
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function unixSeconds(): number {
  return Math.floor(Date.now() / 1000)
}
