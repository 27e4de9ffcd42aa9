/**
 * QR codes: what a deposit's code says, and how it is drawn. A code holds what a bank's app understands, or else
 * the address of the payment page; the caller names it truthfully by `kind`. Nothing here invents a bank's link.
 */
import { encode } from 'uqr'
import { bounds } from '../bounds.ts'
import type { Deposit } from '../deposits/deposit.ts'
import { html, type Markup } from '../web/html.ts'
import { gostPayload } from './gost.ts'

export type Code = {
  /** `bank`: scanned with a bank's app it begins the transfer. `page`: it opens the payment page. */
  kind: 'bank' | 'page'
  payload: Uint8Array
}

/** For what is still missing. To be shown only while the customer is asked to pay. */
export function codeOf(
  deposit: Pick<Deposit, 'shown' | 'currency' | 'amountCents' | 'receivedCents'>,
  pageUrl: string,
): Code {
  const gost = gostPayload(deposit, deposit.amountCents - deposit.receivedCents)
  if (gost) return { kind: 'bank', payload: gost }
  const link = deposit.shown?.link
  if (link) return { kind: 'bank', payload: bytes(link) }
  return { kind: 'page', payload: bytes(pageUrl) }
}

export type Drawing = {
  /** Modules on one side, the quiet zone included. */
  size: number
  /** The dark modules as one path to be stroked, a run of neighbours in one stroke of the pen. */
  path: string
}

/** The quiet zone that the standard asks for (ISO/IEC 18004): readers need it, in dark mode as well. */
const quietZone = 4

/**
 * Any mask can be read. The one that suits best, for print, takes ten times as long to find as the code to draw
 * (3 to 5 ms, more than all the rest of a page); on a screen one mask does for all.
 */
export type Mask = 'best' | 'quick'
const quickMask = 2

const drawn = new Map<string, Drawing>()

/** The last ones are kept: a page is opened again, and a bill drawn in another language. */
export function drawingOf(payload: Uint8Array, mask: Mask): Drawing {
  const key = `${mask}${String.fromCharCode(...payload)}`
  const drawing = drawn.get(key) ?? draw(payload, mask)
  drawn.delete(key)
  drawn.set(key, drawing)
  if (drawn.size > bounds.qrCacheEntries) drawn.delete(drawn.keys().next().value!)
  return drawing
}

/** Always from bytes: the payload stands in the code exactly as it is given. Error correction M. */
function draw(payload: Uint8Array, mask: Mask): Drawing {
  const { data, size } = encode([...payload], {
    ecc: 'M',
    border: 0,
    ...(mask === 'quick' && { maskPattern: quickMask }),
  })
  let path = ''
  // Where the pen is. Runs lie along the middle of their row, as strokes one module wide.
  let pen = { x: 0, y: 0 }
  data.forEach((row, y) => {
    for (let x = row.indexOf(true); x >= 0; x = row.indexOf(true, pen.x)) {
      const light = row.indexOf(false, x)
      const end = light < 0 ? size : light
      const move = path === '' ? `M${x + quietZone} ${y + quietZone}.5` : `m${x - pen.x} ${y - pen.y}`
      path += `${move}h${end - x}`
      pen = { x: end, y }
    }
  })
  return { size: size + 2 * quietZone, path }
}

/** A picture for a page, white in dark mode too: four pixels to a module unless the page's styles say otherwise. */
export function qrMarkup(payload: Uint8Array, label: string): Markup {
  const { size, path } = drawingOf(payload, 'quick')
  return html`<svg viewBox="0 0 ${size} ${size}" width="${size * 4}" height="${size * 4}" role="img" aria-label="${label}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path stroke="#000" d="${path}"/></svg>`
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
