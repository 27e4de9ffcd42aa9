/**
 * Changes how the installation approves, stricter or looser, at once: the way out at the command line where no one is left
 * who could approve a change. It raises an alarm like every change of these settings.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Db } from '../../platform/db.ts'
import { appendAudit } from '../audit/store.ts'
import type { ApprovalSettings } from './proposal.ts'
import { lockApprovalSettings, saveApprovalSettings } from './store.ts'

/** By their names: `single`, and the sum in cents per currency; null is none. What is not named stays. */
export type SettingValues = Readonly<Record<string, string | null>>

export const setApprovalSettings = (db: Db, { single, ...sums }: SettingValues): Promise<ApprovalSettings> =>
  db.transaction(async (tx) => {
    const before = await lockApprovalSettings(tx)
    const above = Object.entries({ ...before.secondPersonAbove, ...sums }).filter(
      ([, cents]) => cents !== null,
    )
    const after = {
      isSingleOperator: single === undefined ? before.isSingleOperator : single === 'on',
      secondPersonAbove: Object.fromEntries(above) as ApprovalSettings['secondPersonAbove'],
    }
    if (isDeepStrictEqual(before, after)) return after
    await saveApprovalSettings(tx, after)
    await appendAudit(tx, {
      ...{ personId: null, actor: 'command line', requestId: null },
      ...{ act: 'settings_change', subject: 'installation', before, after },
    })
    return after
  })
