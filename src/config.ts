/** The environment, read once, checked whole: every problem is reported together. `.env.example` is the manual. */
import cluster from 'node:cluster'
import { readFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { resolve } from 'node:path'
import { bounds } from './platform/bounds.ts'
import { urlPerHost } from './platform/database-hosts.ts'
import { type LogForm, type LogLevel, logForms, logLevels } from './platform/log.ts'
import type { KeySource } from './platform/master-key.ts'
import { insideOf, parseNetwork } from './platform/network.ts'
import { ConfigProblem, codeOf } from './platform/operator-problem.ts'

export type Config = Readonly<{
  production: boolean
  host: string
  port: number
  publicUrl: string
  dataDir: string
  /** null: the embedded PostgreSQL in dataDir. */
  databaseUrl: string | null
  ownerDatabaseUrl: string | null
  /** The schema of this installation's tables: several installations may share a database. */
  schema: string
  /** The previous key: it opens what it has sealed, until `inlet key reseal` has replaced it. */
  oldMasterKey: KeySource | null
  demo: boolean
  /** How many processes share the port. */
  processes: number
  /** Whether another Inlet may listen on the same port, as the next version does before this one ends. */
  sharesPort: boolean
  roles: ReadonlySet<Role>
  trustedProxies: string[]
  /** Private networks that callbacks may reach. */
  callbackAllowed: (address: string) => boolean
  operatorCallback: { url: string; secret: string } | null
  metrics: { host: string; port: number } | null
  isTrustedHost: (host: string) => boolean
  logLevel: LogLevel
  /** null: JSON in production where the output is no terminal, else text. */
  logForm: LogForm | null
  /** The folder for backups of the embedded PostgreSQL, how often a full one is made, and how many are kept; null: nowhere. */
  backup: BackupSettings | null
  /** The operator knows that a failover can lose acknowledged deposits, and wants to run all the same. */
  acceptsLoss: boolean
}> &
  Readonly<KeySource>

type BackupSettings = Readonly<{
  to: string
  everyHours: number
  keep: number
  /** How often the newest backup is restored as a drill; null: only by hand. */
  drillHours: number | null
}>

/** What a process does. Several processes on one database may share the roles in any way. */
const roles = ['api', 'pay', 'console', 'worker'] as const
type Role = (typeof roles)[number]

export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const problems: string[] = []
  const value = (name: string) => environment[name]?.trim() || null
  const wrong = (name: string, expected: string) => {
    problems.push(`${name} ${expected}`)
    return null
  }

  /** A setting that holds a secret may stand in a file: containers and systemd hand secrets over that way. */
  const secret = (name: string) => {
    const file = value(`${name}_FILE`)
    if (file === null) return value(name)
    if (value(name)) return wrong(`${name}_FILE`, `and ${name}: set one of them`)
    try {
      return readFileSync(file, 'utf8').trim() || wrong(`${name}_FILE`, `names ${file}, which is empty`)
    } catch (error) {
      return wrong(`${name}_FILE`, `names ${file}, which cannot be read (${codeOf(error)})`)
    }
  }

  const kind = value('NODE_ENV') ?? 'development'
  const production = kind === 'production'
  // A misspelt environment such as "prod" must not start a demo.
  if (!['production', 'development', 'test'].includes(kind))
    wrong('NODE_ENV', 'must be production, development or test')
  const port = Number(value('PORT') ?? 8080)
  const isPort = Number.isInteger(port) && port >= 1 && port <= 65535
  if (!isPort) wrong('PORT', 'must be a number from 1 to 65535')

  const publicUrl = (value('INLET_PUBLIC_URL') ?? `http://localhost:${isPort ? port : 8080}`).replace(
    /\/+$/,
    '',
  )
  if (!/^https?:\/\/[^\s/?#@]+$/.test(publicUrl) || !URL.canParse(publicUrl)) {
    wrong('INLET_PUBLIC_URL', 'must be an address such as https://pay.example.com, without a path')
  }
  if (production && !publicUrl.startsWith('https:')) {
    wrong('INLET_PUBLIC_URL', 'must be an https address in production')
  }

  const databaseUrls = ['DATABASE_URL', 'INLET_OWNER_DATABASE_URL'].map((name) => {
    const url = secret(name)
    if (url && !/^postgres(ql)?:\/\//.test(url))
      return wrong(name, 'must begin with postgres:// or postgresql://')
    // A URL without a host takes it from its parameters.
    if (url && !urlPerHost(url).every((address) => URL.canParse(address.replace('@/', '@host/'))))
      return wrong(
        name,
        'must be as postgres://user:password@host:5432/inlet, with @ / # ? of a password as %40 …',
      )
    return url
  })

  const masterKey = readKeySource('INLET_MASTER_KEY', environment, wrong)
  const oldMasterKey = readKeySource('INLET_OLD_MASTER_KEY', environment, wrong)
  // One of several processes has its keys from its parent.
  if (production && !cluster.isWorker && !masterKey)
    wrong('INLET_MASTER_KEY', 'is required in production, or its _FILE, _COMMAND or _SOCKET')

  const demoText = value('INLET_DEMO') ?? (production ? 'off' : 'on')
  if (!['on', 'off'].includes(demoText)) wrong('INLET_DEMO', 'must be on or off')
  if (production && demoText === 'on') wrong('INLET_DEMO', 'must stay off in production')

  const logLevel = (value('INLET_LOG_LEVEL') ?? 'info') as LogLevel
  if (!logLevels.includes(logLevel)) wrong('INLET_LOG_LEVEL', `must be one of ${logLevels.join(', ')}`)

  const logForm = value('INLET_LOG') as LogForm | null
  if (logForm && !logForms.includes(logForm)) wrong('INLET_LOG', `must be ${logForms.join(' or ')}`)

  const processes = Number(value('INLET_PROCESSES') ?? (production ? processesOfMachine() : 1))
  if (!Number.isInteger(processes) || processes < 1 || processes > bounds.processes.most)
    wrong('INLET_PROCESSES', `must be a number from 1 to ${bounds.processes.most}`)

  const sharesText = value('INLET_SHARE_PORT') ?? 'off'
  if (!['on', 'off'].includes(sharesText)) wrong('INLET_SHARE_PORT', 'must be on or off')
  if (sharesText === 'on' && (processes > 1 || !databaseUrls[0]))
    wrong('INLET_SHARE_PORT', 'needs INLET_PROCESSES=1 and DATABASE_URL; with more processes use SIGHUP')

  const roleWords = (value('INLET_ROLES') ?? roles.join(',')).split(',').map((word) => word.trim())
  if (roleWords.some((word) => !(roles as readonly string[]).includes(word))) {
    wrong('INLET_ROLES', `must be some of ${roles.join(', ')}, separated by commas`)
  }

  const allowed = listIn(value('INLET_CALLBACK_ALLOW_CIDRS'))
  if (!allowed.every(parseNetwork))
    wrong('INLET_CALLBACK_ALLOW_CIDRS', 'must be networks such as 10.1.0.0/16, separated by commas')
  const callbackAllowed = insideOf(allowed)
  const trustedProxies = listIn(value('INLET_TRUSTED_PROXIES'))
  if (!trustedProxies.every((network) => parseNetwork(network)?.[1])) {
    wrong('INLET_TRUSTED_PROXIES', 'must be addresses or networks, never everybody (/0), separated by commas')
  }

  const operatorUrl = value('INLET_OPERATOR_CALLBACK_URL')
  const operatorSecret = secret('INLET_OPERATOR_CALLBACK_SECRET')
  if (operatorUrl && !(/^https?:\/\/[^\s]+$/.test(operatorUrl) && URL.canParse(operatorUrl))) {
    wrong('INLET_OPERATOR_CALLBACK_URL', 'must be an http or https address')
  }
  if (operatorUrl && !/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(operatorSecret ?? '')) {
    wrong('INLET_OPERATOR_CALLBACK_SECRET', 'must be whsec_ and at least 24 random bytes in base64')
  }

  const metricsText = value('INLET_METRICS_PORT') ?? '9464'
  const metricsPort = Number(metricsText)
  const metricsOn = metricsText !== 'off'
  if (metricsOn && (!Number.isInteger(metricsPort) || metricsPort < 1 || metricsPort > 65535)) {
    wrong('INLET_METRICS_PORT', 'must be a number from 1 to 65535, or off')
  }

  const schema = value('INLET_SCHEMA') ?? 'inlet'
  if (!/^[a-z][a-z0-9_]{0,30}$/.test(schema) || /^pg_/.test(schema))
    wrong(
      'INLET_SCHEMA',
      'must be up to 31 small letters, digits and _, begin with a letter, and not with pg_',
    )

  const acceptedLoss = value('INLET_ACCEPT_LOSS')
  if (acceptedLoss !== null && acceptedLoss !== 'async')
    wrong('INLET_ACCEPT_LOSS', 'must be async, or not be set: see docs/high-availability.md')
  const backupTo = value('INLET_BACKUP_TO')
  const dataDir = resolve(value('INLET_DATA_DIR') ?? 'data')
  if (backupTo && `${resolve(backupTo)}/`.startsWith(`${dataDir}/`))
    wrong('INLET_BACKUP_TO', 'must not be in the data folder: it would be lost with it')
  if (backupTo && databaseUrls[0])
    wrong(
      'INLET_BACKUP_TO',
      'is for the embedded PostgreSQL; a given one has its own backups: see docs/backup.md',
    )
  const numberFrom = (name: string, usual: number, range: { least: number; most: number; off?: string }) => {
    const { least, most, off = '' } = range
    const number = Number(value(name) ?? usual)
    if (!(Number.isInteger(number) && number >= least && number <= most))
      wrong(name, `must be a number from ${least} to ${most}${off}`)
    return number
  }
  const everyHours = numberFrom('INLET_BACKUP_EVERY', 24, bounds.backup.everyHours)
  const keep = numberFrom('INLET_BACKUP_KEEP', 7, bounds.backup.keep)
  const isDrillOff = value('INLET_BACKUP_DRILL_EVERY') === 'off'
  const drillHours = isDrillOff
    ? null
    : numberFrom('INLET_BACKUP_DRILL_EVERY', 168, { ...bounds.backup.everyHours, off: ', or off' })

  if (problems.length > 0) throw new ConfigProblem(problems.map((problem) => `- ${problem}`).join('\n'))
  return Object.freeze({
    production,
    host: value('HOST') ?? 'localhost',
    port,
    publicUrl,
    dataDir,
    databaseUrl: databaseUrls[0] ?? null,
    ownerDatabaseUrl: databaseUrls[1] ?? null,
    schema,
    ...(masterKey ?? noKey),
    oldMasterKey,
    demo: demoText === 'on',
    processes,
    sharesPort: sharesText === 'on',
    roles: new Set(roleWords as Role[]),
    trustedProxies,
    callbackAllowed,
    operatorCallback: operatorUrl && operatorSecret ? { url: operatorUrl, secret: operatorSecret } : null,
    metrics: metricsOn ? { host: value('INLET_METRICS_HOST') ?? '127.0.0.1', port: metricsPort } : null,
    isTrustedHost: (host: string) =>
      callbackAllowed(host) || (!production && ['localhost', '127.0.0.1', '[::1]'].includes(host)),
    logLevel,
    logForm,
    acceptsLoss: acceptedLoss === 'async',
    backup: backupTo ? { to: backupTo, everyHours, keep, drillHours } : null,
  })
}

const listIn = (text: string | null): string[] =>
  (text ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean)

const noKey = { masterKey: null, masterKeyFile: null, masterKeyCommand: null, masterKeySocket: null }

/** The one source of a key; null where none is set. */
function readKeySource(
  name: string,
  environment: NodeJS.ProcessEnv,
  wrong: (name: string, expected: string) => void,
): KeySource | null {
  const names = [name, `${name}_FILE`, `${name}_COMMAND`, `${name}_SOCKET`]
  const [text, file, command, socket] = names.map((each) => environment[each]?.trim() || null)
  const [first, ...more] = names.filter((each) => environment[each]?.trim())
  if (first === undefined) return null
  if (more.length > 0) wrong(first, `and ${more.join(' and ')}: set one of them`)
  const masterKey = text ? Buffer.from(text, 'base64') : null
  if (masterKey && masterKey.length !== 32)
    wrong(name, 'must be 32 random bytes in base64 (openssl rand -base64 32)')
  return {
    masterKey,
    masterKeyFile: file ?? null,
    masterKeyCommand: command
      ? { words: command.split(/\s+/), environment: environmentOfOthers(environment) }
      : null,
    masterKeySocket: socket ?? null,
  }
}

/** The environment of a program of the operator: it needs its own settings, and gets none of ours. */
const environmentOfOthers = (environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !/^(INLET_|DATABASE_URL$)/.test(name)))

/** For commands that a server starts. Keys that were in the environment no longer are; other sources are read again. */
export const environmentOfCommands = ({ masterKey, oldMasterKey }: Config): NodeJS.ProcessEnv => ({
  ...process.env,
  ...(masterKey && { INLET_MASTER_KEY: masterKey.toString('base64') }),
  ...(oldMasterKey?.masterKey && { INLET_OLD_MASTER_KEY: oldMasterKey.masterKey.toString('base64') }),
})

/** Removes keys that were read: our environment would be in that of every process we start, and in a crash report. */
export function forgetKeys(environment: NodeJS.ProcessEnv = process.env): void {
  for (const name of ['INLET_MASTER_KEY', 'INLET_OLD_MASTER_KEY']) delete environment[name]
}

/** One for each core, as far as the memory goes that the machine has or the container may take. */
function processesOfMachine(): number {
  const memory = Math.min(totalmem(), process.constrainedMemory() || totalmem())
  const fitting = Math.floor(memory / bounds.processes.memoryBytes)
  return Math.max(1, Math.min(availableParallelism(), fitting, bounds.processes.most))
}
