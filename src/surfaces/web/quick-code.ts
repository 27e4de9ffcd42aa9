/**
 * The modules of a QR code with error correction M and one mask for all (ISO/IEC 18004), for pages: a fifth of the time
 * that `uqr` takes. What is the same in all codes of a size (patterns, format, where the bits go) is read once from a
 * code that `uqr` has drawn; here the bytes get their error correction and are put in place. Pure.
 */
import { encode } from 'uqr'

const mask = 2
const isInverted = (x: number) => x % 3 === 0

/** Codewords of error correction in each block, and blocks, by version: table 9 of the standard, level M. */
const correction =
  '10 16 26 18 24 16 18 22 22 26 30 22 22 24 24 28 28 26 26 26 26 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28'
    .split(' ')
    .map(Number)
const blocks =
  '1 1 1 2 2 4 4 4 5 5 5 8 9 9 10 10 11 13 14 16 17 17 18 20 21 23 25 26 28 29 31 33 35 37 38 40 43 45 47 49'
    .split(' ')
    .map(Number)

type Size = {
  size: number
  /** Row by row, 1 is dark: patterns and format, and where data will stand the mask alone. */
  template: Uint8Array
  /** Where each bit goes, in their order. */
  places: Uint16Array
  /** Codewords of data. */
  capacity: number
  correction: number
  blocks: number
}

/** `modules` row by row, 1 is dark. */
export function quickCode(payload: Uint8Array): { size: number; modules: Uint8Array } {
  const version = versionFor(payload.length)
  const { size, template, places } = sizeOf(version)
  const modules = template.slice()
  const words = withCorrection(wordsOf(payload, version), sizeOf(version))
  for (let bit = 0; bit < words.length * 8; bit++) {
    if ((words[bit >> 3]! >> (7 - (bit & 7))) & 1) modules[places[bit]!]! ^= 1
  }
  return { size, modules }
}

function versionFor(bytes: number): number {
  for (let version = 1; version <= 40; version++) {
    if (bytes * 8 + 4 + lengthBits(version) <= sizeOf(version).capacity * 8) return version
  }
  throw new RangeError('This does not fit a code.')
}

const lengthBits = (version: number): 8 | 16 => (version < 10 ? 8 : 16)

const sizes = new Map<number, Size>()

function sizeOf(version: number): Size {
  const known = sizes.get(version)
  if (known) return known
  const { size, data, types } = encode([], {
    ecc: 'M',
    border: 0,
    minVersion: version,
    maxVersion: version,
    maskPattern: mask,
  })
  const template = new Uint8Array(size * size)
  const places: number[] = []
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) template[y * size + x] = Number(types[y]![x] ? data[y]![x] : isInverted(x))
  }
  // Pairs of columns from the right, up and down in turn; the column of the timing pattern is none of a pair.
  for (let right = size - 1, isUp = true; right > 0; right -= right === 8 ? 3 : 2, isUp = !isUp) {
    for (let step = 0; step < size; step++) {
      const y = isUp ? size - 1 - step : step
      for (const x of [right, right - 1]) if (!types[y]![x]) places.push(y * size + x)
    }
  }
  const ofBlock = { correction: correction[version - 1]!, blocks: blocks[version - 1]! }
  const capacity = (places.length >> 3) - ofBlock.correction * ofBlock.blocks
  const made = { size, template, places: Uint16Array.from(places), capacity, ...ofBlock }
  sizes.set(version, made)
  return made
}

/** The mode (bytes), how many, the bytes, four bits of end, and filling. */
function wordsOf(payload: Uint8Array, version: number): Uint8Array {
  const words = new Uint8Array(sizeOf(version).capacity)
  let bit = 0
  const put = (value: number, bits: number) => {
    for (let left = bits - 1; left >= 0; left--, bit++) {
      words[bit >> 3]! |= ((value >> left) & 1) << (7 - (bit & 7))
    }
  }
  put(0b0100, 4)
  put(payload.length, lengthBits(version))
  // From here on every byte lies across two words.
  let at = bit >> 3
  for (const byte of payload) {
    words[at++]! |= byte >> 4
    words[at] = (byte << 4) & 0xff
  }
  for (let filling = 0xec; ++at < words.length; filling ^= 0xec ^ 0x11) words[at] = filling
  return words
}

/** Blocks as equal as can be, the longer ones last; their words are taken in turn, then those of error correction. */
function withCorrection(words: Uint8Array, { places, capacity, correction, blocks }: Size): Uint8Array {
  const all = new Uint8Array(places.length >> 3)
  const short = Math.floor(capacity / blocks)
  const shortBlocks = blocks - (capacity % blocks)
  const divisor = divisorOf(correction)
  for (let block = 0, from = 0; block < blocks; block++) {
    const length = short + (block < shortBlocks ? 0 : 1)
    const remainder = new Uint8Array(correction)
    for (let index = 0; index < length; index++) {
      const word = words[from + index]!
      all[index < short ? index * blocks + block : short * blocks + block - shortBlocks] = word
      const factor = word ^ remainder[0]!
      remainder.copyWithin(0, 1)
      remainder[correction - 1] = 0
      if (factor === 0) continue
      const power = logarithms[factor]!
      for (let place = 0; place < correction; place++) remainder[place]! ^= powers[divisor[place]! + power]!
    }
    for (let place = 0; place < correction; place++)
      all[capacity + place * blocks + block] = remainder[place]!
    from += length
  }
  return all
}

// Powers of two in the field of 256 with the polynomial 285, twice, so that a sum of two logarithms needs no remainder.
const powers = new Uint8Array(510)
const logarithms = new Uint8Array(256)
for (let power = 0, value = 1; power < 255; power++) {
  powers[power] = powers[power + 255] = value
  logarithms[value] = power
  value = (value << 1) ^ (value >> 7 ? 285 : 0)
}

const divisors = new Map<number, Uint8Array>()

/** The product of (x - 2^i), as logarithms of its coefficients without the first, which is 1. None of them is 0. */
function divisorOf(degree: number): Uint8Array {
  const known = divisors.get(degree)
  if (known) return known
  let product = [1]
  for (let root = 0; root < degree; root++) {
    const times = product.map((value) => (value === 0 ? 0 : powers[logarithms[value]! + root]!))
    product = [...product, 0].map((value, place) => value ^ (times[place - 1] ?? 0))
  }
  const made = Uint8Array.from(product.slice(1), (value) => logarithms[value]!)
  divisors.set(degree, made)
  return made
}
