/** Looks at pictures as a phone would: decodes a PNG, reads the QR code in it. */
import { createRequire } from 'node:module'

export type Picture = { width: number; height: number; data: Uint8Array }
type Point = { x: number; y: number }
type Found = { binaryData: number[]; location: { topLeftCorner: Point; topRightCorner: Point } }

// Neither package has types that fit how it is loaded.
const require = createRequire(import.meta.url)
const find: (pixels: Uint8ClampedArray, width: number, height: number) => Found | null = require('jsqr')
const { PNG }: { PNG: { sync: { read(bytes: Buffer): Picture; write(picture: Picture): Buffer } } } =
  require('pngjs')

export const readPicture = (bytes: Uint8Array): Picture => PNG.sync.read(Buffer.from(bytes))
export const writePicture = ({ data, ...size }: Picture): Buffer =>
  PNG.sync.write({ ...size, data: Buffer.from(data) })

/** The bytes in the code and its width in pixels; undefined when no reader would find it. */
export function readCode({ data, width, height }: Picture): { bytes: Uint8Array; width: number } | undefined {
  const found = find(new Uint8ClampedArray(data), width, height)
  // Among letters it sometimes believes to see a code, and reads nothing in it.
  if (!found || found.binaryData.length === 0) return undefined
  const { topLeftCorner, topRightCorner } = found.location
  return { bytes: Uint8Array.from(found.binaryData), width: topRightCorner.x - topLeftCorner.x }
}
