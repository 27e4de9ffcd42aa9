/** The rows of a file that cannot be read, beside it on the disk: too many to hold, and wanted as a whole. */
import { appendFile } from 'node:fs/promises'
import { bounds } from '../../bounds.ts'
import { csvRow } from '../../reports/csv.ts'
import type { BadRow } from '../../statements/entry.ts'

const writtenAtOnce = 1_000

export const badRowsOf = (path: string): string => path.replace(/\.upload$/, '.bad.upload')

/** Writes rows as they come, up to the bound; without any there is no file. */
export function badRowWriter(path: string) {
  let waiting: string[] = []
  let noted = 0
  const write = async () => {
    const text = waiting.join('')
    waiting = []
    if (text !== '') await appendFile(path, text, { mode: 0o600 })
  }
  return {
    async note({ line, detail }: BadRow): Promise<void> {
      if (++noted > bounds.badRowsKept) return
      waiting.push(csvRow([line, detail], ';'))
      if (waiting.length >= writtenAtOnce) await write()
    },
    end: write,
  }
}
