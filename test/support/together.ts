/**
 * Runs test files in one process, one after the other: what they all load is loaded and warmed up once. Each file
 * can still be run alone. The runner starts groups in the order of their names: the longest have the lowest numbers.
 */

import { glob } from 'node:fs/promises'
import { beforeEach, describe } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { isWhole } from './attempts.ts'
import { asFile } from './clean-up.ts'
import { stopFollowing } from './unfollowed.ts'

const root = new URL('../../', import.meta.url)

/**
 * The runner waits for a process forever, and a test that spins or waits in vain never ends its own. A thread beside it
 * sees the time pass all the same: when no test has begun for so long, the run ends, and says in which test.
 */
const longest = isWhole ? 20 * 60_000 : 4 * 60_000
const watchdog = `
  let timer
  require('node:worker_threads').parentPort.on('message', (name) => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      require('node:fs').writeSync(2, 'given up after ${longest / 60_000} minutes in: ' + name + '\\n')
      process.kill(process.pid, 'SIGKILL')
    }, ${longest})
  })`

export async function together(...patterns: string[]): Promise<void> {
  const worker = new Worker(watchdog, { eval: true })
  worker.unref()
  worker.postMessage('the beginning')
  beforeEach((t) => worker.postMessage('name' in t ? t.name : ''))
  const files = await Array.fromAsync(glob(patterns, { cwd: fileURLToPath(root) }))
  const loads = files.sort().map((file) => {
    const load = () => asFile(() => import(new URL(file, root).href))
    return new Promise((resolve) => void describe(file, () => load().finally(() => resolve(file))))
  })
  await Promise.all(loads)
  stopFollowing()
}
