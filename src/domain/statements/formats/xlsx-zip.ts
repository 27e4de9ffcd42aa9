/**
 * The files inside a workbook. It is a zip file, and may be a zip bomb: sizes are not trusted as stated, but counted while
 * unpacking. Only the files that a reader requests are unpacked, and only with the two methods that workbooks use: macros, and
 * other files inside, are never touched.
 */
import { crc32, createInflateRaw } from 'node:zlib'
import { GrowingBytes } from '../../../platform/growing-bytes.ts'
import { type Message, message } from '../../messages/message.ts'
import { DamagedStatement, type ReadContext } from '../entry.ts'
import { statementBounds } from './bounds.ts'

type PackedFile = { isStored: boolean; crc: number; packed: Buffer }

export class Workbook {
  /** Lets other requests be served before the reader continues. */
  readonly pause: NonNullable<ReadContext['pause']>
  readonly #files: ReadonlyMap<string, PackedFile>
  #inflated = 0

  constructor(bytes: Buffer, pause?: ReadContext['pause']) {
    this.pause = pause ?? (() => undefined)
    try {
      this.#files = filesIn(bytes)
    } catch (error) {
      // A length or a place outside of the file.
      throw error instanceof RangeError ? damage(undefined) : error
    }
  }

  has(name: string): boolean {
    return this.#files.has(name.toLowerCase())
  }

  async *read(name: string): AsyncGenerator<Uint8Array, void, undefined> {
    const file = this.#files.get(name.toLowerCase())
    if (!file) throw damage(name)
    let crc = 0
    let length = 0
    for await (const chunk of file.isStored ? [file.packed] : inflated(file.packed, name)) {
      length += chunk.length
      this.#inflated += chunk.length
      const most = Math.max(
        statementBounds.inflatedFreeBytes,
        file.packed.length * statementBounds.inflatedRatio,
      )
      if (this.#inflated > statementBounds.inflatedBytes || length > most)
        throw damage(name, message('workbook_holds_too_much'))
      crc = crc32(chunk, crc)
      yield chunk
    }
    if (crc !== file.crc) throw damage(name)
  }
}

export async function readWhole(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const whole = new GrowingBytes(statementBounds.workbookBytes)
  for await (const chunk of bytes)
    if (!whole.add(chunk)) throw new DamagedStatement(1, message('workbook_too_large'))
  return whole.slice()
}

/** By the directory at the end. An end record stands behind it, with a comment of at most 64 KB. */
function filesIn(bytes: Buffer): Map<string, PackedFile> {
  const end = bytes.lastIndexOf('PK\u0005\u0006', undefined, 'latin1')
  if (end === -1 || end + 22 + bytes.readUInt16LE(end + 20) !== bytes.length) throw damage(undefined)
  const count = bytes.readUInt16LE(end + 10)
  if (count > statementBounds.workbookFiles) throw damage(undefined, message('workbook_holds_too_much'))
  const files = new Map<string, PackedFile>()
  let at = bytes.readUInt32LE(end + 16)
  for (let nth = 0; nth < count; nth++) {
    const [nameLength, start] = [bytes.readUInt16LE(at + 28), bytes.readUInt32LE(at + 42)]
    if (nameLength > statementBounds.fileNameBytes)
      throw damage(undefined, message('workbook_holds_too_much'))
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength)
    const method = bytes.readUInt16LE(at + 10)
    if (bytes.readUInt32LE(at) !== directoryMark || bytes.readUInt32LE(start) !== fileMark) throw damage(name)
    if (bytes.readUInt16LE(at + 8) & 1) throw unsupported(name, message('workbook_is_encrypted'))
    // The local header repeats the name and may have more fields than the directory.
    const from = start + 30 + bytes.readUInt16LE(start + 26) + bytes.readUInt16LE(start + 28)
    const packed = bytes.subarray(from, from + bytes.readUInt32LE(at + 20))
    // If two files had one name, another program might show one of them while we read the other.
    const key = name.toLowerCase().replace(/^\//, '')
    if (files.has(key) || (method !== 0 && method !== 8)) throw damage(name)
    files.set(key, { isStored: method === 0, crc: bytes.readUInt32LE(at + 16), packed })
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  return files
}

const directoryMark = 0x02014b50
const fileMark = 0x04034b50

async function* inflated(packed: Buffer, name: string): AsyncGenerator<Uint8Array, void, undefined> {
  const stream = createInflateRaw({ chunkSize: statementBounds.pieceBytes })
  stream.end(packed)
  try {
    for await (const chunk of stream) yield chunk as Buffer
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || !String(error.code).startsWith('Z_')) throw error
    throw damage(name)
  } finally {
    stream.destroy()
  }
}

export const damage = (name: string | undefined, detail = message('workbook_damaged')): DamagedStatement =>
  new DamagedStatement(1, detail, { ...(name !== undefined && { at: name }) })

/** The workbook is valid, but more than a table. */
export const unsupported = (name: string, detail: Message): DamagedStatement =>
  new DamagedStatement(1, detail, { at: name, code: 'statement_format_unsupported' })
