/** The default return addresses of customers: the current ones, the proposed ones, and the form. */

import type { Merchant } from '../../../domain/merchants/merchant.ts'
import { html, type Markup } from '../../web/html.ts'
import { act, button, callout, field, form, pairs } from '../../web/pieces.ts'
import { type ConsoleContext, merchantPage, orReason, wordsOf } from '../frame.ts'
import { consolePath } from '../paths.ts'

export type Returns = Pick<Merchant, 'successUrl' | 'rejectUrl'>

/** Return addresses that were proposed and are not decided yet. */
export type ReturnsAsked = Returns & { who: string; isMine: boolean }

export function returnsPanel(context: ConsoleContext, asked: ReturnsAsked | null): Markup {
  const { returns: words } = wordsOf(context)
  return html`${addresses(context, context.merchant)}
<p class="quiet">${words.text}</p>
${asked && html`${callout('info', words.asked(asked.who))}${addresses(context, asked)}`}
${asked?.isMine && act(context.visitor, { action: consolePath('/settings/returns/withdraw', context.merchant.id), text: words.withdraw })}
${orReason(context, 'owner', () =>
  asked
    ? html`<p class="quiet">${words.waiting}</p>`
    : html`<p><a class="button" href="${consolePath('/settings/returns', context.merchant.id)}">${words.change}</a></p>`,
)}`
}

const addresses = (context: ConsoleContext, { successUrl, rejectUrl }: Returns): Markup => {
  const { returns: words, none } = wordsOf(context)
  return pairs([
    [words.success, html`<bdi class="anywhere">${successUrl ?? none}</bdi>`],
    [words.reject, html`<bdi class="anywhere">${rejectUrl ?? none}</bdi>`],
  ])
}

/** Explains what a change of the addresses does, and asks for the new ones. */
export function returnsPage(
  context: ConsoleContext,
  { values, problems }: { values: Returns; problems: Partial<Record<keyof Returns, string | undefined>> },
) {
  const words = wordsOf(context)
  const { returns: said } = words
  const isTest = context.merchant.mode === 'test'
  return merchantPage(context, {
    title: said.change,
    section: 'settings',
    body: html`<div class="reading stack"><p>${isTest ? said.inTest : said.inLive}</p><p>${said.changeText}</p>
${form(context.visitor, {
  action: consolePath('/settings/returns', context.merchant.id),
  body: html`${field({ name: 'success', label: said.success, hint: said.successHint, type: 'url', value: values.successUrl ?? '', error: problems.successUrl, maxLength: 2000 })}
${field({ name: 'reject', label: said.reject, hint: said.rejectHint, type: 'url', value: values.rejectUrl ?? '', error: problems.rejectUrl, maxLength: 2000 })}
<div class="row">${button(isTest ? words.save : said.ask, 'primary')} <a class="button" href="${consolePath('/settings', context.merchant.id)}">${words.cancel}</a></div>`,
})}</div>`,
  })
}
