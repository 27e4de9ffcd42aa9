/**
 * Reads and writes pictures in PNG (W3C, third edition). An uploaded file is read completely and strictly: every checksum is
 * compared, and no more is unpacked than its dimensions require, which are checked first. A written file is made from the
 * pixels alone, so nothing else in an uploaded file can survive.
 */
import { crc32, deflateSync, inflateSync } from 'node:zlib'

/** Four bytes per pixel: red, green, blue, opacity. */
export type Picture = { width: number; height: number; rgba: Uint8Array }
export type PngProblem = 'not_png' | 'damaged' | 'interlaced' | 'animated' | 'too_large'

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

/** By colour type: how many samples a pixel has, and how many bits each may have. */
const colourTypes: Record<number, { channels: number; depths: readonly number[] }> = {
  0: { channels: 1, depths: [1, 2, 4, 8, 16] },
  2: { channels: 3, depths: [8, 16] },
  3: { channels: 1, depths: [1, 2, 4, 8] },
  4: { channels: 2, depths: [8, 16] },
  6: { channels: 4, depths: [8, 16] },
}

type Header = {
  width: number
  height: number
  depth: number
  colour: number
  channels: number
  isInterlaced: boolean
}

export function decodePng(file: Buffer, mostSide: number): Picture | PngProblem {
  if (!file.subarray(0, 8).equals(signature)) return 'not_png'
  const chunks = chunksOf(file)
  const header = chunks && headerOf(chunks)
  if (!header) return 'damaged'
  if (header.width > mostSide || header.height > mostSide) return 'too_large'
  if (chunks.some(({ type }) => type === 'acTL')) return 'animated'
  if (header.isInterlaced) return 'interlaced'
  const lines = unfilterLines(chunks, header)
  return (lines && pixelsOf(lines, chunks, header)) ?? 'damaged'
}

type Chunk = { type: string; data: Buffer }

/** Null if a chunk is cut off, damaged, or critical and unknown. Data after the last chunk is ignored. */
function chunksOf(file: Buffer): Chunk[] | null {
  const chunks: Chunk[] = []
  for (let at = 8; at + 12 <= file.length; ) {
    const end = at + 8 + file.readUInt32BE(at)
    if (end + 4 > file.length || crc32(file.subarray(at + 4, end)) !== file.readUInt32BE(end)) return null
    const type = file.toString('latin1', at + 4, at + 8)
    // A capital first letter marks a critical chunk: the picture cannot be drawn without it.
    if (/^[A-Z]/.test(type) && !['IHDR', 'PLTE', 'IDAT', 'IEND'].includes(type)) return null
    chunks.push({ type, data: file.subarray(at + 8, end) })
    if (type === 'IEND') return chunks
    at = end + 4
  }
  return null
}

function headerOf([first, ...others]: Chunk[]): Header | null {
  if (first?.type !== 'IHDR' || first.data.length !== 13) return null
  if (others.some(({ type }) => type === 'IHDR')) return null
  const [width, height] = [first.data.readUInt32BE(0), first.data.readUInt32BE(4)]
  const [depth, colour, compression, filter, interlacing] = [...first.data.subarray(8)] as [
    ...[number, number, number, number, number],
  ]
  const kind = colourTypes[colour]
  if (width === 0 || height === 0 || !kind?.depths.includes(depth)) return null
  if (compression !== 0 || filter !== 0 || interlacing > 1) return null
  return { width, height, depth, colour, channels: kind.channels, isInterlaced: interlacing === 1 }
}

const lineBytes = ({ width, channels, depth }: Header): number => Math.ceil((width * channels * depth) / 8)

/** Unpacks the lines of the picture and undoes their filters; null if there are too few or too many, or they are invalid. */
function unfilterLines(chunks: readonly Chunk[], header: Header): Buffer | null {
  const length = lineBytes(header)
  const packed = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data))
  let filtered: Buffer
  try {
    filtered = inflateSync(packed, { maxOutputLength: header.height * (length + 1) })
  } catch {
    return null
  }
  if (filtered.length !== header.height * (length + 1)) return null
  const lines = Buffer.alloc(header.height * length)
  // A filter compares a byte with the same byte of the pixel before, or with the byte before if pixels are smaller.
  const pixelBytes = Math.max(1, (header.channels * header.depth) / 8)
  for (let y = 0; y < header.height; y++) {
    const filter = filtered[y * (length + 1)]!
    if (filter > 4) return null
    const from = y * (length + 1) + 1
    for (let x = 0; x < length; x++) {
      const at = y * length + x
      const left = x >= pixelBytes ? lines[at - pixelBytes]! : 0
      const above = y > 0 ? lines[at - length]! : 0
      const upperLeft = x >= pixelBytes && y > 0 ? lines[at - length - pixelBytes]! : 0
      lines[at] = filtered[from + x]! + predict(filter, left, above, upperLeft)
    }
  }
  return lines
}

