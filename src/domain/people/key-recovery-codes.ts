/**
 * Converts digests of recovery codes from versions without the master key, so that no one needs new codes. Runs at every
 * start; after the conversion it is one read of an empty index.
 */
import type { Db } from '../../platform/db.ts'
import { macChain } from '../../platform/sealing-key.ts'
import type { Vault } from '../../platform/vault.ts'
import { keyCodes, listCodesWithoutKey } from './factor-store.ts'
import { recoveryKeys } from './sign-in.ts'

const pageSize = 500

export async function keyRecoveryCodes(db: Db, vault: Vault): Promise<void> {
  for (;;) {
    const codes = await listCodesWithoutKey(db, pageSize)
    if (codes.length === 0) return
    await db.transaction(async (tx) => {
      const keys = await recoveryKeys(tx, vault)
      const keyed = codes.map((code) => ({ ...code, keyed: macChain(keys, code.digest).at(-1)! }))
      await keyCodes(tx, keyed, keys.length - 1)
    })
  }
}
