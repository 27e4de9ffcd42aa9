/**
 * The invariants of the database, each with the query that finds violations, a sentence that explains them, and
 * what to do about them. `invariant` is its number in docs/invariants.md. Missing are those that no
 * query can check, such as an acknowledged deposit that only the client knows of.
 */

import { bounds } from '../../platform/bounds.ts'
import type { Db, Queryable } from '../../platform/db.ts'
import type { Foundation } from '../../platform/foundation.ts'
import { blindSpotOf, lossRiskOf, type Replication, readReplication } from '../../platform/replication.ts'
import type { Vault } from '../../platform/vault.ts'
import { verifyAudit, verifySeals } from '../audit/verify-audit.ts'
import { eventTypes } from '../callbacks/callback.ts'
import { type ActionName, transitions } from '../deposits/deposit.ts'
import { findOldKey } from '../keys/reseal.ts'
import { carriesReference, requisiteKinds } from '../requisites/requisite.ts'
import {
  findBadLeases,
  findGaps,
  findLostCallbacks,
  findPhantomCallbacks,
  findStrayDue,
  findUnsent,
  findUntoldChanges,
  findWrongLanes,
} from './callback-store.ts'
import {
  findForwarded,
  findHarmfulSettings,
  findMissingBackups,
  findMissingPartitions,
  findRulesOff,
  findSealedKeys,
  findShiftedClock,
  findUnsafeSettings,
} from './installation-store.ts'
import {
  findBaseless,
  findBrokenHistories,
  findMixedMerchants,
  findOverdue,
  findOverfull,
  findRepeatedOrders,
  findSharedReferences,
  findUnshown,
  findWrongEnds,
  findWrongLoads,
  findWrongSlots,
  type Offender,
  type Scope,
} from './store.ts'
import {
  findLeftOfUndone,
  findMixedTransfers,
  findUnbalanced,
  findUnboundSources,
  findUndecided,
  findUnreceived,
} from './transfer-store.ts'

/** What is examined: a database, the key to its secrets and, where it can be had, the owner's login, which writes too. */
export type Examined = {
  db: Queryable & Pick<Db, 'transaction'>
  vault: Vault
} & Partial<Pick<Foundation, 'asOwner' | 'acceptsLoss'>>

export type Invariant = {
  name: string
  invariant: string
  says: string
  advice: string
  /** Reported, but doctor does not fail: no data are wrong. */
  isWarning?: (examined: Examined) => boolean
  /** This invariant is only true while a server works on the database. */
  needsServer?: true
  offenders(db: Queryable, scope: Scope, examined: Examined): Promise<Offender[]>
}

/** After how long automatic work counts as late. */
const thresholds = {
  overdueSeconds: 300,
  leaseOverSeconds: 300,
  unsentSeconds: 3_600,
  partitionDays: 7,
  walMinutes: 15,
} as const

const report = 'Keep the database as it is and report this output: it is a bug in Inlet or a manual change.'

