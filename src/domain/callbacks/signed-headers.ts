/** The headers of one sending: Standard Webhooks. The id stays the same at every attempt; time and signature do not. */
import type { KeyObject } from 'node:crypto'
import { signCallback } from '../../../sdk/signature.ts'

type SignedHeaders = {
  /** Every live secret signs, so that the receiver can change over in its own time. */
  secrets: readonly (string | KeyObject)[]
  id: string
  /** Unix seconds, by the database's clock. */
  timestamp: number
  body: string
}

export const signedHeaders = ({ secrets, id, timestamp, body }: SignedHeaders): Record<string, string> => ({
  'content-type': 'application/json',
  'user-agent': 'Inlet/1 (+callbacks)',
  'webhook-id': id,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': signCallback({ secrets, id, timestamp, body }),
})
