/**
 * The rows of a file that cannot be read, kept in a file beside it: they may be too many for memory, and people
 * download all of them.
 */
import { createReadStream } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { readMessage, storedMessage } from '../../../domain/messages/message.ts'
import type { BadRow } from '../../../domain/statements/entry.ts'
import { bounds } from '../../../platform/bounds.ts'

const atOnce = 1_000

export const badRowsOf = (path: string): string => path.replace(/\.upload$/, '.bad.upload')

/** Writes rows as they come, up to a maximum; without rows there is no file. */
export function badRowWriter(path: string) {
  let waiting: string[] = []
  let noted = 0
  const write = async () => {
    const text = waiting.join('')
    waiting = []
    if (text !== '') await appendFile(path, text, { mode: 0o600 })
  }
  return {
    async note({ line, at, detail }: BadRow): Promise<void> {
      if (++noted > bounds.badRowsKept) return
      // These two characters would end a line for programs that read by lines.
      waiting.push(
        `${JSON.stringify([line, detail, at, storedMessage(detail)]).replace(/[\u2028\u2029]/g, ' ')}\n`,
      )
      if (waiting.length >= atOnce) await write()
    },
    end: write,
  }
}

/** Reads the rows in order, some at a time. */
export async function* readBadRows(path: string): AsyncGenerator<BadRow[]> {
  let rows: BadRow[] = []
  const input = createReadStream(path)
  try {
    for await (const text of createInterface({ input })) {
      const [line, detail, at, stored] = JSON.parse(text) as [number, string, string | null, unknown]
      rows.push({ line, ...(at !== null && { at }), detail: readMessage(stored, detail) })
      if (rows.length < atOnce) continue
      yield rows
      rows = []
    }
    yield rows
  } finally {
    // Reading by lines leaves the file open where the reader leaves before its end.
    input.destroy()
  }
}
