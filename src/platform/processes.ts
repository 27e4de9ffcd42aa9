/**
 * The parent of several identical processes on one port (`node:cluster`). It starts them, starts again what dies, replaces
 * them one after another, and stops them. It never reads a request.
 */
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { bounds } from './bounds.ts'
import { monotonicMs } from './clock.ts'
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
  /** By number: the process that answers, and how often in a row one ended soon after its start, or could not start. */
  const answering = new Map<number, TrackedMember>()
  const failures = new Map<number, number>()
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => {})
  let isStopping = false
  let restarts = 0
  /** A process that ended is started again, and processes are replaced, one after another. */
  let turn: Promise<void> = Promise.resolve()
  const inTurn = (work: () => Promise<void>) => (turn = turn.then(work))
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
          answering.set(number, member)
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
        if (answering.get(number) === member) answering.delete(number)
        const isStable = monotonicMs() - member.readyAt > bounds.processes.stableMs
        failures.set(number, isStable ? 0 : (failures.get(number) ?? 0) + 1)
        startLater(number)
      })
    })
  }

  const startLater = (number: number) =>
    void setTimeout(() => inTurn(() => startAgain(number)), pauseAfter(failures.get(number)!))

  async function startAgain(number: number): Promise<void> {
    // A rolling restart may have put another one in its place.
    if (isStopping || answering.has(number)) return
    restarts += 1
    try {
      await launch(number)
    } catch {
      if (isStopping) return
      const failedStarts = (failures.get(number) ?? 0) + 1
      failures.set(number, failedStarts)
      if (answering.size === 0 && failedStarts >= bounds.processes.failures)
        return failed.reject(new OperatorProblem(noneStarts))
      log.error('a process could not be started again', { process: number, count: failedStarts })
      startLater(number)
    }
  }

  async function replaceAll(): Promise<void> {
    for (let number = 1; number <= count && !isStopping; number++) {
      const old = answering.get(number)
      try {
        await launch(number)
      } catch {
        const ended =
          'the rolling restart ended: a new process could not start; the old processes keep running'
        if (!isStopping) log.error(ended, { process: number })
        return
      }
      if (!old || !members.has(old)) continue
      old.state = 'leaving'
      old.send({ kind: 'leave' })
      const kill = () => old.worker.process.kill('SIGKILL')
      const killTimer = setTimeout(kill, bounds.processes.drainMs + 2 * bounds.shutdownMs)
      await old.exited
      clearTimeout(killTimer)
    }
    if (!isStopping) log.info('every process was replaced', { count })
  }

  const processes: Processes = {
    ready: () => [...members].filter(({ state }) => state === 'ready'),
    roll: () => inTurn(replaceAll),
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
