/**
 * A logo that a merchant sent becomes one of ours: read whole, made small enough for the payment page, and encoded again
 * from its pixels. Nothing of the file but its pixels is ever stored or served.
 */
import { createHash } from 'node:crypto'
import { bounds } from '../../platform/bounds.ts'
import { decodePng, encodePng, type Picture, type PngProblem } from '../../platform/png.ts'
import { Refusal } from '../../platform/refusals.ts'
import { type Message, message } from '../messages/message.ts'
import { fitted, logoBox, type ShownLogo, toneOf } from './brand.ts'

export type Logo = ShownLogo & { png: Buffer }

const size = { most: bounds.logoSide }
const problems: Record<PngProblem, Message> = {
  not_png: message('logo_not_png', size),
  damaged: message('logo_damaged'),
  interlaced: message('logo_interlaced'),
  animated: message('logo_animated'),
  too_large: message('logo_too_many_pixels', size),
}

/** Refuses a file that cannot become a logo, and says what to do about it. */
export function logoFrom(file: Buffer): Logo {
  if (file.length > bounds.logoBytes)
    throw new Refusal('invalid_value', {
      detail: message('logo_file_too_large', { most: bounds.logoBytes / 1024 }),
    })
  const picture = decodePng(file, bounds.logoSide)
  if (typeof picture === 'string') throw new Refusal('invalid_value', { detail: problems[picture] })
  if (picture.rgba.every((value, at) => at % 4 !== 3 || value < 8))
    throw new Refusal('invalid_value', { detail: message('logo_is_empty') })
  return drawnLogo(picture)
}

/** The logo is stored at the highest density of screens, or smaller if its file would be too large. */
export function drawnLogo(picture: Picture): Logo {
  for (const density of [3, 2, 1]) {
    const box = { width: logoBox.width * density, height: logoBox.height * density }
    const small = scaled(picture, fitted(picture, box))
    const png = encodePng(small)
    if (png.length > bounds.logoStoredBytes && density > 1) continue
    const digest = createHash('sha256').update(png).digest('base64url').slice(0, 22)
    return { png, digest, width: small.width, height: small.height, tone: toneOf(small.rgba) }
  }
  throw new Error('a logo of the lowest density is always taken')
}

/** Each new pixel is the mean of the pixels that it covers; the colour of transparent ones does not count. */
function scaled({ width, height, rgba }: Picture, to: { width: number; height: number }): Picture {
  if (to.width === width && to.height === height) return { width, height, rgba }
  const made = new Uint8Array(to.width * to.height * 4)
  for (let y = 0; y < to.height; y++)
    for (let x = 0; x < to.width; x++) {
      const [left, right] = [(x * width) / to.width, ((x + 1) * width) / to.width]
      const [top, bottom] = [(y * height) / to.height, ((y + 1) * height) / to.height]
      let [red, green, blue, opacity, area] = [0, 0, 0, 0, 0]
      for (let row = Math.floor(top); row < bottom; row++)
        for (let column = Math.floor(left); column < right; column++) {
          const share =
            (Math.min(row + 1, bottom) - Math.max(row, top)) *
            (Math.min(column + 1, right) - Math.max(column, left))
          const at = (row * width + column) * 4
          const weight = share * rgba[at + 3]!
          red += rgba[at]! * weight
          green += rgba[at + 1]! * weight
          blue += rgba[at + 2]! * weight
          opacity += weight
          area += share
        }
      const colour = opacity === 0 ? [0, 0, 0] : [red / opacity, green / opacity, blue / opacity]
      made.set([...colour.map(Math.round), Math.round(opacity / area)], (y * to.width + x) * 4)
    }
  return { ...to, rgba: made }
}
