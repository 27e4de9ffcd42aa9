/**
 * Runs test files in one process, one after the other: what they all load is loaded and warmed up once. Each file
 * can still be run alone. The runner starts groups in the order of their names: the longest have the lowest numbers.
 */

import { glob } from 'node:fs/promises'
import { describe } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { asFile } from './clean-up.ts'
import { stopFollowing } from './unfollowed.ts'

const root = new URL('../../', import.meta.url)

/**
 * The runner waits for a process forever, and a test that spins or waits in vain never ends its own. A thread beside
 * it sees the time pass all the same: the run ends, and says where.
 */
const most = 20 * 60_000
const watchdog = `setTimeout(() => {
  require('node:fs').writeSync(2, ${JSON.stringify(`given up after ${most / 60_000} minutes\n`)})
  process.kill(process.pid, 'SIGKILL')
}, ${most})`

export async function together(...patterns: string[]): Promise<void> {
  new Worker(watchdog, { eval: true }).unref()
  const files = await Array.fromAsync(glob(patterns, { cwd: fileURLToPath(root) }))
  const loads = files.sort().map((file) => {
    const load = () => asFile(() => import(new URL(file, root).href))
    return new Promise((resolve) => void describe(file, () => load().finally(() => resolve(file))))
  })
  await Promise.all(loads)
  stopFollowing()
}
