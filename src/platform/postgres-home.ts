/**
 * Where the embedded PostgreSQL lives and as whom it runs. Our secrets stay in the data folder; PostgreSQL's own files lie in
 * `<data>/postgres`. It refuses to run as root, so root gives it an unprivileged user and a folder under /var/lib/inlet, which that
 * user can reach even when the data folder is in /root; never a shared temporary folder, where another user could plant files.
 *
 *   <postgres folder>/postgres.log  ours
 *   <postgres folder>/<id>/         PostgreSQL's, 0700: the cluster and its socket
 *
 * `<data>/postgres.json` names the id. It is written when the cluster is complete: without it there is no cluster yet, and with it
 * a missing cluster is a lost one. After the data folder is deleted there is a new cluster, and not the old one with unknown passwords.
 */
import { createHash } from 'node:crypto'
import { chmod, chown, mkdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { randomToken } from './clock.ts'
import { writeFirst } from './data-folder.ts'
import { codeOf, OperatorProblem, reasonOf } from './operator-problem.ts'

/** The unprivileged user PostgreSQL runs as; undefined when that is ourselves. */
export type Account = { uid: number; gid: number } | undefined

export type Passwords = { superuser: string; owner: string; runtime: string }
type Secrets = Passwords & { id: string }

export type Home = {
  dataDir: string
  folder: string
  instance: string
  cluster: string
  logFile: string
  account: Account
  secrets: Secrets
}

export function postgresFolder(dataDir: string): string {
  const path = resolve(dataDir)
  if (!isRoot()) return join(path, 'postgres')
  const digest = createHash('sha256').update(path).digest('hex').slice(0, 12)
  return join(rootFolder, `${basename(path).slice(0, 200)}-${digest}`)
}

/** PostgreSQL's programs are copied there when they cannot run in place. Root has one copy for all data folders. */
export const programsFolder = (dataDir: string): string => (isRoot() ? rootFolder : postgresFolder(dataDir))

export const secretsFile = (dataDir: string): string => join(dataDir, 'postgres.json')

export async function readHome(dataDir: string): Promise<Home | undefined> {
  const file = secretsFile(dataDir)
  try {
    const secrets: unknown = JSON.parse(await readFile(file, 'utf8'))
    if (areSecrets(secrets)) return await homeOf(dataDir, secrets)
    throw new Error('it does not hold what Inlet wrote')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    if (error instanceof OperatorProblem) throw error
    const why = error instanceof SyntaxError ? 'it is not JSON' : reasonOf(error)
    throw new OperatorProblem(`Inlet cannot read ${file} (${why}); bring this file back from a backup.`)
  }
}

/** The folders of a cluster that is yet to be made. A restored cluster knows its passwords already. */
export async function newHome(dataDir: string, restored?: Passwords): Promise<Home> {
  const [superuser, owner, runtime] = [randomToken(32), randomToken(32), randomToken(32)]
  const home = await homeOf(dataDir, { id: randomToken(6), superuser, owner, runtime, ...restored })
  const { folder, instance, account } = home
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // A strict umask of root's would lock PostgreSQL's user out of its own folder.
  if (account) for (const path of [dirname(folder), folder]) await chmod(path, 0o755)
  await mkdir(instance, { mode: 0o700 })
  if (account) await chown(instance, account.uid, account.gid)
  return home
}

/** Of two processes that make a cluster at once the first one counts. */
export const keepHome = ({ dataDir, secrets }: Home): Promise<void> =>
  writeFirst(secretsFile(dataDir), `${JSON.stringify(secrets, null, 2)}\n`)

export const isRoot = (): boolean => process.getuid?.() === 0

const rootFolder = '/var/lib/inlet'

async function homeOf(dataDir: string, secrets: Secrets): Promise<Home> {
  const folder = postgresFolder(dataDir)
  const instance = join(folder, secrets.id)
  const account = isRoot() ? await chooseAccount(instance, dataDir) : undefined
  const logFile = join(folder, 'postgres.log')
  return { dataDir, folder, instance, cluster: join(instance, 'cluster'), logFile, account, secrets }
}

function areSecrets(value: unknown): value is Secrets {
  if (typeof value !== 'object' || value === null) return false
  const { id, superuser, owner, runtime } = value as Record<string, unknown>
  // They become part of a path and of SQL text, so their alphabet matters.
  return [id, superuser, owner, runtime].every((text) => typeof text === 'string' && /^[\w-]{4,}$/.test(text))
}

/** The owner of the cluster, else of the data folder, else nobody, whom every system knows by this number. */
async function chooseAccount(instance: string, dataDir: string): Promise<Account> {
  const { uid, gid } = await stat(instance).catch(() => stat(dataDir))
  return uid === 0 ? { uid: 65_534, gid: 65_534 } : { uid, gid }
}
