/** What was done in the last day to the rules of approval or to the people of the desk: nobody overlooks it. */

import type { GuardingAct } from '../../../domain/alarms/alarm.ts'
import { timeOf } from '../../staff/frame.ts'
import { translateActor } from '../../staff/sentences/translate.ts'
import { html, type Markup } from '../../web/html.ts'
import { actOf } from '../audit/audit-page.ts'
import type { DeskContext } from '../frame.ts'
import { officeWords } from '../office-words.ts'
import { deskPath } from '../paths.ts'

export function guardingActsPanel(desk: DeskContext, acts: readonly GuardingAct[]): Markup | null {
  if (acts.length === 0) return null
  const words = officeWords[desk.language]
  return html`<div class="callout warn"><details><summary>${words.guardingActs(acts.length)}</summary><ul>${acts.map(
    ({ place, at, act, actor }) =>
      html`<li>№ ${place.toString()} · ${timeOf(desk, at)} · <bdi>${translateActor(actor, desk.language)}</bdi> · ${actOf(desk, act)}</li>`,
  )}</ul><p><a href="${deskPath('/audit')}">${words.guardingRecord}</a></p></details></div>`
}
