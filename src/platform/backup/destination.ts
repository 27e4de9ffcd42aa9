/**
 * Where backups are stored: a folder, or a program of the operator's that stores, fetches, lists and deletes files by name. A
 * file is either complete or missing. Names are made by Inlet: letters, digits, dots, dashes and slashes.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { logTime, randomToken } from '../clock.ts'
import { codeOf, OperatorProblem, reasonOf } from '../operator-problem.ts'
import type { Bytes } from './sealed-stream.ts'

export type Destination = {
  /** As the operator wrote it. */
  place: string
  put(name: string, bytes: Bytes): Promise<void>
  get(name: string): Bytes
  /** Lists the names that begin with this, in order. */
  list(prefix: string): Promise<string[]>
  delete(name: string): Promise<void>
  /** Removes what killed processes began to write. */
  tidy?(): Promise<void>
}

const commandPrefix = 'command:'

/** `environment`: of the operator's program. */
export const openDestination = (place: string, environment: NodeJS.ProcessEnv = {}): Promise<Destination> =>
  place.startsWith(commandPrefix) ? openCommand(place, environment) : openFolder(place)

/** A file that was not written to for so long was abandoned. */
const abandonedMs = 24 * 3_600_000

const draft = /(^|\/)\.part-[^/]*$/

/** The folder must exist: a disk that is not mounted must not be taken for an empty one. */
async function openFolder(place: string): Promise<Destination> {
  const root = resolve(place)
  const isFolder = (path: string) =>
    stat(path).then(
      (found) => found.isDirectory(),
      (error) => {
        if (codeOf(error) === 'ENOENT') return false
        throw unusable(place, error)
      },
    )
  const refuseMissing = async () => {
    if (!(await isFolder(root)))
      throw new OperatorProblem(
        `The folder for backups ${root} does not exist; make it ("mkdir -p ${root}"), or mount the disk that has it.`,
      )
  }
  await refuseMissing()
  // Installations with files here: where one is gone, the disk was probably unmounted, and this is its empty mount point.
  const used = new Set<string>()
  const refuseUnmounted = async (id: string) => {
    await refuseMissing()
    if (used.has(id) && !(await isFolder(join(root, id))))
      throw new OperatorProblem(
        `The folder ${id} is gone from ${root}: mount the disk that has it. If you moved it aside yourself, restart Inlet.`,
      )
  }
  return {
    place,
    async put(name, bytes) {
      const file = join(root, name)
      const folder = dirname(file)
      const part = join(folder, `.part-${randomToken(6)}`)
      const [id] = relative(root, folder).split(sep)
      try {
        await refuseUnmounted(id!)
        await makeFolders(root, folder)
        used.add(id!)
        const handle = await open(part, 'wx', 0o600)
        try {
          for await (const chunk of bytes) await handle.writeFile(chunk)
          await handle.sync()
        } finally {
          await handle.close()
        }
        await rename(part, file)
        await syncFolder(folder)
      } catch (error) {
        await rm(part, { force: true }).catch(() => {})
        throw error instanceof OperatorProblem || !codeOf(error) ? error : unusable(place, error)
      }
    },
    async *get(name) {
      try {
        yield* createReadStream(join(root, name), { highWaterMark: 1024 * 1024 }) as Bytes
      } catch (error) {
        throw codeOf(error) === 'ENOENT' ? missing(name, place) : unusable(place, error)
      }
    },
    async list(prefix) {
      const folder = join(root, prefix.slice(0, prefix.lastIndexOf('/') + 1))
      const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error) => {
        if (codeOf(error) === 'ENOENT') return []
        throw unusable(place, error)
      })
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
        .filter((name) => name.startsWith(prefix) && !draft.test(name))
        .sort()
    },
    delete: (name) => rm(join(root, name), { force: true }),
    async tidy() {
      const now = Date.parse(logTime())
      for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
        const path = join(entry.parentPath, entry.name)
        if (!draft.test(`/${entry.name}`)) continue
        // The server beside us may have ended it meanwhile.
        const found = await stat(path).catch(() => undefined)
        if (found && now - found.mtimeMs > abandonedMs) await rm(path, { force: true })
      }
    },
  }
}

