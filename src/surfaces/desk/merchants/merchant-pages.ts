/** Pages of merchants: the list, one merchant with its settings, and the keys of a new one, shown once. */

import { type Merchant, type MerchantSettings, settingRules } from '../../../domain/merchants/merchant.ts'
import { fieldOf, settingRange, settingText } from '../../staff/amount.ts'
import { type ListPart, partPager } from '../../staff/long-list.ts'
import { consoleRoot, staffPath } from '../../staff/paths.ts'
import { type SettingSection, sectionNames, settingSections } from '../../staff/setting-sections.ts'
import { flag, html, type Markup } from '../../web/html.ts'
import {
  act,
  badge,
  button,
  callout,
  empty,
  factsTable,
  field,
  form,
  pairs,
  panel,
  select,
} from '../../web/pieces.ts'
import {
  admins,
  type DeskContext,
  deskPage,
  freshFactorNotice,
  may,
  modeBadge,
  stopRow,
  workers,
} from '../frame.ts'
import { officeWords } from '../office-words.ts'
import { deskPath } from '../paths.ts'

const onOff = (desk: DeskContext, isOn: boolean): Markup =>
  badge(isOn ? officeWords[desk.language].on : officeWords[desk.language].off, isOn ? 'ok' : 'bad')

export function merchantsPage(desk: DeskContext, merchants: ListPart<Merchant>) {
  const words = officeWords[desk.language]
  return deskPage(desk, {
    title: words.sections.merchants,
    section: 'merchants',
    body: html`${
      merchants.rows.length === 0 && merchants.isFirst
        ? empty(words.noMerchants, words.noMerchantsText)
        : factsTable(
            words.sections.merchants,
            [
              words.name,
              { head: words.state, is: 'state' },
              { head: words.callbackUrl, is: 'long' },
              { head: 'ID', is: 'extra' },
            ],
            merchants.rows.map((merchant) => [
              html`<a href="${deskPath('/merchants/:id', merchant.id)}"><bdi>${merchant.name}</bdi></a>${modeBadge(desk, merchant.mode)}`,
              onOff(desk, merchant.enabled),
              merchant.callbackUrl,
              html`<span class="mono">${merchant.id}</span>`,
            ]),
          )
    }
${partPager(desk, merchants, { path: deskPath('/merchants'), name: 'after' })}
${
  may(desk, admins) &&
  panel(
    words.newMerchant,
    html`${freshFactorNotice(desk)}${form(desk.visitor, {
      action: deskPath('/merchants/create'),
      body: html`<div class="grid">${field({ name: 'name', label: words.name, isRequired: true, maxLength: 100 })}
${select({
  name: 'mode',
  label: words.mode,
  choices: [
    { value: 'test', text: words.modes.test },
    { value: 'live', text: words.modes.live },
  ],
})}
${field({ name: 'callback', label: words.callbackUrl, hint: words.callbackHint, maxLength: 2000 })}</div>
${button(words.create, 'primary')}`,
    })}`,
  )
}`,
  })
}

type NewKeys = { merchant: Merchant; keyId: string; signingSecret: string; callbackSecret: string }

/** Shown once, in the answer to the form; it has no address of its own. */
export function newMerchantPage(
  desk: DeskContext,
  { merchant, keyId, signingSecret, callbackSecret }: NewKeys,
) {
  const words = officeWords[desk.language]
  const secret = (text: string) => html`<span class="mono anywhere" translate="no">${text}</span>`
  return deskPage(desk, {
    title: merchant.name,
    section: 'merchants',
    body: html`${callout('warn', words.keysOnce)}
<section class="panel">${pairs([
      [words.merchantId, secret(merchant.id)],
      [words.keyId, secret(keyId)],
      [words.signingSecret, secret(signingSecret)],
      [words.callbackSecret, secret(callbackSecret)],
    ])}</section>
<p><a class="button primary" href="${deskPath('/merchants/:id', merchant.id)}">${words.kept}</a></p>`,
  })
}

export function merchantPage(
  desk: DeskContext,
  { merchant, languages }: { merchant: Merchant; languages: readonly string[] },
) {
  const words = officeWords[desk.language]
  return deskPage(desk, {
    title: merchant.name,
    section: 'merchants',
    actions: html`${onOff(desk, merchant.enabled)}${modeBadge(desk, merchant.mode)}
<a class="button" href="${deskPath('/merchants/:id/why', merchant.id)}">${words.checkRequest}</a>
<a class="button" href="${staffPath(consoleRoot, merchant.id)}">${words.console}</a>
${may(desk, admins) && !merchant.enabled && act(desk.visitor, { action: deskPath('/merchants/:id/start', merchant.id), text: words.start })}`,
    body: html`${may(desk, workers) && merchant.enabled && stopRow(act(desk.visitor, { action: deskPath('/merchants/:id/stop', merchant.id), text: words.stopMerchant, kind: 'danger' }), words.stopMerchantText)}
${may(desk, admins) && freshFactorNotice(desk)}
<div class="split two">
${panel(words.settings, settingsForm(desk, merchant, languages))}
<div class="stack">${panel(
      words.callbackUrl,
      html`<p class="anywhere">${merchant.callbackUrl ?? '–'}</p><p class="quiet">${words.addressText}</p>
${
  may(desk, admins) &&
  form(desk.visitor, {
    action: deskPath('/merchants/:id/address', merchant.id),
    body: html`${field({ name: 'callback', label: words.callbackUrl, value: merchant.callbackUrl ?? '', maxLength: 2000 })}
${field({ name: 'reason', label: words.reason, hint: words.reasonHint, isRequired: true, maxLength: 500 })}
${button(words.askAddress)}`,
  })
}`,
    )}
${panel(words.returns, returnsOf(desk, merchant))}</div>
</div>`,
  })
}

