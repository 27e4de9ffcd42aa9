/** The side of thread-pool.ts that runs in the thread: takes one job at a time and answers it. */
import { parentPort } from 'node:worker_threads'
import { lowerPriority } from './lower-priority.ts'

/** Where both want a processor, the thread that answers requests gets three times as much of it. */
const niceness = 5

type Answer<Output> = { output: Output; transfer?: ArrayBuffer[] }

export function serveThread<Input, Output>(
  work: (input: Input) => Answer<Output> | Promise<Answer<Output>>,
): void {
  // Loaded only to be compiled: see bin/compile.mjs.
  if (!parentPort) return
  // On Linux the priority is of this thread alone; elsewhere it would be of the whole process.
  if (process.platform === 'linux') lowerPriority(niceness)
  parentPort.on('message', async (input: Input) => {
    const { output, transfer = [] } = await work(input)
    parentPort!.postMessage(output, transfer)
  })
}
