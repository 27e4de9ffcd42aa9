/**
 * The installation's master key: from the settings, or a program; in development a file made on first use. What a program
 * prints is never written anywhere, and never repeated in a sentence.
 */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bounds } from './bounds.ts'
import { randomBase64 } from './clock.ts'
import { writeFirst } from './data-folder.ts'
import { ConfigProblem, codeOf } from './operator-problem.ts'

export type MasterKeys = { current: Buffer; old: Buffer | null }

/** Of a key and its program at most one is set. */
type Settings = {
  masterKey: Buffer | null
  /** A program and its arguments, run without a shell. */
  masterKeyCommand: readonly string[] | null
  oldMasterKey: Buffer | null
  oldMasterKeyCommand: readonly string[] | null
  /** What programs of the operator get. */
  programEnvironment: NodeJS.ProcessEnv
  production: boolean
  dataDir: string
}

export async function readMasterKeys(settings: Settings): Promise<MasterKeys> {
  const { masterKey, masterKeyCommand, oldMasterKey, oldMasterKeyCommand, programEnvironment } = settings
  const [current, old] = await Promise.all([
    masterKey ??
      (masterKeyCommand
        ? printedKey('INLET_MASTER_KEY', masterKeyCommand, programEnvironment)
        : readOwnFile(settings)),
    oldMasterKey ??
      (oldMasterKeyCommand && printedKey('INLET_OLD_MASTER_KEY', oldMasterKeyCommand, programEnvironment)),
  ])
  if (old?.equals(current))
    throw new ConfigProblem('- INLET_OLD_MASTER_KEY is the same key as INLET_MASTER_KEY: leave it out.')
  return { current, old }
}

function keyIn(text: string, what: string): Buffer {
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length !== 32) throw new ConfigProblem(`- ${what} must be 32 bytes in base64.`)
  return key
}

/** In development the key is made once: of two processes that start together the second reads what the first wrote. */
async function readOwnFile({ production, dataDir }: Settings): Promise<Buffer> {
  const file = join(dataDir, 'master.key')
  const read = () => readFile(file, 'utf8')
  const text = await read()
    .catch(async (error) => {
      if (codeOf(error) !== 'ENOENT' || production) throw error
      await writeFirst(file, `${randomBase64(32)}\n`)
      return read()
    })
    .catch((error) => {
      throw new ConfigProblem(`- The master key file ${file} cannot be read (${codeOf(error)}).`)
    })
  return keyIn(text, `The master key file ${file}`)
}

export async function printedKey(
  name: string,
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
  waitMs: number = bounds.masterKeyMs,
): Promise<Buffer> {
  const [program = '', ...rest] = words
  const running = promisify(execFile)(program, rest, {
    env: environment,
    timeout: waitMs,
    killSignal: 'SIGKILL',
    maxBuffer: bounds.masterKeyText,
  })
  running.child.stdin?.end()
  const { stdout } = await running.catch((error) => {
    throw new ConfigProblem(`- The program of ${name}_COMMAND ${failureOf(error, waitMs)}`)
  })
  return keyIn(stdout, `What the program of ${name}_COMMAND prints`)
}

/** Without Node's own message, which repeats what the program wrote. */
function failureOf(error: { code?: unknown; signal?: unknown; killed?: boolean }, waitMs: number): string {
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'writes far more than a key.'
  if (error.killed) return `did not end within ${waitMs / 1000} seconds. It must give the key and end.`
  if (typeof error.code === 'string') return `cannot be run (${error.code}).`
  return `ended with ${error.signal ?? error.code}. Run it by hand as Inlet's user to see why.`
}
