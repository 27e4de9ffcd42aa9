/** The page of the approval settings. */

import type { ApprovalSettings, Proposal } from '../../../domain/approvals/proposal.ts'
import { currencies } from '../../../domain/money.ts'
import { typedAmount } from '../../staff/amount.ts'
import { moneyOf } from '../../staff/frame.ts'
import { html, type Markup } from '../../web/html.ts'
import { button, checkbox, field, form, pairs, panel } from '../../web/pieces.ts'
import { admins, type DeskContext, deskPage, freshFactorNotice, may } from '../frame.ts'
import { officeWords } from '../office-words.ts'
import { deskPath } from '../paths.ts'
import { waitingList } from '../people/guard-pieces.ts'

type SettingsView = { settings: ApprovalSettings; open: readonly Proposal[]; acts: Markup | null }

export function settingsPage(desk: DeskContext, { settings, open, acts }: SettingsView) {
  const words = officeWords[desk.language]
  const isAdmin = may(desk, admins)
  return deskPage(desk, {
    title: words.sections.settings,
    section: 'settings',
    body: html`<div class="reading stack">${acts}${waitingList(desk, open)}${isAdmin && freshFactorNotice(desk)}${panel(
      words.sections.approvals,
      isAdmin ? settingsForm(desk, settings) : settingsSeen(desk, settings),
    )}</div>`,
  })
}

function settingsForm(desk: DeskContext, settings: ApprovalSettings): Markup {
  const words = officeWords[desk.language]
  const fields = currencies.map((currency) => {
    const above = settings.secondPersonAbove[currency]
    return field({
      name: `above-${currency}`,
      label: currency,
      value: above === undefined ? '' : typedAmount(BigInt(above), desk.language),
      inputmode: 'decimal',
      maxLength: 20,
    })
  })
  return form(desk.visitor, {
    action: deskPath('/settings/save'),
    body: html`<p>${words.settingsText}</p>${checkbox({ name: 'single', label: words.single, isOn: settings.isSingleOperator })}
<p class="quiet">${words.singleText}</p>
<fieldset class="stack"><legend>${words.above}</legend><p class="quiet">${words.aboveHint}</p><div class="grid">${fields}</div></fieldset>
${field({ name: 'reason', label: words.reason, hint: words.reasonHint, isRequired: true, maxLength: 500 })}
${button(words.save, 'primary')}`,
  })
}

/** For people who may not change them. */
function settingsSeen(desk: DeskContext, settings: ApprovalSettings): Markup {
  const words = officeWords[desk.language]
  return html`<p class="quiet">${words.notYours}</p>
${pairs([[words.single, settings.isSingleOperator ? words.yes : words.no]])}
<h3>${words.above}</h3>
${pairs(
  currencies.map((currency) => {
    const above = BigInt(settings.secondPersonAbove[currency] ?? 0)
    return [currency, above === 0n ? words.always : moneyOf(desk, above, currency)]
  }),
)}`
}
