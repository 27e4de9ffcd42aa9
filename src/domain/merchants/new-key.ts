/** Generates the id and the secret of a new key. */
import { randomBase64, randomToken } from '../../platform/clock.ts'
import { callbackSecretFrom, type KeyPurpose, keyIdFrom, requestSecretFrom } from './api-key.ts'
import type { Mode } from './merchant.ts'

export const newKeySecret = (mode: Mode, purpose: KeyPurpose) => ({
  id: keyIdFrom(randomToken(12)),
  secret:
    purpose === 'request' ? requestSecretFrom(mode, randomToken(32)) : callbackSecretFrom(randomBase64(32)),
})
