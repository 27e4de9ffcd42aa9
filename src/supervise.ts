/**
 * `inlet start` with several processes: the parent. It opens the database, starts the processes and keeps them running;
 * SIGHUP replaces them one after another, SIGTERM and SIGINT end all of them. It has the metrics of all.
 */
import { type Config, forgetKeys } from './config.ts'
import { keepBackups } from './keep-backups.ts'
import { openFoundation } from './open-foundation.ts'
import { bounds } from './platform/bounds.ts'
import { monotonicMs } from './platform/clock.ts'
import { makeDataFolder } from './platform/data-folder.ts'
import { readAllowedConnections } from './platform/db.ts'
import { faultFields } from './platform/log.ts'
import { readMasterKeys } from './platform/master-key.ts'
import type { ToMember, ToParent } from './platform/process-link.ts'
import { type Member, type Processes, startProcesses } from './platform/processes.ts'
import { createRateLimit } from './platform/rate-limit.ts'
import { databaseConnectionsOf } from './platform/shared-bounds.ts'
import { exitByDeadline, openDemo, openLog, sayReady, stopSignal, warnWithoutProxy } from './start-pieces.ts'
import type { Terminal } from './surfaces/command-line/command.ts'
import { startMetricsServer } from './surfaces/metrics/metrics-server.ts'
import { createProcessMetrics } from './surfaces/metrics/process-metrics.ts'

export async function supervise(config: Config, terminal: Terminal): Promise<number> {
  const log = openLog(config, terminal)
  // In a terminal, SIGHUP means that its window was closed.
  const isInTerminal = terminal.stdout.isTTY
  const stopped = stopSignal(terminal, ['SIGTERM', 'SIGINT', ...(isInTerminal ? (['SIGHUP'] as const) : [])])
  let restart = () => {}
  if (!isInTerminal) terminal.on('SIGHUP', () => restart())
  stopped.then(() => exitByDeadline(terminal))
  const count = config.processes
  forgetKeys()
  await makeDataFolder(config.dataDir)
  const masterKeys = await readMasterKeys(config)
  const foundation = await openFoundation(config, 'parent', log, { masterKeys })
  const rates = createRateLimit(bounds.rateLimitEntries, monotonicMs)
  const metrics = createProcessMetrics({
    ready: () => processes?.ready() ?? [],
    restarts: () => processes?.restarts ?? 0,
  })
  let processes: Processes | undefined
  let backups: Awaited<ReturnType<typeof keepBackups>> | undefined
  let metricsServer: Awaited<ReturnType<typeof startMetricsServer>> | undefined
  try {
    const demo = await openDemo(config, foundation)
    const allowed = await readAllowedConnections(foundation.db)
    const connections = databaseConnectionsOf(allowed, count)
    // During a rolling restart there is one process more.
    const needed = (connections.money + connections.people) * (count + 1)
    if (needed > allowed)
      log.warn('PostgreSQL has too few connections for so many processes: raise max_connections', {
        count: needed,
      })
    const sendToOthers = (from: Member, message: ToMember) => {
      for (const member of processes?.ready() ?? []) if (member !== from) member.send(message)
    }
    const onMessage = (from: Member, message: ToParent) => {
      switch (message.kind) {
        case 'metrics':
          return metrics.store(from, message.families)
        case 'rates':
          rates.subtract(message.spent)
          return sendToOthers(from, message)
        case 'attempt':
          return sendToOthers(from, message)
      }
    }
    processes = await startProcesses({
      count,
      isBehindProxy: config.trustedProxies.length > 0,
      log,
      onMessage,
      onExit: metrics.forget,
      settingsFor: (number) => ({
        number,
        processes: count,
        connections,
        postgres: foundation.postgres,
        rates: rates.deficits(),
        masterKeys,
      }),
    })
    backups = await keepBackups(config, foundation, log)
    if (config.metrics) metricsServer = await startMetricsServer({ ...config.metrics, metrics, log })
    const { pid } = process
    log.event('Inlet is ready', { address: config.publicUrl, port: config.port, pid, count })
    warnWithoutProxy(config, log)
    await sayReady(terminal, config, foundation, { demo, log })
    restart = () => {
      log.info('rolling restart: replacing every process', { signal: 'SIGHUP', count })
      // New code may come with new migrations.
      foundation
        .prepare()
        .then(processes!.roll)
        .catch((error) =>
          log.error(
            'the rolling restart could not begin; the old processes keep running',
            faultFields(error),
          ),
        )
    }
    const signal = await Promise.race([stopped, processes.failed])
    log.step('Stopping …')
    log.event('stopping', { signal })
    return 0
  } finally {
    exitByDeadline(terminal)
    await Promise.all([processes?.stop(), metricsServer?.close()])
    await backups?.stop()
    await foundation.close()
  }
}
