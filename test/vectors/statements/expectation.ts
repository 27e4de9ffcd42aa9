/** What a reader makes of a file, as JSON can hold it: cents as text, without the entry's own text. */
import { DamagedStatement, type Part } from '../../../src/domain/statements/entry.ts'
import { formatOf, statementFormats } from '../../../src/domain/statements/formats/detect.ts'
import { type Case, currencyOf } from './statement-case.ts'

type Expectation = {
  format: string | null
  mapping?: unknown
  parts: unknown[]
  /** With its code where it is another one than `statement_damaged`. */
  refused?: { line: number; at?: string; code?: string; detail: string }
}

export async function expectationOf({ bytes, mapping }: Case, chunks = [bytes]): Promise<Expectation> {
  const made: Expectation = {
    format: null,
    ...(mapping && { mapping }),
    parts: [],
  }
  try {
    const format = formatOf(bytes.subarray(0, 512))
    if (!format) return made
    made.format = format
    const context = { currencyOf, ...(mapping && { mapping }) }
    for await (const part of statementFormats[format].read(given(chunks), context))
      made.parts.push(plain(part))
  } catch (error) {
    if (!(error instanceof DamagedStatement)) throw error
    const { line, at, code, detail } = error
    made.refused = {
      line,
      ...(at && { at }),
      ...(code !== 'statement_damaged' && { code }),
      detail: detail.text,
    }
  }
  return made
}

async function* given(chunks: Uint8Array[]): AsyncGenerator<Uint8Array, void, undefined> {
  yield* chunks
}

function plain(part: Part): unknown {
  return JSON.parse(JSON.stringify(part, (_, value) => (typeof value === 'bigint' ? String(value) : value)))
}
