/** Keys that sign a merchant's requests and secrets that sign our callbacks: listed, rotated, and shown once. */

import { type KeyPurpose, quietDays } from '../../../domain/merchants/api-key.ts'
import { bounds } from '../../../platform/bounds.ts'
import { timeOf } from '../../staff/frame.ts'
import { html, type Markup } from '../../web/html.ts'
import { badge, button, callout, checkbox, field, form, pairs, table } from '../../web/pieces.ts'
import { type ConsoleContext, isAtLeast, merchantPage, orReason, sectionPath, wordsOf } from '../frame.ts'
import { consolePath } from '../paths.ts'
import type { KeyRow } from '../rows.ts'

export const keysPage = (context: ConsoleContext, keys: readonly KeyRow[]) => {
  const { keys: words, sections } = wordsOf(context)
  return merchantPage(context, {
    title: sections.keys,
    section: 'keys',
    body: html`<p class="reading">${words.text}</p>
${isAtLeast(context, 'developer') && keys.filter(isOffered).map((key) => offer(context, key))}
${keyTable(context, sections.keys, keys, 'request')}
${orReason(context, 'developer', () => html`<p><a class="button primary" href="${consolePath('/keys/new', context.merchant.id)}">${words.rotate}</a></p>`)}`,
  })
}

const isOffered = ({ isValid, v2Only, usedOnlyV2 }: KeyRow): boolean => isValid && !v2Only && usedOnlyV2

const offer = (context: ConsoleContext, { id }: KeyRow): Markup => {
  const { keys: words } = wordsOf(context)
  return callout(
    'info',
    html`<p>${words.offer(id, quietDays)}</p>
${schemeForm(context, id, { v2: 'on', isOffer: true })}`,
  )
}

const schemeForm = (
  context: ConsoleContext,
  id: string,
  { v2, isOffer }: { v2: 'on' | 'off'; isOffer: boolean },
): Markup => {
  const { keys: words } = wordsOf(context)
  return form(context.visitor, {
    action: consolePath('/keys/:key', context.merchant.id, id),
    body: html`<input type="hidden" name="v2" value="${v2}">
${isOffer && html`<input type="hidden" name="offer" value="yes">`}
${button(v2 === 'on' ? words.makeV2Only : words.takeBoth, isOffer ? 'primary' : undefined)}`,
  })
}

/** Only request keys record their use and have a choice of signing schemes. */
export function keyTable(
  context: ConsoleContext,
  caption: string,
  keys: readonly KeyRow[],
  purpose: KeyPurpose,
): Markup {
  const { keys: words, never } = wordsOf(context)
  const isRequest = purpose === 'request'
  return table(
    caption,
    [
      words.id,
      words.made,
      ...(isRequest ? [words.used] : []),
      words.ends,
      ...(isRequest ? [words.v2, wordsOf(context).act] : []),
    ],
    keys.map((key) => [
      html`<span class="mono">${key.id}</span>`,
      timeOf(context, key.createdAt),
      ...(isRequest
        ? [
            key.literalUsedAt || key.v2UsedAt
              ? html`${words.literal}: ${timeOf(context, key.literalUsedAt) ?? never}<br>v2: ${timeOf(context, key.v2UsedAt) ?? never}`
              : never,
          ]
        : []),
      key.isValid
        ? html`${badge(words.live, 'ok')} ${timeOf(context, key.notAfter) ?? words.endsNot}`
        : html`${badge(words.ended)} ${timeOf(context, key.notAfter)}`,
      ...(isRequest
        ? [
            key.v2Only ? badge(words.v2Only, 'info') : words.bothSchemes,
            key.isValid && schemeLink(context, key),
          ]
        : []),
    ]),
  )
}

const schemeLink = (context: ConsoleContext, { id, v2Only }: KeyRow): Markup | false => {
  if (!isAtLeast(context, 'developer')) return false
  if (v2Only) return schemeForm(context, id, { v2: 'off', isOffer: false })
  return html`<a href="${consolePath('/keys/:key', context.merchant.id, id)}">${wordsOf(context).keys.makeV2Only}</a>`
}

/** Explains what a rotation does, and asks how long the old keys stay valid. */
export function rotatePage(context: ConsoleContext, purpose: KeyPurpose, keys: readonly KeyRow[]) {
  const words = wordsOf(context)
  const { keys: said } = words
  const isRequest = purpose === 'request'
  const section = isRequest ? 'keys' : 'callbacks'
  const most = isRequest ? bounds.keyOverlapDaysMost : bounds.callbackOverlapDaysMost
  const usual = isRequest ? bounds.keyOverlapDays : bounds.callbackOverlapDays
  const live = keys.filter((key) => key.isValid)
  const isV2Only = live.length > 0 && live.every((key) => key.v2Only)
  return merchantPage(context, {
    title: isRequest ? said.rotateRequestTitle : said.rotateCallbackTitle,
    section,
    body: html`<div class="reading stack"><p>${isRequest ? said.rotateRequestText : said.rotateCallbackText}</p>
${form(context.visitor, {
  action: isRequest
    ? consolePath('/keys/new', context.merchant.id)
    : consolePath('/callbacks/secret', context.merchant.id),
  body: html`${field({ name: 'days', label: said.overlap, hint: said.overlapHint(most), type: 'number', inputmode: 'numeric', value: String(usual), isRequired: true, maxLength: 2 })}
${isRequest && checkbox({ name: 'v2', label: said.newV2Only, isOn: isV2Only })}
<div class="row">${button(isRequest ? said.rotate : words.callbacks.rotate, 'primary')} <a class="button" href="${sectionPath(context, section)}">${words.cancel}</a></div>`,
})}</div>`,
  })
}

/** The only page that ever shows a secret. */
export function newSecretPage(
  context: ConsoleContext,
  { key, purpose, days }: { key: { id: string; secret: string }; purpose: KeyPurpose; days: number },
) {
  const { keys: said } = wordsOf(context)
  const section = purpose === 'request' ? 'keys' : 'callbacks'
  return merchantPage(context, {
    title: said.made1,
    section,
    body: html`<div class="reading stack">${callout('warn', said.shownOnce)}
${pairs([
  [said.id, html`<span class="mono">${key.id}</span>`],
  [
    said.secret,
    html`<code class="anywhere" translate="no">${key.secret}</code>
<button type="button" class="button" data-copy="${key.secret}" data-copied="${said.copied}" hidden>${said.copy}</button>`,
  ],
])}
<p>${said.oldEnd(days)}</p>
<p><a class="button primary" href="${sectionPath(context, section)}">${said.done}</a></p></div>`,
  })
}

export function schemePage(context: ConsoleContext, { id, v2Only }: KeyRow) {
  const words = wordsOf(context)
  const { keys: said } = words
  return merchantPage(context, {
    title: v2Only ? said.bothTitle : said.v2Title,
    section: 'keys',
    body: html`<div class="reading stack"><p>${v2Only ? said.bothText(id) : said.v2Text(id)}</p>
${form(context.visitor, {
  action: consolePath('/keys/:key', context.merchant.id, id),
  body: html`<input type="hidden" name="v2" value="${v2Only ? 'off' : 'on'}">
<div class="row">${button(v2Only ? said.takeBoth : said.makeV2Only, 'primary')} <a class="button" href="${consolePath('/keys', context.merchant.id)}">${words.cancel}</a></div>`,
})}</div>`,
  })
}
