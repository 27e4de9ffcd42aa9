/**
 * The environment, read once, checked whole: every problem is reported together. A setting is a row of one table; `.env.example`,
 * which a test compares with it, is the manual.
 */
import cluster from 'node:cluster'
import { readFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { resolve } from 'node:path'
import { bounds } from './platform/bounds.ts'
import { urlPerHost } from './platform/database-hosts.ts'
import { logForms, logLevels } from './platform/log.ts'
import { insideOf, parseNetwork } from './platform/network.ts'
import { ConfigProblem, codeOf } from './platform/operator-problem.ts'

/** How a setting is read. `read` answers undefined to what is not expected. */
type Kind<Value> = { expected: string; read(text: string): Value | undefined }

const kind = <Value>(expected: string, read: Kind<Value>['read']): Kind<Value> => ({ expected, read })

const matching = (shape: RegExp, expected: string) =>
  kind(expected, (text) => (shape.test(text) ? text : undefined))

const oneOf = <const Word extends string>(...words: Word[]) =>
  kind(`must be one of ${words.join(', ')}`, (text) => words.find((word) => word === text))

const numberIn = ({ least, most }: { least: number; most: number }) =>
  kind(`must be a number from ${least} to ${most}`, (text) => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
    return number >= least && number <= most ? number : undefined
  })

const orOff = <Value>({ expected, read }: Kind<Value>) =>
  kind(`${expected}, or off`, (text) => (text === 'off' ? null : read(text)))

const listOf = <Value>(expected: string, read: Kind<Value>['read']) =>
  kind(`${expected}, separated by commas`, (text) => {
    const words = text.split(',').map((word) => word.trim())
    const values = words.filter(Boolean).map(read)
    return values.includes(undefined) ? undefined : (values as Value[])
  })

const anything = matching(/./, '')
const key = kind<Buffer>('must be 32 random bytes in base64 (openssl rand -base64 32)', (text) => {
  const bytes = Buffer.from(text, 'base64')
  return bytes.length === 32 ? bytes : undefined
})
const onOrOff = kind('must be on or off', (text) => ({ on: true, off: false })[text])
const port = numberIn({ least: 1, most: 65_535 })
const hours = numberIn(bounds.backup.everyHours)
const databaseUrl = kind(
  'must be as postgres://user:password@host:5432/inlet, with @ / # ? of a password as %40 …',
  // A URL without a host takes it from its parameters.
  (text) =>
    /^postgres(ql)?:\/\//.test(text) &&
    urlPerHost(text).every((one) => URL.canParse(one.replace('@/', '@host/')))
      ? text
      : undefined,
)
const webAddress = (shape: RegExp, expected: string) =>
  kind(expected, (text) => {
    const url = text.replace(/\/+$/, '')
    return shape.test(url) && URL.canParse(url) ? url : undefined
  })

/** What a process does. Several processes on one database may share the roles in any way. */
const roles = ['api', 'pay', 'console', 'worker'] as const

