/** The rows of a page as JSON: as many as fit the maximum size, but at least one. */
import { bounds } from '../../platform/bounds.ts'

export function rowsThatFit(rows: Iterable<object>): string[] {
  const texts: string[] = []
  let bytes = 0
  for (const row of rows) {
    const text = JSON.stringify(row)
    bytes += Buffer.byteLength(text)
    if (texts.length > 0 && bytes > bounds.pageBytes) break
    texts.push(text)
  }
  return texts
}
