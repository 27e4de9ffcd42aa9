/** The installation's master key: from the settings; in development a file made on first use. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { randomBase64 } from './clock.ts'
import { writeFirst } from './data-folder.ts'
import { ConfigProblem, codeOf } from './operator-problem.ts'

export type MasterKeys = { current: Buffer; old: Buffer | null }

type Settings = {
  masterKey: Buffer | null
  oldMasterKey: Buffer | null
  production: boolean
  dataDir: string
}

export async function readMasterKeys({
  masterKey,
  oldMasterKey: old,
  ...own
}: Settings): Promise<MasterKeys> {
  const current = masterKey ?? (await readOwnFile(own))
  if (old?.equals(current))
    throw new ConfigProblem('- INLET_OLD_MASTER_KEY is the same key as INLET_MASTER_KEY: leave it out.')
  return { current, old }
}

/** In development the key is made once: of two processes that start together the second reads what the first wrote. */
async function readOwnFile({
  production,
  dataDir,
}: Pick<Settings, 'production' | 'dataDir'>): Promise<Buffer> {
  const file = join(dataDir, 'master.key')
  const read = () => readFile(file, 'utf8')
  const text = await read()
    .catch(async (error) => {
      if (codeOf(error) !== 'ENOENT' || production) throw error
      await writeFirst(file, `${randomBase64(32)}\n`)
      return read()
    })
    .catch((error) => {
      throw new ConfigProblem(`- The master key file ${file} cannot be read (${codeOf(error)}).`)
    })
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length !== 32) throw new ConfigProblem(`- The master key file ${file} must be 32 bytes in base64.`)
  return key
}
