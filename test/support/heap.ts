import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Memory of reachable objects and texts, in megabytes. */
export function heapMegabytes(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed / 1024 ** 2
}

/** Memory of everything reachable, buffers included, in megabytes. Some buffers are freed only by a second collection. */
export function heldMegabytes(): number {
  collectGarbage()
  const heap = heapMegabytes()
  return heap + process.memoryUsage().external / 1024 ** 2
}

/** What is in use, with what could be collected. */
export function usedMegabytes(): number {
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 1024 ** 2
}
