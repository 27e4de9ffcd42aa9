/**
 * A logo that a merchant sent becomes one of ours: drawn again, small enough for the payment page. Nothing of the file but
 * its pixels is ever stored or served. How large the picture is says its first chunk (PNG, third edition), and is read
 * before anything is unpacked.
 */
import { createHash } from 'node:crypto'
import { bounds } from '../../platform/bounds.ts'
import type { WorkOwner } from '../../platform/heavy-work.ts'
import { drawPicture } from '../../platform/pictures.ts'
import { Refusal } from '../../platform/refusals.ts'
import { type Message, message } from '../messages/message.ts'
import { fitted, logoBox, type ShownLogo, toneOf } from './brand.ts'

export type Logo = ShownLogo & { png: Buffer }

type Size = { width: number; height: number }
type Picture = Size & { png: Uint8Array }

/** Refuses a file that cannot become a logo, and says what to do about it. */
export async function logoFrom(file: Buffer, owner: WorkOwner): Promise<Logo> {
  if (file.length > bounds.logoBytes)
    throw refused(message('logo_file_too_large', { most: bounds.logoBytes / 1024 }))
  const most = bounds.logoSide
  const size = sizeOf(file)
  if (!size) throw refused(message('logo_not_png', { most }))
  if (size.width > most || size.height > most) throw refused(message('logo_too_many_pixels', { most }))
  const picture = await drawn({ png: file, ...size }, size, owner)
  // What cannot be read is drawn as nothing.
  if (picture.rgba.every((value, at) => at % 4 !== 3 || value < 8)) throw refused(message('logo_is_blank'))
  return smallLogo(picture, owner)
}

const refused = (detail: Message) => new Refusal('invalid_value', { detail })

/** The logo is stored at the highest density of screens, or smaller if its file would be too large. */
async function smallLogo(picture: Picture, owner: WorkOwner): Promise<Logo> {
  let source = picture
  for (const density of [3, 2, 1]) {
    const to = fitted(picture, { width: logoBox.width * density, height: logoBox.height * density })
    // Shrunk to less than half at once, a picture would lose its thin lines.
    while (source.width > 2 * to.width || source.height > 2 * to.height) {
      const half = { width: Math.ceil(source.width / 2), height: Math.ceil(source.height / 2) }
      source = await drawn(source, half, owner)
    }
    const { png, rgba, ...size } = await drawn(source, to, owner)
    if (png.length > bounds.logoStoredBytes && density > 1) continue
    const digest = createHash('sha256').update(png).digest('base64url').slice(0, 22)
    return { png: Buffer.from(png), digest, ...size, tone: toneOf(rgba) }
  }
  throw new Error('a logo of the lowest density is always taken')
}

function sizeOf(file: Buffer): Size | null {
  const begin = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')
  if (file.length < 33 || !file.subarray(0, begin.length).equals(begin)) return null
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)]
  return width > 0 && height > 0 ? { width, height } : null
}

async function drawn(
  { png }: Picture,
  { width, height }: Size,
  owner: WorkOwner,
): Promise<Picture & { rgba: Uint8Array }> {
  const size = `width="${width}" height="${height}"`
  const href = `data:image/png;base64,${Buffer.from(png).toString('base64')}`
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" ${size}><image ${size} preserveAspectRatio="none" href="${href}"/></svg>`
  const picture = await drawPicture({ svg, withPixels: true }, owner)
  return { png: picture.png, width, height, rgba: picture.pixels! }
}
