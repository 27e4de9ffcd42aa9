/**
 * The guides of docs/ as pages. They use a small part of Markdown: headings, paragraphs, numbered and plain lists, tables,
 * pictures, bold, code, blocks of code without empty lines, and links to other documents of the repository, which are
 * shown as the name of the file because they are not served.
 */
import { html, type Markup } from '../../web/html.ts'
import { page, type Stylesheet } from '../../web/page.ts'
import { codeBlock, prose, shell } from './pieces.ts'

export const guides = ['merchants', 'operators'] as const

export function guidePage(name: (typeof guides)[number], text: string, styles: Stylesheet) {
  const [head = '', ...blocks] = text.trim().split(/\n{2,}/)
  const title = head.replace(/^# /, '')
  const headings = blocks.filter((block) => block.startsWith('## ')).map((block) => block.slice(3))
  return page({
    title: `${title} · Inlet`,
    lang: 'en',
    styles,
    body: shell({
      nav: html`<ul>
<li><a href="/docs">The API</a></li>
${guides.map((guide) =>
  guide === name
    ? html`<li><a href="/docs/guides/${guide}" aria-current="page">For ${guide}</a>
<ul class="sub">${headings.map((heading) => html`<li><a href="#${idOf(heading)}">${heading}</a></li>`)}</ul></li>`
    : html`<li><a href="/docs/guides/${guide}">For ${guide}</a></li>`,
)}
</ul>`,
      main: html`
<h1>${title}</h1>
${blocks.map(blockOf)}`,
    }),
  })
}

/** `The desk in two minutes` as `the-desk-in-two-minutes`, as GitHub names it too. */
const idOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-')

/** The pictures that it shows, by the names of their files. */
export const picturesIn = (text: string): string[] =>
  [...text.matchAll(/^!\[[^\]]+\]\(screenshots\/([a-z0-9-]+\.webp)\)$/gm)].map(([, name]) => name!)

function blockOf(block: string): Markup {
  const [, code] = /^```\w*\n(.*)\n```$/s.exec(block) ?? []
  if (code) return codeBlock(code)
  if (block.startsWith('## ')) return html`<h2 id="${idOf(block.slice(3))}">${block.slice(3)}</h2>`
  if (block.startsWith('### ')) return html`<h3>${block.slice(4)}</h3>`
  if (block.startsWith('| ')) return tableOf(block)
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

function tableOf(block: string): Markup {
  const [head = [], , ...rows] = block.split('\n').map((line) => line.slice(2, -2).split(' | '))
  return html`<table><thead><tr>${head.map((cell) => html`<th scope="col">${inline(cell)}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${inline(cell)}</td>`)}</tr>`)}</tbody></table>`
}

/** Bold, code and links. */
const inline = (text: string): Markup[] =>
  withoutLinks(text.replace(/\n\s*/g, ' '))
    .split('**')
    .map((piece, place) => (place % 2 === 1 ? html`<strong>${prose(piece)}</strong>` : html`${prose(piece)}`))

/** A link becomes its text and the name of the file. */
const withoutLinks = (text: string): string =>
  text.replace(/\[([^\]]+)\]\(([\w./-]+\.md)(?:#[\w-]+)?\)/g, (_, words: string, file: string) =>
    words === file ? `\`docs/${file}\`` : `${words} (\`docs/${file}\`)`,
  )
