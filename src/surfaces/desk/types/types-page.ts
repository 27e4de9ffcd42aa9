/** Payment types with their limits. */

import type { ListedType } from '../../../domain/catalogue/payment-type.ts'
import { currencies } from '../../../domain/money.ts'
import { moneyOf } from '../../staff/frame.ts'
import { methodName } from '../../staff/method-names.ts'
import { html, type Markup } from '../../web/html.ts'
import { act, badge, button, factsTable, field, form, panel, select } from '../../web/pieces.ts'
import { admins, type DeskContext, deskPage, may, proofAsked, workers } from '../frame.ts'
import { officeWords } from '../office-words.ts'
import { deskPath } from '../paths.ts'
import { deskWords } from '../words.ts'

export function typesPage(desk: DeskContext, types: readonly ListedType[]) {
  const words = officeWords[desk.language]
  const seen = new Set<string>()
  return deskPage(desk, {
    title: words.sections.types,
    section: 'types',
    body: html`<p>${words.typesText}</p>
${factsTable(
  words.sections.types,
  [
    words.name,
    { head: words.serves, is: 'middle extra' },
    words.currency,
    { head: words.least, is: 'number named' },
    { head: words.most, is: 'number named' },
    { head: words.state, is: 'state' },
    { head: words.acts, is: 'last' },
  ],
  types.map((row) => {
    const isFirst = !seen.has(row.code)
    seen.add(row.code)
    const isOn = row.type_enabled && row.enabled !== false
    return [
      html`${methodName(desk, new Map([[row.code, row.name]]), row.code)}<span class="part mono quiet">${row.code}</span>`,
      `${words.groups[row.requisite_group]}${row.bank_code ? ` · ${row.bank_code}` : ''}`,
      row.currency ?? '–',
      row.currency && row.min_cents !== null ? moneyOf(desk, row.min_cents, row.currency) : '–',
      row.currency && row.max_cents !== null ? moneyOf(desk, row.max_cents, row.currency) : '–',
      badge(isOn ? words.on : words.off, isOn ? 'ok' : 'bad'),
      isFirst && typeSwitch(desk, row),
    ]
  }),
)}
${may(desk, admins) && panel(words.newType, typeForm(desk))}`,
  })
}

/** Operators may switch it off; only an admin switches it on. */
function typeSwitch(desk: DeskContext, { code, type_enabled }: ListedType): Markup | false {
  const shared = deskWords[desk.language]
  const hidden = { code }
  if (type_enabled)
    return (
      may(desk, workers) &&
      act(desk.visitor, {
        action: deskPath('/payment-types/stop'),
        text: shared.stop,
        kind: 'danger',
        hidden,
      })
    )
  return (
    may(desk, admins) &&
    act(desk.visitor, {
      action: deskPath('/payment-types/start'),
      text: officeWords[desk.language].start,
      hidden,
    })
  )
}

function typeForm(desk: DeskContext): Markup {
  const words = officeWords[desk.language]
  return html`${proofAsked(desk)}${form(desk.visitor, {
    action: deskPath('/payment-types/change'),
    body: html`<div class="grid">
${field({ name: 'code', label: words.code, isRequired: true, maxLength: 32 })}
${field({ name: 'name', label: words.name, maxLength: 100 })}
${select({ name: 'group', label: words.group, choices: (['', 'card', 'phone', 'account'] as const).map((group) => ({ value: group, text: group === '' ? '–' : words.groups[group] })) })}
${field({ name: 'bankCode', label: words.bankCode, maxLength: 32 })}
${select({ name: 'currency', label: words.currency, none: words.noCurrency, choices: currencies.map((currency) => ({ value: currency, text: currency })) })}
${field({ name: 'min', label: words.least, hint: words.limitHint, inputmode: 'decimal', maxLength: 20 })}
${field({ name: 'max', label: words.most, inputmode: 'decimal', maxLength: 20 })}
</div>
${button(words.save, 'primary')}`,
  })}`
}
