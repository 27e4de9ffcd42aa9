/** The signature debugger: a body goes in, the signed text, the signature and ready lines come out. */

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
  /** This key refuses the literal rule. */
  isTooWeak: boolean
  curl: string
  programs: readonly Snippet[]
}

export function signaturePage(
  of: ConsoleContext,
  {
    asked,
    signed,
    problem,
    rebuilt,
  }: {
    asked: SignatureForm
    signed: Signed | null
    problem: string | null
    /** The deposit whose request this is. */
    rebuilt?: Pick<Deposit, 'id' | 'orderId'>
  },
) {
  const { signature: words, sections } = wordsOf(of)
  return merchantPage(of, {
    title: sections.signature,
    section: 'signature',
    body: html`<p class="reading">${words.text}</p>
${rebuilt && callout('info', html`<a href="${consolePath('/deposits/:id', of.merchant.id, rebuilt.id)}"><bdi>${rebuilt.orderId}</bdi></a>: ${words.rebuilt}`)}
${problem && html`<div role="alert">${callout('bad', problem)}</div>`}
<div class="split two"><div>${panel(words.sign, askForm(of, asked))}</div>
<div class="stack">${signed && result(of, signed)}</div></div>
${signed && panel(words.lines, lines(signed))}`,
  })
}

const askForm = (of: ConsoleContext, asked: SignatureForm): Markup => {
  const { signature: words } = wordsOf(of)
  return form(of.visitor, {
    action: consolePath('/signature', of.merchant.id),
    body: html`${select({ name: 'operation', label: words.operation, value: asked.operation, choices: Object.entries(words.operations).map(([value, text]) => ({ value, text })) })}
<div class="field"><label for="body">${words.body}</label>
<textarea id="body" name="body" rows="9" spellcheck="false" maxlength="12000">
${asked.body}</textarea></div>
${select({ name: 'method', label: words.method, value: asked.method, choices: ['POST', 'GET'].map((one) => ({ value: one, text: one })) })}
${field({ name: 'target', label: words.path, value: asked.target, maxLength: 1000 })}
${button(words.sign, 'primary')}`,
  })
}

const result = (of: ConsoleContext, signed: Signed): Markup => {
  const { signature: words } = wordsOf(of)
  return html`${signed.isTooWeak && callout('warn', words.v2Only)}
${panel(words.string, code(signed.string))}
${panel(words.result, html`${code(`X-Signature: ${signed.header}`)}<p class="quiet">${words.key}: <span class="mono">${signed.keyId}</span></p>`)}`
}

const lines = ({ curl, programs }: Signed): Markup =>
  html`${[{ language: 'curl', code: curl }, ...programs].map(
    (one) => html`<h3>${one.language}</h3>${code(one.code)}`,
  )}`
