/** Stores an act that waits for a second person: its fields as they were typed, and what the person saw. */
import { newId } from '../../platform/clock.ts'
import type { Tx } from '../../platform/db.ts'
import { violates } from '../../platform/db-errors.ts'
import { Refusal } from '../../platform/refusals.ts'
import { appendAudit } from '../audit/store.ts'
import { message } from '../messages/message.ts'
import { insertProposal } from './store.ts'

type AskedAct = {
  /** Section and act: `refund.paid`. */
  kind: string
  subject: string
  merchantId: string | null
  asked: {
    id: string | null
    texts: Readonly<Record<string, string>>
    seen: Readonly<Record<string, string | readonly string[]>>
  }
  isGuard: boolean
  /** Several of them may wait at once. */
  several: boolean
  reason: string
  personId: string | null
  actor: string
  requestId: string | null
}

export async function proposeAct(tx: Tx, act: AskedAct, audit: string): Promise<{ id: string }> {
  const { kind, merchantId, asked, isGuard, personId, actor, requestId } = act
  if (!personId) throw new Refusal('forbidden')
  const id = newId()
  const subject = act.several ? `${act.subject}:${id}` : act.subject
  // The consoles of merchants ask for no reason.
  const reason = act.reason || message('asked_for_in_merchant_console')
  try {
    await insertProposal(tx, { id, kind, subject, merchantId, asked, reason, proposedBy: personId, isGuard })
  } catch (error) {
    if (violates(error, 'proposal_open_once'))
      throw new Refusal('already_exists', { detail: message('same_proposal_is_open') })
    throw error
  }
  const after = { proposal: id }
  await appendAudit(tx, {
    ...{ personId, actor, requestId, act: `propose_${audit}`, subject, merchantId, after },
    reason: `${reason}`,
  })
  return { id }
}
