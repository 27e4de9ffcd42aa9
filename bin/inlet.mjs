// The entry point of the program. Plain JavaScript, so that an old Node finds a newer one instead of a syntax error.
import { execFile } from 'node:child_process'
import cluster from 'node:cluster'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { isCompiled, useCompiled } from './compile.mjs'
import { isNewEnough, runNode } from './node.mjs'

// Names are looked up on libuv's threads. With the usual four of them, four names whose servers do not answer would
// hold up every other name and every file. It must be set before the first of them starts.
process.env.UV_THREADPOOL_SIZE ??= '64'

// Process 1 of a container ignores signals that it has no handler for. A SIGTERM that arrives before the program is loaded
// would be lost, and the container would be killed after its whole grace period.
if (process.pid === 1) {
  const end = () => process.exit(143)
  process.on('SIGTERM', end)
  process.on('newListener', (signal) => {
    if (signal === 'SIGTERM') process.nextTick(() => process.off('SIGTERM', end))
  })
}

// A launcher (node.mjs) that is killed with -9 cannot forward signals, and we would keep the port. But its channel closes.
if (process.connected && cluster.isPrimary) {
  process.once('disconnect', () => process.emit('SIGTERM', 'SIGTERM') || process.exit(1))
  process.channel.unref()
}

if (isNewEnough) {
  useCompiled()
  if (process.argv[2] === 'start' && cluster.isPrimary && !isCompiled()) {
    const compile = fileURLToPath(new URL('compile.mjs', import.meta.url))
    // Where nothing can be written, this process compiles for itself.
    await promisify(execFile)(process.execPath, [...process.execArgv, compile]).catch(() => {})
  }
  if (existsSync('.env')) process.loadEnvFile('.env')
  // Without this, Node's crash reports, if they are switched on, would contain the master key and the logins of the database.
  process.report.excludeEnv = true
  const { inlet } = await import('../src/program.ts')
  process.exitCode = await inlet(process.argv.slice(2), process)
} else {
  runNode([...process.execArgv, ...process.argv.slice(1)])
}
