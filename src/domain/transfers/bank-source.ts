/**
 * Bank sources that push transfers. Each has its own revocable token, shown once and good only for pushes. A source may
 * report only the receiving accounts listed for it, and call only from its networks, where it has some.
 */

import { createHash } from 'node:crypto'
import { bounds } from '../../platform/bounds.ts'
import { newId, randomToken } from '../../platform/clock.ts'
import type { Db, Tx } from '../../platform/db.ts'
import { faultFields, type Log } from '../../platform/log.ts'
import { parseNetwork } from '../../platform/network.ts'
import { Refusal } from '../../platform/refusals.ts'
import type { Mode } from '../merchants/merchant.ts'
import { createUseRecorder } from '../merchants/use-recorder.ts'
import { message } from '../messages/message.ts'
import type { BankSource } from './source.ts'
import { insertSource, lockSource, noteSourceUse, saveSource } from './source-store.ts'

/** Without `accounts` the source may report every account of its mode. */
type AddSource = { name: string; mode: Mode; accounts?: readonly string[]; networks?: readonly string[] }

export const addSource = (db: Db, { name, mode, accounts, networks = [] }: AddSource) =>
  db.transaction(async (tx) => {
    const id = newId()
    const token = `bank_${randomToken(32)}`
    await insertSource(tx, { id, name, mode, tokenDigest: tokenDigest(token) })
    await changeSourceWithin(tx, id, { networks, ...(accounts && { accounts: () => accounts }) })
    return { id, token }
  })

/** A token has 256 random bits, so a fast digest is as safe as a slow one. */
export const tokenDigest = (token: string): Buffer => createHash('sha256').update(token).digest()

/** `accounts` makes a list of those that are listed now; with an empty list of networks the source may call from anywhere. */
export type SourceChanges = {
  enabled?: boolean
  accounts?: (accountIds: readonly string[]) => readonly string[]
  networks?: readonly string[]
}

export async function changeSourceWithin(
  tx: Tx,
  id: string,
  { enabled, accounts, networks }: SourceChanges,
): Promise<{ before: BankSource; after: BankSource }> {
  const before = await lockPush(tx, id)
  checkNetworks(networks ?? [])
  const wanted = accounts && [...new Set(accounts(before.accounts.map((account) => account.id)))]
  if (wanted && wanted.length > bounds.sourceAccounts) {
    throw new Refusal('invalid_value', {
      detail: message('too_many_source_accounts', { most: bounds.sourceAccounts }),
    })
  }
  await saveSource(tx, {
    id,
    enabled: enabled ?? before.enabled,
    networks: networks ?? before.networks,
    accountIds: wanted,
  })
  const after = await lockPush(tx, id)
  if (wanted && after.accounts.length < wanted.length)
    throw new Refusal('not_found', { detail: message('no_such_receiving_account_in_mode') })
  return { before, after }
}

/** Only a source that pushes can be changed: the others have no token. */
async function lockPush(tx: Tx, id: string): Promise<BankSource> {
  const source = await lockSource(tx, id)
  if (source?.kind === 'push') return source
  throw new Refusal('not_found', { detail: message('no_bank_source_with_id') })
}

/** What changes are about, before or after them, as the audit log keeps it. */
export const changedPart = (
  { enabled, isBound, accounts, networks }: BankSource,
  changes: SourceChanges,
): Record<string, unknown> => ({
  ...(changes.enabled !== undefined && { enabled }),
  ...(changes.accounts && { accounts: isBound ? accounts.map(({ id }) => id) : 'every account' }),
  ...(changes.networks && { networks }),
})

export function checkNetworks(networks: readonly string[]): void {
  if (networks.length > bounds.sourceNetworks) {
    throw new Refusal('invalid_value', {
      detail: message('too_many_source_networks', { most: bounds.sourceNetworks }),
    })
  }
  if (networks.some((network) => parseNetwork(network) === null)) {
    throw new Refusal('invalid_value', { detail: message('network_shape') })
  }
}

export function sourceUse(db: Db, log: Log): (id: string) => void {
  const record = createUseRecorder((error) =>
    log.warn('last use of a bank source not noted', faultFields(error)),
  )
  return (id) => record(id, () => noteSourceUse(db, id))
}
