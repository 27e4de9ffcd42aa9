/** The data folder: ours alone, made when it is missing, or one sentence why it cannot be used. */
import { constants, existsSync } from 'node:fs'
import { access, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
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

export const notWritable = (dataDir: string, cause: unknown): OperatorProblem =>
  new OperatorProblem(
    `Inlet cannot write to its data folder ${dataDir} (${reasonOf(cause)}); make it writable or set INLET_DATA_DIR to another folder.`,
    { cause },
  )
