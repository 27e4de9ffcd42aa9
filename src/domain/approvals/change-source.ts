/**
 * Changes bank sources. Their pushes confirm deposits, so in live mode a change that lets a source report more becomes a
 * proposal that a second person decides. A change that lets it report less, and all in test mode, takes effect at once.
 */

import type { Db, Tx } from '../../platform/db.ts'
import { appendAudit } from '../audit/store.ts'
import { addSourceWithin, changedPart, changeSourceWithin, lockPush } from '../transfers/bank-source.ts'
import type { BankSource } from '../transfers/source.ts'
import { addsNetworks } from './guard.ts'
import type { Decider, SourceChange } from './proposal.ts'
import { propose, proposeWithin } from './propose.ts'
import { changesOf, type SourceToken } from './source-changes.ts'

type SourceChangeRequest<Change> = { change: Change; by: Decider; reason: string }
type ChangeOf<Kind extends SourceChange['kind']> = Extract<SourceChange, { kind: Kind }>

/** Returns the token if the source was added immediately, null if it waits for a second person. */
export async function proposeOrAddSource(
  db: Db,
  request: SourceChangeRequest<ChangeOf<'source_add'>>,
): Promise<SourceToken | null> {
  const { name, mode, accounts, networks } = request.change
  if (mode === 'live') {
    await propose(db, request)
    return null
  }
  return db.transaction(async (tx) => {
    const after = { name, mode, accounts, networks }
    const { token } = await addSourceWithin(tx, after)
    await note(tx, request, { act: 'source_add', subject: 'source', before: null, after })
    return { name, token }
  })
}

/** Returns true if the change waits for a second person. */
export const proposeOrChangeSource = (
  db: Db,
  request: SourceChangeRequest<Exclude<SourceChange, { kind: 'source_add' }>>,
): Promise<boolean> =>
  db.transaction(async (tx) => {
    const { change } = request
    const source = await lockPush(tx, change.id)
    if (source.mode === 'live' && isLooser(source, change)) {
      await proposeWithin(tx, request)
      return true
    }
    const changes = changesOf(change)
    const { before, after } = await changeSourceWithin(tx, change.id, changes)
    await note(tx, request, {
      act: actOf[change.kind],
      subject: `source:${change.id}`,
      before: changedPart(before, changes),
      after: changedPart(after, changes),
    })
    return false
  })

const actOf = {
  source_account: 'source_account_add',
  source_networks: 'source_networks',
  source_enable: 'source_enable',
} as const

/** A source without listed accounts may report all of them, so listing the first one is stricter. */
const isLooser = (source: BankSource, change: Exclude<SourceChange, { kind: 'source_add' }>): boolean => {
  if (change.kind === 'source_account') return source.isBound
  return change.kind === 'source_enable' || addsNetworks(source.networks, change.networks)
}

const note = (
  tx: Tx,
  { by, reason }: Pick<SourceChangeRequest<SourceChange>, 'by' | 'reason'>,
  line: { act: string; subject: string; before: unknown; after: unknown },
) =>
  appendAudit(tx, {
    personId: by.personId,
    actor: by.email,
    reason,
    requestId: by.requestId,
    ...line,
  })
