/**
 * Where the embedded PostgreSQL lives and as whom it runs. Our secrets stay in the data folder; PostgreSQL's
 * own files lie in `<data>/postgres`. It refuses to run as root, so root gives it an unprivileged user and a
 * folder under /var/lib/inlet which that user can reach even when the data folder is in /root; never a shared
 * temporary folder, where another user could plant files.
 *
 *   <postgres folder>/            ours: postgres.log, a copy of the programs when one is needed
 *   <postgres folder>/<id>/       PostgreSQL's, 0700: the cluster and its socket
 *
 * The id is kept in `<data>/postgres.json`: after the data folder is deleted there is an empty database and not the old one
 * with unknown passwords.
 */
import { createHash } from 'node:crypto'
import { chmod, chown, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { randomToken } from './clock.ts'
import { makeDataFolder, notWritable, writeDraft, writeFirst } from './data-folder.ts'
import { codeOf, OperatorProblem, reasonOf } from './operator-problem.ts'

/** The unprivileged user PostgreSQL runs as; undefined when that is ourselves. */
export type Account = { uid: number; gid: number } | undefined

export type Home = {
  dataDir: string
  folder: string
  instance: string
  cluster: string
  logFile: string
  account: Account
  secrets: Secrets
}

export type Secrets = {
  id: string
  superuser: string
  owner: string
  runtime: string
  /** Where the cluster was made; absent until it was. */
  cluster?: string
}

export function postgresFolder(dataDir: string): string {
  const path = resolve(dataDir)
  if (!isRoot()) return join(path, 'postgres')
  const digest = createHash('sha256').update(path).digest('hex').slice(0, 12)
  return join('/var/lib/inlet', `${basename(path).slice(0, 200)}-${digest}`)
}

export async function prepareHome(path: string): Promise<Home> {
  const dataDir = resolve(path)
  await makeDataFolder(dataDir)
  const secrets = await keepSecrets(dataDir)
  const folder = postgresFolder(dataDir)
  const instance = join(folder, secrets.id)
  const account = isRoot() ? await chooseAccount(dataDir, instance) : undefined
  await makeFolders(folder, instance, account)
  const cluster = join(instance, 'cluster')
  return { dataDir, folder, instance, cluster, logFile: join(folder, 'postgres.log'), account, secrets }
}

/** A new data folder for a restored cluster: its passwords are those that the cluster knows, its id is its own. */
export async function writeSecrets(
  dataDir: string,
  passwords: Pick<Secrets, 'superuser' | 'owner' | 'runtime'>,
): Promise<void> {
  const { superuser, owner, runtime } = passwords
  await writeFirst(secretsFile(dataDir), textOf({ id: randomToken(6), superuser, owner, runtime }))
}

export const readClusterId = async (dataDir: string): Promise<string | undefined> =>
  (await readSecrets(secretsFile(dataDir)))?.id

/** Notes that the cluster exists, so that losing it later is noticed and not answered with an empty one. */
export async function rememberCluster({ dataDir, cluster, secrets }: Home): Promise<void> {
  if (secrets.cluster === cluster) return
  const file = secretsFile(dataDir)
  await rename(await writeDraft(file, textOf({ ...secrets, cluster })), file)
}

/** A folder to make something in before it is renamed into place. Removes what killed processes left. */
export async function makeWorkFolder(parent: string, account: Account): Promise<string> {
  for (const name of await readdir(parent)) {
    const pid = /^work-(\d+)-/.exec(name)?.[1]
    if (pid && !isRunning(Number(pid))) await rm(join(parent, name), { recursive: true, force: true })
  }
  const folder = join(parent, `work-${process.pid}-${randomToken(4)}`)
  await mkdir(folder, { mode: 0o700 })
  if (account) await chown(folder, account.uid, account.gid)
  return folder
}

/** True for any process of that number, ours or not. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

export const secretsFile = (dataDir: string): string => join(dataDir, 'postgres.json')

const isRoot = (): boolean => process.getuid?.() === 0

/** Two first starts at once must agree on the passwords: the file appears whole, and the first one stays. */
async function keepSecrets(dataDir: string): Promise<Secrets> {
  const file = secretsFile(dataDir)
  const known = await readSecrets(file)
  if (known) return known
  const fresh = {
    id: randomToken(6),
    superuser: randomToken(32),
    owner: randomToken(32),
    runtime: randomToken(32),
  }
  try {
    await writeFirst(file, textOf(fresh))
  } catch (error) {
    throw notWritable(dataDir, error)
  }
  return (await readSecrets(file)) ?? fresh
}

async function readSecrets(file: string): Promise<Secrets | undefined> {
  try {
    const secrets: unknown = JSON.parse(await readFile(file, 'utf8'))
    if (areSecrets(secrets)) return secrets
    throw new Error('it does not hold what Inlet wrote')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    const why = error instanceof SyntaxError ? 'it is not JSON' : reasonOf(error)
    throw new OperatorProblem(`Inlet cannot read ${file} (${why}); bring this file back from a backup.`)
  }
}

function areSecrets(value: unknown): value is Secrets {
  if (typeof value !== 'object' || value === null) return false
  const { id, superuser, owner, runtime } = value as Record<string, unknown>
  // They become part of a path and of SQL text, so their alphabet matters.
  return [id, superuser, owner, runtime].every((text) => typeof text === 'string' && /^[\w-]{4,}$/.test(text))
}

const textOf = (secrets: Secrets): string => `${JSON.stringify(secrets, null, 2)}\n`

/** The owner of the cluster, else of the data folder, else the user postgres or nobody. */
async function chooseAccount(dataDir: string, instance: string): Promise<Account> {
  const users = await readUsers()
  const owners = await Promise.all([instance, dataDir].map((path) => stat(path).catch(() => undefined)))
  const wanted = [
    ...owners.map((owner) => users.find(({ uid }) => uid === owner?.uid)),
    ...['postgres', 'nobody'].map((name) => users.find((user) => user.name === name)),
  ]
  const user = wanted.find((candidate) => candidate && candidate.uid !== 0)
  if (!user) throw noAccount('there is no user postgres or nobody')
  return { uid: user.uid, gid: user.gid }
}

/** initdb asks for the user's name, so a number without an entry here is of no use. */
async function readUsers(): Promise<{ name: string; uid: number; gid: number }[]> {
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '')
  return text
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length >= 7)
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
}

export const noAccount = (why: string): OperatorProblem =>
  new OperatorProblem(
    `PostgreSQL refuses to run as root and Inlet cannot give it an unprivileged user (${why}); start Inlet as an ordinary user or set DATABASE_URL.`,
  )

async function makeFolders(folder: string, instance: string, account: Account): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: account ? 0o755 : 0o700 })
    // A strict umask of root's would lock PostgreSQL's user out of its own folder.
    if (account) for (const path of [dirname(folder), folder]) await chmod(path, 0o755)
    await mkdir(instance, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new OperatorProblem(
      `Inlet cannot make PostgreSQL's folder ${instance} (${reasonOf(error)}); make ${dirname(folder)} writable or set DATABASE_URL.`,
      { cause: error },
    )
  }
  if (!account) return
  await chown(instance, account.uid, account.gid).catch((error) => {
    throw noAccount(`files cannot be given to user ${account.uid}: ${reasonOf(error)}`)
  })
}
