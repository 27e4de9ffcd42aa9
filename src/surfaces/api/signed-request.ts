/**
 * Authenticates requests by signature. Handlers take a `Signed`, and only this file makes one. Wrong, missing and malformed
 * signatures, unknown merchants and ended keys get the same answer, which states the reason in test mode only. Failures
 * count against the rate limit of the sender's network, never of the merchant that it claims to be, and only failures are
 * refused for that: a valid signature is accepted, whatever else comes from the same network.
 */
import { createHash } from 'node:crypto'
import {
  matchesHex,
  type Operation,
  type ParsedSignature,
  parseSignatureHeader,
  separatorProblem,
  signatureString,
  v2String,
} from '../../../sdk/signature.ts'
import type { ApiKey } from '../../domain/merchants/api-key.ts'
import type { NoteUse } from '../../domain/merchants/key-use.ts'
import { pointerTo } from '../../platform/body.ts'
import { bounds } from '../../platform/bounds.ts'
import { bodyOf, clientNetwork, type Reply, type Request } from '../../platform/http.ts'
import { type RateLimit, type RateVerdict, rateHeaders, rateLimited } from '../../platform/rate-limit.ts'
import { type FieldProblem, Refusal } from '../../platform/refusals.ts'
import { refuseProblems } from '../../platform/request-fields.ts'
import type { Use } from '../../platform/used-once.ts'
import type { Directory, KnownMerchant } from './merchant-directory.ts'
import { type RefusedSignature, whyRefused } from './refused-signature.ts'

type Signed = KnownMerchant & { key: ApiKey; scheme: ParsedSignature['scheme']; rate: RateVerdict }

/** With the signature's digest, so that the request can be accepted only once. */
type SignedV2 = Signed & { signature: Use }

/** The parts of an HTTP request that a signature covers. */
type SignableRequest = {
  method: string
  target: string
  body: Uint8Array
  /** A wrong signature counts against this network. */
  network: () => string
  /** Every X-Signature header that came, in order. */
  signatures: string[]
  /** The caller's own signature string (base64), for the debugger of test mode. */
  ownString?: string | undefined
}

/** The request under the literal rule of the spec: its operation and the values it sent. */
type Literal = {
  operation: Operation
  values: ReadonlyMap<string, string>
  bodySignature?: string | undefined
}

export type SignatureVerifier = {
  /** Both modes: the literal rule or v2. */
  verify(incoming: SignableRequest, literal: Literal): Promise<Signed>
  /** v2 only, for operations beyond the spec's three. */
  verifyV2(incoming: SignableRequest): Promise<SignedV2>
}

/** Adds headers that state how many more requests the merchant may send. */
export function withRate<Checked extends Signed>(reply: Reply, signed: Checked): Checked {
  reply.headers(rateHeaders('merchant', signed.rate))
  return signed
}

type VerifierParts = { directory: Directory; limits: RateLimit; noteUse: NoteUse; isProduction: boolean }

