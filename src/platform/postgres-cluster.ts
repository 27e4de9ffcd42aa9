/**
 * Makes the database cluster on first use: initdb, the two roles, the database. All of it happens in a folder
 * aside that is renamed when it is complete, so a cluster either exists whole or not at all, and of two first
 * starts at once one wins.
 */
import { chown, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, OperatorProblem, reasonOf } from './operator-problem.ts'
import { type Outcome, type Programs, runProgram } from './postgres-binaries.ts'
import { type Home, makeWorkFolder, rememberCluster, type Secrets, secretsFile } from './postgres-home.ts'

export async function ensureCluster(
  home: Home,
  programs: Programs,
  beforeMaking = () => {},
): Promise<'made' | 'found'> {
  const major = await clusterMajor(home)
  if (major === undefined) {
    refuseLostCluster(home)
    beforeMaking()
    await makeCluster(home, programs)
  } else if (major !== programs.major) {
    throw new OperatorProblem(
      `The database in ${home.dataDir} was made by PostgreSQL ${major} and this Inlet brings PostgreSQL ${programs.major}; start the Inlet that made it and move the data with pg_dump, or set INLET_DATA_DIR to an empty folder.`,
    )
  }
  await rememberCluster(home)
  return major === undefined ? 'made' : 'found'
}

async function clusterMajor({ cluster }: Home): Promise<number | undefined> {
  try {
    return Number(await readFile(join(cluster, 'PG_VERSION'), 'utf8'))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw new OperatorProblem(`Inlet cannot read the database in ${cluster} (${reasonOf(error)}).`)
  }
}

/** An empty database in place of a lost one would look like every deposit had vanished: say so instead. */
function refuseLostCluster({ dataDir, cluster, secrets }: Home): void {
  if (!secrets.cluster) return
  throw new OperatorProblem(
    `The database of ${dataDir} was made in ${secrets.cluster} and is expected in ${cluster}, where it is not; bring it back, or delete ${secretsFile(dataDir)} to begin with an empty one.`,
  )
}

async function makeCluster(home: Home, { native }: Programs): Promise<void> {
  const { account } = home
  const work = await makeWorkFolder(home.instance, account)
  const cluster = join(work, 'cluster')
  try {
    const passwordFile = await writePasswordFile(work, home)
    const initdb = await runProgram(join(native, 'bin/initdb'), initdbArguments(cluster, passwordFile), {
      account,
      cwd: work,
    })
    if (initdb.code !== 0) throw notMade(home, initdb)
    // A single-user backend: the roles belong to the cluster before anyone can connect to it.
    const roles = await runProgram(join(native, 'bin/postgres'), singleUserArguments(cluster), {
      account,
      cwd: work,
      input: rolesAndDatabase(home.secrets),
    })
    // It goes on after a failed statement and still exits with 0.
    if (roles.code !== 0 || /\b(ERROR|FATAL|PANIC):/.test(roles.output)) throw notMade(home, roles)
    await rename(cluster, home.cluster).catch((error) => {
      // Another first start was quicker; its cluster has the same passwords.
      if (!['ENOTEMPTY', 'EEXIST'].includes(codeOf(error))) throw error
    })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

async function writePasswordFile(work: string, { account, secrets }: Home): Promise<string> {
  const file = join(work, 'password')
  await writeFile(file, secrets.superuser, { flag: 'wx', mode: 0o600 })
  if (account) await chown(file, account.uid, account.gid)
  return file
}

const initdbArguments = (cluster: string, passwordFile: string): string[] => [
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

const singleUserArguments = (cluster: string): string[] => [
  '--single',
  '-D',
  cluster,
  '-c',
  'log_min_error_statement=panic',
  'postgres',
]

/** One statement per line: that is how the single-user backend reads. */
const rolesAndDatabase = ({ owner, runtime }: Secrets): string =>
  [
    `create role inlet_owner login createrole password '${owner}'`,
    `create role inlet_runtime login password '${runtime}'`,
    `create database inlet owner inlet_owner template template0 encoding 'UTF8'`,
    // PUBLIC may connect and make temporary tables by default; the runtime role gets what it is given.
    'revoke all on database inlet from public',
    'grant connect on database inlet to inlet_runtime',
    '',
  ].join('\n')

function notMade({ instance }: Home, { output }: Outcome): OperatorProblem {
  const complaint = output.split('\n').filter((line) => /error|fatal|panic|could not/i.test(line))
  const why =
    complaint.slice(0, 2).join(' ').trim() || output.trim().split('\n').at(-1) || 'no reason was given'
  return new OperatorProblem(`PostgreSQL could not make its database in ${instance}: ${why}`)
}
