/**
 * The folder that backups are stored in, on another disk or machine. Each installation has its own folder there, named by the
 * id of its cluster: a restored cluster has another id, so that its WAL never mixes with that of the one it came from.
 *
 *   <id>/base/<segment>-<time>/<path>     the files of a full backup; the segment is the first one of WAL that it needs
 *   <id>/base/<segment>-<time>/manifest   written last, after every file was read back: without it the backup does not count
 *   <id>/wal/<segment>                    a finished segment of WAL
 *
 * A file is complete or missing, and never changes: any program may copy the folder to a third place. It is compressed by zstd,
 * then encrypted by AES-256-GCM under a key of its own, which comes from the master key and the random salt in front. Its name is
 * authenticated with it: files can be neither changed, cut off nor exchanged. That is known at the end of a file only.
 * Layout: magic (8 bytes) · fingerprint of the master key (8) · salt (32) · ciphertext · tag (16).
 */
import { createCipheriv, createDecipheriv, createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream'
import { pipeline as run } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { randomNonce, randomToken } from '../clock.ts'
import { codeOf, OperatorProblem, reasonOf } from '../operator-problem.ts'
import type { MasterKey, Vault } from '../vault.ts'

export type Bytes = AsyncIterable<Buffer>

/** Stored under the current key; read with either, while the master key is changed. */
type BackupKeys = Pick<Vault, 'current' | 'old'>
export type BackupFolder = { root: string; keys: BackupKeys }

/** What a file contains, before it is sealed. */
export type Content = { bytes: number; sha256: string }

/** A file that is missing or damaged, or was stored before the master key was changed. */
export class Unreadable extends OperatorProblem {}

const magic = Buffer.from('INLETBK1')
const headBytes = 48
const tagBytes = 16
/** A key encrypts one file. */
const nonce = Buffer.alloc(12)

const fingerprint = ({ mac }: MasterKey) =>
  mac(Buffer.alloc(0), 'backup: fingerprint of the key').subarray(0, 8)
const keyOf = ({ mac }: MasterKey, salt: Buffer) => mac(salt, 'backup: key of a file')

export async function openBackups(place: string, keys: BackupKeys): Promise<BackupFolder> {
  const folder = { root: resolve(place), keys }
  await refuseMissing(folder)
  return folder
}

/** A disk that is not mounted must not be taken for an empty one: Inlet never creates this folder. */
async function refuseMissing({ root }: BackupFolder): Promise<void> {
  const found = await stat(root).catch(() => undefined)
  if (!found?.isDirectory())
    throw new OperatorProblem(
      `The folder for backups ${root} does not exist; make it ("mkdir -p ${root}"), or mount the disk that has it.`,
    )
}

/** Stores a file for good. */
export async function store(folder: BackupFolder, name: string, plain: Bytes): Promise<Content> {
  const { bytes, sha256 } = await put(folder, name, plain)
  await settle(folder, [{ name, bytes, sha256 }])
  return { bytes, sha256 }
}

/** Stores a file, which may not be on the disk yet; returns what it contains, and how long it is there. */
export async function put(
  folder: BackupFolder,
  name: string,
  plain: Bytes,
): Promise<Content & { stored: number }> {
  const path = join(folder.root, name)
  const part = join(dirname(path), `.part-${randomToken(6)}`)
  const { bytes, result } = measured(plain)
  const [salt, key] = [randomNonce(32), folder.keys.current]
  const cipher = createCipheriv('aes-256-gcm', keyOf(key, salt), nonce).setAAD(Buffer.from(name))
  try {
    await refuseMissing(folder)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const file = createWriteStream(part, { flags: 'wx', mode: 0o600 })
    file.write(Buffer.concat([magic, fingerprint(key), salt]))
    const withTag = async function* (sealed: Bytes) {
      yield* sealed
      yield cipher.getAuthTag()
    }
    await run(bytes, createZstdCompress(), cipher, withTag, file)
    await rename(part, path)
    return { ...result(), stored: file.bytesWritten }
  } catch (error) {
    await rm(part, { force: true }).catch(() => {})
    throw unusable(folder, error)
  }
}

/** Syncs files, and every folder that they are in, and reads them back. */
export async function settle(folder: BackupFolder, files: (Content & { name: string })[]): Promise<void> {
  const paths = new Set<string>()
  for (const { name } of files)
    for (let path = join(folder.root, name); path.startsWith(folder.root); path = dirname(path))
      paths.add(path)
  await someAtOnce(paths, async (path) => {
    const file = await open(path, 'r')
    await file.sync().finally(() => file.close())
  })
  await someAtOnce(files, (file) => check(folder, file.name, file))
}

export async function someAtOnce<Item>(
  items: Iterable<Item> | AsyncGenerator<Item>,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const left = Symbol.asyncIterator in items ? items : Iterator.from(items)
  const workOff = async () => {
    for await (const item of left) await work(item)
  }
  await Promise.all([1, 2, 3, 4].map(workOff))
}

/** What a stored file contains; it is refused by its name if that is not what was stored, or not what is expected. */
export async function* get(folder: BackupFolder, name: string, expected?: Content): AsyncGenerator<Buffer> {
  const file = await open(join(folder.root, name)).catch((error) => {
    throw codeOf(error) === 'ENOENT' ? damaged(name, 'it is missing') : unusable(folder, error)
  })
  try {
    const { bytes, result } = measured(opened(folder, name, file))
    yield* bytes
    const found = result()
    if (expected && (found.bytes !== expected.bytes || found.sha256 !== expected.sha256))
      throw damaged(name, 'its digest is another one')
  } catch (error) {
    if (error instanceof OperatorProblem) throw error
    throw 'syscall' in (error as object) ? unusable(folder, error) : damaged(name, 'it was changed', error)
  } finally {
    await file.close()
  }
}

async function* opened({ keys }: BackupFolder, name: string, file: FileHandle): AsyncGenerator<Buffer> {
  const { size } = await file.stat()
  const read = async (bytes: number, at: number) =>
    (await file.read(Buffer.alloc(bytes), 0, bytes, at)).buffer
  const head = await read(headBytes, 0)
  if (size <= headBytes + tagBytes || !head.subarray(0, 8).equals(magic))
    throw damaged(name, 'it is no file of a backup')
  const key = [keys.current, keys.old].find((one) => one && fingerprint(one).equals(head.subarray(8, 16)))
  if (!key)
    throw new Unreadable(
      `The backup's file ${name} was encrypted under another master key; set INLET_MASTER_KEY, or INLET_OLD_MASTER_KEY beside it, to the key of the installation when it made this backup.`,
    )
  const end = size - tagBytes
  const decipher = createDecipheriv('aes-256-gcm', keyOf(key, head.subarray(16)), nonce, {
    authTagLength: tagBytes,
  })
    .setAAD(Buffer.from(name))
    .setAuthTag(await read(tagBytes, end))
  const sealed = file.createReadStream({ start: headBytes, end: end - 1, autoClose: false })
  yield* pipeline(sealed, decipher, createZstdDecompress(), () => {}) as Bytes
}

/** Reads a stored file to its end. */
export const check = (folder: BackupFolder, name: string, expected?: Content): Promise<Content> =>
  contentOf(get(folder, name, expected))

export async function contentOf(plain: Bytes): Promise<Content> {
  const { bytes, result } = measured(plain)
  for await (const _chunk of bytes);
  return result()
}

/** The names in one folder of an installation, in order. */
export const list = async (folder: BackupFolder, path: string): Promise<string[]> =>
  (
    await readdir(join(folder.root, path)).catch((error) => {
      if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return []
      throw unusable(folder, error)
    })
  ).sort()

export const readBytes = (path: string): Bytes => createReadStream(path)

/** Passes bytes on, and says what they were. */
function measured(bytes: Bytes): { bytes: Bytes; result: () => Content } {
  const digest = createHash('sha256')
  let count = 0
  async function* pass(): AsyncGenerator<Buffer> {
    for await (const chunk of bytes) {
      digest.update(chunk)
      count += chunk.length
      yield chunk
    }
  }
  return { bytes: pass(), result: () => ({ bytes: count, sha256: digest.digest('hex') }) }
}

const damaged = (name: string, why: string, cause?: unknown): OperatorProblem =>
  new Unreadable(
    `The backup's file ${name} is damaged (${why}); restore from another backup ("inlet backup list").`,
    { cause },
  )

export const unusable = ({ root }: BackupFolder, cause: unknown): unknown =>
  cause instanceof OperatorProblem || !codeOf(cause)
    ? cause
    : new OperatorProblem(`The folder for backups ${root} cannot be used (${reasonOf(cause)}).`, { cause })