export function createSignatureVerifier({
  directory,
  limits,
  noteUse,
  isProduction,
}: VerifierParts): SignatureVerifier {
  /**
   * `named` is the merchant of the request: in test mode it is shown the reason. A request without one may be a
   * live merchant's, and is shown it in development only.
   */
  const refuse = async (
    { network, ownString }: SignableRequest,
    named: KnownMerchant | undefined,
    why: Omit<RefusedSignature, 'keys' | 'own'> & { owner?: KnownMerchant | undefined },
  ): Promise<never> => {
    const verdict = limits.take(`failed:${network()}`, bounds.failedSignatureRate)
    if (!verdict.allowed) throw rateLimited('failed-signatures', verdict)
    const maySeeReason = named ? named.merchant.mode === 'test' : !isProduction
    if (!maySeeReason) throw new Refusal('signature_invalid')
    const { owner, ...sent } = why
    const keys = owner && { live: owner.keys, ended: await directory.endedKeys(owner.merchant.id) }
    const own = ownString === undefined ? undefined : Buffer.from(ownString, 'base64').toString('utf8')
    const { detail, ...more } = whyRefused({ ...sent, keys, own })
    throw new Refusal('signature_invalid', { detail, more })
  }

  const accept = (known: KnownMerchant, key: ApiKey, scheme: Signed['scheme']): Signed => {
    if (!known.merchant.enabled) throw new Refusal('merchant_disabled')
    const { ratePerSecond, rateBurst } = known.merchant.settings
    const rate = limits.take(`merchant:${known.merchant.id}`, { perSecond: ratePerSecond, burst: rateBurst })
    if (!rate.allowed) throw rateLimited('merchant', rate)
    noteUse(key.id, scheme)
    return { ...known, key, scheme, rate }
  }

  const byV2 = async (
    incoming: SignableRequest,
    header: string,
    parsed: ParsedSignature & { scheme: 'v2' },
    literal: Literal | null,
  ): Promise<SignedV2> => {
    const owner = await directory.byKey(parsed.kid)
    const text = v2String({
      t: parsed.t,
      method: incoming.method,
      target: incoming.target,
      body: incoming.body,
    })
    const key = findSigner(
      owner?.keys.filter((candidate) => candidate.id === parsed.kid) ?? [],
      text,
      parsed.hex,
    )
    if (!owner || !key) {
      const named = owner ?? (literal ? await directory.byId(merchantIn(literal)) : undefined)
      return refuse(incoming, named, { header, parsed, literal, text, owner })
    }
    checkTime(parsed.t, owner.now())
    return { ...accept(owner, key, 'v2'), signature: useOf(key, text, parsed.t) }
  }

  return {
    async verify(incoming, literal) {
      const { operation, values, bodySignature } = literal
      const header = theOnlySignature(incoming, bodySignature)
      const parsed = parseSignatureHeader(header)
      if (parsed?.scheme === 'v2') {
        // A signature in the body would be part of the bytes it signs.
        if (bodySignature !== undefined)
          return refuse(incoming, await directory.byKey(parsed.kid), { header, parsed, literal, text: null })
        const signed = await byV2(incoming, header, parsed, literal)
        if (values.has('merchant') && merchantIn(literal) !== signed.merchant.id)
          return refuse(incoming, signed, { header, parsed, literal, text: null, isOfOtherMerchant: true })
        return signed
      }
      refuseSeparators(values)
      const known = await directory.byId(merchantIn(literal))
      const text = signatureString(operation, values)
      const key = findSigner(known?.keys ?? [], text, parsed?.hex ?? '')
      if (!known || !key) return refuse(incoming, known, { header, parsed, literal, text, owner: known })
      if (key.v2Only) throw new Refusal('scheme_too_weak')
      // The order_id makes create and build idempotent; a request for limits needs a timestamp.
      if (operation === 'limit') checkTime(Number(values.get('timestamp')), known.now())
      return accept(known, key, 'literal')
    },
    async verifyV2(incoming) {
      const header = theOnlySignature(incoming, undefined)
      const parsed = parseSignatureHeader(header)
      if (parsed?.scheme === 'v2') return byV2(incoming, header, parsed, null)
      const [, kid] = /\bkid=([\w-]{1,64})/.exec(header) ?? []
      const named = kid === undefined ? undefined : await directory.byKey(kid)
      return refuse(incoming, named, { header, parsed, literal: null, text: null })
    },
  }
}

const merchantIn = ({ values }: Literal): string => values.get('merchant') ?? ''

/** Without this two different requests could share one string: see `separatorProblem`. */
function refuseSeparators(values: ReadonlyMap<string, string>): void {
  const problems: FieldProblem[] = []
  for (const [name, value] of values) {
    if (!separatorProblem(value)) continue
    const detail = 'It contains "::" or has ":" at an edge.'
    problems.push({ pointer: pointerTo(name), code: 'separator_in_value', detail })
  }
  refuseProblems(problems, 'separator_in_value')
}

function theOnlySignature({ signatures }: SignableRequest, bodySignature: string | undefined): string {
  const sent = bodySignature === undefined ? signatures : [...signatures, bodySignature]
  if (signatures.length > 1 || sent.some((signature) => signature !== sent[0])) {
    throw new Refusal('signature_conflict')
  }
  return sent[0] ?? ''
}

/** Tries all keys without an early exit, and one HMAC where there is none, so that timing does not reveal merchants. */
function findSigner(keys: readonly ApiKey[], text: string, hex: string): ApiKey | undefined {
  if (keys.length === 0) matchesHex('nobody', text, hex)
  let signer: ApiKey | undefined
  for (const key of keys) if (matchesHex(key.secret, text, hex)) signer = key
  return signer
}

/** The digest is of what was signed, so that the same signature in a differently written header counts as used. */
const useOf = ({ id }: ApiKey, text: string, seconds: number): Use => ({
  digest: createHash('sha256').update(`${id}\n${text}`).digest(),
  validUntil: new Date((seconds + bounds.signatureToleranceSeconds) * 1000),
})

function checkTime(seconds: number, now: Date): void {
  const nowSeconds = Math.floor(now.getTime() / 1000)
  if (Math.abs(nowSeconds - seconds) <= bounds.signatureToleranceSeconds) return
  throw new Refusal('timestamp_out_of_window', {
    detail: `The signed time may differ from ours by ${bounds.signatureToleranceSeconds} seconds. Ours is ${nowSeconds}.`,
    more: { server_time: nowSeconds },
  })
}

/** What a signature covers, as it came over the wire. */
export function signableRequest(request: Request): SignableRequest {
  const { rawHeaders } = request.raw
  const signatures: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    if (name.length === 11 && name.toLowerCase() === 'x-signature') signatures.push(rawHeaders[at + 1]!)
  }
  const ownString = request.headers['x-signature-string']
  return {
    method: request.method,
    target: request.raw.url!,
    body: bodyOf(request),
    network: () => clientNetwork(request),
    signatures,
    ownString: typeof ownString === 'string' ? ownString : undefined,
  }
}
