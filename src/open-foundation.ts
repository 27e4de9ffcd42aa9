/**
 * Opens what the server and every command need: the migrated database, and the vault, whose master key is checked against
 * it. Closing undoes exactly what opening did. Of several processes on one port the parent opens it first and migrates; the
 * others then only connect.
 */

import type { Config } from './config.ts'
import { keepCallbackPartitions } from './domain/callbacks/keep-partitions.ts'
import { findHarmfulSettings } from './domain/doctor/store.ts'
import { bounds } from './platform/bounds.ts'
import { makeDataFolder, refuseUnfinishedRestore } from './platform/data-folder.ts'
import { type Address, type Db, openDatabase } from './platform/db.ts'
import { sqlState } from './platform/db-errors.ts'
import type { Foundation } from './platform/foundation.ts'
import type { Log } from './platform/log.ts'
import { readMasterKeys } from './platform/master-key.ts'
import { migrate } from './platform/migrate.ts'
import { OperatorProblem } from './platform/operator-problem.ts'
import { joinPostgres } from './platform/postgres.ts'
import type { MemberSettings } from './platform/process-link.ts'
import { LossyReplication, lossRiskOf, readReplication } from './platform/replication.ts'
import { proveVault, readCheck } from './platform/sealing-key.ts'
import { createVault, type Vault } from './platform/vault.ts'

/** `parent`: of several processes on one port, each of which is a `server`. */
type ProcessRole = 'server' | 'command' | 'parent'

type FoundationOptions = {
  /** Settings of one of several processes, from its parent. */
  member?: MemberSettings | undefined
  /** Connections that a server opens at its start and keeps. */
  keptOpen?: Readonly<Record<'money' | 'people', number>> | undefined
  /** Work that is done while PostgreSQL starts. */
  meanwhile?: (() => Promise<unknown>) | undefined
}

export async function openFoundation(
  config: Config,
  as: ProcessRole,
  log: Log,
  { member, keptOpen = bounds.databaseKeptOpen, meanwhile }: FoundationOptions = {},
): Promise<Foundation> {
  if (!member) {
    await makeDataFolder(config.dataDir)
    if (as !== 'command') refuseUnfinishedRestore(config.dataDir)
  }
  const keys = member?.masterKeys ?? (await readMasterKeys(config))
  const vault = createVault(keys.current, keys.old)
  const { schema } = config
  const name = connectionName(schema, vault, as)
  const server = await openServer(config, as, log, { member, meanwhile })
  const connections = member?.connections ?? bounds.databaseConnections
  const open = (use: 'money' | 'people') =>
    openDatabase(
      { ...server.runtime, schema },
      {
        name,
        ...(server.role && { role: server.role }),
        connections: connections[use],
        keptOpen: as === 'server' ? Math.min(keptOpen[use], connections[use]) : 0,
        hasNoStatementTimeout: as === 'command',
      },
    )
  const db = open('money')
  const peopleDb = as === 'server' ? open('people') : db
  const close = async () => {
    await Promise.all([...new Set([db, peopleDb])].map((pool) => pool.close()))
    await server.stop()
  }
  const asOwner = async <Result>(work: (owner: Db) => Promise<Result>) => {
    const login = { ...server.owner, schema }
    const owner = openDatabase(login, { name, connections: 1, hasNoStatementTimeout: true })
    return work(owner).finally(() => owner.close())
  }
  const prepare = async () => {
    const lossOf = async (login: Db) => (as === 'command' ? [] : lossWarning(login, config))
    const ofOwner = await asOwner(async (owner) => {
      const loss = await lossOf(owner)
      await migrate(owner, log)
      await keepCallbackPartitions(owner)
      return loss
    })
    await checkRuntimeRole(db)
    const [warning] = [...(await lossOf(db)), ...ofOwner]
    if (warning) log.warn(warning)
    for (const { id, detail } of await findHarmfulSettings(db)) log.warn(`PostgreSQL's ${id} ${detail}`)
  }
  try {
    if (!member) await prepare()
    await proveVault(db, vault, as)
    await Promise.all([db.warmUp(), peopleDb.warmUp()]).catch((error) => {
      // It can serve with fewer connections: the others are opened when they are needed, if PostgreSQL has room by then.
      if (sqlState(error) !== '53300') throw error
      log.warn('PostgreSQL has too few connections left for this process: see max_connections')
    })
    const { postgres, cluster, stop: abandon } = server
    const { acceptsLoss } = config
    const opened = { db, peopleDb, vault, masterKeys: keys, postgres, cluster, acceptsLoss }
    return { ...opened, asOwner, prepare, close, abandon }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Our connections have our schema and the ids of our master keys in their name, so that `inlet key reseal` finds processes without the new
 * key, and say whether they are of a server.
 */
const connectionName = (schema: string, { current, old }: Vault, as: ProcessRole): string =>
  [schema, current.id, ...(old ? [old.id] : []), ...(as === 'command' ? [] : ['server'])].join('/')

type Server = {
  owner: Address
  runtime: Address
  role?: string
  postgres: Foundation['postgres']
  cluster: Foundation['cluster']
  stop(): Promise<void>
}

async function openServer(
  config: Config,
  as: ProcessRole,
  log: Log,
  { member, meanwhile }: FoundationOptions,
): Promise<Server> {
  const { databaseUrl: url, ownerDatabaseUrl } = config
  const given = { postgres: null, cluster: null, stop: async () => {} }
  // With one login, that one migrates and then acts as the runtime role; with two, the other one migrates.
  if (url)
    return { ...given, owner: { url: ownerDatabaseUrl ?? url }, runtime: { url }, role: 'inlet_runtime' }
  if (member?.postgres) return { ...given, ...member.postgres, postgres: member.postgres }
  const { owner, runtime, cluster, stop } = await joinPostgres({
    dataDir: config.dataDir,
    as: as === 'command' ? 'command' : 'server',
    log: (line, fields, level) => log[level ?? 'event'](line, fields),
    ...(meanwhile && { meanwhile }),
  })
  return { owner, runtime, postgres: { owner, runtime }, cluster, stop }
}

/** Production does not start if a failover could lose acknowledged deposits, unless the operator has accepted that. */
async function lossWarning(db: Db, { production, acceptsLoss }: Config): Promise<string[]> {
  const replication = await readReplication(db)
  const risk = lossRiskOf(replication)
  if (!risk) return []
  const problem = new LossyReplication(replication, risk)
  if (production && !acceptsLoss) throw problem
  return [problem.message]
}

/** Checks that the login may act as the runtime role. */
async function checkRuntimeRole(db: Db): Promise<void> {
  await readCheck(db).catch((error) => {
    if (sqlState(error) !== '42501' && sqlState(error) !== '28000') throw error
    throw new OperatorProblem(
      'The login of DATABASE_URL may not act as the role inlet_runtime. As a superuser run: grant inlet_runtime to that login.',
    )
  })
}
