/**
 * The files inside a workbook. It is a zip file, and may be a zip bomb: sizes are not trusted as stated, but counted while
 * unpacking. Only the files that a reader requests are unpacked, and only with the two methods that workbooks use. Whatever
 * makes a workbook more than a table (macros, links, embedded files) is refused by its name.
 */
import { crc32, createInflateRaw } from 'node:zlib'
import { GrowingBytes } from '../../../platform/growing-bytes.ts'
import { type Message, message } from '../../messages/message.ts'
import { DamagedStatement, type ReadContext } from '../entry.ts'
import { statementBounds } from './bounds.ts'

type PackedFile = { name: string; method: number; crc: number; size: number; start: number }

export class Workbook {
  /** Lets other requests be served before the reader continues. */
  readonly pause: NonNullable<ReadContext['pause']>
  readonly #bytes: Buffer
  readonly #files: Map<string, PackedFile>
  #inflated = 0

  constructor(bytes: Buffer, pause?: ReadContext['pause']) {
    this.#bytes = bytes
    this.pause = pause ?? (() => undefined)
    this.#files = directoryOf(bytes)
    refuseByName([...this.#files.values()].map(({ name }) => name))
  }

  has(name: string): boolean {
    return this.#files.has(name.toLowerCase())
  }

  async *read(name: string): AsyncGenerator<Uint8Array, void, undefined> {
    const file = this.#files.get(name.toLowerCase())
    if (!file) throw damage(name, message('workbook_damaged'))
    const packed = this.#packed(file)
    let crc = 0
    let length = 0
    for await (const chunk of file.method === 0 ? [packed] : inflated(packed, file.name)) {
      length += chunk.length
      this.#inflated += chunk.length
      const isBomb =
        this.#inflated > statementBounds.inflatedBytes ||
        (length > statementBounds.inflatedFreeBytes && length > packed.length * statementBounds.inflatedRatio)
      if (isBomb) throw damage(name, message('workbook_holds_too_much'))
      crc = crc32(chunk, crc)
      yield chunk
    }
    if (crc !== file.crc) throw damage(name, message('workbook_damaged'))
  }

  /** The data after the file's local header, which repeats the name and may have more fields than the directory. */
  #packed({ start, size, name }: PackedFile): Buffer {
    const bytes = this.#bytes
    if (start + 30 > bytes.length || bytes.readUInt32LE(start) !== 0x04034b50)
      throw damage(name, message('workbook_damaged'))
    const from = start + 30 + bytes.readUInt16LE(start + 26) + bytes.readUInt16LE(start + 28)
    if (from + size > bytes.length) throw damage(name, message('workbook_damaged'))
    return bytes.subarray(from, from + size)
  }
}

export async function readWhole(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const whole = new GrowingBytes(statementBounds.workbookBytes)
  for await (const chunk of bytes)
    if (!whole.add(chunk)) throw new DamagedStatement(1, message('workbook_too_large'))
  return whole.slice()
}

function directoryOf(bytes: Buffer): Map<string, PackedFile> {
  const end = endOf(bytes)
  const count = bytes.readUInt16LE(end + 10)
  if (count > statementBounds.workbookFiles) throw new DamagedStatement(1, message('workbook_holds_too_much'))
  const files = new Map<string, PackedFile>()
  let at = bytes.readUInt32LE(end + 16)
  for (let nth = 0; nth < count; nth++) {
    if (at + 46 > end || bytes.readUInt32LE(at) !== 0x02014b50)
      throw new DamagedStatement(1, message('workbook_damaged'))
    const flags = bytes.readUInt16LE(at + 8)
    const method = bytes.readUInt16LE(at + 10)
    const nameLength = bytes.readUInt16LE(at + 28)
    if (nameLength > statementBounds.fileNameBytes)
      throw new DamagedStatement(1, message('workbook_holds_too_much'))
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength)
    if (flags & 1) throw unsupported(name, message('workbook_is_encrypted'))
    if (method !== 0 && method !== 8) throw damage(name, message('workbook_damaged'))
    const file = {
      name,
      method,
      crc: bytes.readUInt32LE(at + 16),
      size: bytes.readUInt32LE(at + 20),
      start: bytes.readUInt32LE(at + 42),
    }
    // If two files had one name, another program might show one of them while we read the other.
    const key = name.toLowerCase().replace(/^\//, '')
    if (files.has(key)) throw damage(name, message('workbook_damaged'))
    files.set(key, file)
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  return files
}

/** The position of the end record: a comment of at most 64 KB may follow it. */
function endOf(bytes: Buffer): number {
  for (let at = bytes.length - 22; at >= Math.max(0, bytes.length - 22 - 65_535); at--)
    if (bytes.readUInt32LE(at) === 0x06054b50 && at + 22 + bytes.readUInt16LE(at + 20) === bytes.length)
      return at
  throw new DamagedStatement(1, message('workbook_damaged'))
}

function refuseByName(names: readonly string[]): void {
  for (const { has, detail } of refused) {
    const name = names.find((name) => has.test(name))
    if (name !== undefined) throw unsupported(name, detail)
  }
}

const refused: readonly { has: RegExp; detail: Message }[] = [
  { has: /vbaproject|\/macrosheets\/|activex/i, detail: message('workbook_holds_macros') },
  { has: /^xl\/workbook\.bin$/i, detail: message('workbook_is_binary') },
  {
    has: /^xl\/(?:externallinks\/|connections\.xml|querytables\/)/i,
    detail: message('workbook_has_links'),
  },
  {
    has: /\/embeddings\/|\.(?:zip|rar|7z|gz|xlsx|xlsm|xls|docx|exe|js|bin)$(?<!printersettings\d{0,9}\.bin)/i,
    detail: message('workbook_holds_other_files'),
  },
]

async function* inflated(packed: Buffer, name: string): AsyncGenerator<Uint8Array, void, undefined> {
  const stream = createInflateRaw({ chunkSize: statementBounds.pieceBytes })
  stream.end(packed)
  try {
    for await (const chunk of stream) yield chunk as Buffer
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || !String(error.code).startsWith('Z_')) throw error
    throw damage(name, message('workbook_damaged'))
  } finally {
    stream.destroy()
  }
}

export const damage = (name: string, detail: Message): DamagedStatement =>
  new DamagedStatement(1, detail, { at: name })

/** The workbook is valid, but more than a table. */
export const unsupported = (name: string, detail: Message): DamagedStatement =>
  new DamagedStatement(1, detail, { at: name, code: 'statement_format_unsupported' })
