/**
 * Finds, starts and stops the embedded PostgreSQL. The number in its pid file counts only if that process is our
 * PostgreSQL: after a crash or a reboot it may be another program's, and PostgreSQL would refuse to start because
 * of it.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:fs'
import { link, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { monotonicMs, randomToken, sleep } from './clock.ts'
import { codeOf } from './operator-problem.ts'
import { environment, type Programs, runProgram } from './postgres-binaries.ts'
import { type Home, isRunning } from './postgres-home.ts'

export type Address = { host: string; port: number }

/** Without an address it has not come far enough to be reached. */
type Postmaster = { pid: number; address: Address | undefined }

export type Launch = {
  pid: number | undefined
  hasExited(): boolean
  /** It exited with an error by itself. If it was ended from outside, it may start again. */
  hasRefused(): boolean
  /** What the log says since this launch. */
  complaints(): Promise<string>
}

const bounds = {
  fastStopMs: 30_000, // A checkpoint of 2 GB of changes on a slow disk; afterwards recovery costs less.
  immediateStopMs: 5_000,
  logBytes: 10_000_000,
  socketPathBytes: process.platform === 'darwin' ? 103 : 107,
} as const

/** A socket's file name needs a number; nothing listens on this port. */
const socketPort = 5432

export async function findPostmaster({ cluster }: Home): Promise<Postmaster | undefined> {
  const lines = (await readText(join(cluster, 'postmaster.pid'))).split('\n').map((line) => line.trim())
  const pid = Number(lines[0])
  if (!(await isPostmaster(pid, cluster))) return undefined
  const port = Number(lines[3])
  const host = lines[4] || (lines[5] && '127.0.0.1')
  return { pid, address: host ? { host, port } : undefined }
}

/**
 * True when this process is the PostgreSQL of this cluster. A zombie has no command line and does not count. Throws when it cannot
 * be found out, as without a free file descriptor.
 */
export async function isPostmaster(pid: number, cluster: string): Promise<boolean> {
  if (!(pid > 1) || !isRunning(pid)) return false
  if (process.platform === 'win32') return true
  if (process.platform === 'linux') {
    const [program = '', ...args] = (await readText(`/proc/${pid}/cmdline`)).split('\0')
    return basename(program) === 'postgres' && args.includes(cluster)
  }
  const ps = await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).catch((error) => {
    if (error.code === 1) return undefined
    throw error
  })
  return ps?.stdout.includes(`-D ${cluster} `) ?? false
}

/** `extra`: settings of this start alone, as a recovery needs them. */
export async function launchPostmaster(
  home: Home,
  { native }: Programs,
  extra: Readonly<Record<string, string>> = {},
): Promise<Launch> {
  await clearRecycledPids(home)
  const address = await chooseAddress(home)
  await rotateLog(home.logFile)
  const log = await open(home.logFile, appendOnly, 0o600)
  try {
    const { size } = await log.stat()
    const child = spawn(
      join(native, 'bin/postgres'),
      ['-D', home.cluster, ...settings(home, address, extra)],
      {
        cwd: home.instance,
        env: environment,
        detached: true, // Its own process group: Ctrl-C is for Inlet, which then stops it in order.
        stdio: ['ignore', log.fd, log.fd],
        ...home.account,
      },
    )
    await once(child, 'spawn')
    child.unref()
    return {
      pid: child.pid,
      hasExited: () => child.exitCode !== null || child.signalCode !== null,
      hasRefused: () => (child.exitCode ?? 0) !== 0,
      complaints: async () => (await readFile(home.logFile)).subarray(size).toString(),
    }
  } finally {
    await log.close()
  }
}

/** Fast shutdown: sessions end, everything is written. If that takes too long, recovery does the rest later. */
export async function stopPostmaster(home: Home, { native }: Programs, pid: number): Promise<void> {
  if (process.platform === 'win32') {
    const args = ['stop', '-D', home.cluster, '-m', 'fast', '-w']
    await runProgram(join(native, 'bin/pg_ctl'), args, { account: undefined, cwd: home.instance })
    return
  }
  signal(pid, 'SIGINT')
  if (await waitUntilGone(home, pid, bounds.fastStopMs)) return
  signal(pid, 'SIGQUIT')
  await waitUntilGone(home, pid, bounds.immediateStopMs)
}