/** Each setting but the keys: its name, how it is read, and its value where it is not set. */
export const settings = {
  environment: ['NODE_ENV', oneOf('production', 'development', 'test'), 'development'],
  host: ['HOST', anything, 'localhost'],
  port: ['PORT', port, 8080],
  publicUrl: [
    'INLET_PUBLIC_URL',
    webAddress(
      /^https?:\/\/[^\s/?#@]+$/,
      'must be an address such as https://pay.example.com, without a path',
    ),
    null,
  ],
  dataDir: ['INLET_DATA_DIR', kind('', (text) => resolve(text)), resolve('data')],
  /** null: the embedded PostgreSQL in dataDir. */
  databaseUrl: ['DATABASE_URL', databaseUrl, null],
  ownerDatabaseUrl: ['INLET_OWNER_DATABASE_URL', databaseUrl, null],
  /** The schema of this installation's tables: several installations may share a database. */
  schema: [
    'INLET_SCHEMA',
    matching(
      /^(?!pg_)[a-z][a-z0-9_]{0,30}$/,
      'must be up to 31 small letters, digits and _, begin with a letter, and not with pg_',
    ),
    'inlet',
  ],
  /** The operator knows that a failover can lose acknowledged deposits, and wants to run all the same. */
  acceptsLoss: [
    'INLET_ACCEPT_LOSS',
    kind('must be async, or not be set: see docs/operate.md', (text) => text === 'async' || undefined),
    false,
  ],
  demo: ['INLET_DEMO', onOrOff, null],
  /** How many processes share the port. */
  processes: ['INLET_PROCESSES', numberIn({ least: 1, most: bounds.processes.most }), null],
  roles: [
    'INLET_ROLES',
    listOf(`must be some of ${roles.join(', ')}`, (word) => roles.find((role) => role === word)),
    roles,
  ],
  trustedProxies: [
    'INLET_TRUSTED_PROXIES',
    listOf('must be addresses or networks, never everybody (/0)', (text) =>
      parseNetwork(text)?.[1] ? text : undefined,
    ),
    [],
  ],
  /** Private networks that callbacks may reach. */
  callbackNetworks: [
    'INLET_CALLBACK_ALLOW_CIDRS',
    listOf('must be networks such as 10.1.0.0/16', (text) => (parseNetwork(text) ? text : undefined)),
    [],
  ],
  backupTo: ['INLET_BACKUP_TO', anything, null],
  everyHours: ['INLET_BACKUP_EVERY', hours, 24],
  keep: ['INLET_BACKUP_KEEP', numberIn(bounds.backup.keep), 7],
  /** How often the newest backup is restored as a drill; null: only by hand. */
  drillHours: ['INLET_BACKUP_DRILL_EVERY', orOff(hours), 168],
  operatorUrl: [
    'INLET_OPERATOR_CALLBACK_URL',
    kind('must be an http or https address', (text) =>
      /^https?:\/\/\S+$/.test(text) && URL.canParse(text) ? text : undefined,
    ),
    null,
  ],
  operatorSecret: ['INLET_OPERATOR_CALLBACK_SECRET', anything, null],
  masterKey: ['INLET_MASTER_KEY', key, null],
  /** The previous key: it opens what it has sealed, until `inlet key reseal` has replaced it. */
  oldMasterKey: ['INLET_OLD_MASTER_KEY', key, null],
  metricsHost: ['INLET_METRICS_HOST', anything, '127.0.0.1'],
  metricsPort: ['INLET_METRICS_PORT', orOff(port), 9464],
  logLevel: ['INLET_LOG_LEVEL', oneOf(...logLevels), 'info'],
  /** null: JSON in production where the output is no terminal, else text. */
  logForm: ['INLET_LOG', oneOf(...logForms), null],
} as const satisfies Record<string, readonly [name: string, Kind<unknown>, usual: unknown]>

type Settings = typeof settings
type Values = {
  readonly [Key in keyof Settings]:
    | Exclude<ReturnType<Settings[Key][1]['read']>, undefined>
    | Settings[Key][2]
}

/** Each of them may stand in a file, because it holds a secret: containers and systemd hand secrets over that way. */
export const inFiles = [
  'DATABASE_URL',
  'INLET_OWNER_DATABASE_URL',
  'INLET_OPERATOR_CALLBACK_SECRET',
  'INLET_MASTER_KEY',
  'INLET_OLD_MASTER_KEY',
]

export type Config = ReturnType<typeof readConfig>

export function readConfig(environment: NodeJS.ProcessEnv = process.env) {
  const problems: string[] = []
  const wrong = (name: string, expected: string) => void problems.push(`- ${name} ${expected}`)
  const written = (name: string) => environment[name]?.trim() || null
  const fromFile = (name: string, file: string) => {
    if (written(name)) return wrong(`${name}_FILE`, `and ${name}: set one of them`)
    try {
      return readFileSync(file, 'utf8').trim() || wrong(`${name}_FILE`, `names ${file}, which is empty`)
    } catch (error) {
      return wrong(`${name}_FILE`, `names ${file}, which cannot be read (${codeOf(error)})`)
    }
  }
  const readSetting = ([name, { expected, read }, usual]: readonly [string, Kind<unknown>, unknown]) => {
    const file = inFiles.includes(name) ? written(`${name}_FILE`) : null
    const text = file ? fromFile(name, file) : written(name)
    if (!text) return usual
    const value = read(text)
    if (value === undefined) wrong(name, expected)
    return value ?? (value === null ? null : usual)
  }
  const values = Object.fromEntries(Object.entries(settings).map(([key, row]) => [key, readSetting(row)]))
  const { backupTo, everyHours, keep, drillHours, operatorUrl, operatorSecret, ...one } = values as Values
  const { environment: kindOf, metricsHost, metricsPort, callbackNetworks, ...rest } = one
  const production = kindOf === 'production'
  const publicUrl = rest.publicUrl ?? `http://localhost:${rest.port}`
  const processes = rest.processes ?? (production ? processesOfMachine() : 1)
  const demo = rest.demo ?? !production

  if (production && !publicUrl.startsWith('https:'))
    wrong('INLET_PUBLIC_URL', 'must be an https address in production')
  const hasKey = ['', '_FILE'].some((source) => written(`INLET_MASTER_KEY${source}`))
  // One of several processes has its keys from its parent.
  if (production && !cluster.isWorker && !hasKey)
    wrong('INLET_MASTER_KEY', 'is required in production, or its _FILE')
  if (production && demo) wrong('INLET_DEMO', 'must stay off in production')
  if (operatorUrl && !/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(operatorSecret ?? ''))
    wrong('INLET_OPERATOR_CALLBACK_SECRET', 'must be whsec_ and at least 24 random bytes in base64')
  if (backupTo && `${resolve(backupTo)}/`.startsWith(`${rest.dataDir}/`))
    wrong('INLET_BACKUP_TO', 'must not be in the data folder: it would be lost with it')
  if (backupTo && rest.databaseUrl)
    wrong(
      'INLET_BACKUP_TO',
      'is for the embedded PostgreSQL; a given one has its own backups: see docs/operate.md',
    )
  if (problems.length > 0) throw new ConfigProblem(problems.join('\n'))

  const callbackAllowed = insideOf(callbackNetworks)
  return Object.freeze({
    ...rest,
    production,
    publicUrl,
    processes,
    demo,
    roles: new Set<string>(rest.roles),
    trustedProxies: [...rest.trustedProxies],
    callbackAllowed,
    operatorCallback: operatorUrl && operatorSecret ? { url: operatorUrl, secret: operatorSecret } : null,
    metrics: metricsPort ? { host: metricsHost, port: metricsPort } : null,
    isTrustedHost(host: string): boolean {
      const bare = host.replace(/^\[|\]$/g, '')
      return callbackAllowed(bare) || (!production && ['localhost', '127.0.0.1', '::1'].includes(bare))
    },
    /** The folder for backups of the embedded PostgreSQL, how often a full one is made, and how many are kept; null: nowhere. */
    backup: backupTo ? { to: backupTo, everyHours, keep, drillHours } : null,
  })
}

/** For commands that a server starts. Keys that were in the environment no longer are; files are read again. */
export const environmentOfCommands = ({ masterKey, oldMasterKey }: Config): NodeJS.ProcessEnv => ({
  ...process.env,
  ...keyInEnvironment('INLET_MASTER_KEY', masterKey),
  ...keyInEnvironment('INLET_OLD_MASTER_KEY', oldMasterKey),
})

const keyInEnvironment = (name: string, key: Buffer | null): NodeJS.ProcessEnv =>
  key && !process.env[`${name}_FILE`] ? { [name]: key.toString('base64') } : {}

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
