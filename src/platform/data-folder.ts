/** The data folder: ours alone, made when it is missing, or one sentence why it cannot be used. */
import { constants, existsSync } from 'node:fs'
import { access, link, mkdir, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
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

/** Of two that write it at once the first one stays, and nobody reads half of it, not after a power cut either. */
export async function writeFirst(file: string, text: string): Promise<void> {
  const draft = await writeDraft(file, text)
  await link(draft, file).catch((error) => {
    if (codeOf(error) !== 'EEXIST') throw error
  })
  await rm(draft, { force: true })
}

/** Beside its place, on the disk for good: to be linked or renamed. */
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
