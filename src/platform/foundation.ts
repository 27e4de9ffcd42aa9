/** What the server and every command need: the migrated database, and the vault with the right master key. */
import type { Config } from '../config.ts'
import type { Db, Login } from './db.ts'
import type { Log } from './log.ts'
import type { MasterKeys } from './master-key.ts'
import type { EmbeddedCluster } from './postgres.ts'
import type { Vault } from './vault.ts'

export type Foundation = {
  /** For money: creates, payment pages, pushes, workers and delivery; and for a command, everything. */
  db: Db
  /** For people, and for what else merchants and customers ask. Connections of its own: a flood there takes none from creates. */
  peopleDb: Db
  vault: Vault
  /** For processes of ours, which get them from us. */
  masterKeys: MasterKeys
  /** The logins of the embedded PostgreSQL, where it is used. */
  postgres: { owner: Login; runtime: Login } | null
  /** The operator accepts that a failover can lose acknowledged deposits. */
  acceptsLoss: boolean
  /** The files of the embedded PostgreSQL; not in one of several processes. */
  cluster: EmbeddedCluster | null
  /** Runs work that only the owner of the schema may do. */
  asOwner<Result>(work: (owner: Db) => Promise<Result>): Promise<Result>
  /** Migrates and checks the database once more. */
  prepare(): Promise<void>
  close(): Promise<void>
  /** Closes at once: running transactions are rolled back. */
  abandon(): Promise<void>
}

export type OpenFoundation = (config: Config, as: 'server' | 'command', log: Log) => Promise<Foundation>
