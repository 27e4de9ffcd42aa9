/**
 * The parent of several processes on one port: starts them and keeps them running; SIGHUP replaces them one after another, if it is
 * not in a terminal. It has the metrics of all.
 */
import type { Config } from './config.ts'
import { readAllowedConnections } from './platform/db.ts'
import type { Foundation } from './platform/foundation.ts'
import { faultFields, type Log } from './platform/log.ts'
import type { ToMember, ToParent } from './platform/process-link.ts'
import { type Member, type Processes, startProcesses } from './platform/processes.ts'
import { databaseConnectionsOf } from './platform/shared-bounds.ts'
import type { Terminal } from './surfaces/command-line/command.ts'
import { startMetricsServer } from './surfaces/metrics/metrics-server.ts'
import { createProcessMetrics } from './surfaces/metrics/process-metrics.ts'

export async function startMembers(
  config: Config,
  { db, masterKeys, postgres, prepare }: Foundation,
  log: Log,
  terminal: Terminal,
) {
  const count = config.processes
  const allowed = await readAllowedConnections(db)
  const connections = databaseConnectionsOf(allowed, count)
  // During a rolling restart there is one process more.
  const needed = (connections.money + connections.people) * (count + 1)
  if (needed > allowed)
    log.warn('PostgreSQL has too few connections for so many processes: raise max_connections', {
      count: needed,
    })
  let processes: Processes | undefined
  const metrics = createProcessMetrics({
    ready: () => processes?.ready() ?? [],
    restarts: () => processes?.restarts ?? 0,
  })
  const sendToOthers = (from: Member, message: ToMember) => {
    for (const member of processes?.ready() ?? []) if (member !== from) member.send(message)
  }
  const onMessage = (from: Member, message: ToParent) => {
    if (message.kind === 'metrics') metrics.store(from, message.families)
    if (message.kind === 'rates' || message.kind === 'attempt') sendToOthers(from, message)
  }
  processes = await startProcesses({
    count,
    log,
    onMessage,
    onExit: metrics.forget,
    settingsFor: (number) => ({ number, processes: count, connections, postgres, masterKeys }),
  })
  const { stop, roll, failed } = processes
  const metricsServer = config.metrics && (await startMetricsServer({ ...config.metrics, metrics, log }))
  const replaceAll = async () => {
    log.info('rolling restart: replacing every process', { signal: 'SIGHUP', count })
    try {
      // New code may come with new migrations.
      await prepare()
      await roll()
    } catch (error) {
      log.error('the rolling restart could not begin; the old processes keep running', faultFields(error))
    }
  }
  if (!terminal.stdout.isTTY) terminal.on('SIGHUP', () => void replaceAll())
  return { failed, close: () => Promise.all([stop(), metricsServer?.close()]).then(() => {}) }
}
