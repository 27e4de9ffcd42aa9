/** The data folder: private, created when missing, or one sentence why it cannot be used. */
import { constants, existsSync } from 'node:fs'
import { access, link, mkdir, open, readdir, rm } from 'node:fs/promises'
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

/** Names that Inlet itself creates there, also while they are being written; `lost+found` belongs to the disk. */
const knownNames =
  /^((master\.key|postgres\.json|demo\.json)(-[\w-]+)?|restore-report\.json|restore-unfinished|postgres|uploads|inlet-drill|lost\+found|\.git(keep|ignore))$/
const secrets = ['master.key', 'postgres.json', 'demo.json']

/**
 * Restricts an existing folder, and the secrets in it, to our user. A folder that also holds files of others stays open: to close /tmp
 * or a home folder would do more harm than good. Returns a sentence for each path that stays open.
 */
export async function tightenDataFolder(dataDir: string): Promise<string[]> {
  if (process.platform === 'win32') return []
  const names = await readdir(dataDir).catch(() => [dataDir])
  const isShared = names.some((name) => !knownNames.test(name))
  const warnings = [
    await tighten(dataDir, { mode: 0o700, isShared, followsLinks: true }),
    await tighten(join(dataDir, 'uploads'), { mode: 0o700 }),
  ]
  for (const name of secrets) warnings.push(await tighten(join(dataDir, name), { mode: 0o600 }))
  return warnings.filter((sentence) => sentence !== null)
}

type Tighten = { mode: 0o600 | 0o700; isShared?: boolean; followsLinks?: boolean }

/** Uses a file handle, so that the checked file is the changed one, and symbolic links are not followed. */
async function tighten(
  path: string,
  { mode, isShared = false, followsLinks = false }: Tighten,
): Promise<string | null> {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants
  const handle = await open(path, O_RDONLY | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW)).catch(() => null)
  if (!handle) return null
  try {
    const { mode: bits, uid, gid } = await handle.stat()
    const permissions = bits & 0o7777
    // A folder of root's that a group may use, as in a container: closing it would lock the members of the group out.
    const isOfGroup = process.geteuid?.() === 0 && uid === 0 && gid !== 0
    if ((permissions & (isOfGroup ? 0o007 : 0o077)) === 0) return null
    const isSticky = (permissions & 0o1000) !== 0
    if (isShared || isSticky)
      return `Other users of this machine can enter the data folder ${path} (mode ${permissions.toString(8)}), and Inlet leaves it so, because it holds what is not Inlet's: set INLET_DATA_DIR to a folder of its own, or run "chmod 700 ${path}".`
    await handle.chmod(isOfGroup ? permissions & 0o7770 : mode)
    return null
  } catch (error) {
    return `Other users of this machine can read ${path}, and Inlet cannot change that (${reasonOf(error)}): as root run "chown ${process.geteuid!()} ${path} && chmod ${mode.toString(8)} ${path}".`
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
