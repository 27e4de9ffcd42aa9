/**
 * The installation's master key: from the setting, a file, a program or a Unix socket; in development a file made on first
 * use. What a program or a socket gives is never written anywhere, and never repeated in a sentence.
 */

import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { bounds } from './bounds.ts'
import { randomBase64 } from './clock.ts'
import { writeFirst } from './data-folder.ts'
import { ConfigProblem, codeOf } from './operator-problem.ts'

/** At most one of them is set. */
export type KeySource = {
  masterKey: Buffer | null
  masterKeyFile: string | null
  masterKeyCommand: KeyCommand | null
  masterKeySocket: string | null
}

/** A program and its arguments, run without a shell, and the environment that it gets. */
type KeyCommand = { words: readonly string[]; environment: NodeJS.ProcessEnv }

export type MasterKeys = { current: Buffer; old: Buffer | null }

type Settings = KeySource & { oldMasterKey: KeySource | null; production: boolean; dataDir: string }

export async function readMasterKeys(settings: Settings): Promise<MasterKeys> {
  const [current, old] = await Promise.all([
    readKey('INLET_MASTER_KEY', settings).then((key) => key ?? readOwnFile(settings)),
    settings.oldMasterKey ? readKey('INLET_OLD_MASTER_KEY', settings.oldMasterKey) : null,
  ])
  if (old?.equals(current))
    throw new ConfigProblem('- INLET_OLD_MASTER_KEY is the same key as INLET_MASTER_KEY: leave it out.')
  return { current, old }
}

/** null: no source is set. */
export async function readKey(
  name: string,
  source: KeySource,
  waitMs: number = bounds.masterKeyMs,
): Promise<Buffer | null> {
  const { masterKey, masterKeyFile, masterKeyCommand, masterKeySocket } = source
  if (masterKey) return masterKey
  if (masterKeyFile) return keyIn(await readFileOf(masterKeyFile), `The master key file ${masterKeyFile}`)
  if (masterKeyCommand)
    return keyIn(
      await runCommand(masterKeyCommand, name, waitMs),
      `What the program of ${name}_COMMAND prints`,
    )
  if (masterKeySocket)
    return keyIn(await readSocket(masterKeySocket, name, waitMs), `What the socket of ${name}_SOCKET sends`)
  return null
}

function keyIn(text: string, what: string): Buffer {
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length !== 32) throw new ConfigProblem(`- ${what} must be 32 bytes in base64.`)
  return key
}

const readFileOf = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error) => {
    throw new ConfigProblem(`- The master key file ${file} cannot be read (${codeOf(error)}).`)
  })

/** In development the key is made once: of two processes that start together the second reads what the first wrote. */
async function readOwnFile({ production, dataDir }: Settings): Promise<Buffer> {
  const file = join(dataDir, 'master.key')
  const text = await readFile(file, 'utf8').catch(async (error) => {
    if (codeOf(error) === 'ENOENT' && !production) await writeFirst(file, `${randomBase64(32)}\n`)
    return readFileOf(file)
  })
  return keyIn(text, `The master key file ${file}`)
}

/** Its error output is not read, because it may contain secrets. */
async function runCommand({ words, environment }: KeyCommand, name: string, waitMs: number): Promise<string> {
  const [program = '', ...rest] = words
  const setting = `${name}_COMMAND`
  const child = spawn(program, rest, {
    env: environment,
    stdio: ['ignore', 'pipe', 'ignore'],
    // It gets its own process group, so that the processes that it starts end with it.
    detached: process.platform !== 'win32',
  })
  const ended = new Promise<string | number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(signal ?? code))
  })
  ended.catch(() => {})
  try {
    const text = await textOf(child.stdout, waitMs)
    const code = await ended
    if (code === 0) return text
    throw new ConfigProblem(
      `- The program of ${setting} ended with ${code}. Run it by hand as Inlet's user to see why.`,
    )
  } catch (error) {
    if (child.pid !== undefined) endGroup(child.pid)
    if (error instanceof ConfigProblem) throw error
    const why = error instanceof UnusableKey ? error.message : `cannot be run (${codeOf(error)}).`
    throw new ConfigProblem(`- The program of ${setting} ${why}`)
  }
}

function endGroup(pid: number): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
  } catch {
    // The group has already ended.
  }
}

/** The server of the socket sends the key and closes the connection; nothing is sent to it. */
async function readSocket(path: string, name: string, waitMs: number): Promise<string> {
  const socket = connect({ path })
  try {
    return await textOf(socket, waitMs)
  } catch (error) {
    const why = error instanceof UnusableKey ? error.message : `cannot be read (${codeOf(error)}).`
    throw new ConfigProblem(`- The socket of ${name}_SOCKET ${why}`)
  } finally {
    socket.destroy()
  }
}

/** The key source gave something that is no key. The message is the end of a sentence. */
class UnusableKey extends Error {}

/** Reads the stream to its end. */
async function textOf(stream: Readable, waitMs: number): Promise<string> {
  const late = new UnusableKey(`did not end within ${waitMs / 1000} seconds. It must give the key and end.`)
  const timer = setTimeout(() => stream.destroy(late), waitMs)
  let text = ''
  try {
    for await (const chunk of stream) {
      text += chunk
      if (text.length > bounds.masterKeyText) throw new UnusableKey('gives far more than a key.')
    }
    return text
  } finally {
    clearTimeout(timer)
  }
}
