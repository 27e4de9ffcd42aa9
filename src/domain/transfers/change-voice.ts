/** Which source of an account counts, or tells early, from a day on: an act of the operator. */
import type { Tx } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import { message } from '../messages/message.ts'
import { channelIds, type Ids } from './channel.ts'
import { findSource } from './source-store.ts'
import { lockAccounts } from './store.ts'
import type { Role, Voice } from './voice.ts'
import { readVoices, saveVoice, voicesOf } from './voice-store.ts'

type ChangeVoice = {
  accountId: string
  role: Role
  sourceId: string
  fromDay: string
  /** How long its ids last, where it is not as its channel has it. */
  ids?: Ids | undefined
  actor: string
}

type VoiceChange = { before: Voice | null; after: Voice }

export async function changeVoiceWithin(tx: Tx, { actor, ...asked }: ChangeVoice): Promise<VoiceChange> {
  const change = await checkVoice(tx, asked)
  await saveVoice(tx, change.after, actor)
  return change
}

export async function checkVoice(
  tx: Tx,
  { accountId, role, sourceId, fromDay, ids }: Omit<ChangeVoice, 'actor'>,
): Promise<VoiceChange> {
  const account = (await lockAccounts(tx, [accountId])).get(accountId)
  if (!account) throw new Refusal('not_found', { detail: message('no_receiving_account_with_id') })
  const source = await findSource(tx, sourceId)
  if (source?.mode !== account.mode || source.kind === 'hand')
    throw new Refusal('not_found', { detail: message('no_bank_source_with_id') })
  if (role === 'booked' && source.kind !== 'file')
    throw new Refusal('invalid_value', { detail: message('only_files_are_booked') })
  const before = voicesOf(await readVoices(tx, [accountId]), accountId, role).at(-1) ?? null
  if (before && fromDay < before.fromDay)
    throw new Refusal('state_conflict', { detail: message('voice_begins_later', { day: before.fromDay }) })
  return {
    before,
    after: { accountId, role, fromDay, source, ids: ids ?? channelIds[source.channel] },
  }
}
