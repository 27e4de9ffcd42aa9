/** The signature debugger: takes a body, and shows the signed text, the signature and code that makes it. */

import type { Deposit } from '../../../domain/deposits/deposit.ts'
import type { Snippet } from '../../api/manual/snippets.ts'
import { html, type Markup } from '../../web/html.ts'
import { button, callout, code, field, form, panel, select } from '../../web/pieces.ts'
import { type ConsoleContext, merchantPage, wordsOf } from '../frame.ts'
import { consolePath } from '../paths.ts'

type SignatureForm = { operation: string; method: string; target: string; body: string }

export type Signed = {
  string: string
  header: string
  keyId: string
  /** The key accepts v2 only, and this request was signed by the literal rule. */
  isTooWeak: boolean
  curl: string
  programs: readonly Snippet[]
}

type SignatureShown = {
  asked: SignatureForm
  signed: Signed | null
  problem: string | null
  /** The deposit whose request was rebuilt. */
  rebuilt?: Pick<Deposit, 'id' | 'orderId'>
}

export function signaturePage(context: ConsoleContext, { asked, signed, problem, rebuilt }: SignatureShown) {
  const { signature: words, sections } = wordsOf(context)
  return merchantPage(context, {
    title: sections.signature,
    section: 'signature',
    body: html`<p class="reading">${words.text}</p>
${rebuilt && callout('info', html`<a href="${consolePath('/deposits/:id', context.merchant.id, rebuilt.id)}"><bdi>${rebuilt.orderId}</bdi></a>: ${words.rebuilt}`)}
${problem && html`<div role="alert">${callout('bad', problem)}</div>`}
<div class="split two"><div>${panel(words.sign, askForm(context, asked))}</div>
<div class="stack">${signed && result(context, signed)}</div></div>
${signed && panel(words.lines, lines(signed))}`,
  })
}

const askForm = (context: ConsoleContext, asked: SignatureForm): Markup => {
  const { signature: words } = wordsOf(context)
  return form(context.visitor, {
    action: consolePath('/signature', context.merchant.id),
    body: html`${select({ name: 'operation', label: words.operation, value: asked.operation, choices: Object.entries(words.operations).map(([value, text]) => ({ value, text })) })}
<div class="field"><label for="body">${words.body}</label>
<textarea id="body" name="body" rows="9" spellcheck="false" maxlength="12000">
${asked.body}</textarea></div>
${select({ name: 'method', label: words.method, value: asked.method, choices: ['POST', 'GET'].map((method) => ({ value: method, text: method })) })}
${field({ name: 'target', label: words.path, value: asked.target, maxLength: 1000 })}
${button(words.sign, 'primary')}`,
  })
}

const result = (context: ConsoleContext, signed: Signed): Markup => {
  const { signature: words } = wordsOf(context)
  return html`${signed.isTooWeak && callout('warn', words.v2Only)}
${panel(words.string, code(signed.string))}
${panel(words.result, html`${code(`X-Signature: ${signed.header}`)}<p class="quiet">${words.key}: <span class="mono">${signed.keyId}</span></p>`)}`
}

const lines = ({ curl, programs }: Signed): Markup =>
  html`${[{ language: 'curl', code: curl }, ...programs].map(
    (snippet) => html`<h3>${snippet.language}</h3>${code(snippet.code)}`,
  )}`
