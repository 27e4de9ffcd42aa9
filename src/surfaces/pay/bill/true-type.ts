/**
 * How wide the letters of a TrueType font are: just enough of the format (OpenType 1.9, tables head, hhea, hmtx
 * and a cmap of format 4) to break lines where they end. Made for the font files that we ship, not for others.
 */

export type LetterWidths = {
  /** In parts of the font size; undefined when the font has no such character. */
  widthOf(codePoint: number): number | undefined
}

export function letterWidths(file: Uint8Array): LetterWidths {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const tables = new Map<string, number>()
  for (let at = 12; at < 12 + 16 * view.getUint16(4); at += 16) {
    tables.set(String.fromCharCode(...file.subarray(at, at + 4)), view.getUint32(at + 8))
  }
  const table = (tag: string): number => {
    const start = tables.get(tag)
    if (start === undefined) throw new Error(`The font has no table ${tag}.`)
    return start
  }
  const unitsPerEm = view.getUint16(table('head') + 18)
  const measured = view.getUint16(table('hhea') + 34) // Glyphs after the last measured one are as wide as it.
  const glyphs = glyphsOf(view, table('cmap'))
  return {
    widthOf(codePoint) {
      const glyph = glyphs.get(codePoint)
      if (glyph === undefined) return undefined
      return view.getUint16(table('hmtx') + 4 * Math.min(glyph, measured - 1)) / unitsPerEm
    },
  }
}

/** Every character below U+10000 that the font draws, with its glyph. */
function glyphsOf(view: DataView, cmap: number): Map<number, number> {
  const glyphs = new Map<number, number>()
  const start = cmap + view.getUint32(cmap + 8)
  if (view.getUint16(start) !== 4) throw new Error('The first character map of the font is not of format 4.')
  const twice = view.getUint16(start + 6)
  const ends = start + 14
  const starts = ends + twice + 2
  for (let segment = 0; segment < twice; segment += 2) {
    const last = view.getUint16(ends + segment)
    const first = view.getUint16(starts + segment)
    const delta = view.getUint16(starts + twice + segment)
    const place = starts + 2 * twice + segment
    const offset = view.getUint16(place)
    for (let code = first; code <= last && code < 0xffff; code++) {
      const found = offset === 0 ? code : view.getUint16(place + offset + 2 * (code - first))
      const glyph = found === 0 ? 0 : (found + delta) & 0xffff
      if (glyph !== 0) glyphs.set(code, glyph)
    }
  }
  return glyphs
}
