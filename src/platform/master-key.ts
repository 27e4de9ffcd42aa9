/** The installation's master key: from the setting, from a file, or in development a file made on first use. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { randomBase64 } from './clock.ts'
import { writeFirst } from './data-folder.ts'
import { ConfigProblem } from './operator-problem.ts'

type MasterKeySource = {
  masterKey: Buffer | null
  masterKeyFile: string | null
  production: boolean
  dataDir: string
}

export async function readMasterKey(source: MasterKeySource): Promise<Buffer> {
  if (source.masterKey) return source.masterKey
  const file = source.masterKeyFile ?? join(source.dataDir, 'master.key')
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && !source.masterKeyFile && !source.production) return makeKey(file)
    throw new ConfigProblem(`- The master key file ${file} cannot be read (${error.code}).`)
  })
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length !== 32)
    throw new ConfigProblem(`- The master key file ${file} must hold 32 bytes in base64.`)
  return key
}

/** Made once: of two processes that start together the second one reads what the first one wrote. */
async function makeKey(file: string): Promise<string> {
  await writeFirst(file, `${randomBase64(32)}\n`)
  return readFile(file, 'utf8')
}
