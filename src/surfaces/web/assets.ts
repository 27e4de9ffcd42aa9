/**
 * How the files that pages are made with become answers. Each surface reads its own, once, when the process starts. Scripts are
 * TypeScript with its types taken away by Node when somebody first asks for them. A name is the digest of what the bytes
 * are made from, so that it means the same bytes forever.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { stylesheet } from './page.ts'
import { type StaticAnswer, staticAnswer } from './send-static.ts'

/** What a file of ours holds, read from beside the module that asks: `fileBeside(import.meta.url, 'pay.css')`. */
export const fileBeside = (module: string, name: string): string =>
  readFileSync(new URL(name, module), 'utf8')

const tokens = fileBeside(import.meta.url, 'tokens.css')
const base = fileBeside(import.meta.url, 'base.css')

/** Comments are for us; a browser need not load them. */
const stripped = (css: string) =>
  css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\n\s*/g, '\n')
    .trim()

/** Styles that stand in the page itself. */
const pageStyles = (css: string) => stylesheet(stripped(`${tokens}\n${base}\n${css}`))

const plain = fileBeside(import.meta.url, 'plain.css')
export const plainStyles = pageStyles(plain)

/** Styles of the payment page, and of the demo shop, whose pages are also read. */
const customer = fileBeside(import.meta.url, 'customer.css')
export const payStyles = (css: string) => pageStyles(`${customer}\n${css}`)
export const shopStyles = (css: string) => pageStyles(`${plain}\n${customer}\n${css}`)

/** `stem` and `kind` are the name without the digest between them. */
export type Asset = { stem: string; kind: 'js' | 'css'; name: string; answer: StaticAnswer }

export const scriptAsset = (stem: string, source: string): Asset => asset(stem, 'js', source, withoutTypes)

/** A sheet in layers: what every page begins with is its lowest. */
export const sheetAsset = (stem: string, css: string): Asset =>
  asset(stem, 'css', `${tokens}\n@layer base {\n${base}\n}\n${css}`, stripped)

function asset(stem: string, kind: Asset['kind'], source: string, make: (source: string) => string): Asset {
  const digest = createHash('sha256').update(`${process.version} ${source}`).digest('base64url').slice(0, 16)
  const type = kind === 'js' ? 'text/javascript; charset=utf-8' : 'text/css; charset=utf-8'
  const answer = staticAnswer(() => make(source), { type })
  return { stem, kind, name: `${stem}-${digest}.${kind}`, answer }
}

/** Node warns that this function is new; operators need not read that at every start. */
function withoutTypes(source: string): string {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return stripTypeScriptTypes(source, { mode: 'strip' })
  } finally {
    process.emitWarning = emitWarning
  }
}
