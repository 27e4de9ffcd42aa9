/**
 * A file of JSON lines, sorted by id, of which one line can be read without reading the others.
 *
 * It is a gzip file of several members, so `zcat` prints it: members of up to 500 lines, or fewer that fill a megabyte, then one with the
 * index ({"index": [{id, at, bytes, sha256}, …]}: the first id, position, length and digest of each member), and an empty one of fixed
 * length whose header has the position of the index. The caller stores the digests of the index and of the whole file.
 */

import { createHash, hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'

/** A line's id, and its text: JSON of one object that begins with the id, as `jsonb` writes it. */
export type ArchiveLine = { id: string; text: string }
export type WrittenArchive = { lines: number; bytes: number; digest: Buffer; indexDigest: Buffer }

type Member = { id: string; at: number; bytes: number; sha256: string }

/** A look-up reads one whole member. */
const linesPerMember = 500
const charactersPerMember = 1024 * 1024
const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** The file differs from what was written. */
export class DamagedArchive extends Error {}

/** Writes and syncs a temporary file, then renames it: a file with this name is always complete. */
export async function writeArchive(path: string, lines: AsyncIterable<ArchiveLine>): Promise<WrittenArchive> {
  const file = await open(`${path}.part`, 'w', 0o600)
  const whole = createHash('sha256')
  let at = 0
  const write = async (bytes: Buffer) => {
    whole.update(bytes)
    await file.writeFile(bytes)
    at += bytes.length
  }
  const index: Member[] = []
  let count = 0
  let waiting: ArchiveLine[] = []
  let characters = 0
  const writeMember = async () => {
    const bytes = await compress(waiting.map(({ text }) => `${text}\n`).join(''), { level: 9 })
    index.push({ id: waiting[0]!.id, at, bytes: bytes.length, sha256: hash('sha256', bytes) })
    await write(bytes)
    count += waiting.length
    waiting = []
    characters = 0
  }
  try {
    for await (const line of lines) {
      waiting.push(line)
      characters += line.text.length
      if (waiting.length === linesPerMember || characters >= charactersPerMember) await writeMember()
    }
    if (waiting.length > 0) await writeMember()
    const indexAt = at
    const indexBytes = await compress(`${JSON.stringify({ index })}\n`, { level: 9 })
    await write(indexBytes)
    await write(endMember(indexAt))
    await file.sync()
    await rename(`${path}.part`, path)
    await syncFolder(dirname(path))
    const indexDigest = hash('sha256', indexBytes, 'buffer')
    return { lines: count, bytes: at, digest: whole.digest(), indexDigest }
  } finally {
    await file.close()
  }
}

/** The lines with these ids; missing ids are left out. What is read is verified by the digests, starting with that of the index. */
export async function findLines(
  path: string,
  indexDigest: Buffer,
  ids: readonly string[],
): Promise<string[]> {
  const file = await open(path, 'r')
  try {
    const index = await readIndex(file, indexDigest)
    const wanted = new Set(ids)
    const members = new Set(ids.flatMap((id) => index.findLast((member) => member.id <= id) ?? []))
    const found: string[] = []
    for (const member of members)
      found.push(...(await readMember(file, member)).filter((line) => wanted.has(idIn(line))))
    return found
  } finally {
    await file.close()
  }
}

const idIn = (line: string): string => /^\{"id": ?"([^"]*)"/.exec(line)?.[1] ?? ''

/** Every line in order, member by member. */
export async function* readArchive(path: string, indexDigest: Buffer): AsyncGenerator<string[]> {
  const file = await open(path, 'r')
  try {
    for (const member of await readIndex(file, indexDigest)) yield await readMember(file, member)
  } finally {
    await file.close()
  }
}

/** The current digests of a file. */
export async function digestsOf(path: string): Promise<Pick<WrittenArchive, 'digest' | 'indexDigest'>> {
  const whole = createHash('sha256')
  for await (const bytes of createReadStream(path)) whole.update(bytes)
  const file = await open(path, 'r')
  try {
    return { digest: whole.digest(), indexDigest: hash('sha256', await readIndexBytes(file), 'buffer') }
  } finally {
    await file.close()
  }
}

async function readIndex(file: FileHandle, indexDigest: Buffer): Promise<Member[]> {
  const bytes = await readIndexBytes(file)
  if (!hash('sha256', bytes, 'buffer').equals(indexDigest)) throw new DamagedArchive('Its index is damaged.')
  return JSON.parse((await decompress(bytes)).toString()).index
}

async function readMember(file: FileHandle, { at, bytes, sha256 }: Member): Promise<string[]> {
  const member = await readBytes(file, at, bytes)
  if (hash('sha256', member) !== sha256) throw new DamagedArchive(`It is damaged at byte ${at}.`)
  return (await decompress(member)).toString().trimEnd().split('\n')
}

async function readIndexBytes(file: FileHandle): Promise<Buffer> {
  const { size } = await file.stat()
  if (size < endBytes) throw new DamagedArchive('It is cut off.')
  const end = await readBytes(file, size - endBytes, endBytes)
  if (!end.subarray(0, headBytes).equals(head)) throw new DamagedArchive('It is cut off.')
  const at = Number(end.readBigUInt64LE(headBytes))
  if (at > size - endBytes) throw new DamagedArchive('Its end is damaged.')
  return readBytes(file, at, size - endBytes - at)
}

async function readBytes(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at)
  if (bytesRead < length) throw new DamagedArchive('It is cut off.')
  return buffer
}

/** RFC 1952: deflate, with an extra field "IN" of eight bytes. */
const head = Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 12, 0, 0x49, 0x4e, 8, 0])
const headBytes = head.length
const endBytes = headBytes + 8 + 2 + 8

function endMember(indexAt: number): Buffer {
  const place = Buffer.alloc(8)
  place.writeBigUInt64LE(BigInt(indexAt))
  // An empty block, its checksum and its length.
  return Buffer.concat([head, place, Buffer.from([3, 0]), Buffer.alloc(8)])
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  await folder.sync().finally(() => folder.close())
}
