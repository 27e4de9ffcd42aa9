/**
 * What the server and every command stand on: the database, migrated, and the vault, proved to fit it. Closing
 * it undoes exactly what opening did. Of several processes on one port the parent opens it first and migrates; the others
 * then only connect.
 */

import type { Config } from './config.ts'
import { keepCallbackPartitions } from './domain/callbacks/keep-partitions.ts'
import { findHarmfulSettings } from './domain/doctor/installation-store.ts'
import { keyRecoveryCodes } from './domain/people/key-recovery-codes.ts'
import { bounds } from './platform/bounds.ts'
import { makeDataFolder, refuseUnfinishedRestore, tightenDataFolder } from './platform/data-folder.ts'
import { type Address, type Db, openDatabase } from './platform/db.ts'
import { sqlState } from './platform/db-errors.ts'
import type { Foundation } from './platform/foundation.ts'
import type { Log } from './platform/log.ts'
import { type MasterKeys, readMasterKeys } from './platform/master-key.ts'
import { migrate } from './platform/migrate.ts'
import { OperatorProblem } from './platform/operator-problem.ts'
import { refuseSharedSessions } from './platform/pooler.ts'
import { joinPostgres } from './platform/postgres.ts'
import type { MemberSettings } from './platform/process-link.ts'
import { blindSpotOf, LossyReplication, lossRiskOf, readReplication } from './platform/replication.ts'
import { proveVault, readCheck } from './platform/sealing-key.ts'
import { createVault, type Vault } from './platform/vault.ts'

type FoundationOptions = {
  /** Of one of several processes. */
  member?: Pick<MemberSettings, 'connections' | 'postgres'> | undefined
  /** Connections that a server opens at its start and keeps. */
  keptOpen?: Readonly<Record<'money' | 'people', number>> | undefined
  /** Read before. */
  masterKeys?: MasterKeys | undefined
  /** What may be done while PostgreSQL starts. */
  meanwhile?: (() => Promise<unknown>) | undefined
}

export async function openFoundation(
  config: Config,
  as: 'server' | 'command' | 'parent',
  log: Log,
  { member, keptOpen = bounds.databaseKeptOpen, masterKeys, meanwhile }: FoundationOptions = {},
): Promise<Foundation> {
  if (!member) {
    await makeDataFolder(config.dataDir)
    if (as !== 'command') refuseUnfinishedRestore(config.dataDir)
    for (const sentence of await tightenDataFolder(config.dataDir)) log.warn(sentence)
  }
  const { current, old } = masterKeys ?? (await readMasterKeys(config))
  const vault = createVault(current, old)
  const name = nameOf(vault)
  const server = await serverOf(config, as, log, { member, meanwhile })
  const connections = member?.connections ?? bounds.databaseConnections
  const open = (use: 'money' | 'people') =>
    openDatabase(server.runtime, {
      name,
      ...(server.role && { role: server.role }),
      connections: connections[use],
      isFair: use === 'people',
      keptOpen: as === 'server' ? Math.min(keptOpen[use], connections[use]) : 0,
      hasNoStatementTimeout: as === 'command',
    })
  const db = open('money')
  const peopleDb = as === 'server' ? open('people') : db
  const close = async () => {
    await Promise.all([...new Set([db, peopleDb])].map((pool) => pool.close()))
    await server.stop()
  }
  const abandon = () => server.stop()
  const withOwner = async <Result>(connections: number, work: (owner: Db) => Promise<Result>) => {
    const owner = openDatabase(server.owner, { name, connections, hasNoStatementTimeout: true })
    return work(owner).finally(() => owner.close())
  }
  const asOwner = <Result>(work: (owner: Db) => Promise<Result>) => withOwner(1, work)
  const prepare = async () => {
    if (hasTwoLogins(server)) await refusePooler(server.runtime)
    const risks: Risks = new Map()
    await withOwner(2, async (owner) => {
      // Nobody stands between us and the embedded PostgreSQL.
      if (!server.postgres) await refuseSharedSessions(owner)
      if (as !== 'command') await judgeReplication(owner, config, risks)
      await migrate(owner, log)
      await keepCallbackPartitions(owner)
    })
    await proveRole(db)
    if (as !== 'command') await judgeReplication(db, config, risks)
    for (const sentence of risks.values()) log.warn(sentence)
    for (const { id, detail } of await findHarmfulSettings(db)) log.warn(`PostgreSQL's ${id} ${detail}`)
  }
  try {
    if (!member) await prepare()
    await proveVault(db, vault, as)
    await keyRecoveryCodes(db, vault)
    await Promise.all([db.warmUp(), peopleDb.warmUp()]).catch((error) => {
      // The others are opened when they are needed, if there is room by then: too few is no reason not to serve.
      if (sqlState(error) !== '53300') throw error
      log.warn('PostgreSQL has too few connections left for this process: see max_connections')
    })
    const { postgres, cluster } = server
    const { acceptsLoss } = config
    return { db, peopleDb, vault, postgres, cluster, acceptsLoss, asOwner, prepare, close, abandon }
  } catch (error) {
    await close()
    throw error
  }
}

