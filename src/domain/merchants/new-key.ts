/** Generates the id and the secret of a new key. A secret is the HMAC key exactly as displayed: its UTF-8 bytes, prefix included. */
import { randomBase64, randomToken } from '../../platform/clock.ts'
import type { KeyPurpose } from './api-key.ts'
import type { Mode } from './merchant.ts'

export const newKeySecret = (mode: Mode, purpose: KeyPurpose) => ({
  id: `key_${randomToken(12)}`,
  // Callback secrets have the form of Standard Webhooks libraries: the prefix, then base64 of the key's bytes.
  secret: purpose === 'request' ? `sk_${mode}_${randomToken(32)}` : `whsec_${randomBase64(32)}`,
})
