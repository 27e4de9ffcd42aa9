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
import { type Hooks, perform } from '../audit/perform.ts'
import type { Mode } from '../merchants/merchant.ts'
import { createUseRecorder } from '../merchants/use-recorder.ts'
import { message } from '../messages/message.ts'
import type { BankSource, SourceAccount } from './source.ts'
import {
  findAccountIds,
  insertSource,
  listSourceAccounts,
  lockSource,
  noteSourceUse,
  replaceAccounts,
  setNetworks,
  setSourceEnabled,
} from './source-store.ts'

/** Without `accounts` the source may report every account of its mode. */
type AddSource = { name: string; mode: Mode; accounts?: readonly string[]; networks?: readonly string[] }

export const addSource = (db: Db, source: AddSource) => db.transaction((tx) => addSourceWithin(tx, source))

export async function addSourceWithin(
  tx: Tx,
  { name, mode, accounts, networks = [] }: AddSource,
): Promise<{ id: string; token: string }> {
  const id = newId()
  const token = `bank_${randomToken(32)}`
  checkNetworks(networks)
  await insertSource(tx, { id, name, mode, tokenDigest: tokenDigest(token) })
  if (accounts) await replaceSourceAccounts(tx, { id, mode }, accounts)
  await setNetworks(tx, id, networks)
  return { id, token }
}

/** A token has 256 random bits, so a fast digest is as safe as a slow one. */
export const tokenDigest = (token: string): Buffer => createHash('sha256').update(token).digest()

export const switchSource = (db: Db, id: string, enabled: boolean, hooks?: Hooks) =>
  perform(db, hooks, (tx) => switchSourceWithin(tx, id, enabled))

export async function switchSourceWithin(tx: Tx, id: string, enabled: boolean) {
  if (!(await setSourceEnabled(tx, id, enabled))) throw sourceNotFound()
  return { id, enabled }
}

/** The accounts that a source may report and the networks that it may call from. */
export type SourceScope = { isBound: boolean; accounts: SourceAccount[]; networks: string[] }

type ScopeChange = { id: string; before: SourceScope; after: SourceScope }

/** Replaces the accounts of a source by what `choose` makes of them. */
export const setSourceAccounts = (db: Db, id: string, choose: ChooseAccounts, hooks?: Hooks<ScopeChange>) =>
  perform(db, hooks, (tx) => setSourceAccountsWithin(tx, id, choose))

type ChooseAccounts = (accountIds: readonly string[]) => readonly string[]

export const setSourceAccountsWithin = (tx: Tx, id: string, choose: ChooseAccounts): Promise<ScopeChange> =>
  changeScope(tx, id, (source, before) =>
    replaceSourceAccounts(tx, source, choose(before.accounts.map((account) => account.id))),
  )

/** With an empty list the source may call from anywhere. */
export async function setSourceNetworks(
  tx: Tx,
  id: string,
  networks: readonly string[],
): Promise<ScopeChange> {
  checkNetworks(networks)
  return changeScope(tx, id, () => setNetworks(tx, id, networks))
}

async function changeScope(
  tx: Tx,
  id: string,
  change: (source: BankSource, before: SourceScope) => Promise<void>,
): Promise<ScopeChange> {
  const source = await lockSource(tx, id)
  if (source?.kind !== 'push') throw sourceNotFound()
  const before = await scopeOf(tx, source)
  await change(source, before)
  return { id, before, after: await scopeOf(tx, (await lockSource(tx, id))!) }
}

const scopeOf = async (tx: Tx, { id, isBound, networks }: BankSource): Promise<SourceScope> => ({
  isBound,
  networks,
  accounts: await listSourceAccounts(tx, id),
})

async function replaceSourceAccounts(
  tx: Tx,
  { id, mode }: Pick<BankSource, 'id' | 'mode'>,
  accounts: readonly string[],
) {
  const wanted = [...new Set(accounts)]
  if (wanted.length > bounds.sourceAccounts) {
    throw new Refusal('invalid_value', {
      detail: message('too_many_source_accounts', { most: bounds.sourceAccounts }),
    })
  }
  const found = await findAccountIds(tx, mode, wanted)
  if (found.length < wanted.length) {
    throw new Refusal('not_found', { detail: message('no_such_receiving_account_in_mode') })
  }
  await replaceAccounts(tx, id, wanted)
}

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

const sourceNotFound = () => new Refusal('not_found', { detail: message('no_bank_source_with_id') })

/** Records when a source was last used. */
export function sourceUse(db: Db, log: Log): (id: string) => void {
  const record = createUseRecorder((error) =>
    log.warn('last use of a bank source not noted', faultFields(error)),
  )
  return (id) => record(id, () => noteSourceUse(db, id))
}
