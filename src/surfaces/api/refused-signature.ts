/**
 * Explains a refused signature in test mode, from the request and the merchant's own keys.
 * It names no secret and no other merchant. Pure.
 */
import { matchesHex, type Operation, type ParsedSignature, signedFields } from '../../../sdk/signature.ts'
import type { ApiKey } from '../../domain/merchants/api-key.ts'

export const signatureCauses = [
  'signature_missing',
  'not_hex',
  'v2_malformed',
  'v2_required',
  'v2_in_body',
  'merchant_unknown',
  'key_unknown',
  'key_ended',
  'other_merchant',
  'order_of_fields',
  'string_differs',
  'secret_wrong',
  'no_match',
] as const
export type SignatureCause = (typeof signatureCauses)[number]

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
  const [cause, detail] = causeOf(refused, difference)
  return {
    cause,
    detail,
    ...(text !== null && { signature_string: text }),
    ...(difference !== undefined && { first_difference: difference }),
  }
}

type RefusalExplanation = readonly [SignatureCause, string]

function causeOf(refused: RefusedSignature, difference: string | null | undefined): RefusalExplanation {
  const { header, parsed, literal, keys } = refused
  if (!parsed) return explainForm(header, literal !== null)
  if (parsed.scheme === 'literal' && !literal)
    return [
      'v2_required',
      `This address takes v2 signatures only, and X-Signature holds a literal one. Send ${v2Form}.`,
    ]
  if (parsed.scheme === 'v2' && literal?.bodySignature !== undefined)
    return ['v2_in_body', 'A v2 signature stands in the header X-Signature: it signs the whole body.']
  if (refused.isOfOtherMerchant)
    return ['other_merchant', 'The key in kid is not one of the merchant in the field "merchant".']
  if (!keys)
    return parsed.scheme === 'v2'
      ? ['key_unknown', 'There is no signing key with the id in kid.']
      : ['merchant_unknown', 'There is no merchant with the id in the field "merchant".']
  return endedOf(refused, keys.ended) ?? mismatchOf(refused, keys.live, difference)
}

const v2Form = 't=TIME,kid=KEY_ID,v2=HEX: in this order, without spaces'

/** Nothing that could be a signature. */
function explainForm(header: string, takesLiteral: boolean): RefusalExplanation {
  if (header === '')
    return [
      'signature_missing',
      takesLiteral
        ? 'Nothing is signed: there is neither a header X-Signature nor a field "signature".'
        : `Nothing is signed: there is no header X-Signature. Send ${v2Form}.`,
    ]
  if (/\b(kid|v2|t)=/.test(header))
    return [
      'v2_malformed',
      `X-Signature begins like v2 and is not of its form, ${v2Form}; HEX has 64 digits.`,
    ]
  const guess = /^[A-Za-z0-9+/_-]{43}=?$/.test(header)
    ? ' It looks like base64: write the same 32 bytes in hex.'
    : ''
  return ['not_hex', `X-Signature has to be 64 hex digits and nothing else.${guess}`]
}

function endedOf(
  { parsed, text }: RefusedSignature,
  ended: readonly ApiKey[],
): RefusalExplanation | undefined {
  const key = ended.find(({ id, secret }) =>
    parsed!.scheme === 'v2' ? id === parsed!.kid : matchesHex(secret, text ?? '', parsed!.hex),
  )
  return (
    key && [
      'key_ended',
      `The key ${key.id} ended at ${key.notAfter!.toISOString()}. Sign with a key that has not ended.`,
    ]
  )
}

function mismatchOf(
  { parsed, literal, text, own }: RefusedSignature,
  live: readonly ApiKey[],
  difference: string | null | undefined,
): RefusalExplanation {
  if (literal && parsed!.scheme === 'literal') {
    const asSent = [...literal.values.values()].join('::')
    const isReordered = own !== undefined && own !== text && sorted(own) === sorted(text!)
    if (isReordered || live.some(({ secret }) => matchesHex(secret, asSent, parsed!.hex)))
      return [
        'order_of_fields',
        `The values are right and their order is not. It is ${signedFields[literal.operation].join(', ')}; what is not sent is left out.`,
      ]
  }
  if (difference) return ['string_differs', `Your string and signature_string part at: ${difference}.`]
  if (difference === null)
    return ['secret_wrong', 'Your string is the one that we signed, so the secret is not that of the key.']
  return [
    'no_match',
    'No key of yours gives this signature over signature_string. Send your own string in X-Signature-String, in base64, to see where they part.',
  ]
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
