/** data/demo.json: the demo merchant's credentials, for the first minute of a newcomer. */
import { readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { writeDraft } from '../../platform/data-folder.ts'

export type Demo = {
  base_url: string
  merchant: string
  key_id: string
  signing_secret: string
  callback_secret: string
  /** Present only if the signing key accepts v2 signatures alone. */
  v2_only?: true
}

export const demoFile = (dataDir: string) => join(dataDir, 'demo.json')

export async function readDemo(dataDir: string): Promise<Demo | undefined> {
  try {
    return JSON.parse(await readFile(demoFile(dataDir), 'utf8')) as Demo
  } catch {
    return undefined
  }
}

export async function writeDemo(dataDir: string, demo: Demo): Promise<void> {
  const file = demoFile(dataDir)
  await rename(await writeDraft(file, `${JSON.stringify(demo, null, 2)}\n`), file)
}