export const invariants: readonly Invariant[] = [
  {
    name: 'one-deposit-per-order',
    invariant: 'D2',
    says: 'A merchant has at most one deposit for an order_id.',
    advice: `Ask the merchant which of the two its customer was shown; reject the other. ${report}`,
    offenders: findRepeatedOrders,
  },
  {
    name: 'history-is-a-path',
    invariant: 'D3',
    says: "A deposit's history is a whole path of the lifecycle and ends at its state.",
    advice: `Look at it with "inlet deposit show ID". ${report}`,
    offenders: (db, scope) => findBrokenHistories(db, scope, lifecyclePaths()),
  },
  {
    name: 'one-final-outcome',
    invariant: 'D3',
    says: 'A final deposit stays final: it has a final time, and nothing changes after the late grace period.',
    advice: `Look at it with "inlet deposit show ID" and tell the merchant its true state. ${report}`,
    offenders: findWrongEnds,
  },
  {
    name: 'change-has-one-callback',
    invariant: 'D4',
    says: 'Every change of state has exactly one event with its callback.',
    advice: `The merchant was not notified: tell it the state of these deposits. ${report}`,
    offenders: findUntoldChanges,
  },
  {
    name: 'callback-has-its-change',
    invariant: 'D10',
    says: 'Every callback reports a change that happened.',
    advice: `Warn the merchant of these callbacks before it acts on them. ${report}`,
    offenders: (db, scope) => findPhantomCallbacks(db, scope, [...eventTypes], eventTypes.map(actionOf)),
  },
  {
    name: 'events-without-gap',
    invariant: 'D4',
    says: "The numbers of a merchant's kept events have no gap and no repeat, up to its counter.",
    advice: `The merchant that follows the feed may miss an event: let it compare its deposits with ours. ${report}`,
    offenders: findGaps,
  },
  {
    name: 'callback-is-not-lost',
    invariant: 'D5',
    says: 'Every callback is delivered, pending, or visibly marked as failed.',
    advice: 'Send them again with "inlet callback replay ID", then report how it came to this.',
    offenders: findLostCallbacks,
  },
  {
    name: 'queue-fits-records',
    invariant: 'D5',
    says: 'Every queued callback has a record with the same endpoint and deposit.',
    advice: `Nothing can be sent for these. ${report}`,
    offenders: findStrayDue,
  },
  {
    name: 'lease-ends',
    invariant: 'D5, D13',
    says: 'An endpoint is owned for seconds at a time, and taken over soon after its owner is gone.',
    advice:
      'Expired long ago: start a process with the role worker, or find out why it cannot reach the database. Far in the future: a clock has jumped; once no process runs, set owner_until of these lanes to now as the owner of the schema.',
    needsServer: true,
    offenders: (db, scope) =>
      findBadLeases(db, scope, {
        aheadSeconds: (4 * bounds.delivery.leaseMs) / 1000,
        overSeconds: thresholds.leaseOverSeconds,
      }),
  },
  {
    name: 'callbacks-wait-for-a-reason',
    invariant: 'D5',
    says: 'Callbacks wait for an address exactly while the merchant has none.',
    advice:
      'Set the address once more with "inlet merchant set ID --callback-url …": that puts its endpoint right. Then report it.',
    offenders: findWrongLanes,
  },
  {
    name: 'due-is-sent',
    invariant: 'D13',
    says: 'A callback that is due is sent within the hour while its endpoint works.',
    advice:
      'Start a process with the role worker, or more of them. When one runs: a merchant that answers slowly holds up its own callbacks; see "inlet callback list".',
    needsServer: true,
    offenders: (db, scope) => findUnsent(db, scope, thresholds.unsentSeconds),
  },
  {
    name: 'amount-belongs-to-one',
    invariant: 'D6',
    says: 'Where no reference tells deposits apart, an amount on an account is kept for one of them.',
    advice: `Do not confirm these by amount: ask the customers for proof. Disable the requisite until it is clear. ${report}`,
    offenders: (db, scope) =>
      findWrongSlots(
        db,
        scope,
        requisiteKinds.filter((kind) => !carriesReference(kind)),
      ),
  },
  {
    name: 'reference-names-one',
    invariant: 'D6',
    says: 'A payment reference names one deposit of its account.',
    advice: `Do not confirm these by reference: ask the customers for proof. ${report}`,
    offenders: findSharedReferences,
  },
  {
    name: 'confirmed-for-a-reason',
    invariant: 'D8',
    says: 'A deposit is confirmed by enough money under the merchant’s policy, or by a named person with a reason.',
    advice:
      'Check each against the statement. When the money is not there, reverse it with "inlet deposit reverse ID --reason …", and find out who confirmed it.',
    offenders: findBaseless,
  },
  {
    name: 'shown-is-kept',
    invariant: 'D9',
    says: 'What a customer was shown is kept whole with the deposit.',
    advice: `Confirm these by the statement and the reference only. ${report}`,
    offenders: findUnshown,
  },
  {
    name: 'merchants-stay-apart',
    invariant: 'D12',
    says: 'No merchant gets data of another merchant, and test and live are never mixed.',
    advice: `Disable the requisite immediately: money may be on its way to the wrong account. ${report}`,
    offenders: findMixedMerchants,
  },
  {
    name: 'transfers-balance',
    invariant: 'D7',
    says: 'The amount of a transfer is the sum of its parts: its shares of deposits, what was refunded, what is open.',
    advice: `Compare these with the statement before you refund anybody. ${report}`,
    offenders: findUnbalanced,
  },
  {
    name: 'matched-money-is-received',
    invariant: 'D7',
    says: 'A deposit has received at least the sum of its transfers, in its own currency, and only surplus that was marked as not due is owed to nobody.',
    advice:
      'If money was removed manually, record the refund on the transfer ("inlet transfer refund"). Otherwise keep the database as it is and report this output.',
    offenders: findUnreceived,
  },
  {
    name: 'transfer-is-as-decided',
    invariant: 'D7, D8',
    says: 'The state of every transfer matches the last decision about it, and no decision is missing.',
    advice: `Look at it with "inlet transfer show ID". ${report}`,
    offenders: findUndecided,
  },
  {
    name: 'undone-import-is-gone',
    invariant: 'D7, D8',
    says: 'Nothing of an undone import counts, except payments that another file also reported.',
    advice: `Look at these with "inlet transfer show ID": they may have paid deposits. ${report}`,
    offenders: findLeftOfUndone,
  },
  {
    name: 'transfers-stay-in-their-mode',
    invariant: 'D12',
    says: 'Test money is on test accounts and settles test deposits, live money live ones.',
    advice: `A live deposit may have been confirmed with money that does not exist: reverse it, and disable the source. ${report}`,
    offenders: findMixedTransfers,
  },
  {
    name: 'sources-are-bound',
    invariant: 'money in',
    says: 'A bank source may report only the receiving accounts listed for it.',
    advice:
      'Allow accounts to each with "inlet source allow ID --account …", or at the desk: until then its token can report money on every account of its mode.',
    isWarning: () => true,
    offenders: findUnboundSources,
  },
  {
    name: 'deadlines-are-kept',
    invariant: 'D13',
    says: 'An open deposit past its deadline expires within minutes.',
    advice:
      'Start a process with the role worker. When one runs, its log says why the sweep fails (lines "sweep failed").',
    needsServer: true,
    offenders: (db, scope) => findOverdue(db, scope, thresholds.overdueSeconds),
  },
  {
    name: 'load-is-true',
    invariant: 'D14',
    says: 'The counter of a requisite equals its open deposits.',
    advice:
      'A counter that is too high refuses customers; one that is too low exceeds the limit. As the owner of the schema set requisite_loads.open_deposits to the number that is open, then report it.',
    offenders: findWrongLoads,
  },
  {
    name: 'limits-are-kept',
    invariant: 'D14',
    says: 'A requisite stays within its limits of open deposits and of money per day.',
    advice:
      'If the limit was lowered just now, wait until its deposits close. Otherwise disable the requisite and report it.',
    offenders: findOverfull,
  },
  {
    name: 'clock-is-true',
    invariant: 'time',
    says: "Inlet's clock is the database's clock.",
    advice: 'The shift is for tests. As the owner of the schema set clock.shift to 0.',
    offenders: findShiftedClock,
  },
  {
    name: 'server-keeps-its-word',
    invariant: 'D1',
    says: 'PostgreSQL keeps what it has acknowledged when the machine loses power.',
    advice: 'Switch these settings on in postgresql.conf, reload PostgreSQL, and start Inlet again.',
    offenders: findUnsafeSettings,
  },
  {
    name: 'standby-has-what-was-acknowledged',
    invariant: 'D1',
    says: 'When the primary is lost, a standby has every deposit that was acknowledged.',
    advice:
      'Make replication synchronous, for every login of Inlet: see docs/high-availability.md. Where a loss is acceptable, INLET_ACCEPT_LOSS=async says so.',
    isWarning: ({ acceptsLoss = false }) => acceptsLoss,
    offenders: (db, _scope, { asOwner }) => findFromLogins(lossRiskOf, db, asOwner),
  },
  {
    name: 'replication-can-be-seen',
    invariant: 'D1',
    says: 'Inlet sees which of the servers that follow PostgreSQL are standbys.',
    advice: 'Run the grant as a superuser.',
    isWarning: () => true,
    offenders: (db, _scope, { asOwner }) => findFromLogins(blindSpotOf, db, asOwner),
  },
  {
    name: 'server-settings-are-usual',
    invariant: 'speed',
    says: 'PostgreSQL has no setting that makes Inlet slow or writes personal data to its log.',
    advice:
      'Change these settings in postgresql.conf, or ask whoever runs the server, and reload PostgreSQL.',
    isWarning: () => true,
    offenders: findHarmfulSettings,
  },
  {
    name: 'rules-are-in-force',
    invariant: 'all',
    says: 'The constraints and triggers that hold the invariants exist and are switched on.',
    advice:
      'Somebody changed the schema manually. Restore it as in migrations/, then run "inlet doctor --all".',
    offenders: (db) => findRulesOff(db, rules),
  },
  {
    name: 'days-ahead-exist',
    invariant: 'retention',
    says: 'The tables of events have a partition for each of the next seven days.',
    advice:
      'Without today’s partition no deposit can change. Start a process with the role worker and the owner’s login (INLET_OWNER_DATABASE_URL); its log says why it cannot make them.',
    offenders: (db) => findMissingPartitions(db, ['events', 'delivery_attempts'], thresholds.partitionDays),
  },
  {
    name: 'backup-is-recent',
    invariant: 'backup',
    says: 'In production the embedded PostgreSQL is backed up: WAL within minutes, whole within twice the time set for it, and a restore of it was tried lately.',
    advice:
      'Set INLET_BACKUP_TO, or see why the place set there cannot be written: the log has lines "storing WAL failed" and "inlet backup failed". Then try "inlet backup drill". See docs/backup.md.',
    isWarning: () => true,
    needsServer: true,
    offenders: (db) => findMissingBackups(db, thresholds.walMinutes),
  },
  {
    name: 'proxy-is-trusted',
    invariant: 'proxy',
    says: 'In production only trusted proxies forward requests of others.',
    advice:
      'Add the address to INLET_TRUSTED_PROXIES if it is your proxy: without it all clients share the limits of one address. Otherwise close the port: only the proxy may reach it. It is asked about the last hour.',
    needsServer: true,
    offenders: findForwarded,
  },
  {
    name: 'secrets-open',
    invariant: 'keys',
    says: 'The master key decrypts every active key of every merchant.',
    advice:
      'Restore the original master key of this installation. A single key may be damaged: rotate it with "inlet key rotate --merchant ID".',
    offenders: (db, scope, { vault }) => findSealedKeys(db, vault, scope),
  },
  {
    name: 'one-master-key',
    invariant: 'keys',
    says: 'Everything is sealed with the current master key, and no old one is set.',
    advice: 'Change of the master key: see docs/keys.md.',
    isWarning: () => true,
    offenders: (db, _scope, { vault }) => findOldKey(db, vault),
  },
  {
    name: 'audit-record-is-whole',
    invariant: 'audit',
    says: 'Each entry of the audit log follows the one before it, and every seal matches its entry.',
    advice:
      'Somebody changed the audit log manually. Keep the database and the logs as they are; the lines "audit head" of the log show up to where it is intact ("inlet audit verify --head PLACE:MAC").',
    async offenders(db, _scope, { vault }) {
      const { problem } = await verifyAudit(db, vault)
      return problem ? [{ id: 'audit', detail: problem.text }] : []
    },
  },
  {
    name: 'audit-record-is-sealed',
    invariant: 'audit',
    says: 'Entries of the audit log are sealed within two hours.',
    advice:
      'Was Inlet stopped at that time? Otherwise compare with the lines "audit head" of the log: "inlet audit verify --head PLACE:MAC".',
    isWarning: () => true,
    async offenders(db, _scope, { vault }) {
      const { gaps } = await verifySeals(db, vault)
      return gaps.map(({ text }) => ({ id: 'audit', detail: text }))
    },
  },
]

