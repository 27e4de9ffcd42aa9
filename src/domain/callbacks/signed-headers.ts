/** The headers of one attempt: Standard Webhooks. The id is the same at every attempt; time and signature differ. */
import type { KeyObject } from 'node:crypto'
import { signCallback } from '../../../sdk/signature.ts'

type SignedHeaders = {
  /** Every valid secret signs, so that the receiver can rotate when it likes. */
  secrets: readonly (string | KeyObject)[]
  id: string
  /** Unix seconds, by the database's clock. */
  timestamp: number
  body: string | Buffer
}

export const signedHeaders = ({ secrets, id, timestamp, body }: SignedHeaders): Record<string, string> => ({
  'content-type': 'application/json',
  'user-agent': 'Inlet/1 (+callbacks)',
  'webhook-id': id,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': signCallback({ secrets, id, timestamp, body }),
})
