/** Where customers return to when a request names no address: what is set, what was asked for, and the form. */

import type { Merchant } from '../../../domain/merchants/merchant.ts'
import { html, type Markup } from '../../web/html.ts'
import { act, button, callout, field, form, pairs } from '../../web/pieces.ts'
import { type ConsoleContext, merchantPage, orReason, wordsOf } from '../frame.ts'
import { consolePath } from '../paths.ts'

export type Returns = Pick<Merchant, 'successUrl' | 'rejectUrl'>

/** Asked for, and not decided yet. */
export type ReturnsAsked = Returns & { who: string; isMine: boolean }

export function returnsPanel(of: ConsoleContext, asked: ReturnsAsked | null): Markup {
  const { returns: words } = wordsOf(of)
  return html`${addresses(of, of.merchant)}
<p class="quiet">${words.text}</p>
${asked && html`${callout('info', words.asked(asked.who))}${addresses(of, asked)}`}
${asked?.isMine && act(of.visitor, { action: consolePath('/settings/returns/withdraw', of.merchant.id), text: words.withdraw })}
${orReason(of, 'owner', () =>
  asked
    ? html`<p class="quiet">${words.waiting}</p>`
    : html`<p><a class="button" href="${consolePath('/settings/returns', of.merchant.id)}">${words.change}</a></p>`,
)}`
}

const addresses = (of: ConsoleContext, { successUrl, rejectUrl }: Returns): Markup => {
  const { returns: words, none } = wordsOf(of)
  return pairs([
    [words.success, html`<bdi class="anywhere">${successUrl ?? none}</bdi>`],
    [words.reject, html`<bdi class="anywhere">${rejectUrl ?? none}</bdi>`],
  ])
}

/** Says what will happen, and asks for the new addresses. */
export function returnsPage(
  of: ConsoleContext,
  { values, problems }: { values: Returns; problems: Partial<Record<keyof Returns, string | undefined>> },
) {
  const words = wordsOf(of)
  const { returns: said } = words
  const isTest = of.merchant.mode === 'test'
  return merchantPage(of, {
    title: said.change,
    section: 'settings',
    body: html`<div class="reading stack"><p>${isTest ? said.inTest : said.inLive}</p><p>${said.changeText}</p>
${form(of.visitor, {
  action: consolePath('/settings/returns', of.merchant.id),
  body: html`${field({ name: 'success', label: said.success, hint: said.successHint, type: 'url', value: values.successUrl ?? '', error: problems.successUrl, maxLength: 2000 })}
${field({ name: 'reject', label: said.reject, hint: said.rejectHint, type: 'url', value: values.rejectUrl ?? '', error: problems.rejectUrl, maxLength: 2000 })}
<div class="row">${button(isTest ? words.save : said.ask, 'primary')} <a class="button" href="${consolePath('/settings', of.merchant.id)}">${words.cancel}</a></div>`,
})}</div>`,
  })
}
