/**
 * Pictures of bills, made by a few threads and kept for the next who asks. A version names what is drawn, so a
 * picture that is kept is never wrong, only unused. A thread that fails fails its own picture and is replaced.
 */
import { Worker } from 'node:worker_threads'
import { bounds } from '../bounds.ts'
import { Refusal } from '../refusals.ts'

export type Painter = {
  /** The same version asked for twice at once is drawn once. */
  paint(version: string, svg: string): Promise<Uint8Array>
  close(): Promise<void>
}

type Job = { svg: string; done(png: Uint8Array): void; failed(error: Error): void }
type Thread = { worker: Worker; job?: Job; tooLong?: NodeJS.Timeout }

export function createPainter(): Painter {
  const kept = new Map<string, Promise<Uint8Array>>()
  const waiting: Job[] = []
  const threads = new Set<Thread>()

  function paint(version: string, svg: string): Promise<Uint8Array> {
    const known = kept.get(version)
    if (!known && waiting.length >= bounds.billQueue) {
      throw new Refusal('overloaded', { retryAfterSeconds: bounds.overloadedRetrySeconds })
    }
    const picture =
      known ??
      new Promise<Uint8Array>((done, failed) => {
        waiting.push({ svg, done, failed })
        next()
      })
    // The one asked for last is dropped last.
    kept.delete(version)
    kept.set(version, picture)
    if (kept.size > bounds.billCacheEntries) kept.delete(kept.keys().next().value!)
    if (!known) picture.catch(() => kept.delete(version))
    return picture
  }

  function next(): void {
    if (waiting.length === 0) return
    const thread = [...threads].find(({ job }) => !job) ?? (threads.size < bounds.billRenders && start())
    if (!thread) return
    const job = waiting.shift()!
    thread.job = job
    thread.tooLong = setTimeout(() => drop(thread, 'A bill took too long to draw.'), bounds.billRenderMs)
    thread.worker.postMessage(job.svg)
  }

  function start(): Thread {
    const worker = new Worker(new URL('./png-thread.ts', import.meta.url), { env: {} })
    const thread: Thread = { worker }
    worker.on('message', (png: Uint8Array) => {
      release(thread)?.done(png)
      next()
    })
    worker.on('error', (error) => drop(thread, 'A bill could not be drawn.', error))
    worker.on('exit', () => drop(thread, 'A thread that draws bills has ended.'))
    worker.unref() // The process may end while a thread has nothing to do.
    threads.add(thread)
    return thread
  }

  function drop(thread: Thread, reason: string, cause?: unknown): void {
    if (!threads.delete(thread)) return
    thread.worker.terminate()
    release(thread)?.failed(new Error(reason, { cause }))
    next()
  }

  function release(thread: Thread): Job | undefined {
    const { job, tooLong } = thread
    clearTimeout(tooLong)
    delete thread.job
    return job
  }

  return {
    paint,
    async close() {
      for (const { failed } of waiting.splice(0)) failed(new Error('The gateway is closing.'))
      await Promise.all([...threads].map(({ worker }) => worker.terminate()))
    },
  }
}
