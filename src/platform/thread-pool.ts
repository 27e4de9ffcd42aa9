/**
 * Runs CPU-intensive work in a few worker threads: the main thread has no such
 * time, and libuv's threads are shared by the whole process (file reads, DNS, the driver's keys), so that filling
 * them would stall everything. Few jobs run, few wait, the rest is refused at once. Owners are served in turn,
 * so that the many jobs of one do not delay another; known people have a queue that unknown clients cannot fill. A thread that fails or takes too
 * long fails its own job and is replaced; an idle one ends, and frees its memory.
 */
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { bounds } from './bounds.ts'
import { createFairQueue } from './fair-queue.ts'
import { Refusal, type RefusalCode, type Sentence } from './refusals.ts'

type ThreadPoolBounds = {
  threads: number
  /** Waiting jobs of unknown clients, and as many of known people; further ones are refused. */
  queue: number
  deadlineMs: number
  /** A thread without work for this long ends. */
  idleMs: number
  /** V8's own memory in each thread. What native code takes is bounded by how many threads there are. */
  heapMb: number
}

export type ThreadPoolOptions = ThreadPoolBounds & {
  /** What a thread runs: it calls `serveThread`. */
  script: URL
  /** What it does, for the errors: "A bill could not be drawn". */
  failure: string
  refusal: { code: RefusalCode; retryAfterSeconds: number; detail?: Sentence }
  /** Of all pools with the same turn only one runs a job at a time. */
  turn?: Turn
}

type Turn = { isTaken: boolean; waiting: Set<() => void> }

/** For jobs that take tens of megabytes for milliseconds: only one of them runs at a time. */
export const largeJobTurn: Turn = { isTaken: false, waiting: new Set() }

/** The owner of a job: a site, or a known person, who shares the turns of its merchant or of the desk. */
export type JobOwner = { name: string; isKnown: boolean; group?: string }
const sharedBy = ({ name, group = name }: JobOwner): string => group

type ThreadPool<Input, Output> = {
  /** Refuses at once when the queue is full, or later in favour of an owner with fewer jobs. */
  run(input: Input, owner: JobOwner): Promise<Output>
  /** Throws what `run` would throw now: to refuse before anything was read or written. */
  refuseWhenFull(owner: JobOwner): void
  /** Jobs under way and waiting, and threads that live: for tests and metrics. */
  readonly load: { running: number; waiting: number; threads: number }
  close(): Promise<void>
}

/** The machine is overloaded; the request may be repeated. */
const tooLong = new Refusal('overloaded', { retryAfterSeconds: bounds.overloadedRetrySeconds })

type Job<Input, Output> = { input: Input; done(output: Output): void; failed(error: Error): void }
type Thread<Input, Output> = {
  worker: Worker
  job?: Job<Input, Output> | undefined
  timer?: NodeJS.Timeout | undefined
}

export function createThreadPool<Input, Output>(options: ThreadPoolOptions): ThreadPool<Input, Output> {
  const { script, failure, refusal, turn } = options
  const strangers = createFairQueue<Job<Input, Output>>(options.queue)
  const known = createFairQueue<Job<Input, Output>>(options.queue)
  const queueOf = ({ isKnown }: JobOwner) => (isKnown ? known : strangers)
  let isKnownNext = true
  const threads = new Set<Thread<Input, Output>>()

  const failed = (reason: string, cause?: unknown) => new Error(`${failure}: ${reason}.`, { cause })

  const full = () => {
    const { code, ...details } = refusal
    return new Refusal(code, details)
  }

  function refuseWhenFull(owner: JobOwner): void {
    if (queueOf(owner).isFullFor(sharedBy(owner))) throw full()
  }

  function run(input: Input, owner: JobOwner): Promise<Output> {
    refuseWhenFull(owner)
    return new Promise<Output>((done, failed) => {
      queueOf(owner).add(sharedBy(owner), { input, done, failed })?.failed(full())
      next()
    })
  }

  /** Of both queues in turn. */
  function take(): Job<Input, Output> {
    const [first, second] = isKnownNext ? [known, strangers] : [strangers, known]
    isKnownNext = !isKnownNext
    return (first.take() ?? second.take())!
  }

  function next(): void {
    if (known.size + strangers.size === 0) return
    if (turn?.isTaken) return void turn.waiting.add(next)
    const thread = [...threads].find(({ job }) => !job) ?? another()
    if (!thread) return
    clearTimeout(thread.timer)
    const job = take()
    thread.job = job
    if (turn) turn.isTaken = true
    thread.timer = setTimeout(() => drop(thread, tooLong), options.deadlineMs)
    thread.worker.postMessage(job.input)
  }

  /** Undefined when the limit is reached, or when the machine cannot start one: then a waiting job fails. */
  function another(): Thread<Input, Output> | undefined {
    if (threads.size >= options.threads) return undefined
    try {
      return start()
    } catch (error) {
      take().failed(failed('its thread could not begin', error))
      next()
    }
  }

  function start(): Thread<Input, Output> {
    const kept = getCompileCacheDir()
    const worker = new Worker(new URL('./thread.mjs', import.meta.url), {
      env: {},
      // Below it Node makes a folder for each version of itself.
      workerData: { script: script.href, compileCache: kept && dirname(kept) },
      resourceLimits: { maxOldGenerationSizeMb: options.heapMb, maxYoungGenerationSizeMb: 4 },
    })
    const thread: Thread<Input, Output> = { worker }
    worker.on('message', (output: Output) => {
      const job = release(thread)
      thread.timer = setTimeout(() => drop(thread, failed('it had nothing to do')), options.idleMs).unref()
      job?.done(output)
      goOn(job)
    })
    worker.on('error', (error) => drop(thread, failed('its thread failed', error)))
    worker.on('exit', () => drop(thread, failed('its thread has ended')))
    worker.unref() // The process may end while a thread has nothing to do.
    threads.add(thread)
    return thread
  }

  function drop(thread: Thread<Input, Output>, reason: Error): void {
    if (!threads.delete(thread)) return
    thread.worker.terminate()
    const job = release(thread)
    job?.failed(reason)
    goOn(job)
  }

  /** After a job, other pools come first. */
  function goOn(ended: Job<Input, Output> | undefined): void {
    if (ended && turn) pass(turn)
    next()
  }

  function release(thread: Thread<Input, Output>): Job<Input, Output> | undefined {
    const { job, timer } = thread
    clearTimeout(timer)
    thread.job = undefined
    return job
  }

  return {
    run,
    refuseWhenFull,
    get load() {
      const running = [...threads].filter(({ job }) => job).length
      return { running, waiting: known.size + strangers.size, threads: threads.size }
    },
    async close() {
      while (known.size + strangers.size > 0) take().failed(new Error('The gateway is closing.'))
      await Promise.all([...threads].map(({ worker }) => worker.terminate()))
    },
  }
}

/** Gives the turn to the pool that has waited longest and still has a job. */
function pass(turn: Turn): void {
  turn.isTaken = false
  for (const begin of turn.waiting) {
    turn.waiting.delete(begin)
    begin()
    if (turn.isTaken) return
  }
}