/**
 * The value that each filter predicts for a byte, from its neighbours. The last filter is Paeth: the neighbour that is nearest
 * to left + above − upper left.
 */
function predict(filter: number, left: number, above: number, upperLeft: number): number {
  if (filter === 0) return 0
  if (filter === 1) return left
  if (filter === 2) return above
  if (filter === 3) return (left + above) >> 1
  const [toLeft, toAbove] = [Math.abs(above - upperLeft), Math.abs(left - upperLeft)]
  const toUpperLeft = Math.abs(left + above - 2 * upperLeft)
  if (toLeft <= toAbove && toLeft <= toUpperLeft) return left
  return toAbove <= toUpperLeft ? above : upperLeft
}

function pixelsOf(lines: Buffer, chunks: readonly Chunk[], header: Header): Picture | null {
  const { width, height, depth, colour, channels } = header
  const dataOf = (wanted: string) => chunks.find(({ type }) => type === wanted)?.data
  const palette = dataOf('PLTE')
  const transparency = dataOf('tRNS')
  if (colour === 3 && (!palette || palette.length % 3 !== 0 || palette.length > 768)) return null
  const length = lineBytes(header)
  const maxSample = 2 ** depth - 1
  /** A sample by its number within the line. */
  const sample = (y: number, number: number): number => {
    if (depth === 8) return lines[y * length + number]!
    if (depth === 16) return lines.readUInt16BE(y * length + number * 2)
    const bit = number * depth
    return (lines[y * length + (bit >> 3)]! >> (8 - depth - (bit & 7))) & maxSample
  }
  const byte = (value: number): number => (depth === 8 ? value : Math.round((value * 255) / maxSample))
  /** In a picture without an opacity channel, one colour may be declared transparent. */
  const transparentColour =
    transparency && (colour === 0 || colour === 2) && transparency.length === channels * 2
      ? Array.from({ length: channels }, (_, channel) => transparency.readUInt16BE(channel * 2))
      : null
  const rgba = new Uint8Array(width * height * 4)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 4
      rgba[at + 3] = 255
      if (colour === 3) {
        const index = sample(y, x)
        if (index * 3 >= palette!.length) return null
        rgba.set(palette!.subarray(index * 3, index * 3 + 3), at)
        rgba[at + 3] = transparency?.[index] ?? 255
        continue
      }
      let isTransparent = transparentColour !== null
      for (let channel = 0; channel < channels; channel++) {
        const value = sample(y, x * channels + channel)
        if (value !== transparentColour?.[channel]) isTransparent = false
        // Opacity, if present, is the last channel; grey is used for all three colours.
        if (channels % 2 === 0 && channel === channels - 1) rgba[at + 3] = byte(value)
        else if (channels < 3) rgba.fill(byte(value), at, at + 3)
        else rgba[at + channel] = byte(value)
      }
      if (isTransparent) rgba[at + 3] = 0
    }
  return { width, height, rgba }
}

/** Header, pixels, end: three chunks and nothing else. An opaque picture is stored without the opacity channel. */
export function encodePng({ width, height, rgba }: Picture): Buffer {
  const channels = rgba.every((value, at) => at % 4 !== 3 || value === 255) ? 3 : 4
  const plain = channels === 4 ? rgba : rgba.filter((_, at) => at % 4 !== 3)
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, channels === 3 ? 2 : 6], 8)
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(filterLines(plain, width * channels, channels), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const whole = Buffer.alloc(data.length + 12)
  whole.writeUInt32BE(data.length, 0)
  whole.write(type, 4, 'latin1')
  whole.set(data, 8)
  whole.writeUInt32BE(crc32(whole.subarray(4, -4)), data.length + 8)
  return whole
}

/** Each line with the filter that leaves the smallest numbers, as the standard recommends. */
function filterLines(plain: Uint8Array, length: number, pixelBytes: number): Buffer {
  const height = plain.length / length
  const all = Buffer.alloc(height * (length + 1))
  for (let y = 0; y < height; y++) {
    let least = Number.POSITIVE_INFINITY
    for (let filter = 0; filter <= 4; filter++) {
      const line = Buffer.alloc(length + 1, filter)
      let sum = 0
      for (let x = 0; x < length; x++) {
        const at = y * length + x
        const left = x >= pixelBytes ? plain[at - pixelBytes]! : 0
        const above = y > 0 ? plain[at - length]! : 0
        const upperLeft = x >= pixelBytes && y > 0 ? plain[at - length - pixelBytes]! : 0
        line[x + 1] = plain[at]! - predict(filter, left, above, upperLeft)
        sum += Math.abs((line[x + 1]! << 24) >> 24)
      }
      if (sum < least) {
        least = sum
        all.set(line, y * (length + 1))
      }
    }
  }
  return all
}
