/** The data folder: private, created when missing, or one sentence why it cannot be used. */
import { constants, existsSync } from 'node:fs'
import { access, link, mkdir, open, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { randomToken } from './clock.ts'
import { codeOf, OperatorProblem, reasonOf } from './operator-problem.ts'

export async function makeDataFolder(dataDir: string): Promise<void> {
  try {
    // Not recursive for the last one: Node would never return below /proc, where every attempt says that the parent is missing.
    await mkdir(dirname(dataDir), { recursive: true, mode: 0o700 })
    await mkdir(dataDir, { mode: 0o700 }).catch(unlessThere)
    await access(dataDir, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new OperatorProblem(
      `Inlet cannot write to its data folder ${dataDir} (${reasonOf(error)}); make it writable or set INLET_DATA_DIR to another folder.`,
      { cause: error },
    )
  }
}

/** If two processes write at once the first wins, and no one reads a partial file, even after a power cut. */
export async function writeFirst(file: string, text: string): Promise<void> {
  const draft = await writeDraft(file, text)
  await link(draft, file).catch(unlessThere)
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

const unlessThere = (error: unknown): void => {
  if (codeOf(error) !== 'EEXIST') throw error
}

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