/** So that `inlet key reseal` knows of processes that do not have the new key. */
const nameOf = ({ current, old }: Vault): string => ['inlet', current.id, ...(old ? [old.id] : [])].join('/')

type Server = {
  owner: Address
  runtime: Address
  role?: string
  postgres: Foundation['postgres']
  cluster: Foundation['cluster']
  stop(): Promise<void>
}

async function serverOf(
  config: Config,
  as: 'server' | 'command' | 'parent',
  log: Log,
  { member, meanwhile }: FoundationOptions,
): Promise<Server> {
  if (config.databaseUrl) return given(config.databaseUrl, config.ownerDatabaseUrl)
  if (member?.postgres)
    return { ...member.postgres, postgres: member.postgres, cluster: null, stop: async () => {} }
  const { owner, runtime, cluster, stop } = await joinPostgres({
    dataDir: config.dataDir,
    as: as === 'command' ? 'command' : 'server',
    log: (line, fields, level) => log[level ?? 'info'](line, fields),
    ...(meanwhile && { meanwhile }),
  })
  return { owner, runtime, postgres: { owner, runtime }, cluster, stop }
}

/** One login migrates and then works under the runtime role; with two, each has its own. */
const given = (url: string, ownerUrl: string | null): Server => ({
  owner: { url: ownerUrl ?? url },
  runtime: { url },
  role: 'inlet_runtime',
  postgres: null,
  cluster: null,
  stop: async () => {},
})

const hasTwoLogins = ({ owner, runtime }: Server): boolean =>
  'url' in owner && 'url' in runtime && owner.url !== runtime.url

/** Without the role: before the first migration there is none. */
async function refusePooler(runtime: Address): Promise<void> {
  const db = openDatabase(runtime, { connections: 2 })
  await refuseSharedSessions(db).finally(() => db.close())
}

/** Each risk of a login that writes, once, with the sentence that warns of it. */
type Risks = Map<string, string>

/** Nobody notices what a failover loses before it has happened: production starts only when the operator has accepted it. */
async function judgeReplication(
  db: Db,
  { production, acceptsLoss }: Pick<Config, 'production' | 'acceptsLoss'>,
  risks: Risks,
): Promise<void> {
  const replication = await readReplication(db)
  const risk = lossRiskOf(replication)
  const problem = risk && new LossyReplication(replication, risk)
  if (problem && production && !acceptsLoss) throw problem
  if (problem) risks.set(risk, problem.message)
  const blindSpot = replication.sees === 'none' && blindSpotOf(replication)
  if (blindSpot) risks.set('unseen', `PostgreSQL: ${blindSpot}`)
}

/** The login must be allowed to work as the runtime role; only a role that made or owns that one may grant it. */
async function proveRole(db: Db): Promise<void> {
  await readCheck(db).catch((error) => {
    if (sqlState(error) !== '42501' && sqlState(error) !== '28000') throw error
    throw new OperatorProblem(
      'The login of DATABASE_URL may not act as the role inlet_runtime. As a superuser run: grant inlet_runtime to that login.',
    )
  })
}
