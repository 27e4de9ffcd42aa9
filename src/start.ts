/** `inlet start`: the gateway, from the first line of its log to a clean end. */

import type { Config } from './config.ts'
import { seedDemo } from './domain/sandbox/demo-data.ts'
import { demoLinks } from './domain/sandbox/demo-people.ts'
import { refuseDemo } from './domain/sandbox/remove-demo.ts'
import type { Gateway } from './gateway.ts'
import { openFoundation } from './open-foundation.ts'
import { bounds } from './platform/bounds.ts'
import { createLog, faultFields } from './platform/log.ts'
import { isListenError, OperatorProblem } from './platform/operator-problem.ts'
import type { Terminal } from './surfaces/command-line/command.ts'
import { welcome } from './surfaces/command-line/welcome.ts'
import { staffPath } from './surfaces/staff/paths.ts'

export async function start(config: Config, terminal: Terminal): Promise<number> {
  const signalled = stopSignal(terminal)
  // A start may wait for long, for a recovery or a lock: it too ends in time.
  const endInTime = () => void setTimeout(() => terminal.exit(1), bounds.shutdownMs).unref()
  signalled.then(endInTime)
  const log = createLog(config.logLevel, (line) => terminal.stdout.write(line))
  // Node would write its warnings between the lines of the log, as text.
  terminal.removeAllListeners('warning')
  terminal.on('warning', (warning) => log.warn('warning of Node', faultFields(warning)))
  // Pages and routes are half of the program: they are loaded while PostgreSQL starts.
  const load = () => import('./gateway.ts')
  const foundation = await openFoundation(config, 'server', log, load)
  let gateway: Gateway | undefined
  try {
    const { startGateway } = await load()
    if (config.production) await refuseDemo(foundation.db, config.dataDir)
    const demo = config.demo ? await seedDemo(config, foundation) : undefined
    gateway = await startGateway(config, foundation, log, demo).catch(explainListen(config))
    log.info('Inlet is ready', { address: config.publicUrl, port: config.port })
    if (demo) {
      const linkTo = (token: string) => config.publicUrl + staffPath('/join/:token', token)
      terminal.stdout.write(welcome(demo, await demoLinks(foundation.db, demo, linkTo), config))
    }
    log.info('stopping', { signal: await signalled })
    return 0
  } finally {
    // What hangs must not keep a supervisor waiting: the database is safe to leave at any moment.
    endInTime()
    await gateway?.close()
    await foundation.close()
  }
}

const stopSignal = (terminal: Terminal): Promise<string> =>
  new Promise((resolve) => {
    // Ctrl-C reaches us from the terminal and once more from npm: the second one must not cut the end short.
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) terminal.on(signal, () => resolve(signal))
    // With its terminal closed there is nobody to tell: to fail over that would leave PostgreSQL running.
    for (const stream of [terminal.stdout, terminal.stderr]) stream.on('error', () => {})
  })

const explainListen = (config: Config) => (error: NodeJS.ErrnoException) => {
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