/** Syncs every new folder, each in its parent. */
async function makeFolders(root: string, folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (!first) return
  for (let at = folder; at !== root && at.startsWith(root); at = dirname(at)) await syncFolder(dirname(at))
}

async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  await folder.sync().finally(() => folder.close())
}

const stoppedReading = ['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE']

const commandTimeoutMs = 15 * 60_000

/** `command:PROGRAM ARGUMENTS`: called with `put NAME`, `get NAME`, `list PREFIX` or `delete NAME` behind them. */
async function openCommand(place: string, environment: NodeJS.ProcessEnv): Promise<Destination> {
  const [program, ...args] = place.slice(commandPrefix.length).trim().split(/\s+/)
  if (!program) throw new OperatorProblem('INLET_BACKUP_TO names no program behind "command:".')
  const call = (...words: string[]) => run(program, args, words, environment)
  return {
    place,
    async put(name, bytes) {
      const { child, ended } = call('put', name)
      child.stdout.resume()
      const sent = pipeline(bytes, child.stdin).then(
        () => true,
        (error) => {
          if (stoppedReading.includes(codeOf(error))) return false
          throw error
        },
      )
      sent.catch(() => {})
      // The program's own error explains more than the fact that it stopped reading, and the source of the bytes may be
      // waiting.
      await ended
      if (!(await Promise.race([sent, setImmediate(false)])))
        throw new OperatorProblem(
          `The program for backups, ${program}, ended before it had read all of ${name}.`,
        )
    },
    async *get(name) {
      const { child, ended } = call('get', name)
      ended.catch(() => {})
      child.stdin.end()
      yield* child.stdout as Bytes
      await ended
    },
    async list(prefix) {
      const { child, ended } = call('list', prefix)
      child.stdin.end()
      let text = ''
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      await ended
      return text
        .split('\n')
        .map((line) => line.trim())
        .filter((name) => name.startsWith(prefix) && name !== '')
        .sort()
    },
    async delete(name) {
      const { child, ended } = call('delete', name)
      child.stdin.end()
      child.stdout.resume()
      await ended
    },
  }
}

type Call = { child: ChildProcessByStdio<Writable, Readable, Readable>; ended: Promise<void> }

/** The operator's arguments may hold a secret, so that no problem names them. */
function run(program: string, args: string[], words: string[], environment: NodeJS.ProcessEnv): Call {
  const child = spawn(program, [...args, ...words], {
    env: environment,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), commandTimeoutMs)
  let complaint = ''
  child.stderr.on('data', (chunk) => (complaint = `${complaint}${chunk}`.slice(-2_000)))
  child.stdin.on('error', () => {}) // It may end before it has read everything; its code says why.
  const ended = once(child, 'close').then(
    ([code, signal]) => {
      clearTimeout(timer)
      if (code === 0) return
      const why = complaint.trim().split('\n').at(-1) || (signal ? `ended by ${signal}` : `exit code ${code}`)
      throw new OperatorProblem(`The program for backups, "${program} ${words.join(' ')}", failed: ${why}`)
    },
    (error) => {
      clearTimeout(timer)
      throw new OperatorProblem(`The program for backups, ${program}, cannot be run (${reasonOf(error)}).`)
    },
  )
  return { child, ended }
}

const unusable = (place: string, error: unknown): OperatorProblem =>
  new OperatorProblem(`The folder for backups ${place} cannot be used (${reasonOf(error)}).`, {
    cause: error,
  })

const missing = (name: string, place: string): OperatorProblem =>
  new OperatorProblem(`The file ${name} is missing in the backups at ${place}.`)
