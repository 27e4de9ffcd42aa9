/** The page of the approval settings. */

import type { ApprovalSettings, Proposal } from '../../../domain/approvals/proposal.ts'
import { currencies, decimal } from '../../../domain/money.ts'
import { html, type Markup } from '../../web/html.ts'
import { button, checkbox, field, form, panel } from '../../web/pieces.ts'
import { admins, type DeskContext, deskPage, may, proofAsked } from '../frame.ts'
import { officeWords } from '../office-words.ts'
import { deskPath } from '../paths.ts'
import { waitingList } from '../people/guard-pieces.ts'

type SettingsView = { settings: ApprovalSettings; open: readonly Proposal[]; acts: Markup | null }

export function settingsPage(desk: DeskContext, { settings, open, acts }: SettingsView) {
  const words = officeWords[desk.language]
  const isAdmin = may(desk, admins)
  const fields = currencies.map((currency) => {
    const above = settings.secondPersonAbove[currency]
    return field({
      name: `above-${currency}`,
      label: currency,
      value: above === undefined ? '' : decimal(BigInt(above)),
      inputmode: 'decimal',
      maxLength: 20,
    })
  })
  return deskPage(desk, {
    title: words.sections.settings,
    section: 'settings',
    body: html`<div class="reading stack">${acts}${waitingList(desk, open)}${proofAsked(desk)}${panel(
      words.sections.approvals,
      form(desk.visitor, {
        action: deskPath('/settings/save'),
        body: html`<p>${words.settingsText}</p>${checkbox({ name: 'single', label: words.single, isOn: settings.isSingleOperator })}
<p class="quiet">${words.singleText}</p>
<fieldset class="stack"><legend>${words.above}</legend><p class="quiet">${words.aboveHint}</p><div class="grid">${fields}</div></fieldset>
${field({ name: 'reason', label: words.reason, hint: words.reasonHint, isRequired: true, maxLength: 500 })}
${isAdmin ? button(words.save, 'primary') : html`<p class="quiet">${words.notYours}</p>`}`,
      }),
    )}</div>`,
  })
}
