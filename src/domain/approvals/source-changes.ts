/** Proposals that let a bank source report more money: described when made, and applied once approved. */

import type { Tx } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import type { Mode } from '../merchants/merchant.ts'
import { message } from '../messages/message.ts'
import { findAccount } from '../requisites/account-store.ts'
import {
  addSourceWithin,
  changeSourceWithin,
  checkNetworks,
  lockPush,
  type SourceChanges,
} from '../transfers/bank-source.ts'
import { type Described, type Proposal, type ProposalKind, type SourceChange, subjectId } from './proposal.ts'

/** The token with which a bank authenticates its pushes. */
export type SourceToken = { name: string; token: string }

export const isSourceKind = (kind: ProposalKind): kind is SourceChange['kind'] => kind.startsWith('source_')

type AddAsked = Omit<Extract<SourceChange, { kind: 'source_add' }>, 'name'> & { label: string }

export async function describeSource(tx: Tx, change: SourceChange): Promise<Described> {
  if (change.kind === 'source_add') {
    const { name, mode, accounts, networks } = change
    checkNetworks(networks)
    const labels = await labelsOf(tx, accounts, mode)
    const audited = { label: name, mode, accounts, labels, networks }
    return { subject: `account:${accounts[0]}`, merchantId: null, asked: audited, audited }
  }
  const source = await lockPush(tx, change.id)
  const described = (values: Record<string, unknown>): Described => {
    const asked = { label: source.name, ...values }
    return { subject: `source:${change.id}`, merchantId: null, asked, audited: asked }
  }
  if (change.kind === 'source_account') {
    const before = source.accounts.map(({ label }) => label)
    const labels = await labelsOf(tx, [change.accountId], source.mode)
    return described({ accountId: change.accountId, before, labels })
  }
  if (change.kind === 'source_networks') {
    checkNetworks(change.networks)
    return described({ before: source.networks, networks: change.networks })
  }
  if (source.enabled) throw new Refusal('state_conflict', { detail: message('already_on') })
  return described({})
}

/** Refuses if the source has changed since the proposal. */
export async function applySource(tx: Tx, { kind, subject, asked }: Proposal): Promise<SourceToken | null> {
  if (kind === 'source_add') {
    const { label: name, mode, accounts, networks } = asked as unknown as AddAsked
    const { token } = await addSourceWithin(tx, { name, mode, accounts, networks })
    return { name, token }
  }
  const id = subjectId({ subject })
  const source = await lockPush(tx, id)
  const changed = () => new Refusal('state_conflict', { detail: message('source_changed_since_proposed') })
  if (kind === 'source_account') {
    const accountId = String(asked.accountId)
    if (!source.isBound || source.accounts.some((account) => account.id === accountId)) throw changed()
    await changeSourceWithin(tx, id, changesOf({ kind, id, accountId }))
  } else if (kind === 'source_networks') {
    const { before, networks } = asked as Record<string, string[]>
    if (source.networks.join() !== before!.join()) throw changed()
    await changeSourceWithin(tx, id, { networks: networks! })
  } else {
    if (source.enabled) throw changed()
    await changeSourceWithin(tx, id, { enabled: true })
  }
  return null
}

export const changesOf = (change: Exclude<SourceChange, { kind: 'source_add' }>): SourceChanges => {
  if (change.kind === 'source_account') return { accounts: (ids) => [...ids, change.accountId] }
  return change.kind === 'source_networks' ? { networks: change.networks } : { enabled: true }
}

async function labelsOf(tx: Tx, ids: readonly string[], mode: Mode): Promise<string[]> {
  const labels: string[] = []
  for (const id of ids) {
    const account = await findAccount(tx, id)
    if (account?.mode !== mode)
      throw new Refusal('not_found', { detail: message('no_such_receiving_account_in_mode') })
    labels.push(account.label)
  }
  return labels
}
