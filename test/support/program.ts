/** Inlet as its own process, started the way an operator starts it, on the embedded PostgreSQL. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Demo } from '../../src/domain/sandbox/demo-file.ts'
import { postgresFolder } from '../../src/platform/postgres-home.ts'
import { atEnd } from './clean-up.ts'
import { freePort, type Shop, shopOf } from './gateway.ts'

export const root = fileURLToPath(new URL('../../', import.meta.url))

export type Program = {
  child: ChildProcess
  url: string
  port: number
  dataDir: string
  output: () => string
  /** Answers once the program says it is ready; fails with its output when it ends before. */
  ready(): Promise<void>
  ended(): Promise<number | null>
  demo(): Promise<Demo>
  demoShop(): Promise<Shop>
}

/** A folder for the program's data; it and its PostgreSQL are removed when the test file ends. */
export async function dataFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'inlet-program-'))
  atEnd(async () => {
    await rm(postgresFolder(folder), { recursive: true, force: true })
    await rm(folder, { recursive: true, force: true })
  })
  return folder
}

/** This version with further migrations, in a folder of its own: the next version, as far as its database knows. */
export async function nextVersion(migrations: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'inlet-next-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  for (const name of ['bin', 'src', 'sdk', 'migrations', 'package.json'])
    await cp(join(root, name), join(folder, name), { recursive: true })
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const [name, text] of Object.entries(migrations))
    await writeFile(join(folder, 'migrations', name), text)
  return folder
}

export async function startProgram(
  dataDir: string,
  environment: Record<string, string> = {},
  { version = root }: { version?: string } = {},
): Promise<Program> {
  const port = Number(environment.PORT ?? (await freePort()))
  const child = spawn(process.execPath, ['bin/inlet.mjs', 'start'], {
    cwd: version,
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      INLET_DATA_DIR: dataDir,
      INLET_METRICS_PORT: 'off',
      INLET_LOG: 'json',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const exit = once(child, 'exit').then(([code]) => code as number | null)
  atEnd(async () => {
    // Killed immediately: after SIGTERM it would wait a moment for our idle connections.
    child.kill('SIGINT')
    await exit
  })
  const url = `http://localhost:${port}`
  const demo = async () => JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')) as Demo
  const ready = new Promise<void>((resolve, reject) => {
    const take = (chunk: Buffer) => {
      output += chunk
      // The welcome is the last thing a start with demo data prints.
      if (output.includes(environment.INLET_DEMO === 'off' ? 'Inlet is ready' : 'Ctrl-C stops')) resolve()
    }
    child.stdout!.on('data', take)
    child.stderr!.on('data', take)
    exit.then((code) => reject(new Error(`Inlet ended with ${code}:\n${output}`)))
  })
  ready.catch(() => {})
  return {
    child,
    url,
    port,
    dataDir,
    output: () => output,
    ready: () => ready,
    ended: () => exit,
    demo,
    async demoShop() {
      const { merchant, key_id, signing_secret } = await demo()
      return shopOf({ url }, merchant, key_id, signing_secret)
    },
  }
}
