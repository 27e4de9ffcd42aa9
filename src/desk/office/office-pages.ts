/** Payment types with their limits, the desk's own people, and how the installation decides. */
import type { ApprovalSettings } from '../../approvals/proposal.ts'
import { type Currency, currencies, decimal } from '../../money.ts'
import type { Invitation } from '../../people/links/link.ts'
import { operatorRoles, type Person } from '../../people/person.ts'
import { peopleWords } from '../../people/words.ts'
import { html, type Markup } from '../../web/html.ts'
import { act, badge, button, callout, checkbox, field, form, panel, select, table } from '../../web/pieces.ts'
import { admins, type Desk, deskPage, may, moneyOf, proofAsked, sinceOf, timeOf, workers } from '../frame.ts'
import { deskWords } from '../words.ts'
import { officeWords } from './words.ts'

export type TypeRow = {
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

export function typesPage(desk: Desk, types: readonly TypeRow[]) {
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
  types.map((one) => {
    const isFirst = !seen.has(one.code)
    seen.add(one.code)
    const isOn = one.type_enabled && one.enabled !== false
    return [
      html`<span class="mono">${one.code}</span>`,
      one.name,
      `${words.groups[one.requisite_group]}${one.bank_code ? ` · ${one.bank_code}` : ''}`,
      one.currency ?? '–',
      one.currency && one.min_cents !== null ? moneyOf(desk, one.min_cents, one.currency) : '–',
      one.currency && one.max_cents !== null ? moneyOf(desk, one.max_cents, one.currency) : '–',
      badge(isOn ? shared.on : shared.off, isOn ? 'ok' : 'bad'),
      isFirst && typeSwitch(desk, one, csrf),
    ]
  }),
)}
${may(desk, admins) && panel(words.newType, typeForm(desk, csrf))}`,
  })
}

/** Off for whoever works here, at one press; on for an admin. */
function typeSwitch(desk: Desk, { code, type_enabled }: TypeRow, csrf: string): Markup | false {
  const shared = deskWords[desk.language]
  const hidden = { code }
  if (type_enabled)
    return (
      may(desk, workers) &&
      act({ action: '/operator/payment-types/stop', csrf, text: shared.stop, kind: 'danger', hidden })
    )
  return (
    may(desk, admins) &&
    act({ action: '/operator/payment-types/start', csrf, text: officeWords[desk.language].start, hidden })
  )
}

function typeForm(desk: Desk, csrf: string): Markup {
  const words = officeWords[desk.language]
  const shared = deskWords[desk.language]
  return html`${proofAsked(desk)}${form({
    action: '/operator/payment-types/change',
    csrf,
    body: html`<div class="grid">
${field({ name: 'code', label: words.code, isRequired: true, maxLength: 32 })}
${field({ name: 'name', label: words.name, maxLength: 100 })}
${select({ name: 'group', label: words.group, choices: (['', 'card', 'phone', 'account'] as const).map((one) => ({ value: one, text: one === '' ? '–' : words.groups[one] })) })}
${field({ name: 'bankCode', label: words.bankCode, maxLength: 32 })}
${select({ name: 'currency', label: shared.currency, choices: [{ value: '', text: words.noCurrency }, ...currencies.map((one) => ({ value: one, text: one }))] })}
${field({ name: 'min', label: words.least, hint: words.limitHint, inputmode: 'decimal', maxLength: 20 })}
${field({ name: 'max', label: words.most, inputmode: 'decimal', maxLength: 20 })}
</div>
${button(shared.save, 'primary')}`,
  })}`
}

export type PersonRow = Person & {
  lastSeenAt: Date | null
  memberships: readonly { merchantName: string; role: string }[]
}

export function peoplePage(
  desk: Desk,
  { people, invitations }: { people: readonly PersonRow[]; invitations: readonly Invitation[] },
) {
  const words = officeWords[desk.language]
  const shared = deskWords[desk.language]
  const { csrf } = desk.visitor.session
  const isAdmin = may(desk, admins)
  const short = [
    { value: '', text: words.noRole },
    ...operatorRoles.map((role) => ({ value: role, text: words.roles[role] })),
  ]
  const roles = operatorRoles.map((role) => ({ value: role, text: words.roleText[role] }))
  const acts = (one: PersonRow) => {
    if (one.id === desk.visitor.person.id) return badge(words.yourself, 'info')
    const hidden = { email: one.email }
    return html`<div class="row">
<form method="post" action="/operator/people/role" class="row"><input type="hidden" name="csrf" value="${csrf}"><input type="hidden" name="email" value="${one.email}">
<select name="role" class="inline" aria-label="${words.role}: ${one.email}">${short.map((role) => option(role, one.operatorRole ?? ''))}</select>${button(words.setRole)}</form>
${act({ action: '/operator/people/reset', csrf, text: words.reset, hidden })}
${act({ action: `/operator/people/${one.disabledAt ? 'enable' : 'disable'}`, csrf, text: one.disabledAt ? words.enable : words.disable, kind: one.disabledAt ? 'plain' : 'danger', hidden })}
</div>`
  }
  return deskPage(desk, {
    title: shared.sections.people,
    section: 'people',
    body: html`${isAdmin && proofAsked(desk)}
