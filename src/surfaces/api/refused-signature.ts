/**
 * Explains a refused signature in test mode, from the request and the merchant's own keys.
 * It names no secret and no other merchant. Pure.
 */
import { matchesHex, type Operation, type ParsedSignature, signedFields } from '../../../sdk/signature.ts'
import type { ApiKey } from '../../domain/merchants/api-key.ts'
import { apiPath } from './paths.ts'

/** What is wrong, as the answer and the reference say it. */
export const signatureCauses = {
  signature_missing: 'There is no header X-Signature.',
  not_hex: 'The signature is not 64 hex digits; often it is base64.',
  v2_malformed: 'The header starts like v2 but is malformed.',
  v2_required: `It has a literal signature where only v2 is accepted, such as ${apiPath('/events')}.`,
  v2_in_body: 'A v2 signature was sent in the body. It belongs in the header.',
  merchant_unknown: 'There is no merchant with this id.',
  key_unknown: 'There is no signing key with the id in kid.',
  key_ended: 'The key has expired; detail says when.',
  other_merchant: 'The key in kid belongs to another merchant than the one in the body.',
  order_of_fields: 'The values are right, but their order is wrong.',
  string_differs: 'Your X-Signature-String is not the text that we signed: see first_difference.',
  secret_wrong: 'The texts are equal, so the secret is wrong.',
  no_match: 'None of your keys gives this signature. Send X-Signature-String to see more.',
} as const
type SignatureCause = keyof typeof signatureCauses

export type RefusedSignature = {
  /** The signature header; empty when missing. */
  header: string
  parsed: ParsedSignature | null
  /** The request under the literal rule, where it may be signed by that. */
  literal: {
    operation: Operation
    values: ReadonlyMap<string, string>
    bodySignature?: string | undefined
  } | null
  /** Of the merchant that the signature names by its key, or the request by its field; undefined when there is none. */
  keys: { live: readonly ApiKey[]; ended: readonly ApiKey[] } | undefined
  /** The string that we signed, where there is one, and the caller's own. */
  text: string | null
  own: string | undefined
  /** The signature is valid, but its key belongs to another merchant than the request names. */
  isOfOtherMerchant?: boolean
}

type Explained = {
  cause: SignatureCause
  detail: string
  signature_string?: string
  first_difference?: string | null
}

export function whyRefused(refused: RefusedSignature): Explained {
  const { text, own, literal } = refused
  const difference = text === null || own === undefined ? undefined : firstDifference(text, own, literal)
  const [cause, more] = causeOf(refused, difference)
  return {
    cause,
    detail: more === undefined ? signatureCauses[cause] : `${signatureCauses[cause]} ${more}`,
    ...(text !== null && { signature_string: text }),
    ...(difference !== undefined && { first_difference: difference }),
  }
}

/** The cause, and what can be said about this request besides. */
type Cause = readonly [SignatureCause, more?: string]

function causeOf(refused: RefusedSignature, difference: string | null | undefined): Cause {
  const { header, parsed, literal, keys } = refused
  if (!parsed) return causeOfForm(header)
  if (parsed.scheme === 'literal' && !literal) return ['v2_required', `Send ${v2Form}.`]
  if (parsed.scheme === 'v2' && literal?.bodySignature !== undefined) return ['v2_in_body']
  if (refused.isOfOtherMerchant) return ['other_merchant']
  if (!keys) return [parsed.scheme === 'v2' ? 'key_unknown' : 'merchant_unknown']
  return causeOfEnded(refused, keys.ended) ?? causeOfMismatch(refused, keys.live, difference)
}

const v2Form = 't=TIME,kid=KEY_ID,v2=HEX: in this order, without spaces; HEX has 64 digits'

/** Nothing that could be a signature. */
function causeOfForm(header: string): Cause {
  if (header === '') return ['signature_missing']
  if (/\b(kid|v2|t)=/.test(header)) return ['v2_malformed', `Send ${v2Form}.`]
  const isBase64 = /^[A-Za-z0-9+/_-]{43}=?$/.test(header)
  return isBase64 ? ['not_hex', 'It looks like base64: write the same 32 bytes in hex.'] : ['not_hex']
}

function causeOfEnded({ parsed, text }: RefusedSignature, ended: readonly ApiKey[]): Cause | undefined {
  const key = ended.find(({ id, secret }) =>
    parsed!.scheme === 'v2' ? id === parsed!.kid : matchesHex(secret, text ?? '', parsed!.hex),
  )
  return key && ['key_ended', `The key ${key.id} ended at ${key.notAfter!.toISOString()}.`]
}

function causeOfMismatch(
  { parsed, literal, text, own }: RefusedSignature,
  live: readonly ApiKey[],
  difference: string | null | undefined,
): Cause {
  if (literal && parsed!.scheme === 'literal') {
    const asSent = [...literal.values.values()].join('::')
    const isReordered = own !== undefined && own !== text && sorted(own) === sorted(text!)
    if (isReordered || live.some(({ secret }) => matchesHex(secret, asSent, parsed!.hex)))
      return ['order_of_fields', `It is ${signedFields[literal.operation].join(', ')}.`]
  }
  if (difference) return ['string_differs', `They part at: ${difference}.`]
  return [difference === null ? 'secret_wrong' : 'no_match']
}

const sorted = (text: string): string => text.split('::').sort().join('::')

function firstDifference(ours: string, own: string, literal: RefusedSignature['literal']): string | null {
  if (ours === own) return null
  const isV2 = ours.startsWith('v2\n')
  const separator = isV2 ? '\n' : '::'
  const theirs = own.split(separator)
  const index = ours.split(separator).findIndex((part, place) => part !== theirs[place])
  if (index < 0) return 'the end: your string goes on after ours'
  if (isV2 || !literal)
    return ['v2', 't', 'method', 'path with query', 'sha256 of the body'][index] ?? 'the end'
  return signedFields[literal.operation].filter((name) => literal.values.has(name))[index] ?? 'the end'
}
