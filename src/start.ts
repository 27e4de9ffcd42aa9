/**
 * `inlet start`, from the first line of its log to a clean end: as the only process, as the parent of several on one port, or as one
 * of them.
 */
import { type Config, forgetKeys } from './config.ts'
import { seedDemo } from './domain/sandbox/demo-data.ts'
import type { Demo } from './domain/sandbox/demo-file.ts'
import { inviteDemoPeople } from './domain/sandbox/demo-people.ts'
import { refuseDemo } from './domain/sandbox/remove-demo.ts'
import { keepBackups } from './keep-backups.ts'
import { openFoundation } from './open-foundation.ts'
import { bounds } from './platform/bounds.ts'
import type { Foundation } from './platform/foundation.ts'
import { createLog, faultFields, type Log } from './platform/log.ts'
import { isListenError, OperatorProblem } from './platform/operator-problem.ts'
import { joinParent, type ProcessLink } from './platform/process-link.ts'
import type { Terminal } from './surfaces/command-line/command.ts'
import { welcome } from './surfaces/command-line/welcome.ts'
import { staffPath } from './surfaces/staff/paths.ts'

/** `replaced`: another process has taken the place of this one of several. */
type StopReason = NodeJS.Signals | 'replaced'

/** What answers requests: the gateway of this process, or other processes. */
type Running = {
  close(reason: StopReason | undefined): Promise<void>
  /** Rejects when it cannot go on. */
  failed?: Promise<never>
}

export async function start(config: Config, terminal: Terminal): Promise<number> {
  forgetKeys()
  const link = await joinParent()
  const isParent = config.processes > 1 && !link
  const log = openLog(config, terminal, link?.settings.number)
  const stopped = stopReason(terminal, isParent, link)
  // A start may take long, while it waits for a recovery or a lock: it ends in time too.
  stopped.then((reason) => exitByDeadline(terminal, reason))
  // Pages and routes are half of the program's code: they are loaded while PostgreSQL starts.
  const load = () => (isParent ? import('./supervise.ts') : import('./gateway.ts'))
  const foundation = await openFoundation(config, isParent ? 'parent' : 'server', log, {
    member: link?.settings,
    meanwhile: load,
  })
  let running: Running | undefined
  let backups: { stop(): Promise<void> } | undefined
  let reason: StopReason | undefined
  try {
    const demo = link ? undefined : await openDemo(config, foundation)
    running = isParent
      ? await (await import('./supervise.ts')).startMembers(config, foundation, log, terminal)
      : await openGateway(config, foundation, log, demo, link)
    if (link) {
      link.send({ kind: 'ready' })
      log.event('a process is ready', { pid: process.pid })
    } else {
      backups = await keepBackups(config, foundation, log)
      log.event('Inlet is ready', { address: config.publicUrl, port: config.port, pid: process.pid })
      await sayReady(terminal, config, foundation, { demo, log })
    }
    reason = await Promise.race([stopped, ...(running.failed ? [running.failed] : [])])
    if (!link) log.step('Stopping …')
    log.event('stopping', { signal: reason })
    return 0
  } finally {
    // It ends even if something hangs: leaving the database is safe at any moment, and a supervisor does not wait forever.
    exitByDeadline(terminal, reason)
    await running?.close(reason)
    await backups?.stop()
    await foundation.close()
  }
}

/** JSON for programs, text for people. `process`: the number of one of several. */
export function openLog(config: Config, terminal: Terminal, process?: number): Log {
  const { production, logLevel } = config
  const form = config.logForm ?? (production && !terminal.stdout.isTTY ? 'json' : 'text')
  const log = createLog(logLevel, (line) => terminal.stdout.write(line), { process, form })
  // Node would write its warnings between the lines of the log, as text.
  terminal.removeAllListeners('warning')
  terminal.on('warning', (warning) => log.warn('warning of Node', faultFields(warning)))
  // If the terminal is closed, output fails: ignoring that lets Inlet still stop PostgreSQL.
  for (const stream of [terminal.stdout, terminal.stderr]) stream.on('error', () => {})
  return log
}

/**
 * Ctrl-C arrives from the terminal and once more from npm: the second one must not interrupt the shutdown. One of several processes
 * leaves the signals that a terminal sends to all of them to the parent; for a parent SIGHUP means to replace its processes, unless it
 * is in a terminal, whose window was closed.
 */
const stopReason = (terminal: Terminal, isParent: boolean, link?: ProcessLink): Promise<StopReason> =>
  new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      const isLeft = link ? signal !== 'SIGTERM' : isParent && signal === 'SIGHUP' && !terminal.stdout.isTTY
      terminal.on(signal, () => isLeft || resolve(signal))
    }
    link?.on('leave', () => resolve('replaced'))
  })

const exitByDeadline = (terminal: Terminal, reason: StopReason | undefined): void =>
  void setTimeout(
    () => terminal.exit(1),
    bounds.shutdownMs + (reason === 'replaced' ? bounds.processes.drainMs : 0),
  ).unref()

async function openGateway(
  config: Config,
  foundation: Foundation,
  log: Log,
  demo?: Demo,
  link?: ProcessLink,
): Promise<Running> {
  const { startGateway } = await import('./gateway.ts')
  const { close } = await startGateway(config, foundation, log, demo, link).catch((error) => {
    if (!isListenError(error)) throw error
    throw new OperatorProblem(
      error.code === 'EADDRINUSE'
        ? `Port ${config.port} on ${config.host} is taken. Stop what uses it, or set PORT to another.`
        : `Cannot listen on ${config.host}:${config.port} (${error.code}). Set HOST and PORT.`,
    )
  })
  // After Ctrl-C it does not wait for clients.
  return {
    close: (reason) => close(reason === 'replaced' ? reason : reason === 'SIGTERM' ? 'leaving' : 'now'),
  }
}

/** Refuses demo data in production; in development creates it on the first start. */
async function openDemo(config: Config, foundation: Foundation): Promise<Demo | undefined> {
  if (config.production) await refuseDemo(foundation.db, config.dataDir)
  return config.demo ? seedDemo(config, foundation) : undefined
}

/** The welcome of the demo, or one line; and where the data is, if that is not where it was asked for. */
async function sayReady(
  terminal: Terminal,
  config: Config,
  { db, cluster }: Foundation,
  { demo, log }: { demo: Demo | undefined; log: Log },
): Promise<void> {
  const { publicUrl, dataDir, production, trustedProxies } = config
  // Who is in front is not known: everybody who connects counts as one client.
  if (production && trustedProxies.length === 0)
    log.warn(
      'no proxy is trusted: put one in front and name it in INLET_TRUSTED_PROXIES, or use this in a private network only',
    )
  const folder = cluster?.home.cluster
  const databaseAt = folder && !folder.startsWith(`${dataDir}/`) ? folder : null
  if (!demo) {
    if (databaseAt) log.step(`The database is in ${databaseAt}, because PostgreSQL does not run as root.`)
    return log.step(`Inlet is ready at ${publicUrl}`)
  }
  const linkTo = (token: string) => publicUrl + staffPath('/join/:token', token)
  terminal.stdout.write(welcome(demo, await inviteDemoPeople(db, demo, linkTo), { ...config, databaseAt }))
}