export async function lastLogLines({ logFile }: Home, count: number): Promise<string> {
  return (await readText(logFile)).trimEnd().split('\n').slice(-count).join('\n')
}

/** Empty if there is no such file, or we may not read it. */
const readText = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error) => {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(codeOf(error))) return ''
    throw error
  })

/**
 * PostgreSQL notices that a pid is dead, but not that it now belongs to another program. The file is moved away and
 * compared: if another process has started PostgreSQL meanwhile, its new file is put back. Shared memory that a killed
 * PostgreSQL left behind is checked by PostgreSQL itself.
 */
async function clearRecycledPids({ cluster, instance }: Home): Promise<void> {
  for (const file of [join(cluster, 'postmaster.pid'), join(instance, `.s.PGSQL.${socketPort}.lock`)]) {
    const text = await readText(file)
    const pid = Number(text.split('\n')[0])
    if (!(pid > 1) || !isRunning(pid) || (await isPostmaster(pid, cluster))) continue
    const aside = `${file}-${randomToken(4)}`
    await rename(file, aside).catch(() => {})
    if ((await readText(aside)) !== text) await link(aside, file).catch(() => {})
    await rm(aside, { force: true })
  }
}

/** A Unix socket that only our user can open; loopback where there are none or the path is too long. */
async function chooseAddress({ instance, cluster }: Home): Promise<Address> {
  const path = join(instance, `.s.PGSQL.${socketPort}`)
  if (process.platform !== 'win32' && Buffer.byteLength(path) <= bounds.socketPathBytes) {
    return { host: instance, port: socketPort }
  }
  // The previous port, if it is free: after a restart the connection pools of a running Inlet still use it.
  const last = /"port=(\d+)"/.exec(await readText(join(cluster, 'postmaster.opts')))?.[1]
  const port = (last && (await tryPort(Number(last)))) || (await tryPort(0))
  return { host: '127.0.0.1', port: port ?? 0 }
}

async function tryPort(wanted: number): Promise<number | undefined> {
  const server = createServer()
  try {
    server.listen(wanted, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    return typeof address === 'object' ? address?.port : undefined
  } catch {
    return undefined
  } finally {
    server.close()
  }
}

async function rotateLog(logFile: string): Promise<void> {
  const size = await stat(logFile).then(
    (file) => file.size,
    () => 0,
  )
  if (size > bounds.logBytes) await rename(logFile, `${logFile}.1`)
}

// A symbolic link in place of the log file was not made by us and is not followed.
const appendOnly = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0)

/**
 * It runs in the folder of the cluster, as PostgreSQL's user, who may not be able to read our programs: the system's own are
 * enough. A copy is complete or missing; one that is there already must be equal.
 */
const archiveCommand = [
  'if test ! -d ../wal; then exit 0; fi',
  'if test -e ../wal/%f; then exec cmp -s %p ../wal/%f; fi',
  'cp %p ../wal/.%f && sync ../wal/.%f && mv ../wal/.%f ../wal/%f && sync ../wal',
].join('; ')

function settings(
  { instance }: Home,
  { host, port }: Address,
  extra: Readonly<Record<string, string>>,
): string[] {
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
    // How much WAL a full backup may hold back while it is made.
    max_slot_wal_keep_size: '4GB',
    // Finished segments of WAL go to backup/archived-wal.ts, at the latest after five minutes.
    archive_mode: process.platform === 'win32' ? 'off' : 'on',
    archive_timeout: '5min',
    archive_command: archiveCommand,
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...extra,
  }
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error
  }
}

async function waitUntilGone({ cluster }: Home, pid: number, timeoutMs: number): Promise<boolean> {
  const end = monotonicMs() + timeoutMs
  while (await isPostmaster(pid, cluster)) {
    if (monotonicMs() > end) return false
    await sleep(20)
  }
  return true
}
