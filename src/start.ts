/** `inlet start`: the gateway, from the first line of its log to a clean end; the only process, or one of several on a port. */

import { type Config, forgetKeys } from './config.ts'
import type { Gateway } from './gateway.ts'
import { keepBackups } from './keep-backups.ts'
import { openFoundation } from './open-foundation.ts'
import { bounds } from './platform/bounds.ts'
import { isListenError, OperatorProblem } from './platform/operator-problem.ts'
import { joinParent, type ProcessLink } from './platform/process-link.ts'
import { exitByDeadline, openDemo, openLog, sayReady, stopSignal, warnWithoutProxy } from './start-pieces.ts'
import type { Terminal } from './surfaces/command-line/command.ts'

export async function start(config: Config, terminal: Terminal): Promise<number> {
  forgetKeys()
  const link = await joinParent()
  const log = openLog(config, terminal, link?.settings.number)
  const stopped: Promise<StopReason> = link ? memberStopSignal(terminal, link) : stopSignal(terminal)
  // A start may take long, while it waits for a recovery or a lock: it ends in time too.
  stopped.then((reason) => exitByDeadline(terminal, reason === 'replaced' ? bounds.processes.drainMs : 0))
  // Pages and routes are half of the program's code: they are loaded while PostgreSQL starts.
  const load = () => import('./gateway.ts')
  const foundation = await openFoundation(config, 'server', log, {
    member: link?.settings,
    masterKeys: link?.settings.masterKeys,
    meanwhile: load,
  })
  let gateway: Gateway | undefined
  let backups: Awaited<ReturnType<typeof keepBackups>> | undefined
  let reason: StopReason | undefined
  try {
    const { startGateway } = await load()
    const demo = link ? undefined : await openDemo(config, foundation)
    gateway = await startGateway(config, foundation, log, demo, link).catch(explainListenError(config))
    if (!link) backups = await keepBackups(config, foundation, log)
    link?.send({ kind: 'ready' })
    const { pid } = process
    if (link) log.event('a process is ready', { pid })
    else {
      log.event('Inlet is ready', { address: config.publicUrl, port: config.port })
      warnWithoutProxy(config, log)
      await sayReady(terminal, config, foundation, { demo, log })
    }
    reason = await stopped
    if (!link) log.step('Stopping …')
    log.event('stopping', { signal: reason })
    return 0
  } finally {
    const isReplaced = reason === 'replaced'
    // It ends even if something hangs: leaving the database is safe at any moment, and a supervisor does not wait forever.
    exitByDeadline(terminal, isReplaced ? bounds.processes.drainMs : 0)
    // After Ctrl-C it does not wait for clients.
    await gateway?.close(isReplaced ? 'replaced' : reason === 'SIGTERM' ? 'leaving' : 'now')
    await backups?.stop()
    await foundation.close()
  }
}

/** `replaced`: another process has taken the place of this one of several. */
type StopReason = NodeJS.Signals | 'replaced'

/** One of several processes leaves SIGINT and SIGHUP, which a terminal sends to all of them, to the parent. */
const memberStopSignal = (terminal: Terminal, link: ProcessLink): Promise<StopReason> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGHUP'] as const) terminal.on(signal, () => {})
    terminal.on('SIGTERM', () => resolve('SIGTERM'))
    link.on('leave', () => resolve('replaced'))
  })

const explainListenError = (config: Config) => (error: NodeJS.ErrnoException) => {
  if (error.code === 'EADDRINUSE') {
    throw new OperatorProblem(
      `Port ${config.port} on ${config.host} is taken. Stop what uses it, or set PORT to another.`,
    )
  }
  if (isListenError(error)) {
    throw new OperatorProblem(
      `Cannot listen on ${config.host}:${config.port} (${error.code}). Set HOST and PORT.`,
    )
  }
  throw error
}
