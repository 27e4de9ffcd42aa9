/** Proposals of which source counts for an account, or tells early: described, and applied once approved. */
import { isDeepStrictEqual } from 'node:util'
import type { Tx } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import { message } from '../messages/message.ts'
import { findAccount } from '../requisites/account-store.ts'
import { namedSource } from '../statements/named-source.ts'
import { changeVoiceWithin, checkVoice } from '../transfers/change-voice.ts'
import type { Ids } from '../transfers/channel.ts'
import type { Role } from '../transfers/voice.ts'
import { type Described, type Proposal, subjectId, type VoiceChange, type VoiceTexts } from './proposal.ts'

/** A kind of file that nobody has imported yet becomes a source by being named. */
export async function describeVoice(tx: Tx, change: VoiceChange): Promise<Described> {
  const { id, role, fromDay, ids } = change
  const { mode, label } = await accountWith(tx, id)
  const { id: sourceId } = await namedSource(tx, { mode, text: change.source })
  const { before, after } = await checkVoice(tx, { accountId: id, role, sourceId, fromDay, ids })
  const asked = { label, role, sourceId, ...textsOf(after), before: before && textsOf(before) }
  return { subject: `account:${id}`, merchantId: null, asked, audited: asked }
}

/** Refuses if the voice has changed since the proposal. */
export async function applyVoice(tx: Tx, proposal: Proposal, actor: string): Promise<void> {
  const asked = voiceAsked(proposal)
  const { before } = await checkVoice(tx, asked)
  // The database keeps the members of an object in an order of its own.
  const seen = proposal.asked.before as VoiceTexts | null
  if (!isDeepStrictEqual(before && textsOf(before), seen && textsOf(seen)))
    throw new Refusal('state_conflict', { detail: message('voice_changed_since_proposed') })
  await changeVoiceWithin(tx, { ...asked, actor })
}

const textsOf = ({ source: { kind, name, channel }, fromDay, ids }: VoiceTexts): VoiceTexts => ({
  source: { kind, name, channel },
  fromDay,
  ids,
})

export const voiceAsked = ({ subject, asked }: Pick<Proposal, 'subject' | 'asked'>) => ({
  accountId: subjectId({ subject }),
  role: asked.role as Role,
  sourceId: String(asked.sourceId),
  fromDay: String(asked.fromDay),
  ids: asked.ids as Ids,
})

export async function accountWith(tx: Tx, id: string) {
  const account = await findAccount(tx, id)
  if (account) return account
  throw new Refusal('not_found', { detail: message('no_receiving_account_with_id') })
}
