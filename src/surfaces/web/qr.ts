/** QR codes, drawn for a page or a bill. */
import { encode } from 'uqr'
import { bounds } from '../../platform/bounds.ts'
import { html, type Markup } from './html.ts'

type Drawing = {
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
type Mask = 'best' | 'quick'
const quickMask = 2

/** For a bill, which may be drawn again in another language: the last ones are kept. */
export const drawingOf = (payload: Uint8Array): Drawing =>
  drawings(keyOf(payload), () => draw(payload, 'best'))

const drawings = keepingLast<Drawing>(bounds.billCodesKept)

/** Always from bytes: the payload stands in the code exactly as it is given. Error correction M. */
export function draw(payload: Uint8Array, mask: Mask): Drawing {
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
  const { size, path } = draw(payload, 'quick')
  return html`<svg viewBox="0 0 ${size} ${size}" width="${size * 4}" height="${size * 4}" role="img" aria-label="${label}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path stroke="#000" d="${path}"/></svg>`
}

/** Keeps the values that were asked for last, by keys that say all a value is made of. */
function keepingLast<Value>(most: number) {
  const kept = new Map<string, Value>()
  return (key: string, make: () => Value): Value => {
    const value = kept.get(key) ?? make()
    kept.delete(key)
    kept.set(key, value)
    if (kept.size > most) kept.delete(kept.keys().next().value!)
    return value
  }
}

const keyOf = (payload: Uint8Array): string => Buffer.from(payload).toString('latin1')
