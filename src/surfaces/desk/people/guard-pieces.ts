/**
 * Shows what was changed in the last day about the rules of approval and the people of the desk, so that nobody
 * overlooks it.
 */

import type { ApprovalRuleAct } from '../../../domain/alarms/alarm.ts'
import type { Proposal } from '../../../domain/approvals/proposal.ts'
import { actName } from '../../../sections/act-names.ts'
import { inLanguage } from '../../../sections/section.ts'
import { allSections } from '../../../sections/sections.ts'
import { timeOf } from '../../staff/frame.ts'
import { translateActor } from '../../staff/sentences/translate.ts'
import { html, type Markup } from '../../web/html.ts'
import { callout } from '../../web/pieces.ts'
import { requestName } from '../approvals/requests.ts'
import type { DeskContext } from '../frame.ts'
import { officeWords } from '../office-words.ts'
import { deskPath } from '../paths.ts'

export function approvalRuleActsPanel(desk: DeskContext, acts: readonly ApprovalRuleAct[]): Markup | null {
  if (acts.length === 0) return null
  const words = officeWords[desk.language]
  return html`<div class="callout warn"><details><summary>${words.approvalRuleActs(acts.length)}</summary><ul>${acts.map(
    ({ place, at, act, actor, name }) =>
      html`<li>№ ${place.toString()} · ${timeOf(desk, at)} · <bdi title="${actor}">${name ?? translateActor(actor, desk.language)}</bdi> · ${inLanguage(actName(allSections, act), desk.language)}</li>`,
  )}</ul><p><a href="${deskPath('/audit')}">${words.auditRecordLink}</a></p></details></div>`
}

/** The open proposals. */
export const waitingList = (desk: DeskContext, open: readonly Proposal[]): Markup | false =>
  open.length > 0 &&
  callout(
    'info',
    html`${officeWords[desk.language].waiting} ${open.map(
      (proposal, place) =>
        html`${place > 0 && '; '}<a href="${deskPath('/approvals/:id', proposal.id)}">${requestName(desk, proposal)}${typeof proposal.asked.label === 'string' && html`: <bdi>${proposal.asked.label}</bdi>`}</a>`,
    )}.`,
  )
