/** HTTP routes of the approval settings. Only admins may use them, with a fresh factor. */

import { readApprovalRuleActs } from '../../../domain/alarms/store.ts'
import { changeApprovalSettings } from '../../../domain/approvals/change-settings.ts'
import type { ApprovalSettings } from '../../../domain/approvals/proposal.ts'
import { listOpenProposalsOfKinds, readApprovalSettings } from '../../../domain/approvals/store.ts'
import { centsFrom, currencies } from '../../../domain/money.ts'
import { Refusal } from '../../../platform/refusals.ts'
import type { KnownVisit } from '../../staff/guarded-routes.ts'
import { deciderOf } from '../../staff/visit.ts'
import { officeWords } from '../office-words.ts'
import { deskPath } from '../paths.ts'
import { approvalRuleActsPanel } from '../people/guard-pieces.ts'
import { admin, type DeskTools, deskOf, read, reasonOf, sectionRoutes } from '../visit.ts'
import { settingsPage } from './settings-page.ts'

export function settingsRoutes(tools: DeskTools): void {
  const { get, post } = sectionRoutes(tools, 'settings')
  const { db } = tools.context

  get('/settings', read, async (visit) => {
    const [desk, settings, open, acts] = await Promise.all([
      deskOf(tools, visit),
      readApprovalSettings(db),
      listOpenProposalsOfKinds(db, ['approval_settings']),
      readApprovalRuleActs(db),
    ])
    return settingsPage(desk, { settings, open, acts: approvalRuleActsPanel(desk, acts) })
  })

  post('/settings/save', admin, async (visit) => {
    const settings = settingsIn(visit)
    const by = deciderOf(visit)
    const done = await changeApprovalSettings(db, { settings, by, reason: reasonOf(visit) })
    const notice = !done.isProposed ? 'saved' : done.isChanged ? 'proposed_rest' : 'proposed'
    return { to: deskPath('/settings'), notice }
  })
}

function settingsIn(visit: KnownVisit): ApprovalSettings {
  const above = currencies.flatMap((currency) => {
    const text = visit.field(`above-${currency}`)
    if (text === '') return []
    const cents = centsFrom(text)
    if (cents === null)
      throw new Refusal('invalid_value', { detail: `${currency}: ${officeWords[visit.language].aboveHint}` })
    return [[currency, cents.toString()] as const]
  })
  return { isSingleOperator: visit.field('single') === 'on', secondPersonAbove: Object.fromEntries(above) }
}
