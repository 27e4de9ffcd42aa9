/**
 * Changes which source of an account counts, or tells early: whoever chooses it chooses what counts as paid. In live mode a change
 * becomes a proposal that a second person decides; in test mode it takes effect at once.
 */
import type { Db } from '../../platform/db.ts'
import { appendAudit } from '../audit/store.ts'
import { changeVoiceWithin } from '../transfers/change-voice.ts'
import type { Decider, VoiceChange } from './proposal.ts'
import { proposeWithin } from './propose.ts'
import { accountWith, describeVoice, voiceAsked } from './voice-changes.ts'

/** Returns true if the change waits for a second person. */
export const proposeOrChangeVoice = (
  db: Db,
  { change, by, reason }: { change: VoiceChange; by: Decider; reason: string },
): Promise<boolean> =>
  db.transaction(async (tx) => {
    const { mode } = await accountWith(tx, change.id)
    const { subject, asked, audited } = await describeVoice(tx, change)
    if (mode === 'live') {
      await proposeWithin(tx, { change, by, reason })
      return true
    }
    await changeVoiceWithin(tx, { ...voiceAsked({ subject, asked }), actor: `operator:${by.email}` })
    const { before, ...after } = audited
    await appendAudit(tx, {
      ...{ personId: by.personId, actor: by.email, act: change.kind, subject, merchantId: null, reason },
      ...{ before, after, requestId: by.requestId },
    })
    return false
  })
