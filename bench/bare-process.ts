/** References that answer HTTP in a process of their own. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { BareReads } from './bare-reads.ts'
import type { World } from './world.ts'

type BareProcess = { port: number; close(): void }

export const openBareJson = (): Promise<BareProcess> => openBareProcess('./bare-route.mjs')

export function openBareReads(world: World): Promise<BareProcess> {
  const { merchant, secret } = world.shop
  const reads: BareReads = { login: world.login('inlet'), merchant, secret }
  return openBareProcess('./bare-reads.ts', [JSON.stringify(reads)])
}

export async function openBareProcess(program: string, args: string[] = []): Promise<BareProcess> {
  const bare = fork(fileURLToPath(new URL(program, import.meta.url)), args)
  const [port] = (await once(bare, 'message')) as [number]
  return { port, close: () => void bare.kill() }
}
