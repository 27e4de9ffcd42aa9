/** A merchant's rules and people. Everybody sees them; only an owner changes them. */

import { optionalEvents } from '../../../domain/callbacks/callback.ts'
import type { Brand } from '../../../domain/merchants/brand.ts'
import { settingRules } from '../../../domain/merchants/merchant.ts'
import type { Invitation } from '../../../domain/people/links/link.ts'
import { type MerchantRole, merchantRoles, type Person } from '../../../domain/people/person.ts'
import { fieldOf, settingText, typedAmount } from '../../staff/amount.ts'
import { timeOf } from '../../staff/frame.ts'
import { type ListPart, partPager } from '../../staff/long-list.ts'
import { sectionNames, settingSections } from '../../staff/setting-sections.ts'
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
import { brandingPanel } from './branding-pages.ts'
import { type ReturnsAsked, returnsPanel } from './return-pages.ts'

/** The sections that an owner may change. Rates and customer limits belong to the operator. */
export const ownSections = ['times', 'differences', 'page'] as const
type OwnSection = (typeof ownSections)[number]
export type OwnSetting = (typeof settingSections)[OwnSection][number]

/** Each language under its own name. */
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
  people: ListPart<PersonLine>
  invitations: ListPart<Invitation>
  returns: ReturnsAsked | null
  brand: Brand
  problem: string | null
}

export function settingsPage(
  context: ConsoleContext,
  { people, invitations, returns, brand, problem }: SettingsView,
) {
  const { settings: words, sections, returns: said, branding } = wordsOf(context)
  const path = consolePath('/settings', context.merchant.id)
  return merchantPage(context, {
    title: sections.settings,
    section: 'settings',
    body: html`${problem && html`<div role="alert">${callout('bad', problem)}</div>`}
${merchantId(context)}
<div class="split two">
<div class="stack">${isAtLeast(context, 'owner') ? ownSections.map((section) => panel(sectionNames[context.language][section], sectionForm(context, section))) : panel(words.rules, rulesSeen(context))}</div>
<div class="stack">${panel(branding.title, brandingPanel(context, brand))}
${panel(said.title, returnsPanel(context, returns))}
${panel(words.byOperator, byOperator(context))}
${panel(
  words.invite,
  orReason(context, 'owner', () => inviteForm(context)),
)}</div>
</div>
${panel(words.people, html`${peopleTable(context, people.rows)}${partPager(context, people, { path, name: 'after' })}`)}
${(invitations.rows.length > 0 || !invitations.isFirst) && panel(words.invitations, html`${invitationsTable(context, invitations.rows)}${partPager(context, invitations, { path, name: 'invited' })}`)}`,
  })
}

function sectionForm(context: ConsoleContext, section: OwnSection): Markup {
  const { save, settings: said } = wordsOf(context)
  return form(context.visitor, {
    action: consolePath('/settings', context.merchant.id),
    body: html`<input type="hidden" name="section" value="${section}">
${section !== 'page' && html`<p class="quiet">${said.rulesText[section]}</p>`}
${section === 'page' ? pageFields(context) : html`<div class="grid">${settingSections[section].map((name) => setting(context, name))}</div>`}
${button(save, 'primary')}`,
  })
}

function pageFields(context: ConsoleContext): Markup {
  const { settings: said } = wordsOf(context)
  const { merchant } = context
  return html`${select({
    name: 'language',
    label: said.language,
    hint: said.languageHint,
    value: merchant.language ?? '',
    none: said.languageNone,
    choices: languages.map((language) => ({ value: language, text: languageNames[language] })),
  })}
<fieldset class="stack"><legend>${said.events}</legend><p class="quiet">${said.eventsHint}</p>
${optionalEvents.map((event) => checkbox({ name: event, label: said.eventNames[event], isOn: merchant.optionalEvents.includes(event) }))}
</fieldset>`
}

function setting(context: ConsoleContext, name: OwnSetting): Markup {
  const { settings: said } = wordsOf(context)
  const rule = settingRules[name]
  const [label = name, hint = ''] = said.settings[name]
  const value = settingText(name, context.merchant.settings[name], context.language)
  const isAmount = name.endsWith('Cents')
  if ('values' in rule) {
    const choices = rule.values.map((value) => ({ value, text: said.policies[value] ?? value }))
    return select({ name, label, hint, value, choices })
  }
  return field({
    name: fieldOf(name),
    label,
    // A range up to a technical maximum would not help the reader.
    hint: rule.most > 1_000_000 ? hint : `${hint} ${said.range(rule.least, rule.most)}`.trim(),
    type: isAmount ? 'text' : 'number',
    inputmode: isAmount ? 'decimal' : 'numeric',
    value,
    isRequired: true,
    maxLength: 20,
  })
}

