/** Positions in PostgreSQL's WAL, and the names of its segments. A position counts bytes from the beginning of all WAL. */

/** One timeline's WAL, cut into segments of equal length. */
export type WalLine = { timeline: number; segmentBytes: bigint }

/** "16/B374D848" is the number of bytes in two halves. */
export function positionOf(text: string): bigint {
  const [high, low] = text.split('/') as [string, string]
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}

export const positionText = (position: bigint): string =>
  `${(position >> 32n).toString(16).toUpperCase()}/${(position & 0xffffffffn).toString(16).toUpperCase()}`

export const segmentAt = (position: bigint, { segmentBytes }: WalLine): bigint => position / segmentBytes

export function segmentName(segment: bigint, { timeline, segmentBytes }: WalLine): string {
  const perFile = 0x1_0000_0000n / segmentBytes
  return [BigInt(timeline), segment / perFile, segment % perFile]
    .map((number) => number.toString(16).toUpperCase().padStart(8, '0'))
    .join('')
}

/** A stored part of a segment: all of it, or the bytes from one place up to another. */
export type WalPart = { segment: string; from: number; to: number | null }

export const partName = ({ segment, from, to }: WalPart): string =>
  to === null ? segment : `${segment}.${placeText(from)}-${placeText(to)}`

const placeText = (place: number): string => place.toString(16).toUpperCase().padStart(8, '0')

export function readPartName(name: string): WalPart | undefined {
  const [, segment, from, to] = /^([0-9A-F]{24})(?:\.([0-9A-F]{8})-([0-9A-F]{8}))?$/.exec(name) ?? []
  if (!segment) return undefined
  return { segment, from: Number.parseInt(from ?? '0', 16), to: to ? Number.parseInt(to, 16) : null }
}

/** The parts that together cover a segment from its beginning, as far as possible; the longest one at each place. */
export function chainOf(parts: readonly WalPart[]): WalPart[] {
  const whole = parts.find(({ to }) => to === null)
  if (whole) return [whole]
  const chain: WalPart[] = []
  for (let at = 0; ; at = chain.at(-1)!.to!) {
    const next = parts
      .filter(({ from, to }) => from <= at && to! > at)
      .reduce<WalPart | undefined>((best, part) => (best && best.to! >= part.to! ? best : part), undefined)
    if (!next) return chain
    chain.push(next)
  }
}
