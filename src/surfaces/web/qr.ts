/** QR codes, drawn for a page or a bill. */
import { encode } from 'uqr'
import { bounds } from '../../platform/bounds.ts'
import { html, type Markup } from './html.ts'
import { quickCode } from './quick-code.ts'

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

/** For a bill, which may be drawn again in another language: the last ones are kept. */
export const drawingOf = (payload: Uint8Array): Drawing =>
  drawings(keyOf(payload), () => draw(payload, 'best'))

const drawings = keepingLast<Drawing>(bounds.billCodesKept)

/** Always from bytes: the payload stands in the code exactly as it is given. Error correction M. */
export function draw(payload: Uint8Array, mask: Mask): Drawing {
  const { size, modules } = mask === 'quick' ? quickCode(payload) : bestCode(payload)
  let path = ''
  // Where the pen is. Runs lie along the middle of their row, as strokes one module wide.
  let penX = 0
  let penY = 0
  for (let y = 0; y < size; y++) {
    const endOfRow = (y + 1) * size
    for (let at = y * size; at < endOfRow; at++) {
      if (modules[at] === 0) continue
      const start = at
      while (at < endOfRow && modules[at] === 1) at++
      const x = start - y * size
      path += path === '' ? `M${x + quietZone} ${y + quietZone}.5` : `m${x - penX} ${y - penY}`
      path += `h${at - start}`
      penX = x + at - start
      penY = y
    }
  }
  return { size: size + 2 * quietZone, path }
}

function bestCode(payload: Uint8Array): ReturnType<typeof quickCode> {
  const { size, data } = encode([...payload], { ecc: 'M', border: 0 })
  return { size, modules: Uint8Array.from(data.flat(), Number) }
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
