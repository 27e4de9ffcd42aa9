/** The load on Inlet, driven from a thread of its own (load-worker.ts): prepare first, then measure. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Orders } from './orders.ts'

export type LoadRun = {
  port: number
  connections: number
  seconds: number
  /** Requests per second, sent whether or not answers came; null sends as fast as answers come. */
  rate: number | null
  /** Sends again what the drive before sent. */
  replay?: boolean
}

export type LoadResult = {
  answered: number
  seconds: number
  perSecond: number
  p99Ms: number
  /** Answers by status code. */
  statuses: Record<number, number>
  /** The first answer that is neither 200 nor 201, for the error message. */
  problem: string | null
}

export type Task = { prepare: Orders } | { raw: Uint8Array[] } | { drive: LoadRun }

type Load = {
  prepare(orders: Orders): Promise<void>
  /** Requests as they go over the wire. */
  prepareRaw(raw: Uint8Array[]): Promise<void>
  /** Fails when an answer has another status than expected: a refused request is no work done. */
  drive(drive: LoadRun, expected: number): Promise<LoadResult>
  close(): Promise<void>
}

/** `explain` tells what the server said, for the message of a failure. */
export function openLoad(explain: () => string): Load {
  const worker = new Worker(new URL('./load-worker.ts', import.meta.url))
  const ask = async <Answer>(task: Task): Promise<Answer> => {
    worker.postMessage(task)
    const [answer] = await once(worker, 'message')
    return answer as Answer
  }
  return {
    prepare: (prepare) => ask({ prepare }),
    prepareRaw: (raw) => ask({ raw }),
    async drive(drive, expected) {
      const driven = await ask<LoadResult>({ drive }).catch((error: Error) => {
        throw new Error(`${error.message}\n${explain()}`, { cause: error })
      })
      if (driven.statuses[expected] !== driven.answered) {
        throw new Error(
          `Expected ${expected} only, got ${JSON.stringify(driven.statuses)}: ${driven.problem ?? ''}`,
        )
      }
      return driven
    },
    async close() {
      await worker.terminate()
    },
  }
}
