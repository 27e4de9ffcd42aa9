/**
 * Finds, starts and stops the embedded PostgreSQL. The number in its pid file counts only if that process is our PostgreSQL: after
 * a crash or a reboot it may be another program's.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile, rename } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { monotonicMs, sleep } from './clock.ts'
import { codeOf } from './operator-problem.ts'
import type { Home } from './postgres-home.ts'
import { environment, type Programs } from './postgres-programs.ts'

export type Address = { host: string; port: number }

/** What the pid file says. `isRunning`: that process is our PostgreSQL; without an address it cannot be reached yet. */
type Postmaster = { pid: number; isRunning: boolean; address: Address | undefined }

export type Launch = {
  pid: number
  hasExited(): boolean
  /** It exited with an error by itself. If it was ended from outside, it may start again. */
  hasRefused(): boolean
  /** What the log says since this launch. */
  log(): Promise<string>
}

export async function findPostmaster({ cluster }: Home): Promise<Postmaster> {
  const lines = (await readText(join(cluster, 'postmaster.pid'))).split('\n').map((line) => line.trim())
  const pid = Number(lines[0])
  const host = lines[4] || (lines[5] && '127.0.0.1')
  const address = host ? { host, port: Number(lines[3]) } : undefined
  return { pid, isRunning: pid > 1 && (await isPostmaster(pid, cluster)), address }
}

/** A zombie has no command line and does not count. */
async function isPostmaster(pid: number, cluster: string): Promise<boolean> {
  if (process.platform === 'linux') {
    const [program = '', ...args] = (await readText(`/proc/${pid}/cmdline`)).split('\0')
    return basename(program) === 'postgres' && args.includes(cluster)
  }
  const ps = ['-ww', '-o', 'command=', '-p', `${pid}`]
  const { stdout } = await promisify(execFile)('ps', ps).catch((error) => {
    if (error.code === 1) return { stdout: '' }
    throw error
  })
  return stdout.includes(`-D ${cluster} `)
}

/** `stalePid`: the number in the pid file, where it is not our PostgreSQL. `last`: where a running Inlet still looks for it. */
export async function launchPostmaster(
  home: Home,
  { native }: Programs,
  { stalePid, last }: { stalePid: number; last: Address | undefined },
): Promise<Launch> {
  const address = last ?? (await chooseAddress(home))
  const log = await openLog(home.logFile)
  try {
    const { size } = await log.stat()
    const child = spawn(join(native, 'bin/postgres'), ['-D', home.cluster, ...settings(home, address)], {
      cwd: home.instance,
      // PostgreSQL takes any living process of that number for a rival, unless it is its grandparent.
      env: { ...environment, PG_GRANDPARENT_PID: `${stalePid || 0}` },
      detached: true, // Its own process group: Ctrl-C is for Inlet, which then stops it in order.
      stdio: ['ignore', log.fd, log.fd],
      ...home.account,
    })
    await once(child, 'spawn')
    child.unref()
    return {
      pid: child.pid!,
      hasExited: () => child.exitCode !== null || child.signalCode !== null,
      hasRefused: () => (child.exitCode ?? 0) !== 0,
      log: async () => (await readFile(home.logFile)).subarray(size).toString(),
    }
  } finally {
    await log.close()
  }
}

/** Fast shutdown: sessions end, everything is written. If that takes too long, recovery does the rest later. */
export async function stopPostmaster({ cluster }: Home, pid: number): Promise<void> {
  for (const [signal, seconds] of [
    ['SIGINT', 30], // A checkpoint of 2 GB of changes on a slow disk.
    ['SIGQUIT', 5],
  ] as const) {
    const end = monotonicMs() + seconds * 1_000
    for (let isFirst = true; await isPostmaster(pid, cluster); isFirst = false) {
      if (isFirst) process.kill(pid, signal)
      if (monotonicMs() > end) break
      await sleep(20)
    }
  }
}

/** Empty if there is no such file, or we may not read it. */
const readText = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error) => {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(codeOf(error))) return ''
    throw error
  })

const socketPathBytes = process.platform === 'darwin' ? 103 : 107
/** A socket's file name needs a number; nothing listens on this port. */
const socketPort = 5432

/** A Unix socket that only our user can open; loopback where its path is too long. */
async function chooseAddress({ instance }: Home): Promise<Address> {
  const path = join(instance, `.s.PGSQL.${socketPort}`)
  if (Buffer.byteLength(path) <= socketPathBytes) return { host: instance, port: socketPort }
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return { host: '127.0.0.1', port }
}

const logBytes = 10_000_000

async function openLog(file: string) {
  const log = await open(file, 'a', 0o600)
  if ((await log.stat()).size <= logBytes) return log
  await log.close()
  await rename(file, `${file}.1`)
  return open(file, 'a', 0o600)
}

/**
 * It runs in the folder of the cluster, as PostgreSQL's user, who may not be able to read our programs: the system's own are
 * enough. A copy is complete or missing; one that is there already must be equal.
 */
const archiveCommand = [
  'if test ! -d ../wal; then exit 0; fi',
  'if test -e ../wal/%f; then exec cmp -s %p ../wal/%f; fi',
  'cp %p ../wal/.%f && sync ../wal/.%f && mv ../wal/.%f ../wal/%f && sync ../wal',
].join('; ')

function settings({ instance }: Home, { host, port }: Address): string[] {
  const onSocket = host === instance
  const values = {
    port,
    listen_addresses: onSocket ? '' : host,
    unix_socket_directories: onSocket ? `"${instance.replaceAll('"', '""')}"` : '',
    unix_socket_permissions: '0700',
    password_encryption: 'scram-sha-256',
    // Named although they are the defaults: an acknowledged deposit survives a power cut.
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    // No statement and no value of a row may reach the log.
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    jit: 'off',
    max_connections: 200,
    shared_buffers: '128MB',
    max_wal_size: '2GB',
    // Finished segments of WAL go to backup/archived-wal.ts, at the latest after five minutes.
    archive_mode: 'on',
    archive_timeout: '5min',
    archive_command: archiveCommand,
    timezone: 'UTC',
    log_timezone: 'UTC',
  }
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}