function returnsOf(desk: DeskContext, merchant: Merchant): Markup {
  const words = officeWords[desk.language]
  const { successUrl, rejectUrl } = merchant
  return html`${pairs([
    [words.successUrl, html`<bdi class="anywhere">${successUrl ?? '–'}</bdi>`],
    [words.rejectUrl, html`<bdi class="anywhere">${rejectUrl ?? '–'}</bdi>`],
  ])}
<p class="quiet">${words.returnsText}</p>
${
  may(desk, admins) &&
  form(desk.visitor, {
    action: deskPath('/merchants/:id/returns', merchant.id),
    body: html`${field({ name: 'success', label: words.successUrl, value: successUrl ?? '', maxLength: 2000 })}
${field({ name: 'reject', label: words.rejectUrl, value: rejectUrl ?? '', maxLength: 2000 })}
${field({ name: 'returns-reason', label: words.reason, hint: words.reasonHint, isRequired: true, maxLength: 500 })}
${button(words.askReturns)}`,
  })
}`
}

function settingsForm(desk: DeskContext, merchant: Merchant, languages: readonly string[]): Markup {
  const words = officeWords[desk.language]
  if (!may(desk, admins))
    return pairs(
      (Object.keys(settingRules) as (keyof MerchantSettings)[]).map((name) => [
        words.rules[name],
        settingShown(desk, merchant.settings, name),
      ]),
    )
  return html`${deskSections.map((section) => html`<details class="section" ${flag('open', section === 'page')}><summary>${section === 'page' ? words.nameAndLanguage : sectionNames[desk.language][section]}</summary>${sectionForm(desk, merchant, section, languages)}</details>`)}`
}

function sectionForm(
  desk: DeskContext,
  merchant: Merchant,
  section: SettingSection,
  languages: readonly string[],
): Markup {
  const words = officeWords[desk.language]
  const isLiveRule = merchant.mode === 'live' && section !== 'page'
  return form(desk.visitor, {
    action: deskPath('/merchants/:id/settings', merchant.id),
    body: html`<input type="hidden" name="section" value="${section}"><div class="grid">
${settingSections[section].map((name) => settingField(desk, merchant, name))}
${
  section === 'page' &&
  html`${field({ name: 'name', label: words.name, value: merchant.name, isRequired: true, maxLength: 100 })}
${select({
  name: 'language',
  label: words.language,
  value: merchant.language ?? '',
  none: '–',
  choices: languages.map((language) => ({ value: language, text: language })),
})}`
}</div>
${isLiveRule && html`<div class="field"><label for="reason-${section}">${words.reason}</label><p class="hint" id="hint-${section}">${words.rulesReason}</p><input id="reason-${section}" name="rules-reason" type="text" maxlength="500" autocomplete="off" aria-describedby="hint-${section}"></div>`}
${button(words.save, 'primary')}`,
  })
}

/** A number, an amount, a policy, or that there is no limit. */
function settingShown(
  { language }: DeskContext,
  settings: MerchantSettings,
  name: keyof MerchantSettings,
): string {
  const words = officeWords[language]
  const value = settings[name]
  if (value === null) return words.noLimit
  return 'values' in settingRules[name]
    ? (words.policies[String(value)] ?? String(value))
    : settingText(name, value, language)
}

function settingField(desk: DeskContext, merchant: Merchant, name: keyof MerchantSettings): Markup {
  const words = officeWords[desk.language]
  const rule = settingRules[name]
  const value = merchant.settings[name]
  if ('values' in rule)
    return select({
      name,
      label: words.rules[name],
      value: String(value),
      choices: rule.values.map((value) => ({ value, text: words.policies[value] ?? value })),
    })
  const isAmount = typeof value === 'bigint' || name.endsWith('Cents')
  return field({
    name: fieldOf(name),
    label: words.rules[name],
    hint: isAmount
      ? `${words.amountExample}${'orNone' in rule ? ` ${words.orNone}` : ''}`
      : `${words.between(...settingRange(name, rule, desk.language))}.${'orNone' in rule ? ` ${words.orNone}` : ''}`,
    value: value === null ? '' : settingText(name, value, desk.language),
    inputmode: isAmount ? 'decimal' : 'numeric',
    maxLength: 20,
  })
}

/** Every section, the merchant's name and language first. */
export const deskSections = ['page', 'times', 'differences', 'limits'] as const
