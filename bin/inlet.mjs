// The entry point of the program. Plain JavaScript, so that an old Node finds a newer one instead of a syntax error.
import cluster from 'node:cluster'
import { existsSync } from 'node:fs'
import { compileServer, isCompiled, useCompiled } from './compile.mjs'
import { isNewEnough, runNode } from './node.mjs'

// Names are looked up on libuv's threads. With the usual four of them, four names whose servers do not answer would
// hold up every other name and every file. It must be set before the first of them starts.
process.env.UV_THREADPOOL_SIZE ??= '64'

// Native memory: hashing a password and drawing a bill take megabytes for milliseconds. By itself the C library keeps them
// for the next, in each of dozens of arenas; so bounded, they go back to the system at once (360 MB under abuse became 250).
// It reads these when a program begins. So the Node that is found for the server gets them, and a server that already
// runs on the right one begins again in its own place, with the same process id.
const native = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '65536',
  MALLOC_TOP_PAD_: '4096',
  // The same for the library that draws bills, which has its own allocator.
  MIMALLOC_PURGE_DELAY: '0',
}
const isServer = process.argv[2] === 'start'
const restart = () =>
  process.execve?.(
    process.execPath,
    [process.execPath, ...process.execArgv, ...process.argv.slice(1)],
    process.env,
  )
if (isServer && process.platform === 'linux' && !process.env.MALLOC_MMAP_THRESHOLD_) {
  Object.assign(process.env, { ...native, ...process.env })
  if (isNewEnough) restart()
}

// Process 1 of a container ignores signals that it has no handler for. A SIGTERM that arrives before the program is loaded
// would be lost, and the container would be killed after its whole grace period.
if (process.pid === 1) {
  const end = () => process.exit(143)
  process.on('SIGTERM', end)
  process.on('newListener', (signal) => {
    if (signal === 'SIGTERM') process.nextTick(() => process.off('SIGTERM', end))
  })
}

if (isNewEnough) {
  useCompiled()
  // At most once, and not in one of several processes, which use what their parent compiled.
  const isFirst = isServer && cluster.isPrimary && !process.env.INLET_COMPILED
  if (isFirst && !isCompiled() && (await compileServer())) {
    process.env.INLET_COMPILED = 'yes'
    restart()
  }
  delete process.env.INLET_COMPILED
}

// A launcher that is killed with -9 cannot forward signals, and its child would keep the port. So the child watches its
// parent. Processes that this one starts must not inherit the variable.
const launcher = Number(process.env.INLET_LAUNCHER_PID)
delete process.env.INLET_LAUNCHER_PID
if (process.ppid === launcher) {
  const watch = setInterval(() => {
    if (process.ppid === launcher) return
    clearInterval(watch)
    if (!process.emit('SIGTERM', 'SIGTERM')) process.exit(1)
  }, 250).unref()
}

if (isNewEnough) {
  if (existsSync('.env')) process.loadEnvFile('.env')
  // Without this, Node's crash reports, if they are switched on, would contain the master key and the logins of the database.
  process.report.excludeEnv = true
  const { inlet } = await import('../src/program.ts')
  process.exitCode = await inlet(process.argv.slice(2), process)
} else {
  runNode([...process.execArgv, ...process.argv.slice(1)])
}
