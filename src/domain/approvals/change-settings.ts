/**
 * Changes how the installation approves, stricter or looser, at once: the way out at the command line where no one is left
 * who could approve a change. It raises an alarm like every change of these settings.
 */
import type { Db } from '../../platform/db.ts'
import { appendAudit } from '../audit/store.ts'
import { type SettingValues, settingsFrom, settingValues } from './guard.ts'
import type { ApprovalSettings } from './proposal.ts'
import { lockApprovalSettings, saveApprovalSettings } from './store.ts'

export const setApprovalSettings = (db: Db, requested: SettingValues): Promise<ApprovalSettings> =>
  db.transaction(async (tx) => {
    const now = settingValues(await lockApprovalSettings(tx))
    const [before, after] = [settingsFrom(now), settingsFrom({ ...now, ...requested })]
    if (Object.keys(requested).every((name) => (now[name] ?? null) === requested[name])) return after
    await saveApprovalSettings(tx, after)
    await appendAudit(tx, {
      ...{ personId: null, actor: 'command line', requestId: null },
      ...{ act: 'settings_change', subject: 'installation', before, after },
    })
    return after
  })
