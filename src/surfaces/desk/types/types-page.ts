/** Payment types with their limits. */

import type { ListedType } from '../../../domain/catalogue/payment-type.ts'
import { currencies } from '../../../domain/money.ts'
import { moneyOf } from '../../staff/frame.ts'
import { methodName } from '../../staff/method-names.ts'
import { amountText } from '../../web/format.ts'
import { html, type Markup, type Value } from '../../web/html.ts'
import { act, badge, button, factsTable, field, form, panel, select } from '../../web/pieces.ts'
import { admins, type DeskContext, deskPage, freshFactorNotice, may, workers } from '../frame.ts'
import { officeWords } from '../office-words.ts'
import { deskPath } from '../paths.ts'
import { deskWords } from '../words.ts'

export function typesPage(desk: DeskContext, types: readonly ListedType[]) {
  const words = officeWords[desk.language]
  return deskPage(desk, {
    title: words.sections.types,
    section: 'types',
    body: html`<p>${words.typesText}</p>
<div class="types">${factsTable(
      words.sections.types,
      [
        words.name,
        { head: words.serves, is: 'middle extra' },
        { head: words.typeLimits, is: 'long' },
        { head: words.state, is: 'state' },
        { head: words.acts, is: 'last' },
      ],
      [...Map.groupBy(types, ({ code }) => code).values()].map((lines) => {
        const type = lines[0]!
        return [
          html`${methodName(desk, new Map([[type.code, type.name]]), type.code)}<span class="part mono quiet">${type.code}</span>`,
          `${words.groups[type.requisite_group]}${type.bank_code ? ` · ${type.bank_code}` : ''}`,
          limitsOf(desk, lines),
          badge(type.type_enabled ? words.on : words.off, type.type_enabled ? 'ok' : 'bad'),
          typeSwitch(desk, type),
        ]
      }),
    )}</div>
${may(desk, admins) && panel(words.newType, typeForm(desk))}`,
  })
}

/** A line for each currency. One that is off says so; a type that is off is off in all of them. */
function limitsOf(desk: DeskContext, lines: readonly ListedType[]): Value {
  const inOrder = currencies.flatMap((currency) => lines.find((line) => line.currency === currency) ?? [])
  if (inOrder.length === 0) return '–'
  return html`<ul class="amounts">${inOrder.map(({ currency, min_cents, max_cents, enabled }) => {
    const range = `${amountText(min_cents!, desk.language)} – ${moneyOf(desk, max_cents!, currency!)}`
    return html`<li><span class="quiet">${currency}</span> <span>${range}</span>${enabled === false && html` ${badge(officeWords[desk.language].off, 'bad')}`}</li>`
  })}</ul>`
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
      text: officeWords[desk.language].startType,
      hidden,
    })
  )
}

function typeForm(desk: DeskContext): Markup {
  const words = officeWords[desk.language]
  return html`${freshFactorNotice(desk)}${form(desk.visitor, {
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
