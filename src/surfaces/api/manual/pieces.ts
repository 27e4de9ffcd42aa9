/** Small pieces of which the manual's pages are made. */
import { html, type Markup } from '../../web/html.ts'
import { mark } from '../../web/page.ts'
import type { Snippet } from './snippets.ts'

/** Text whose `marked` words are code. */
export const prose = (text: string): (string | Markup)[] =>
  text.split('`').map((piece, place) => (place % 2 === 1 ? html`<code>${piece}</code>` : piece))

export const codeBlock = (code: string): Markup => html`<pre class="code"><code>${code}</code></pre>`

export const snippetList = (snippets: readonly Snippet[]): Markup[] =>
  snippets.map(
    ({ language, code }) =>
      html`<details class="snippet"><summary>${language}</summary>${codeBlock(code)}</details>`,
  )

export const codeList = (names: readonly string[]): Markup[] =>
  names.map((name, place) => html`${place > 0 && ', '}<code>${name}</code>`)

/** On a phone each cell stands under its heading. */
export const table = (heads: readonly string[], rows: readonly (readonly Piece[])[]): Markup => html`
<table class="fields">
<thead><tr>${heads.map((head) => html`<th>${head}</th>`)}</tr></thead>
<tbody>${rows.map(
  (cells) => html`
<tr>${cells.map((cell, place) => html`<td data-label="${heads[place]!}">${cell}</td>`)}</tr>`,
)}
</tbody>
</table>`

type Piece = Markup | string | number | readonly (Markup | string)[]

/** A page of the manual: its contents beside its text. */
export const shell = ({ nav, main }: { nav: Markup; main: Markup }): Markup => html`
<a class="skip" href="#main">Skip to the text</a>
<div class="shell">
<nav class="rail" aria-label="Contents">
<a class="brand" href="/docs">${mark} Inlet</a>
${nav}
</nav>
<main id="main" class="prose">${main}
<footer><a href="/openapi.json">openapi.json</a> · <a href="/docs/errors">All errors</a></footer>
</main>
</div>`
