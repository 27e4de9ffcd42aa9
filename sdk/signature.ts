// The signing rule: what text a request, a callback and a browser's return are signed over, and how a
// signature is compared. The server imports this file too, so the two sides cannot differ; the
// cases every other language has to meet are in test/vectors/signature.json.
// It must never read a clock, log, or put a secret or a field's value into an error text, and it must
// never sort: the order of fields is the published list below (spec, part 5).
import { createHash, createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'

export const signedFields = {
  create: [
    'callback_url',
    'cents',
    'currency',
    'customer',
    'customer_phone_number',
    'merchant',
    'order_id',
    'payment_type',
    'reject_url',
    'success_url',
  ],
  build: [
    'callback_url',
    'cents',
    'currency',
    'customer',
    'merchant',
    'order_id',
    'payment_type',
    'reject_url',
    'success_url',
  ],
  limit: ['currency', 'merchant', 'payment_type', 'timestamp'],
} as const

export type Operation = keyof typeof signedFields

/** Decoded values by field name. `cents` is already its canonical decimal text. */
export type SignedValues = ReadonlyMap<string, string> | Readonly<Record<string, string | undefined>>

/** The values of the fields sent, in the spec's order. An empty value was sent; an absent one was not. */
export function signatureString(operation: Operation, values: SignedValues): string {
  let text = ''
  let first = true
  for (const name of signedFields[operation]) {
    const value = sentValue(values, name)
    if (value === undefined) continue
    text = first ? value : `${text}::${value}`
    first = false
  }
  return text
}

/**
 * True when a value could move the boundary between two fields: `a:` + `b` and `a` + `:b` join to one
 * text. With such values refused, a signature string splits back in exactly one way.
 */
export function separatorProblem(value: string): boolean {
  return value.includes('::') || value.startsWith(':') || value.endsWith(':')
}

/**
 * Refuses separators like the server does. A merchant signs text its customers wrote, and a customer
 * named `bob::+79990000000` must not be able to obtain the signature of another request.
 */
export function signLiteral(secret: string, operation: Operation, values: SignedValues): string {
  for (const name of signedFields[operation]) {
    const value = sentValue(values, name)
    if (value !== undefined && separatorProblem(value)) {
      throw new Error(`${name} contains "::" or has ":" at an edge; a v2 signature (with a key id) allows it`)
    }
  }
  return hmac(secret, signatureString(operation, values)).toString('hex')
}

export type ParsedSignature =
  | { scheme: 'literal'; hex: string }
  | { scheme: 'v2'; t: number; kid: string; hex: string }

/** One spelling per scheme: fixed order, no spaces, nothing more. Anything else is refused. */
export function parseSignatureHeader(header: string): ParsedSignature | null {
  if (hex64.test(header)) return { scheme: 'literal', hex: header }
  const v2 = v2Header.exec(header)
  return v2 ? { scheme: 'v2', t: Number(v2[1]), kid: v2[2]!, hex: v2[3]! } : null
}

export type V2Request = {
  /** Unix seconds. */
  t: number
  method: string
  /** The raw request target, path with query, as it stands in the request line. */
  target: string
  /** The raw bytes of the body; empty when there is none. Never a body serialised again. */
  body: Uint8Array
}

export function v2String({ t, method, target, body }: V2Request): string {
  const digest = createHash('sha256').update(body).digest('hex')
  return `v2\n${t}\n${method}\n${target}\n${digest}`
}

/** The whole value of the `X-Signature` header. */
export function signV2({ secret, kid, ...request }: V2Request & { secret: string; kid: string }): string {
  const header = `t=${request.t},kid=${kid},v2=${hmac(secret, v2String(request)).toString('hex')}`
  if (!v2Header.test(header)) throw new Error('kid must be 1–64 of A–Z a–z 0–9 _ - and t whole unix seconds')
  return header
}

/**
 * Constant time. The form is checked first because `Buffer.from(hex, 'hex')` cuts silently at the first
 * bad digit and `timingSafeEqual` throws on unequal lengths; the HMAC is computed either way, so that a
 * malformed signature takes as long as a wrong one.
 */
export function matchesHex(secret: string, message: string, hex: string): boolean {
  const wellFormed = hex64.test(hex)
  const equal = timingSafeEqual(hmac(secret, message), wellFormed ? Buffer.from(hex, 'hex') : noDigest)
  return wellFormed && equal
}

/**
 * Tries every live key without an early exit. With no key at all (an unknown merchant) one HMAC is
 * still spent, so that the time of the answer does not tell which merchants exist.
 */
export function matchesAny(secrets: readonly string[], message: string, hex: string): boolean {
  if (secrets.length === 0) matchesHex('nobody', message, hex)
  let matched = false
  for (const secret of secrets) matched = matchesHex(secret, message, hex) || matched
  return matched
}

/** A prepared callback secret for repeated signing: a fifth of the time of a secret as text. */
export function callbackKey(secret: string): KeyObject {
  const key = Buffer.from(callbackSecret.exec(secret)?.[1] ?? '', 'base64')
  if (key.length < 24) throw new Error('a callback secret is whsec_ and the base64 of at least 24 bytes')
  return createSecretKey(key)
}

export type SignedCallback = {
  /** `whsec_<base64>`, one or, during rotation, old and new. */
  secrets: readonly (string | KeyObject)[]
  id: string
  /** Unix seconds. */
  timestamp: number
  body: Uint8Array | string
}

/** The value of `webhook-signature` (Standard Webhooks): one `v1,<base64>` per secret. */
export function signCallback({ secrets, id, timestamp, body }: SignedCallback): string {
  // A dot in the id would let one text be read as two different messages.
  if (!callbackId.test(id)) throw new Error('a callback id is 1–128 of A–Z a–z 0–9 _ -')
  if (!callbackTime.test(String(timestamp))) throw new Error('a callback timestamp is whole unix seconds')
  return callbackKeys(secrets)
    .map((key) => `v1,${callbackDigest(key, id, String(timestamp), body).toString('base64')}`)
    .join(' ')
}

export type ReceivedCallback = {
  secrets: readonly string[]
  /** The three headers as they arrived; an absent header is `undefined` or `null`. */
  id: string | null | undefined
  timestamp: string | null | undefined
  signature: string | null | undefined
  /** The raw body. Parsing and serialising it again breaks the signature. */
  body: Uint8Array | string
  /** Unix seconds. */
  now: number
  toleranceSeconds?: number
}

/** False for anything missing, malformed, old or wrong. Throws only for an unusable secret of our own. */
export function verifyCallback(received: ReceivedCallback): boolean {
  const { id, timestamp, signature, body, now, toleranceSeconds = 300 } = received
  const keys = callbackKeys(received.secrets)
  if (!id || !timestamp || !signature) return false
  if (!callbackId.test(id) || !callbackTime.test(timestamp)) return false
  // Written so that a NaN clock refuses instead of accepting.
  if (!(Math.abs(now - Number(timestamp)) <= toleranceSeconds)) return false
  const candidates = signature.split(' ', maxCallbackSignatures)
  let matched = false
  for (const key of keys) {
    const expected = callbackDigest(key, id, timestamp, body)
    for (const candidate of candidates) {
      const wellFormed = callbackSignature.test(candidate)
      const given = wellFormed ? Buffer.from(candidate.slice(3), 'base64') : noDigest
      matched = (timingSafeEqual(expected, given) && wellFormed) || matched
    }
  }
  return matched
}

export type BrowserReturn = { id: string; orderId: string; state: string; ts: number }

/**
 * What the browser carries back to the shop. It starts with a word of its own because customers see
 * this signature and it is made with the request secret: it must never pass as a request.
 */
export function returnString({ id, orderId, state, ts }: BrowserReturn): string {
  return `return::${id}::${orderId}::${state}::${ts}`
}

/** A hint for the shop's page, never proof of payment: ask the API, or wait for the callback. */
export function signReturn({ secret, ...returned }: BrowserReturn & { secret: string }): string {
  return hmac(secret, returnString(returned)).toString('hex')
}

const hex64 = /^[0-9a-fA-F]{64}$/
const v2Header = /^t=([0-9]{1,12}),kid=([A-Za-z0-9_-]{1,64}),v2=([0-9a-fA-F]{64})$/
const callbackId = /^[A-Za-z0-9_-]{1,128}$/
const callbackTime = /^[0-9]{1,12}$/
// 32 bytes leave two spare bits in the last digit; they must be zero, so that one digest has one spelling.
const callbackSignature = /^v1,[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/
const callbackSecret = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/
const maxCallbackSignatures = 8
const noDigest = Buffer.alloc(32)

function sentValue(values: SignedValues, name: string): string | undefined {
  if (isMap(values)) return values.get(name)
  return Object.hasOwn(values, name) ? values[name] : undefined
}

function isMap(values: SignedValues): values is ReadonlyMap<string, string> {
  return values instanceof Map
}

/** The key is the secret's UTF-8 bytes exactly as displayed, not what they might decode to. */
function hmac(secret: string, message: string): Buffer {
  if (secret === '') throw new Error('the signing secret is empty, anyone could sign with it')
  return createHmac('sha256', secret).update(message, 'utf8').digest()
}

function callbackKeys(secrets: readonly (string | KeyObject)[]): KeyObject[] {
  if (secrets.length === 0) throw new Error('at least one callback secret is needed')
  return secrets.map((secret) => (typeof secret === 'string' ? callbackKey(secret) : secret))
}

function callbackDigest(key: KeyObject, id: string, timestamp: string, body: Uint8Array | string): Buffer {
  return createHmac('sha256', key).update(`${id}.${timestamp}.`, 'utf8').update(body).digest()
}

/**
 * Whether a browser's return was signed with one of your signing secrets. A return is a hint for what to show first,
 * never proof of payment: that is the callback.
 */
export function verifyReturn(
  secrets: readonly string[],
  { signature, ...returned }: BrowserReturn & { signature: string },
): boolean {
  return Number.isSafeInteger(returned.ts) && matchesAny(secrets, returnString(returned), signature)
}
