/**
 * The request that created a deposit as the history stores it. It must never hold a secret or a signature.
 */
import type { ParsedSignature } from '../../../sdk/signature.ts'

/** The request id, the id of the signing key, and the signature scheme. */
export type SentRequest = { request: string; key: string; scheme: ParsedSignature['scheme'] }
