/**
 * Converts digests of recovery codes from versions without the master key, so that no one needs new codes. Runs at every
 * start; after the conversion it is one read of an empty index.
 */
import type { Db } from '../../platform/db.ts'
import type { Vault } from '../../platform/vault.ts'
import { keyCodes, listCodesWithoutKey } from './factor-store.ts'
import { keyedRecoveryDigest } from './sign-in.ts'

const pageSize = 500

export async function keyRecoveryCodes(db: Db, vault: Vault): Promise<void> {
  for (;;) {
    const codes = await listCodesWithoutKey(db, pageSize)
    if (codes.length === 0) return
    await keyCodes(
      db,
      codes.map((code) => ({ ...code, keyed: keyedRecoveryDigest(vault, code.digest) })),
    )
  }
}
