/**
 * The files of a cluster as a stream of bytes, and back. Each part of a file follows its description: length of the
 * description (4 bytes), the description as JSON, the bytes. Left out is what PostgreSQL's manual says a base backup
 * leaves out, because a start creates it again.
 */
import { chown, mkdir, open, readdir } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { codeOf, OperatorProblem } from '../operator-problem.ts'
import type { Account } from '../postgres-home.ts'
import type { Bytes } from './sealed-stream.ts'

export type ClusterFile = { path: string; bytes: number }
type Cluster = { folders: string[]; files: ClusterFile[]; bytes: number }

/** Folders whose contents are left out. */
const emptied = [
  ...['pg_wal', 'pg_replslot', 'pg_dynshmem', 'pg_notify', 'pg_serial', 'pg_snapshots', 'pg_stat_tmp'],
  'pg_subtrans',
]
const leftOut =
  /(^|\/)(postmaster\.(pid|opts)|pg_internal\.init(\.\d+)?|postgresql\.auto\.conf\.tmp|current_logfiles(\.tmp)?|backup_label(\.old)?|tablespace_map(\.old)?|backup_manifest|(recovery|standby)\.signal|pgsql_tmp.*)$/
const control = 'global/pg_control'

/** What is there now. The control file comes last, so that it is read when everything else has been. */
export async function listCluster(cluster: string): Promise<Cluster> {
  const folders: string[] = []
  const files: ClusterFile[] = []
  const walk = async (folder: string): Promise<void> => {
    const entries = await readdir(join(cluster, folder), { withFileTypes: true }).catch(orIfMissing([]))
    for (const entry of entries) {
      const path = folder ? `${folder}/${entry.name}` : entry.name
      if (leftOut.test(path)) continue
      if (folder === 'pg_tblspc')
        throw new OperatorProblem(
          `The database in ${cluster} has a tablespace of its own, which "inlet backup" does not store; move it back with "alter table … set tablespace pg_default", or back up with PostgreSQL's own programs (docs/backup.md).`,
        )
      if (entry.isDirectory()) {
        folders.push(path)
        if (!emptied.includes(path)) await walk(path)
      } else if (entry.isFile()) files.push({ path, bytes: await sizeOf(join(cluster, path)) })
    }
  }
  await walk('')
  // The history of a timeline: it is small, and needed to restore a restored cluster.
  for (const name of await readdir(join(cluster, 'pg_wal')))
    if (name.endsWith('.history'))
      files.push({ path: `pg_wal/${name}`, bytes: await sizeOf(join(cluster, 'pg_wal', name)) })
  files.sort((one, other) => Number(one.path === control) - Number(other.path === control))
  return { folders, files, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) }
}

async function sizeOf(path: string): Promise<number> {
  const handle = await open(path, 'r').catch(orIfMissing(undefined))
  if (!handle) return 0
  return handle
    .stat()
    .then(({ size }) => size)
    .finally(() => handle.close())
}

const orIfMissing =
  <Result>(result: Result) =>
  (error: unknown): Result => {
    if (codeOf(error) !== 'ENOENT') throw error
    return result
  }

type Part = { path: string; at: number; bytes: number }
type Description = Part | { folder: string }

const readBytes = 1024 * 1024

export function* describeFolders(folders: readonly string[]): Generator<Buffer> {
  for (const folder of folders) yield describe({ folder })
}

/** `bytes` beginning at `at`. A file that shrinks meanwhile is filled with zeros: WAL says what belongs there. */
export async function* readPart(cluster: string, { path, at, bytes }: Part): AsyncGenerator<Buffer> {
  const handle = await open(join(cluster, path), 'r').catch(orIfMissing(undefined))
  if (!handle) return // Its table is gone, and WAL says so.
  try {
    yield describe({ path, at, bytes })
    for (let done = 0; done < bytes; ) {
      const length = Math.min(readBytes, bytes - done)
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, at + done)
      yield bytesRead === 0 ? buffer : buffer.subarray(0, bytesRead)
      done += bytesRead === 0 ? length : bytesRead
    }
  } finally {
    await handle.close()
  }
}

function describe(description: Description): Buffer {
  const text = Buffer.from(JSON.stringify(description))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(text.length)
  return Buffer.concat([length, text])
}

const descriptionBytes = 64 * 1024

/** Writes such a stream into a folder, as files of this account. */
export async function writeParts(folder: string, stream: Bytes, account: Account): Promise<void> {
  const writer = createWriter(folder, account)
  let waiting: Buffer = Buffer.alloc(0)
  for await (const chunk of stream) {
    waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk])
    while (waiting.length > 0) {
      const left = await writer.take(waiting)
      if (left === waiting) break
      waiting = left
    }
  }
  await writer.end()
  if (waiting.length > 0) throw new OperatorProblem('A piece of the backup ends in the middle of a file.')
}

function createWriter(root: string, account: Account) {
  const made = new Set<string>()
  let file: Awaited<ReturnType<typeof open>> | undefined
  let at = 0
  let left = 0

  const makeFolder = async (path: string): Promise<void> => {
    if (made.has(path) || path === root) return
    await makeFolder(dirname(path))
    made.add(path)
    await mkdir(path, { mode: 0o700 }).catch((error) => {
      if (codeOf(error) !== 'EEXIST') throw error
    })
    if (account) await chown(path, account.uid, account.gid)
  }
  // PostgreSQL syncs a cluster that was not shut down to the disk before it recovers it.
  const close = async (): Promise<void> => {
    await file?.close()
    file = undefined
  }
  const begin = async (description: Description): Promise<void> => {
    if ('folder' in description) return makeFolder(inside(root, description.folder))
    const path = inside(root, description.path)
    await makeFolder(dirname(path))
    file = await open(path, description.at === 0 ? 'w' : 'r+', 0o600)
    if (account) await file.chown(account.uid, account.gid)
    at = description.at
    left = description.bytes
    if (left === 0) await close()
  }

  return {
    /** Uses complete parts, and returns the bytes that it could not use yet. */
    async take(bytes: Buffer): Promise<Buffer> {
      if (file) {
        const used = bytes.subarray(0, left)
        await file.write(used, 0, used.length, at)
        at += used.length
        left -= used.length
        if (left === 0) await close()
        return bytes.subarray(used.length)
      }
      if (bytes.length < 4) return bytes
      const length = bytes.readUInt32BE()
      if (length > descriptionBytes) throw new OperatorProblem('A piece of the backup is not readable.')
      if (bytes.length < 4 + length) return bytes
      await begin(JSON.parse(bytes.subarray(4, 4 + length).toString()))
      return bytes.subarray(4 + length)
    },
    async end(): Promise<void> {
      if (file) throw new OperatorProblem('A piece of the backup ends in the middle of a file.')
    },
  }
}

/** Refuses a name that leads out of the folder. */
function inside(root: string, path: string): string {
  const target = resolve(root, path)
  const way = relative(root, target)
  if (way === '' || way.startsWith('..') || way.split(sep).includes('..') || resolve(way) === way)
    throw new OperatorProblem('The backup holds a name that leads out of its folder.')
  return target
}
