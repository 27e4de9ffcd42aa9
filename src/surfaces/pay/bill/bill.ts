/**
 * The bill as a picture: what to transfer, to whom, until when, and how it ended. Every text is a text, so the SVG
 * can be searched and read aloud; the PNG is made of it. Names and order ids come from other people: they pass
 * through the `html` tag, which escapes for XML as well, and never become markup.
 *
 * Units are those of a phone's screen, 480 across. One block stands under the other.
 */

import type { Deposit } from '../../../domain/deposits/deposit.ts'
import type { Cents } from '../../../domain/money.ts'
import { foreignText } from '../../../platform/foreign-text.ts'
import { clockTime, priceText } from '../../web/format.ts'
import { html, type Markup } from '../../web/html.ts'
import { type Language, messages } from '../../web/messages/languages.ts'
import type { Messages } from '../../web/messages/ru.ts'
import { drawCode } from '../../web/qr.ts'
import { type Screen, screenOf } from '../screen.ts'
import { codeOf } from './payment-code.ts'
import { type Row, rowsOf } from './rows.ts'
import type { Ruler } from './ruler.ts'

export type BillView = {
  deposit: Deposit
  now: Date
  merchantName: string
  testMode: boolean
  /** The payment page's address, for the code of a bill that no bank's app could read. */
  pageUrl: string
}

