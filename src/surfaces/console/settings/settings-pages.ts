/** A merchant's rules, and its people. Whoever looks sees them; an owner changes them. */

import { optionalEvents } from '../../../domain/callbacks/callback.ts'
import { type MerchantSettings, settingRules } from '../../../domain/merchants/merchant.ts'
import type { Invitation } from '../../../domain/people/links/link.ts'
import { type MerchantRole, merchantRoles, type Person } from '../../../domain/people/person.ts'
import { timeOf } from '../../staff/frame.ts'
import { html, type Markup } from '../../web/html.ts'
import { languages } from '../../web/messages/languages.ts'
import {
  act,
  badge,
  button,
  callout,
  checkbox,
  field,
  form,
  pairs,
  panel,
  select,
  table,
} from '../../web/pieces.ts'
import { type ConsoleContext, isAtLeast, merchantId, merchantPage, orReason, wordsOf } from '../frame.ts'
import { consolePath } from '../paths.ts'
import { type ReturnsAsked, returnsPanel } from './return-pages.ts'

/** What an owner decides; rates and the limits of customers are the operator's. */
export const ownSettings = [
  'choiceMinutes',
  'paymentMinutes',
  'lateGraceHours',
  'lateGraceAccountHours',
  'underpaidPolicy',
  'underpaidToleranceCents',
  'overpaidPolicy',
  'latePolicy',
] as const satisfies readonly (keyof MerchantSettings)[]
export type OwnSetting = (typeof ownSettings)[number]

/** Its languages by their own names. */
const languageNames: Record<(typeof languages)[number], string> = {
  ru: 'Русский',
  uz: 'O‘zbekcha',
  kk: 'Қазақша',
  tg: 'Тоҷикӣ',
  en: 'English',
}

type PersonLine = Pick<Person, 'id' | 'name' | 'email' | 'hasTotp' | 'passkeys' | 'disabledAt'> & {
  lastSeenAt: Date | null
  role: MerchantRole
}

type SettingsView = {
  people: readonly PersonLine[]
  invitations: readonly Invitation[]
  returns: ReturnsAsked | null
  problem: string | null
}

export function settingsPage(of: ConsoleContext, { people, invitations, returns, problem }: SettingsView) {
  const { settings: words, sections, returns: said } = wordsOf(of)
  return merchantPage(of, {
    title: sections.settings,
    section: 'settings',
    body: html`${problem && html`<div role="alert">${callout('bad', problem)}</div>`}
${merchantId(of)}
<div class="split two">
<div class="stack">${panel(words.rules, isAtLeast(of, 'owner') ? rulesForm(of) : rulesSeen(of))}</div>
<div class="stack">${panel(said.title, returnsPanel(of, returns))}
${panel(words.byOperator, byOperator(of))}
${panel(
  words.invite,
  orReason(of, 'owner', () => inviteForm(of)),
)}</div>
</div>
${panel(words.people, peopleTable(of, people))}
${invitations.length > 0 && panel(words.invitations, invitationsTable(of, invitations))}`,
  })
}

function rulesForm(of: ConsoleContext): Markup {
  const words = wordsOf(of)
  const { settings: said } = words
  const { merchant } = of
  return form(of.visitor, {
    action: consolePath('/settings', of.merchant.id),
    body: html`<p class="quiet">${said.rulesText}</p>
${ownSettings.map((name) => setting(of, name))}
${select({
  name: 'language',
  label: said.language,
  hint: said.languageHint,
  value: merchant.language ?? '',
  choices: [
    { value: '', text: said.languageNone },
    ...languages.map((one) => ({ value: one, text: languageNames[one] })),
  ],
})}
<fieldset class="stack"><legend>${said.events}</legend><p class="quiet">${said.eventsHint}</p>
${optionalEvents.map((event) => checkbox({ name: event, label: said.eventNames[event] ?? event, isOn: merchant.optionalEvents.includes(event) }))}
</fieldset>
${button(words.save, 'primary')}`,
  })
}

function setting(of: ConsoleContext, name: OwnSetting): Markup {
  const { settings: said } = wordsOf(of)
  const rule = settingRules[name]
  const [label = name, hint = ''] = said.settings[name]
  const value = String(of.merchant.settings[name])
  if ('values' in rule) {
    const choices = rule.values.map((one) => ({ value: one, text: said.policies[one] ?? one }))
    return select({ name, label, hint, value, choices })
  }
  return field({
    name,
    label,
    // A bound that nobody comes near says nothing.
    hint: rule.most > 1_000_000 ? hint : `${hint} ${said.range(rule.least, rule.most)}`.trim(),
    type: 'number',
    inputmode: 'numeric',
    value,
    isRequired: true,
    maxLength: 15,
  })
}

