/** The data folder: private, created when missing, or one sentence why it cannot be used. */
import { constants, existsSync } from 'node:fs'
import { access, link, mkdir, open, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { randomToken } from './clock.ts'
import { codeOf, OperatorProblem, reasonOf } from './operator-problem.ts'

export async function makeDataFolder(dataDir: string): Promise<void> {
  try {
    await makeFolder(dataDir)
    await access(dataDir, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw notWritable(dataDir, error)
  }
}

const secrets = ['master.key', 'postgres.json', 'demo.json']

/**
 * Everything in the data folder is closed to other users by itself, so that the folder may be any one. Secrets that came from elsewhere,
 * as from a backup, are closed here. Returns a sentence for what stays open.
 */
export async function closeSecrets(dataDir: string): Promise<string[]> {
  const warnings = await Promise.all(secrets.map((name) => closeSecret(join(dataDir, name))))
  const { mode } = await stat(dataDir)
  if ((mode & 0o1002) === 0o0002)
    warnings.push(
      `Every user of this machine can replace the files in the data folder ${dataDir}: run "chmod o-w ${dataDir}".`,
    )
  return warnings.filter((sentence) => sentence !== null)
}

/** Uses a file handle, so that the checked file is the changed one, and symbolic links are not followed. */
async function closeSecret(path: string): Promise<string | null> {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants
  const handle = await open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW).catch(() => null)
  if (!handle) return null
  try {
    const { mode, uid, gid } = await handle.stat()
    // A file of root's that a group may use, as in a container: closing it would lock the members of the group out.
    const isOfGroup = process.geteuid?.() === 0 && uid === 0 && gid !== 0
    const open = mode & (isOfGroup ? 0o007 : 0o077)
    if (open !== 0) await handle.chmod(mode & 0o7777 & ~open)
    return null
  } catch (error) {
    return `Other users of this machine can read ${path}, and Inlet cannot change that (${reasonOf(error)}): as root run "chown ${process.geteuid!()} ${path} && chmod 600 ${path}".`
  } finally {
    await handle.close()
  }
}

/** Node's recursive mkdir never returns below /proc, where every attempt answers that the parent is missing. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return
    if (codeOf(error) !== 'ENOENT' || existsSync(dirname(path))) throw error
    await makeFolder(dirname(path))
    await makeFolder(path)
  }
}

/** If two processes write at once the first wins, and no one reads a partial file, even after a power cut. */
export async function writeFirst(file: string, text: string): Promise<void> {
  const draft = await writeDraft(file, text)
  await link(draft, file).catch((error) => {
    if (codeOf(error) !== 'EEXIST') throw error
  })
  await rm(draft, { force: true })
}

/** Writes and syncs a file next to its destination, to be linked or renamed. */
export async function writeDraft(file: string, text: string): Promise<string> {
  const draft = `${file}-${randomToken(6)}`
  const handle = await open(draft, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  return draft
}

export const notWritable = (dataDir: string, cause: unknown): OperatorProblem =>
  new OperatorProblem(
    `Inlet cannot write to its data folder ${dataDir} (${reasonOf(cause)}); make it writable or set INLET_DATA_DIR to another folder.`,
    { cause },
  )

const unfinished = (dataDir: string): string => join(dataDir, 'restore-unfinished')

/** Call this before a restore writes anything, because the restore may be killed at any moment. */
export const beginRestore = (dataDir: string): Promise<void> => writeFirst(unfinished(dataDir), '')

export const endRestore = (dataDir: string): Promise<void> => rm(unfinished(dataDir))

/** The cluster of an interrupted restore may be incomplete, and would use numbers again that others have seen. */
export function refuseUnfinishedRestore(dataDir: string): void {
  if (existsSync(unfinished(dataDir)))
    throw new OperatorProblem(
      `The restore into ${dataDir} did not end, so nothing may be served from it: restore into a new folder.`,
    )
}
