import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
export const collectGarbage = runInNewContext('gc') as () => void

/** What is still reachable of objects and texts, in megabytes. */
export function heapMegabytes(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed / 1024 ** 2
}

/** What is still reachable, buffers included, in megabytes. Some of what is not goes only when garbage is collected again. */
export function heldMegabytes(): number {
  collectGarbage()
  const heap = heapMegabytes()
  return heap + process.memoryUsage().external / 1024 ** 2
}
