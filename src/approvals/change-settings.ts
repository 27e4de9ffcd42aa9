/** How the installation decides: alone or by two, and above which sums. */
import { appendAudit } from '../audit/store.ts'
import type { Db } from '../platform/db.ts'
import type { ApprovalSettings, Decider } from './proposal.ts'
import { readApprovalSettings, saveApprovalSettings } from './store.ts'

export const changeApprovalSettings = (
  db: Db,
  { settings, by, reason }: { settings: ApprovalSettings; by: Decider; reason: string },
): Promise<ApprovalSettings> =>
  db.transaction(async (tx) => {
    const before = await readApprovalSettings(tx)
    await saveApprovalSettings(tx, settings)
    await appendAudit(tx, {
      personId: by.personId,
      actor: by.email,
      act: 'settings_change',
      subject: 'installation',
      merchantId: null,
      reason,
      before,
      after: settings,
      requestId: by.requestId,
    })
    return settings
  })
