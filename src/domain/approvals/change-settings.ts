/**
 * Changes how the installation approves: by one person or two, and above which amounts. A stricter setting takes effect
 * at once; a looser one becomes a proposal that a second person decides.
 */

import type { Db, Tx } from '../../platform/db.ts'
import { appendAudit } from '../audit/store.ts'
import { type SettingValues, settingsFrom, settingValues, sortSettings } from './guard.ts'
import type { ApprovalSettings, Decider } from './proposal.ts'
import { propose } from './propose.ts'
import { lockApprovalSettings, saveApprovalSettings } from './store.ts'

export async function changeApprovalSettings(
  db: Db,
  { settings, by, reason }: { settings: ApprovalSettings; by: Decider; reason: string },
): Promise<{ isChanged: boolean; isProposed: boolean }> {
  const { stricter, looser } = await db.transaction(async (tx) => {
    const now = settingValues(await lockApprovalSettings(tx))
    const sorted = sortSettings(now, settingValues(settings))
    const { personId, email: actor, requestId } = by
    await save(tx, now, sorted.stricter, { personId, actor, requestId, reason })
    return sorted
  })
  const isProposed = Object.keys(looser).length > 0
  // In its own transaction: the stricter settings stay even if the proposal is refused.
  if (isProposed) await propose(db, { change: { kind: 'approval_settings', settings: looser }, by, reason })
  return { isChanged: Object.keys(stricter).length > 0, isProposed }
}

/** From the command line, stricter or looser, at once. It raises an alarm like every change of these settings. */
export const setApprovalSettings = (db: Db, requested: SettingValues): Promise<ApprovalSettings> =>
  db.transaction(async (tx) => {
    const now = settingValues(await lockApprovalSettings(tx))
    const changes = Object.fromEntries(
      Object.entries(requested).filter(([name, value]) => (now[name] ?? null) !== value),
    )
    await save(tx, now, changes, { personId: null, actor: 'command line', requestId: null, reason: '' })
    return settingsFrom({ ...now, ...changes })
  })

async function save(
  tx: Tx,
  now: SettingValues,
  changes: SettingValues,
  by: { personId: string | null; actor: string; requestId: string | null; reason: string },
): Promise<void> {
  if (Object.keys(changes).length === 0) return
  const after = { ...now, ...changes }
  await saveApprovalSettings(tx, settingsFrom(after))
  await appendAudit(tx, {
    ...by,
    act: 'settings_change',
    subject: 'installation',
    before: settingsFrom(now),
    after: settingsFrom(after),
  })
}