${table(
  shared.sections.people,
  [
    { head: words.name },
    { head: words.email },
    { head: words.role },
    { head: shared.merchant },
    { head: words.factor },
    { head: words.lastSeen },
    ...(isAdmin ? [{ head: shared.acts }] : []),
  ],
  people.map((one) => [
    html`<bdi>${one.name}</bdi>${one.disabledAt && html` ${badge(words.disabled, 'bad')}`}`,
    one.email,
    one.operatorRole ? words.roles[one.operatorRole] : '–',
    html`<bdi>${one.memberships.map((place) => `${place.merchantName} (${place.role})`).join(', ') || '–'}</bdi>`,
    one.hasTotp || one.passkeys > 0 ? shared.on : badge(shared.none, 'warn'),
    one.lastSeenAt ? sinceOf(desk, one.lastSeenAt) : shared.never,
    ...(isAdmin ? [acts(one)] : []),
  ]),
)}
${invitations.length > 0 && panel(words.invitations, invitationsTable(desk, invitations))}
${
  isAdmin &&
  panel(
    words.invite,
    html`<p>${words.inviteText}</p>${form({
      action: '/operator/people/invite',
      csrf,
      body: html`<div class="grid">${field({ name: 'email', label: words.email, type: 'email', isRequired: true, maxLength: 254 })}
${field({ name: 'name', label: words.name, isRequired: true, maxLength: 100 })}
${select({ name: 'role', label: words.role, value: 'operator', choices: roles })}</div>
${button(words.invite, 'primary')}`,
    })}`,
  )
}`,
  })
}

function invitationsTable(desk: Desk, invitations: readonly Invitation[]): Markup {
  const words = officeWords[desk.language]
  const shared = deskWords[desk.language]
  const isAdmin = may(desk, admins)
  const { csrf } = desk.visitor.session
  return html`<p class="quiet">${words.invitationsText}</p>
${table(
  words.invitations,
  [
    { head: words.email, is: 'long' },
    { head: words.role, is: 'middle' },
    { head: words.until, is: 'middle' },
    ...(isAdmin ? [{ head: shared.acts }] : []),
  ],
  invitations.map((one) => [
    html`<bdi>${one.name}</bdi><br><span class="anywhere">${one.email}</span>`,
    one.operatorRole
      ? words.roles[one.operatorRole]
      : html`${peopleWords[desk.language].roles[one.merchantRole!]}, <bdi>${one.merchantName}</bdi>`,
    timeOf(desk, one.expiresAt),
    ...(isAdmin
      ? [
          act({
            action: '/operator/people/withdraw',
            csrf,
            text: words.withdraw,
            kind: 'danger',
            hidden: { id: one.id },
          }),
        ]
      : []),
  ]),
)}`
}

const option = ({ value, text }: { value: string; text: string }, chosen: string): Markup =>
  value === chosen
    ? html`<option value="${value}" selected>${text}</option>`
    : html`<option value="${value}">${text}</option>`

/** In the answer to the form itself: no address leads here again. */
export function linkPage(
  desk: Desk,
  { email, link, isReset, isAnew }: { email: string; link: string; isReset: boolean; isAnew: boolean },
) {
  const words = officeWords[desk.language]
  return deskPage(desk, {
    title: email,
    section: 'people',
    body: html`${callout('warn', words.linkText)}
${panel(words.link, html`<p class="mono anywhere" translate="no">${link}</p>${isReset && html`<p>${words.resetText}</p>`}${isAnew && html`<p>${words.anewText}</p>`}`)}
<p><a class="button primary" href="/operator/people">${words.kept}</a></p>`,
  })
}

export function settingsPage(desk: Desk, settings: ApprovalSettings) {
  const words = officeWords[desk.language]
  const shared = deskWords[desk.language]
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
    title: shared.sections.settings,
    section: 'settings',
    body: html`<div class="reading stack">${proofAsked(desk)}${panel(
      shared.sections.approvals,
      form({
        action: '/operator/settings/save',
        csrf: desk.visitor.session.csrf,
        body: html`${checkbox({ name: 'single', label: words.single, isOn: settings.isSingleOperator })}
<p class="quiet">${words.singleText}</p>
<fieldset class="stack"><legend>${words.above}</legend><p class="quiet">${words.aboveHint}</p><div class="grid">${fields}</div></fieldset>
${field({ name: 'reason', label: shared.reason, hint: shared.reasonHint, isRequired: true, maxLength: 500 })}
${isAdmin ? button(shared.save, 'primary') : html`<p class="quiet">${shared.notYours}</p>`}`,
      }),
    )}</div>`,
  })
}