export function bill(view: BillView, language: Language, ruler: Ruler): Markup {
  const { deposit, now, merchantName, testMode, pageUrl } = view
  const words = messages[language]
  const screen = screenOf(deposit, now)
  const isAsked = screen === 'pay' || screen === 'short'
  const { amountCents, receivedCents, currency } = deposit
  const due = priceText(screen === 'short' ? amountCents - receivedCents : amountCents, currency, language)
  const shop = foreignText(merchantName, 120)
  const stamp = screen in words.bill.stamps && words.bill.stamps[screen as Stamped]
  const blocks = [
    head(shop, testMode && words.bill.test, ruler),
    amount(due, ruler),
    paragraph(leadOf(deposit, screen, language), ruler, 'plain'),
    isAsked && paragraph(words.bill.until(clockTime(deposit.expiresAt, currency, language)), ruler, 'accent'),
    tearLine,
    stamp && stampBlock(stamp, screen === 'success' ? '#1A6B3C' : '#A8281E', ruler),
    ...pairs(rowsOf(deposit, screen, words, language)).map((row) => rowBlock(row, ruler)),
    ...(isAsked ? [tearLine, codeBlock(deposit, pageUrl, words, ruler)] : []),
  ].filter((block) => typeof block === 'object')
  let y = 24
  const drawn = blocks.map((block) => {
    const top = y
    y += block.height
    return block.draw(top)
  })
  const height = Math.ceil(y) + 20
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 480 ${height}" width="480" height="${height}" role="img" aria-labelledby="bill-title" font-family="${fonts}" xml:lang="${language}">
<title id="bill-title">${words.bill.title(due, shop)}</title>
<rect width="480" height="${height}" fill="#FFFFFF"/>
<rect x="8.5" y="8.5" width="463" height="${height - 17}" rx="16" fill="#FFFFFF" stroke="#85867D"/>
${drawn}
</svg>
`
}

/** The shipped font first, so that the picture looks the same wherever that font is installed too. */
const fonts = 'Noto Sans, system-ui, -apple-system, Segoe UI, Roboto, sans-serif'

type Stamped = keyof Messages['bill']['stamps']

/** After the payment the bill asks for nothing more. */
function leadOf(deposit: Deposit, screen: Screen, language: Language): string {
  const words = messages[language]
  const { amountCents, receivedCents, currency, labels } = deposit
  if (screen === 'short') return words.short.exactly
  if (screen !== 'checking') return words.bill.leads[screen]
  if (labels.includes('review')) return words.checking.review
  if (receivedCents === 0n) return words.status.checking
  const money = (cents: Cents) => priceText(cents, currency, language)
  return words.checking.part(money(receivedCents), money(amountCents))
}

// ── Blocks ──────────────────────────────────────────────────────────────────────────────────────────────────

type Block = { height: number; draw: (y: number) => Markup }

const left = 32
const wide = 416
const half = 200

const ink = '#1B2421'
const ink2 = '#4E5A55'

const text = (x: number, y: number, size: number, fill: string, weight: 400 | 600, content: string): Markup =>
  html`<text x="${x}" y="${y}" font-size="${size}" font-weight="${weight}" fill="${fill}">${content}</text>
`

function head(shop: string, test: string | false, ruler: Ruler): Block {
  const badge = test ? Math.ceil(ruler.width(test, 13)) + 24 : 0
  return {
    height: 40,
    draw: (y) =>
      html`${text(left, y + 26, 15, ink2, 400, ruler.cut(shop, 15, wide - badge - (test ? 16 : 0)))}${
        test &&
        html`<rect x="${left + wide - badge + 0.5}" y="${y + 7.5}" width="${badge - 1}" height="27" rx="6" fill="#FBF0DC" stroke="#8A5300"/>
${text(left + wide - badge + 12, y + 26, 13, '#8A5300', 600, test)}`
      }`,
  }
}

/** The largest text on the bill, always on one line. */
function amount(due: string, ruler: Ruler): Block {
  const size = Math.min(40, Math.floor(wide / ruler.width(due, 1)))
  return { height: 56, draw: (y) => text(left, y + 42, size, ink, 600, due) }
}

function paragraph(content: string, ruler: Ruler, tone: 'plain' | 'accent'): Block {
  const lines = ruler.lines(content, 15, wide)
  return {
    height: lines.length * 22,
    draw: (y) =>
      html`${lines.map((line, place) =>
        tone === 'plain'
          ? text(left, y + 18 + place * 22, 15, ink2, 400, line)
          : text(left, y + 18 + place * 22, 15, '#0A5C55', 600, line),
      )}`,
  }
}

const tearLine: Block = {
  height: 40,
  draw: (
    y,
  ) => html`<path d="M${left} ${y + 18.5}h${wide}" stroke="#85867D" stroke-dasharray="5 5" fill="none"/>
`,
}

/** In its own block, so that it never covers text. */
function stampBlock(words: string, colour: string, ruler: Ruler): Block {
  const width = Math.ceil(ruler.width(words, 24)) + words.length + 36
  return {
    height: 84,
    draw: (y) => html`<g transform="translate(${240} ${y + 32}) rotate(-4)">
<rect x="${-width / 2}" y="-25" width="${width}" height="50" rx="8" stroke-width="3" stroke="${colour}" fill="none"/>
<text y="9" font-size="24" font-weight="600" letter-spacing="1" text-anchor="middle" fill="${colour}">${words}</text>
</g>
`,
  }
}

/** Two short rows that follow each other share a line. */
function pairs(rows: readonly Row[]): Row[][] {
  const lines: Row[][] = []
  for (const row of rows) {
    const last = lines.at(-1)
    if (row.size === 'half' && last?.length === 1 && last[0]!.size === 'half') last.push(row)
    else lines.push([row])
  }
  return lines
}

const mostLines = 8

function rowBlock(rows: readonly Row[], ruler: Ruler): Block {
  const columns = rows.map((row, place) => {
    const size = row.size === 'large' ? 22 : 18
    const room = row.size === 'half' ? half : wide
    const lines = ruler.lines(row.value, size, room)
    const kept = lines.slice(0, mostLines)
    if (lines.length > mostLines) kept[mostLines - 1] = ruler.cut(`${kept.at(-1)}…`, size, room)
    const notes = row.note ? ruler.lines(row.note, 13, wide) : []
    return { ...row, x: left + place * (half + 16), size, kept, notes, leading: size + 7 }
  })
  const tallest = columns.map(({ kept, notes, leading }) => kept.length * leading + notes.length * 18)
  return {
    height: 32 + Math.max(...tallest),
    draw: (y) =>
      html`${columns.map(({ x, label, size, kept, notes, leading }) => [
        text(x, y + 12, 13, ink2, 400, label),
        ...kept.map((line, place) => text(x, y + 12 + (place + 1) * leading, size, ink, 600, line)),
        ...notes.map((line, place) =>
          text(x, y + 12 + kept.length * leading + (place + 1) * 18, 13, '#8A5300', 400, line),
        ),
      ])}`,
  }
}

/** Modules are whole numbers of the PNG's pixels, or their edges would blur. */
function codeBlock(deposit: Deposit, pageUrl: string, words: Messages, ruler: Ruler): Block {
  const { kind, payload } = codeOf(deposit, pageUrl)
  const { size, path } = drawCode(payload)
  const module = Math.max(0.5, Math.floor((2 * 264) / size) / 2)
  const side = size * module
  const label = ruler.lines(kind === 'bank' ? words.scanWithBank : words.continueOnPhone, 15, wide)
  const x = Math.round(480 - side) / 2
  return {
    height: label.length * 22 + side,
    draw: (y) => html`${label.map(
      (line, place) =>
        html`<text x="240" y="${y + 14 + place * 22}" font-size="15" font-weight="600" fill="${ink}" text-anchor="middle">${line}</text>
`,
    )}<path transform="translate(${x} ${y + label.length * 22}) scale(${module})" shape-rendering="crispEdges" stroke="#000" d="${path}"/>
`,
  }
}