function rulesSeen(context: ConsoleContext): Markup {
  const words = wordsOf(context)
  const { settings: said } = words
  const { merchant } = context
  const rows = ownSections
    .flatMap((section): readonly OwnSetting[] => settingSections[section])
    .map((name): [string, string] => {
      const value = settingText(name, merchant.settings[name], context.language)
      return [said.settings[name][0] ?? name, said.policies[value] ?? value]
    })
  const language = languages.find((language) => language === merchant.language)
  return html`${pairs([
    ...rows,
    [said.language, language ? languageNames[language] : said.languageNone],
    [said.events, merchant.optionalEvents.join(', ') || words.none],
  ])}
<p class="quiet">${words.needs(words.roles.owner)}</p>`
}

const byOperator = (context: ConsoleContext): Markup => {
  const { settings: said } = wordsOf(context)
  const { settings } = context.merchant
  const limit = (value: number | bigint | null) =>
    value === null
      ? said.unlimited
      : typeof value === 'bigint'
        ? typedAmount(value, context.language)
        : String(value)
  return pairs([
    [said.rate, String(settings.ratePerSecond)],
    [said.burst, String(settings.rateBurst)],
    [said.customerOpen, limit(settings.customerOpenDeposits)],
    [said.customerDay, limit(settings.customerDayCents)],
    [said.customerMonth, limit(settings.customerMonthCents)],
  ])
}

const inviteForm = (context: ConsoleContext): Markup => {
  const { settings: said, roles } = wordsOf(context)
  return form(context.visitor, {
    action: consolePath('/people', context.merchant.id),
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

function peopleTable(context: ConsoleContext, people: readonly PersonLine[]): Markup {
  const words = wordsOf(context)
  const { settings: said } = words
  return html`<p class="quiet">${said.peopleText}</p>
${table(
  said.people,
  [{ head: said.name, is: 'long' }, said.email, said.role, said.factor, said.seen, wordsOf(context).act],
  people.map((person) => [
    html`<bdi>${person.name}</bdi>`,
    person.email,
    words.roles[person.role],
    person.hasTotp || person.passkeys > 0 ? words.yes : words.no,
    person.disabledAt ? badge(said.disabled, 'bad') : (timeOf(context, person.lastSeenAt) ?? words.never),
    person.id === context.visitor.person.id
      ? badge(said.you, 'info')
      : isAtLeast(context, 'owner') &&
        html`<a href="${consolePath('/people/:id', context.merchant.id, person.id)}">${said.end}</a>`,
  ]),
)}`
}

/** Shows the names that this merchant typed, not those of the people's accounts. */
function invitationsTable(context: ConsoleContext, invitations: readonly Invitation[]): Markup {
  const words = wordsOf(context)
  const { settings: said } = words
  return html`<p class="quiet">${said.invitationsText}</p>
${table(
  said.invitations,
  [{ head: said.email, is: 'long' }, said.role, { head: said.until, is: 'middle' }, words.act],
  invitations.map((invitation) => [
    html`<bdi>${invitation.name}</bdi><br><span class="anywhere">${invitation.email}</span>`,
    words.roles[invitation.merchantRole!],
    timeOf(context, invitation.expiresAt),
    isAtLeast(context, 'owner') &&
      act(context.visitor, {
        action: consolePath('/settings/withdraw', context.merchant.id),
        text: said.withdraw,
        kind: 'danger',
        hidden: { id: invitation.id },
      }),
  ]),
)}`
}

/** The only page that ever shows the invitation link. */
export const invitedPage = (
  context: ConsoleContext,
  { email, link }: { email: string; link: string | null },
) => {
  const words = wordsOf(context)
  return merchantPage(context, {
    title: link ? words.settings.invited : words.settings.roleSet,
    section: 'settings',
    body: html`<div class="reading stack"><p>${link ? words.settings.invitedText(email) : words.settings.roleSetText(email)}</p>
${
  link &&
  html`<p><code class="anywhere" translate="no">${link}</code>
<button type="button" class="button" data-copy="${link}" data-copied="${words.keys.copied}" hidden>${words.keys.copy}</button></p>`
}
<p><a class="button primary" href="${consolePath('/settings', context.merchant.id)}">${link ? words.keys.done : words.sections.settings}</a></p></div>`,
  })
}

export const endPage = (
  context: ConsoleContext,
  person: Pick<PersonLine, 'id' | 'name' | 'email'>,
  problem: string | null,
) => {
  const words = wordsOf(context)
  const { settings: said } = words
  return merchantPage(context, {
    title: said.endTitle(person.name),
    section: 'settings',
    body: html`<div class="reading stack">${problem && html`<div role="alert">${callout('bad', problem)}</div>`}<p>${said.endText(person.email)}</p>
${form(context.visitor, {
  action: consolePath('/people/:id', context.merchant.id, person.id),
  body: html`<div class="row">${button(said.end, 'danger')} <a class="button" href="${consolePath('/settings', context.merchant.id)}">${words.cancel}</a></div>`,
})}</div>`,
  })
}
