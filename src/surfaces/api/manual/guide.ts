/**
 * The guides of docs/ as pages. They are written in the little of Markdown that two short texts need: headings,
 * paragraphs, numbered and plain lists, pictures, bold, code, and blocks of code without empty lines.
 */
import { html, type Markup } from '../../web/html.ts'
import { page, type Stylesheet } from '../../web/page.ts'
import { codeBlock, prose } from './pieces.ts'

export const guides = ['merchants', 'operators'] as const

export function guidePage(text: string, styles: Stylesheet) {
  const [head = '', ...blocks] = text.trim().split(/\n{2,}/)
  const title = head.replace(/^# /, '')
  return page({
    title: `${title} · Inlet`,
    lang: 'en',
    styles,
    body: html`<a class="skip" href="#main">Skip to the text</a>
<main id="main" class="prose guide">
<p><a href="/docs">The API</a> · <a href="/docs/guides/merchants">For merchants</a> · <a href="/docs/guides/operators">For operators</a></p>
<h1>${title}</h1>
${blocks.map(blockOf)}
</main>`,
  })
}

/** The pictures that it shows, by the names of their files. */
export const picturesIn = (text: string): string[] =>
  [...text.matchAll(/^!\[[^\]]+\]\(screenshots\/([a-z0-9-]+\.webp)\)$/gm)].map(([, name]) => name!)

function blockOf(block: string): Markup {
  const [, code] = /^```\w*\n(.*)\n```$/s.exec(block) ?? []
  if (code) return codeBlock(code)
  if (block.startsWith('## ')) return html`<h2>${block.slice(3)}</h2>`
  const [, words, picture] = /^!\[([^\]]+)\]\(screenshots\/([a-z0-9-]+\.webp)\)$/.exec(block) ?? []
  if (picture) return html`<p><img src="/docs/screenshots/${picture}" alt="${words}" loading="lazy"></p>`
  if (/^\d+\. /.test(block)) return html`<ol>${itemsOf(block, /^\d+\. /m)}</ol>`
  if (block.startsWith('- ')) return html`<ul>${itemsOf(block, /^- /m)}</ul>`
  return html`<p>${inline(block)}</p>`
}

const itemsOf = (block: string, mark: RegExp): Markup[] =>
  block
    .split(new RegExp(mark, 'm'))
    .filter((item) => item !== '')
    .map((item) => html`<li>${inline(item.trim())}</li>`)

/** Bold and code. */
const inline = (text: string): (string | Markup)[] =>
  text
    .replace(/\n\s*/g, ' ')
    .split('**')
    .flatMap((piece, place) => (place % 2 === 1 ? [html`<strong>${piece}</strong>`] : prose(piece)))
