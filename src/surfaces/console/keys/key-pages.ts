/** The keys that sign a merchant's requests, and the secrets that sign our callbacks: listed, renewed, shown once. */

import { type KeyPurpose, quietDays } from '../../../domain/merchants/api-key.ts'
import { bounds } from '../../../platform/bounds.ts'
import { timeOf } from '../../staff/frame.ts'
import { html, type Markup } from '../../web/html.ts'
import { badge, button, callout, checkbox, field, form, pairs, table } from '../../web/pieces.ts'
import { type ConsoleContext, isAtLeast, merchantPage, orReason, sectionPath, wordsOf } from '../frame.ts'
import { consolePath } from '../paths.ts'

export type KeyLine = {
  id: string
  createdAt: Date
  literalUsedAt: Date | null
  v2UsedAt: Date | null
  /** All of its requests of the last days were signed with v2. */
  isV2Alone: boolean
  notAfter: Date | null
  v2Only: boolean
  isLive: boolean
}

export const keysPage = (of: ConsoleContext, keys: readonly KeyLine[]) => {
  const { keys: words, sections } = wordsOf(of)
  return merchantPage(of, {
    title: sections.keys,
    section: 'keys',
    body: html`<p class="reading">${words.text}</p>
${isAtLeast(of, 'developer') && keys.filter(isOffered).map((key) => offer(of, key))}
${keyTable(of, sections.keys, keys, 'request')}
${orReason(of, 'developer', () => html`<p><a class="button primary" href="${consolePath('/keys/new', of.merchant.id)}">${words.rotate}</a></p>`)}`,
  })
}

const isOffered = ({ isLive, v2Only, isV2Alone }: KeyLine): boolean => isLive && !v2Only && isV2Alone

const offer = (of: ConsoleContext, { id }: KeyLine): Markup => {
  const { keys: words } = wordsOf(of)
  return callout(
    'info',
    html`<p>${words.offer(id, quietDays)}</p>
${schemeForm(of, id, { v2: 'on', isOffer: true })}`,
  )
}

const schemeForm = (
  of: ConsoleContext,
  id: string,
  { v2, isOffer }: { v2: 'on' | 'off'; isOffer: boolean },
): Markup => {
  const { keys: words } = wordsOf(of)
  return form(of.visitor, {
    action: consolePath('/keys/:key', of.merchant.id, id),
    body: html`<input type="hidden" name="v2" value="${v2}">
${isOffer && html`<input type="hidden" name="offer" value="yes">`}
${button(v2 === 'on' ? words.makeV2Only : words.takeBoth, isOffer ? 'primary' : undefined)}`,
  })
}

/** Only keys of requests are ever seen in use, and only they have a choice of schemes. */
export function keyTable(
  of: ConsoleContext,
  caption: string,
  keys: readonly KeyLine[],
  purpose: KeyPurpose,
): Markup {
  const { keys: words, never } = wordsOf(of)
  const isRequest = purpose === 'request'
  return table(
    caption,
    [
      words.id,
      words.made,
      ...(isRequest ? [words.used] : []),
      words.ends,
      ...(isRequest ? [words.v2, wordsOf(of).act] : []),
    ],
    keys.map((key) => [
      html`<span class="mono">${key.id}</span>`,
      timeOf(of, key.createdAt),
      ...(isRequest
        ? [
            html`${words.literal}: ${timeOf(of, key.literalUsedAt) ?? never}<br>v2: ${timeOf(of, key.v2UsedAt) ?? never}`,
          ]
        : []),
      key.isLive
        ? html`${badge(words.live, 'ok')} ${timeOf(of, key.notAfter) ?? words.endsNot}`
        : html`${badge(words.ended)} ${timeOf(of, key.notAfter)}`,
      ...(isRequest
        ? [key.v2Only ? badge(words.v2Only, 'info') : words.bothSchemes, key.isLive && schemeLink(of, key)]
        : []),
    ]),
  )
}

const schemeLink = (of: ConsoleContext, { id, v2Only }: KeyLine): Markup | false => {
  if (!isAtLeast(of, 'developer')) return false
  if (v2Only) return schemeForm(of, id, { v2: 'off', isOffer: false })
  return html`<a href="${consolePath('/keys/:key', of.merchant.id, id)}">${wordsOf(of).keys.makeV2Only}</a>`
}

/** Says what will happen, and asks how long the old keys stay. */
export function rotatePage(of: ConsoleContext, purpose: KeyPurpose, keys: readonly KeyLine[]) {
  const words = wordsOf(of)
  const { keys: said } = words
  const isRequest = purpose === 'request'
  const section = isRequest ? 'keys' : 'callbacks'
  const most = isRequest ? bounds.keyOverlapDaysMost : bounds.callbackOverlapDaysMost
  const usual = isRequest ? bounds.keyOverlapDays : bounds.callbackOverlapDays
  const live = keys.filter((key) => key.isLive)
  const isV2Only = live.length > 0 && live.every((key) => key.v2Only)
  return merchantPage(of, {
    title: isRequest ? said.rotateRequestTitle : said.rotateCallbackTitle,
    section,
    body: html`<div class="reading stack"><p>${isRequest ? said.rotateRequestText : said.rotateCallbackText}</p>
${form(of.visitor, {
  action: isRequest
    ? consolePath('/keys/new', of.merchant.id)
    : consolePath('/callbacks/secret', of.merchant.id),
  body: html`${field({ name: 'days', label: said.overlap, hint: said.overlapHint(most), type: 'number', inputmode: 'numeric', value: String(usual), isRequired: true, maxLength: 2 })}
${isRequest && checkbox({ name: 'v2', label: said.newV2Only, isOn: isV2Only })}
<div class="row">${button(isRequest ? said.rotate : words.callbacks.rotate, 'primary')} <a class="button" href="${sectionPath(of, section)}">${words.cancel}</a></div>`,
})}</div>`,
  })
}

/** The only page that ever holds a secret. */
export function newSecretPage(
  of: ConsoleContext,
  { key, purpose, days }: { key: { id: string; secret: string }; purpose: KeyPurpose; days: number },
) {
  const { keys: said } = wordsOf(of)
  const section = purpose === 'request' ? 'keys' : 'callbacks'
  return merchantPage(of, {
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
<p><a class="button primary" href="${sectionPath(of, section)}">${said.done}</a></p></div>`,
  })
}

export function schemePage(of: ConsoleContext, { id, v2Only }: KeyLine) {
  const words = wordsOf(of)
  const { keys: said } = words
  return merchantPage(of, {
    title: v2Only ? said.bothTitle : said.v2Title,
    section: 'keys',
    body: html`<div class="reading stack"><p>${v2Only ? said.bothText(id) : said.v2Text(id)}</p>
${form(of.visitor, {
  action: consolePath('/keys/:key', of.merchant.id, id),
  body: html`<input type="hidden" name="v2" value="${v2Only ? 'off' : 'on'}">
<div class="row">${button(v2Only ? said.takeBoth : said.makeV2Only, 'primary')} <a class="button" href="${consolePath('/keys', of.merchant.id)}">${words.cancel}</a></div>`,
})}</div>`,
  })
}
