/** Payment types with their limits. */

import { type Currency, currencies } from '../../../domain/money.ts'
import { moneyOf } from '../../staff/frame.ts'
import { html, type Markup } from '../../web/html.ts'
import { act, badge, button, field, form, panel, select, table } from '../../web/pieces.ts'
import { admins, type DeskContext, deskPage, may, proofAsked, workers } from '../frame.ts'
import { officeWords } from '../office-words.ts'
import { deskPath } from '../paths.ts'
import { deskWords } from '../words.ts'

type TypeRow = {
  code: string
  name: string
  requisite_group: 'card' | 'phone' | 'account' | 'select'
  bank_code: string | null
  type_enabled: boolean
  currency: Currency | null
  min_cents: bigint | null
  max_cents: bigint | null
  enabled: boolean | null
}

export function typesPage(desk: DeskContext, types: readonly TypeRow[]) {
  const words = officeWords[desk.language]
  const shared = deskWords[desk.language]
  const { csrf } = desk.visitor.session
  const seen = new Set<string>()
  return deskPage(desk, {
    title: shared.sections.types,
    section: 'types',
    body: html`<p>${words.typesText}</p>
${table(
  shared.sections.types,
  [
    { head: words.code },
    { head: words.name },
    { head: words.serves },
    { head: shared.currency },
    { head: words.least, is: 'number' },
    { head: words.most, is: 'number' },
    { head: shared.state },
    { head: shared.acts },
  ],
  types.map((row) => {
    const isFirst = !seen.has(row.code)
    seen.add(row.code)
    const isOn = row.type_enabled && row.enabled !== false
    return [
      html`<span class="mono">${row.code}</span>`,
      row.name,
      `${words.groups[row.requisite_group]}${row.bank_code ? ` · ${row.bank_code}` : ''}`,
      row.currency ?? '–',
      row.currency && row.min_cents !== null ? moneyOf(desk, row.min_cents, row.currency) : '–',
      row.currency && row.max_cents !== null ? moneyOf(desk, row.max_cents, row.currency) : '–',
      badge(isOn ? shared.on : shared.off, isOn ? 'ok' : 'bad'),
      isFirst && typeSwitch(desk, row, csrf),
    ]
  }),
)}
${may(desk, admins) && panel(words.newType, typeForm(desk, csrf))}`,
  })
}

/** Operators may switch it off; only an admin switches it on. */
function typeSwitch(desk: DeskContext, { code, type_enabled }: TypeRow, csrf: string): Markup | false {
  const shared = deskWords[desk.language]
  const hidden = { code }
  if (type_enabled)
    return (
      may(desk, workers) &&
      act({ action: deskPath('/payment-types/stop'), csrf, text: shared.stop, kind: 'danger', hidden })
    )
  return (
    may(desk, admins) &&
    act({ action: deskPath('/payment-types/start'), csrf, text: officeWords[desk.language].start, hidden })
  )
}

function typeForm(desk: DeskContext, csrf: string): Markup {
  const words = officeWords[desk.language]
  const shared = deskWords[desk.language]
  return html`${proofAsked(desk)}${form({
    action: deskPath('/payment-types/change'),
    csrf,
    body: html`<div class="grid">
${field({ name: 'code', label: words.code, isRequired: true, maxLength: 32 })}
${field({ name: 'name', label: words.name, maxLength: 100 })}
${select({ name: 'group', label: words.group, choices: (['', 'card', 'phone', 'account'] as const).map((group) => ({ value: group, text: group === '' ? '–' : words.groups[group] })) })}
${field({ name: 'bankCode', label: words.bankCode, maxLength: 32 })}
${select({ name: 'currency', label: shared.currency, choices: [{ value: '', text: words.noCurrency }, ...currencies.map((currency) => ({ value: currency, text: currency }))] })}
${field({ name: 'min', label: words.least, hint: words.limitHint, inputmode: 'decimal', maxLength: 20 })}
${field({ name: 'max', label: words.most, inputmode: 'decimal', maxLength: 20 })}
</div>
${button(shared.save, 'primary')}`,
  })}`
}