/** The findings about the server from both logins that write, without repetitions. */
async function findFromLogins(
  problemOf: (replication: Replication) => string | undefined,
  runtime: Queryable,
  asOwner: Examined['asOwner'],
): Promise<Offender[]> {
  const seen = [await readReplication(runtime), ...(asOwner ? [await asOwner(readReplication)] : [])]
  const problems = seen.flatMap((replication) => problemOf(replication) ?? [])
  return [...new Set(problems)].map((detail) => ({ id: 'replication', detail }))
}

/** The transition table as lines "action before after"; the first entry of a history has no state before. */
function lifecyclePaths(): string[] {
  const steps = Object.entries(transitions).flatMap(([action, { from, to }]) =>
    from.map((state) => `${action} ${state} ${to === 'same' ? state : to}`),
  )
  // The clock of test mode changes deadlines, never a state.
  const passed = ['builded', 'created', 'expired'].map((state) => `pass_time ${state} ${state}`)
  // A rule adds a note to a new deposit, and changes no state.
  const noted = ['builded', 'created'].map((state) => `note ${state} ${state}`)
  return ['create - created', 'build - builded', ...steps, ...passed, ...noted]
}

const actionOf = (type: (typeof eventTypes)[number]): ActionName => actions[type]

const actions: Record<(typeof eventTypes)[number], ActionName> = {
  'deposit.confirmed': 'confirm',
  'deposit.rejected': 'reject',
  'deposit.expired': 'expire',
  'deposit.canceled': 'cancel',
  'deposit.reversed': 'reverse',
  'deposit.underpaid': 'receive',
  'deposit.overpaid': 'receive',
  'deposit.review': 'receive',
  'deposit.method_selected': 'choose_method',
  'deposit.claimed': 'claim',
}

const rules = {
  constraints: [
    'deposit_order_once',
    'deposit_state',
    'deposit_amount',
    'deposit_received',
    'deposit_times',
    'deposit_shown_whole',
    'deposit_created_is_shown',
    'deposit_slot_once',
    'deposit_slot_of_deposit',
    'deposit_slot_deposit',
    'deposit_history_id',
    'deposit_history_deposit',
    'requisite_account',
    'requisite_load_not_negative',
    'receiving_account_owner',
    'event_id',
    'event_sequence',
    'delivery_id',
    'endpoint_once',
    'transfer_balances',
    'transfer_settles',
    'transfer_is_told',
    'transfer_is_held',
    'allocation_id',
    'allocation_cents',
    'allocation_kept',
    'transfer_key_id',
    'report_row_id',
    'account_voice_id',
    'transfer_is_duplicate',
    'transfer_decision_id',
    'used_once_id',
  ],
  triggers: [
    'deposit_keeps_promise',
    'deposit_path',
    'transfer_keeps_facts',
    'transfer_is_its_allocations',
    'allocation_is_of_its_transfer',
  ],
  indexes: ['deposit_reference_once', 'delivery_attempt_once', 'statement_once'],
}
