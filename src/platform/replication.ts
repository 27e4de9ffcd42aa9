/**
 * Whether an acknowledged commit would survive the loss of the primary. A standby that takes over has only what reached it:
 * unless commits wait for it, the last ones are lost with the primary. Only PostgreSQL knows, and what it shows depends on
 * the role.
 */
import { type Queryable, sql } from './db.ts'
import { OperatorProblem } from './operator-problem.ts'

export type Replication = {
  /** Of the session that asks: a login or a database can have its own. */
  synchronousCommit: string
  /** Empty: commits wait for no standby. */
  synchronousStandbyNames: string
  /** The connected standbys; where their states are hidden, whatever else could be one. */
  standbys: string[]
  login: string
  role: string
  /** False: the role sees the names of those who are connected, and not what they have replayed. */
  seesStates: boolean
}

/**
 * Subscribers and tools that fetch the log for an archive stream like a standby, but nobody fails over to them. A subscriber has a
 * logical slot; only a standby reports what it has replayed. Without pg_read_all_stats an archiver is known by its name alone.
 */
export const readReplication = (db: Queryable): Promise<Replication> =>
  db.one<Replication>(sql`
    select
      current_setting('synchronous_commit') as "synchronousCommit",
      current_setting('synchronous_standby_names') as "synchronousStandbyNames",
      session_user::text as login,
      current_user::text as role,
      stats.are_seen as "seesStates",
      array(
        select coalesce(nullif(sender.application_name, ''), 'without a name')
        from pg_stat_replication sender
        where not exists (
            select from pg_replication_slots slot where slot.active_pid = sender.pid and slot.slot_type = 'logical')
          and case
            when stats.are_seen then sender.replay_lsn is not null
            else sender.application_name not in ('pg_receivewal', 'pg_basebackup', 'barman_receive_wal')
          end
        order by 1) as standbys
    from (select pg_has_role('pg_read_all_stats', 'usage') as are_seen) as stats`)

/** Why acknowledged deposits could be lost with the primary; undefined: they could not, as far as this role sees. */
export function lossRiskOf(replication: Replication): string | undefined {
  const { synchronousCommit, synchronousStandbyNames, standbys, login } = replication
  if (synchronousStandbyNames === '')
    return standbys.length === 0
      ? undefined
      : `no commit waits for a standby (synchronous_standby_names is empty), and these are connected: ${standbys.join(', ')}`
  return ['local', 'remote_write', 'off'].includes(synchronousCommit)
    ? `synchronous_commit is ${synchronousCommit} for the login ${login}: a commit is acknowledged before a standby has it on disk`
    : undefined
}

/** What hides from this role how the server replicates; undefined where it sees enough, or commits wait for a standby. */
export const blindSpotOf = ({ seesStates, standbys, role, synchronousStandbyNames }: Replication) =>
  synchronousStandbyNames === '' && !seesStates && standbys.length > 0
    ? `the role ${role} cannot see whether ${standbys.join(', ')} is a standby or an archive of the log, and takes it for a standby: grant pg_read_all_stats to ${role}`
    : undefined

/** Replication can lose acknowledged deposits, and the operator has not accepted that. */
export class LossyReplication extends OperatorProblem {
  constructor(replication: Replication, risk: string) {
    const { seesStates, role } = replication
    const hint = seesStates ? '' : ` Only an archive of the log? Show it: grant pg_read_all_stats to ${role}.`
    super(
      `PostgreSQL can lose acknowledged deposits when its primary is lost: ${risk}. Make replication synchronous (docs/operate.md), or set INLET_ACCEPT_LOSS=async to accept that loss.${hint}`,
    )
  }
}
