/**
 * The folder that backups are stored in, on another disk or machine. Each installation has its own folder there, named by the
 * id of its cluster: a restored cluster has another id, so that its WAL never mixes with that of the one it came from.
 *
 *   <id>/base/<segment>-<time>/cluster    a full backup; the segment is the first one of WAL that it needs
 *   <id>/base/<segment>-<time>/manifest   written last, after the other one was read back: without it the backup does not count
 *   <id>/wal/<segment>                    a finished segment of WAL
 *
 * A file is complete or missing, and never changes: any program may copy the folder to a third place. It is compressed by zstd,
 * then encrypted by AES-256-GCM under a key of its own, which comes from the master key and the random salt in front. Its name is
 * authenticated with it: files can be neither changed, cut off nor exchanged. That is known at the end of a file only.
 * Layout: magic (8 bytes) · fingerprint of the master key (8) · salt (32) · ciphertext · tag (16).
 */
import { createCipheriv, createDecipheriv } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
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

/** Stores a file for good and reads it back; returns how long it is there. */
export async function store(folder: BackupFolder, name: string, plain: Bytes): Promise<number> {
  const path = join(folder.root, name)
  const part = join(dirname(path), `.part-${randomToken(6)}`)
  const [salt, key] = [randomNonce(32), folder.keys.current]
  const cipher = createCipheriv('aes-256-gcm', keyOf(key, salt), nonce).setAAD(Buffer.from(name))
  try {
    await refuseMissing(folder)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const file = createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true })
    file.write(Buffer.concat([magic, fingerprint(key), salt]))
    const withTag = async function* (sealed: Bytes) {
      yield* sealed
      yield cipher.getAuthTag()
    }
    await run(plain, createZstdCompress(), cipher, withTag, file)
    await rename(part, path)
    for (let at = dirname(path); at.startsWith(folder.root); at = dirname(at)) await sync(at)
    for await (const _chunk of get(folder, name));
    return file.bytesWritten
  } catch (error) {
    await rm(part, { force: true }).catch(() => {})
    throw unusable(folder, error)
  }
}

async function sync(path: string): Promise<void> {
  const folder = await open(path, 'r')
  await folder.sync().finally(() => folder.close())
}

/** What a stored file contains; it is refused by its name if that is not what was stored. */
export async function* get(folder: BackupFolder, name: string): AsyncGenerator<Buffer> {
  const file = await open(join(folder.root, name)).catch((error) => {
    throw codeOf(error) === 'ENOENT' ? damaged(name, 'it is missing') : unusable(folder, error)
  })
  try {
    const end = (await file.stat()).size - tagBytes
    const read = async (bytes: number, at: number) =>
      (await file.read(Buffer.alloc(bytes), 0, bytes, at)).buffer
    const head = await read(headBytes, 0)
    if (end <= headBytes || !head.subarray(0, 8).equals(magic))
      throw damaged(name, 'it is no file of a backup')
    const { current, old } = folder.keys
    const key = [current, old].find((one) => one && fingerprint(one).equals(head.subarray(8, 16)))
    if (!key)
      throw new Unreadable(
        `The backup's file ${name} was encrypted under another master key; set INLET_MASTER_KEY, or INLET_OLD_MASTER_KEY beside it, to the key of the installation when it made this backup.`,
      )
    const decipher = createDecipheriv('aes-256-gcm', keyOf(key, head.subarray(16)), nonce)
      .setAAD(Buffer.from(name))
      .setAuthTag(await read(tagBytes, end))
    const sealed = file.createReadStream({ start: headBytes, end: end - 1, autoClose: false })
    yield* pipeline(sealed, decipher, createZstdDecompress(), () => {}) as Bytes
  } catch (error) {
    if (error instanceof OperatorProblem) throw error
    throw 'syscall' in (error as object) ? unusable(folder, error) : damaged(name, 'it was changed', error)
  } finally {
    await file.close()
  }
}

/** The names in one folder of an installation, in order. */
export const list = async (folder: BackupFolder, path: string): Promise<string[]> =>
  (
    await readdir(join(folder.root, path)).catch((error) => {
      if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return []
      throw unusable(folder, error)
    })
  ).sort()

export const damaged = (name: string, why: string, cause?: unknown): OperatorProblem =>
  new Unreadable(
    `The backup's file ${name} is damaged (${why}); restore from another backup ("inlet backup list").`,
    { cause },
  )

export const unusable = ({ root }: BackupFolder, cause: unknown): unknown =>
  cause instanceof OperatorProblem || !codeOf(cause)
    ? cause
    : new OperatorProblem(`The folder for backups ${root} cannot be used (${reasonOf(cause)}).`, { cause })
