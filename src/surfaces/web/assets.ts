/**
 * The files that pages are made with, read once when the process starts. Scripts are TypeScript with its types
 * taken away by Node when somebody first asks for them. A name is the digest of what the bytes are made from, so that
 * it means the same bytes for ever.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'
import { linkedStylesheet, stylesheet } from './page.ts'
import { type StaticAnswer, staticAnswer } from './send-static.ts'

const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')

/** Comments are for us; a browser need not load them. */
const stripped = (css: string) =>
  css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\n\s*/g, '\n')
    .trim()

export const plainStyles = stylesheet(stripped(`${read('tokens.css')}\n${read('plain.css')}`))
export const payStyles = stylesheet(stripped(`${read('tokens.css')}\n${read('../pay/pay.css')}`))
export const shopStyles = stylesheet(stripped(`${read('tokens.css')}\n${read('../shop/shop.css')}`))

export type Asset = { name: string; answer: StaticAnswer }

function asset(name: string, kind: 'js' | 'css', source: string, make: (source: string) => string): Asset {
  const digest = createHash('sha256').update(`${process.version} ${source}`).digest('base64url').slice(0, 16)
  const type = kind === 'js' ? 'text/javascript; charset=utf-8' : 'text/css; charset=utf-8'
  return { name: `${name}-${digest}.${kind}`, answer: staticAnswer(() => make(source), { type }) }
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

/** Comments on lines of their own and the blanks that types leave behind go; strings of several lines do not occur. */
const asScript = (source: string): string =>
  withoutTypes(source)
    .replace(/^\s*(\/\/.*|\/\*\*[\s\S]*?\*\/)$/gm, '')
    .replace(/\n\s+/g, '\n')

export const payScript = asset('pay', 'js', read('../pay/pay.client.ts'), asScript)
export const consoleScript = asset('console', 'js', read('../staff/console.client.ts'), asScript)

/** uPlot as its makers publish it, and what draws with it, in one file: a page asks for both or for none. */
const uplot = (name: string) => readFileSync(fileURLToPath(import.meta.resolve(`uplot/dist/${name}`)), 'utf8')
export const plotScript = asset(
  'plot',
  'js',
  `${uplot('uPlot.iife.min.js')}\n${read('../staff/plot.client.ts')}`,
  asScript,
)

const consoleSheet = asset(
  'console',
  'css',
  [read('tokens.css'), uplot('uPlot.min.css'), read('../staff/console.css')].join('\n'),
  stripped,
)
export const consoleStyles = linkedStylesheet(consoleSheet.name)

/** By the name before the digest, and the kind after it. */
export const assets: Readonly<Record<string, Asset>> = {
  'pay.js': payScript,
  'console.js': consoleScript,
  'plot.js': plotScript,
  'console.css': consoleSheet,
}
