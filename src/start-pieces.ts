/** What the only process and the parent of several do alike when they start and end. */

import type { Config } from './config.ts'
import { seedDemo } from './domain/sandbox/demo-data.ts'
import type { Demo } from './domain/sandbox/demo-file.ts'
import { inviteDemoPeople } from './domain/sandbox/demo-people.ts'
import { refuseDemo } from './domain/sandbox/remove-demo.ts'
import { bounds } from './platform/bounds.ts'
import type { Foundation } from './platform/foundation.ts'
import { createLog, faultFields, type Log } from './platform/log.ts'
import type { Terminal } from './surfaces/command-line/command.ts'
import { welcome } from './surfaces/command-line/welcome.ts'
import { staffPath } from './surfaces/staff/paths.ts'

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

/** Ctrl-C arrives from the terminal and once more from npm: the second one must not interrupt the shutdown. */
export const stopSignal = (
  terminal: Terminal,
  signals: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'],
): Promise<NodeJS.Signals> =>
  new Promise((resolve) => {
    for (const signal of signals) terminal.on(signal, () => resolve(signal))
  })

/** Ends the program by then, even if something hangs. */
export const exitByDeadline = (terminal: Terminal, extraMs = 0): void =>
  void setTimeout(() => terminal.exit(1), bounds.shutdownMs + extraMs).unref()

/** Who is in front is not known: everybody who connects counts as one client. */
export function warnWithoutProxy({ production, trustedProxies }: Config, log: Log): void {
  if (production && trustedProxies.length === 0)
    log.warn(
      'no proxy is trusted: put one in front and name it in INLET_TRUSTED_PROXIES, or use this in a private network only',
    )
}

/** Refuses demo data in production; in development creates it on the first start. */
export async function openDemo(config: Config, foundation: Foundation): Promise<Demo | undefined> {
  if (config.production) await refuseDemo(foundation.db, config.dataDir)
  return config.demo ? seedDemo(config, foundation) : undefined
}

/** The welcome of the demo, or one line; and where the data is, if that is not where it was asked for. */
export async function sayReady(
  terminal: Terminal,
  config: Config,
  { db, cluster }: Foundation,
  { demo, log }: { demo: Demo | undefined; log: Log },
): Promise<void> {
  const { publicUrl, dataDir } = config
  const folder = cluster?.home.cluster
  const databaseAt = folder && !folder.startsWith(`${dataDir}/`) ? folder : null
  if (!demo) {
    if (databaseAt) log.step(`The database is in ${databaseAt}, because PostgreSQL does not run as root.`)
    return log.step(`Inlet is ready at ${publicUrl}`)
  }
  const linkTo = (token: string) => publicUrl + staffPath('/join/:token', token)
  terminal.stdout.write(welcome(demo, await inviteDemoPeople(db, demo, linkTo), { ...config, databaseAt }))
}
