/**
 * The parent of several identical processes on one port (`node:cluster`). It starts them, starts again what dies, replaces
 * them one after another, and stops them. It never reads a request.
 */
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { bounds } from './bounds.ts'
import { monotonicMs, sleep } from './clock.ts'
import type { Log } from './log.ts'
import { OperatorProblem } from './operator-problem.ts'
import type { MemberSettings, ToMember, ToParent } from './process-link.ts'

export type Member = {
  number: number
  send(message: ToMember): void
}

type TrackedMember = Member & {
  worker: Worker
  state: 'starting' | 'ready' | 'leaving'
  readyAt: number
  exited: Promise<void>
}

type ProcessParts = {
  count: number
  /**
   * Whether all connections come from a proxy. Then the parent accepts them and hands them out in turn, so that each process has as many.
   * It has one queue without a bound for that: thousands of connections of one client would stand before those of others. So without
   * a proxy the processes accept connections themselves.
   */
  log: Log
  settingsFor: (number: number) => MemberSettings
  onMessage: (from: Member, message: ToParent) => void
  onExit: (member: Member) => void
}

export type Processes = {
  /** Those that answer requests. */
  ready(): Member[]
  /** Replaces every process by a new one. If a new one cannot start, it ends early, and the remaining old ones keep running. */
  roll(): Promise<void>
  stop(): Promise<void>
  /** How often a process that had ended was started again. */
  readonly restarts: number
  /** Rejects when no process can be started any more. */
  failed: Promise<never>
}

/** Resolves when all of them answer; rejects when one of them cannot start. */
export async function startProcesses({
  count,
  log,
  settingsFor,
  onMessage,
  onExit,
}: ProcessParts): Promise<Processes> {
  const members = new Set<TrackedMember>()
  /** By number: how often in a row a process of it ended soon after its start, or could not start. */
  const failures = new Map<number, number>()
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => {})
  let isStopping = false
  let restarts = 0
  let rolling: Promise<void> = Promise.resolve()
  // A proxy keeps few connections: in turn, so that each process gets as many.
  cluster.schedulingPolicy = cluster.SCHED_RR
  // Messages are structured clones: a metric may be infinite, which JSON cannot express.
  cluster.setupPrimary({ serialization: 'advanced' })

  /** Resolves when the new process can answer, rejects when it ends before. */
  function launch(number: number): Promise<void> {
    const worker = cluster.fork()
    const member: TrackedMember = {
      number,
      worker,
      state: 'starting',
      readyAt: Number.POSITIVE_INFINITY,
      exited: once(worker, 'exit').then(() => {}),
      send: (message) => void (worker.isConnected() && worker.send(message, () => {})),
    }
    members.add(member)
    worker.on('error', () => {}) // A message to a process that is ending; its exit follows.
    return new Promise((resolve, reject) => {
      const killTimer = setTimeout(() => worker.process.kill('SIGKILL'), bounds.processes.startMs)
      worker.on('message', (message: ToParent) => {
        if (message.kind === 'hello') member.send({ kind: 'settings', settings: settingsFor(number) })
        if (message.kind === 'ready' && member.state === 'starting') {
          Object.assign(member, { state: 'ready', readyAt: monotonicMs() })
          clearTimeout(killTimer)
          resolve()
        }
        onMessage(member, message)
      })
      worker.once('exit', (code, signal) => {
        clearTimeout(killTimer)
        members.delete(member)
        onExit(member)
        // Without effect if it was ready before.
        reject(new OperatorProblem(`A process of Inlet could not start (${signal ?? code}).`))
        if (member.state !== 'ready' || isStopping) return
        const pid = worker.process.pid
        log.error('a process ended and is started again', { process: number, pid, code, signal })
        const isStable = monotonicMs() - member.readyAt > bounds.processes.stableMs
        failures.set(number, isStable ? 0 : (failures.get(number) ?? 0) + 1)
        void startAgain(number)
      })
    })
  }

  const isNumberInUse = (number: number) =>
    [...members].some((member) => member.number === number && member.state !== 'leaving')

  async function startAgain(number: number): Promise<void> {
    for (;;) {
      await sleep(pauseAfter(failures.get(number) ?? 0))
      if (isStopping || isNumberInUse(number)) return
      restarts += 1
      try {
        return await launch(number)
      } catch {
        // A rolling restart has put another process in its place, or is starting one.
        if (isStopping || isNumberInUse(number)) return
        const failedStarts = (failures.get(number) ?? 0) + 1
        failures.set(number, failedStarts)
        const hasReadyProcess = [...members].some(({ state }) => state === 'ready')
        if (!hasReadyProcess && failedStarts >= bounds.processes.failures)
          return failed.reject(new OperatorProblem(noneStarts))
        log.error('a process could not be started again', { process: number, count: failedStarts })
      }
    }
  }

  async function replaceAll(): Promise<void> {
    for (let number = 1; number <= count && !isStopping; number++) {
      // One that is still starting may have loaded the old code: it is replaced too.
      const old = [...members].filter((member) => member.number === number && member.state !== 'leaving')
      try {
        await launch(number)
      } catch {
        if (!isStopping)
          log.error(
            'the rolling restart ended: a new process could not start; the old processes keep running',
            {
              process: number,
            },
          )
        // The old one may have ended meanwhile: it was not started again, because a new one was on its way.
        if (!isNumberInUse(number)) void startAgain(number)
        return
      }
      for (const member of old) {
        const isReady = member.state === 'ready'
        member.state = 'leaving'
        if (isReady) member.send({ kind: 'leave' })
        // The process may not receive messages yet.
        else member.worker.process.kill('SIGTERM')
        const killTimer = setTimeout(
          () => member.worker.process.kill('SIGKILL'),
          bounds.processes.drainMs + 2 * bounds.shutdownMs,
        )
        await member.exited
        clearTimeout(killTimer)
      }
    }
    if (!isStopping) log.info('every process was replaced', { count })
  }

  const processes: Processes = {
    ready: () => [...members].filter(({ state }) => state === 'ready'),
    roll() {
      rolling = rolling.then(replaceAll)
      return rolling
    },
    async stop() {
      isStopping = true
      for (const { worker } of members) worker.process.kill('SIGTERM')
      const killTimer = setTimeout(() => {
        for (const { worker } of members) worker.process.kill('SIGKILL')
      }, bounds.shutdownMs)
      await Promise.all([...members].map(({ exited }) => exited))
      clearTimeout(killTimer)
    },
    get restarts() {
      return restarts
    },
    failed: failed.promise,
  }

  try {
    // The first process starts alone, so that a problem is logged once and not by every process.
    await launch(1)
    await Promise.all(Array.from({ length: count - 1 }, (_, index) => launch(index + 2)))
  } catch (error) {
    await processes.stop()
    throw error
  }
  return processes
}

const noneStarts =
  'No process of Inlet can start; the lines above say why. Inlet ends, so that whatever supervises it can tell.'

const pauseAfter = (failures: number): number =>
  failures === 0 ? 0 : Math.min(bounds.processes.firstPauseMs * 2 ** (failures - 1), bounds.processes.pauseMs)
