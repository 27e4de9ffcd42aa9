/** The references that answer HTTP: bare programs in processes of their own. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Login } from '../src/platform/db.ts'
import type { Shop } from './orders.ts'

/** `shop`: whose signatures are checked. `model`: the deposit whose values all others get. */
export type BareTask =
  | { does: 'json' }
  | { does: 'look-ups'; login: Login; shop: Shop }
  | { does: 'stores'; login: Login; shop: Shop; model: string }

export type Server = { port: number; cpuMicros(): Promise<number>; close(): void }

export const openBare = (task: BareTask): Promise<Server> =>
  openServer('./bare-server.ts', JSON.stringify(task))

export async function openServer(program: string, task: string): Promise<Server> {
  const child = fork(fileURLToPath(new URL(program, import.meta.url)), [task])
  const [port] = (await once(child, 'message')) as [number]
  const cpuMicros = async () => {
    child.send('cpu')
    const [{ user, system }] = (await once(child, 'message')) as [NodeJS.CpuUsage]
    return user + system
  }
  return { port, cpuMicros, close: () => void child.kill() }
}
