import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** What is still reachable, in megabytes. */
export function heapMegabytes(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed / 1024 ** 2
}