function rulesSeen(of: ConsoleContext): Markup {
  const words = wordsOf(of)
  const { settings: said } = words
  const { merchant } = of
  const rows = ownSettings.map((name): [string, string] => {
    const value = String(merchant.settings[name])
    return [said.settings[name][0] ?? name, said.policies[value] ?? value]
  })
  const language = languages.find((one) => one === merchant.language)
  return html`${pairs([
    ...rows,
    [said.language, language ? languageNames[language] : said.languageNone],
    [said.events, merchant.optionalEvents.join(', ') || words.none],
  ])}
<p class="quiet">${words.needs(words.roles.owner)}</p>`
}

const byOperator = (of: ConsoleContext): Markup => {
  const { settings: said } = wordsOf(of)
  const { settings } = of.merchant
  const limit = (value: number | bigint | null) => (value === null ? said.unlimited : String(value))
  return pairs([
    [said.rate, String(settings.ratePerSecond)],
    [said.burst, String(settings.rateBurst)],
    [said.customerOpen, limit(settings.customerOpenDeposits)],
    [said.customerDay, limit(settings.customerDayCents)],
    [said.customerMonth, limit(settings.customerMonthCents)],
  ])
}

const inviteForm = (of: ConsoleContext): Markup => {
  const { settings: said, roles } = wordsOf(of)
  return form(of.visitor, {
    action: consolePath('/people', of.merchant.id),
    body: html`<p class="quiet">${said.inviteText}</p>
${field({ name: 'email', label: said.email, type: 'email', isRequired: true, maxLength: 254 })}
${field({ name: 'name', label: said.name, isRequired: true, maxLength: 100 })}
${select({
  name: 'role',
  label: said.role,
  hint: merchantRoles.map((role) => html`<span class="line">${said.roleHints[role]}</span>`),
  value: 'viewer',
  choices: merchantRoles.map((role) => ({ value: role, text: roles[role] })),
})}
${button(said.invite, 'primary')}`,
  })
}

function peopleTable(of: ConsoleContext, people: readonly PersonLine[]): Markup {
  const words = wordsOf(of)
  const { settings: said } = words
  return html`<p class="quiet">${said.peopleText}</p>
${table(
  said.people,
  [{ head: said.name, is: 'long' }, said.email, said.role, said.factor, said.seen, wordsOf(of).act],
  people.map((one) => [
    html`<bdi>${one.name}</bdi>`,
    one.email,
    words.roles[one.role],
    one.hasTotp || one.passkeys > 0 ? words.yes : words.no,
    one.disabledAt ? badge(said.disabled, 'bad') : (timeOf(of, one.lastSeenAt) ?? words.never),
    one.id === of.visitor.person.id
      ? badge(said.you, 'info')
      : isAtLeast(of, 'owner') &&
        html`<a href="${consolePath('/people/:id', of.merchant.id, one.id)}">${said.end}</a>`,
  ]),
)}`
}

/** Under the names that this merchant gave: what an account is called elsewhere is not told. */
function invitationsTable(of: ConsoleContext, invitations: readonly Invitation[]): Markup {
  const words = wordsOf(of)
  const { settings: said } = words
  return html`<p class="quiet">${said.invitationsText}</p>
${table(
  said.invitations,
  [{ head: said.email, is: 'long' }, said.role, { head: said.until, is: 'middle' }, words.act],
  invitations.map((one) => [
    html`<bdi>${one.name}</bdi><br><span class="anywhere">${one.email}</span>`,
    words.roles[one.merchantRole!],
    timeOf(of, one.expiresAt),
    isAtLeast(of, 'owner') &&
      act(of.visitor, {
        action: consolePath('/settings/withdraw', of.merchant.id),
        text: said.withdraw,
        kind: 'danger',
        hidden: { id: one.id },
      }),
  ]),
)}`
}

/** The only page that ever holds the link. */
export const invitedPage = (of: ConsoleContext, { email, link }: { email: string; link: string | null }) => {
  const words = wordsOf(of)
  return merchantPage(of, {
    title: link ? words.settings.invited : words.settings.roleSet,
    section: 'settings',
    body: html`<div class="reading stack"><p>${link ? words.settings.invitedText(email) : words.settings.roleSetText(email)}</p>
${
  link &&
  html`<p><code class="anywhere" translate="no">${link}</code>
<button type="button" class="button" data-copy="${link}" data-copied="${words.keys.copied}" hidden>${words.keys.copy}</button></p>`
}
<p><a class="button primary" href="${consolePath('/settings', of.merchant.id)}">${link ? words.keys.done : words.sections.settings}</a></p></div>`,
  })
}

export const endPage = (of: ConsoleContext, person: PersonLine, problem: string | null) => {
  const words = wordsOf(of)
  const { settings: said } = words
  return merchantPage(of, {
    title: said.endTitle(person.name),
    section: 'settings',
    body: html`<div class="reading stack">${problem && html`<div role="alert">${callout('bad', problem)}</div>`}<p>${said.endText(person.email)}</p>
${form(of.visitor, {
  action: consolePath('/people/:id', of.merchant.id, person.id),
  body: html`<div class="row">${button(said.end, 'danger')} <a class="button" href="${consolePath('/settings', of.merchant.id)}">${words.cancel}</a></div>`,
})}</div>`,
  })
}
