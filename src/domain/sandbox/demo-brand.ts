/** The colour and the logo of the demo shop, so that a newcomer sees a payment page with a brand. */
import { drawnLogo, type Logo } from '../merchants/logo.ts'

export const demoAccent = '#5b3fd6'

const side = 480
const [violet, white] = [
  [0x5b, 0x3f, 0xd6, 255],
  [255, 255, 255, 255],
]

/** An open notebook on a rounded square: it is drawn large, and scaling it down smooths its edges. */
export function demoLogo(): Logo {
  const rgba = new Uint8Array(side * side * 4)
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      const colour = isInside(x, y, { at: 0, width: side, top: 0, height: side, radius: 110 })
        ? isPage(x, y)
          ? white
          : violet
        : undefined
      if (colour) rgba.set(colour, (y * side + x) * 4)
    }
  return drawnLogo({ width: side, height: side, rgba })
}

type Box = { at: number; width: number; top: number; height: number; radius: number }

function isInside(x: number, y: number, { at, width, top, height, radius }: Box): boolean {
  if (x < at || x >= at + width || y < top || y >= top + height) return false
  const toEdge = (value: number, from: number, length: number) =>
    Math.max(from + radius - value, value - (from + length - radius), 0)
  return Math.hypot(toEdge(x, at, width), toEdge(y, top, height)) <= radius
}

/** Two pages with a gap between them; the right one has three lines. */
function isPage(x: number, y: number): boolean {
  const page = { top: 120, height: 240, width: 132, radius: 22 }
  const isLine = x > 276 && x < 360 && [180, 230, 280].some((line) => y >= line && y < line + 20)
  return isInside(x, y, { ...page, at: 96 }) || (isInside(x, y, { ...page, at: 252 }) && !isLine)
}
