/** data/demo.json: the demo merchant's credentials, for the first minute of a newcomer. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export type Demo = {
  base_url: string
  merchant: string
  key_id: string
  signing_secret: string
  callback_secret: string
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
  await writeFile(demoFile(dataDir), `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 })
}
