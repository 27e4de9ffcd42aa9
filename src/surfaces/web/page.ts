/**
 * A whole HTML document around a body, with the policy (CSP) that fits it. Styles stand in one `<style>` element
 * and are named in the policy by their digest, so no other style can apply; a script comes from a file of ours, and
 * only where the page has one.
 */
import { createHash } from 'node:crypto'
import { html, type Markup } from './html.ts'
import type { Language } from './messages/languages.ts'
import { raw } from './raw.ts'

/** CSS ready to stand in a page. Made once per release, when its file is read. */
export type Stylesheet = { readonly element: Markup; readonly source: string }

export function stylesheet(css: string): Stylesheet {
  // A style element ends at the first `</style`, wherever it stands.
  if (css.includes('<')) throw new Error('CSS that stands in a page must not contain "<"')
  const digest = createHash('sha256').update(css).digest('base64')
  return { element: raw(`<style>${css}</style>`), source: `'sha256-${digest}'` }
}

/** CSS in a file of ours, for pages that one reader opens many of. */
export const linkedStylesheet = (name: string): Stylesheet => ({
  element: html`<link rel="stylesheet" href="/assets/${name}">`,
  source: "'self'",
})

export type FinishedPage = { markup: Markup; csp: string }

type Page = {
  title: string
  lang: Language
  body: Markup
  styles: Stylesheet
  /** Additional styles of this page only; its policy allows them too. */
  ownStyles?: Stylesheet | null
  /** The names of the page’s scripts, below /assets/. */
  scripts?: readonly string[]
  /** Its script may make markup of text, through the one policy that is named `inlet`. */
  mayParse?: boolean
  isIndexed?: boolean
}

export function page({
  title,
  lang,
  body,
  styles,
  ownStyles = null,
  scripts = [],
  mayParse = false,
  isIndexed = false,
}: Page): FinishedPage {
  const markup = html`<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${isIndexed ? null : html`<meta name="robots" content="noindex, nofollow">`}
${icon}
${styles.element}
${scripts.map((name) => html`<script type="module" src="/assets/${name}"></script>`)}
${ownStyles?.element}
<title>${title}</title>
</head>
<body>
${body}
</body>
</html>
`
  const csp = policy([styles, ...(ownStyles ? [ownStyles] : [])], scripts.length > 0, mayParse)
  return { markup, csp }
}

const policy = (styles: readonly Stylesheet[], hasScript: boolean, mayParse: boolean) =>
  [
    "default-src 'none'",
    `style-src ${styles.map(({ source }) => source).join(' ')}`,
    ...(hasScript ? ["script-src 'self'", "connect-src 'self'"] : []),
    "img-src 'self' data:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    `trusted-types ${mayParse ? 'inlet' : "'none'"}`,
  ].join('; ')

// The mark shows an inlet: a line that runs into a basin.
const drawing = (attributes: string) =>
  `<svg ${attributes} viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#0a5c55"/>` +
  '<path d="M8 2.5v6M3.5 8.5a4.5 4.5 0 0 0 9 0" fill="none" stroke="#fff" stroke-width="1.8" stroke-linecap="round"/></svg>'

/** Our mark, for pages that carry our name. */
export const mark = raw(drawing('class="logo" width="24" height="24" aria-hidden="true"'))
// In the page itself, so that no browser asks for /favicon.ico.
const icon = raw(
  `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(drawing('xmlns="http://www.w3.org/2000/svg"'))}">`,
)
