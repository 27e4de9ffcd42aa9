/** Decides from current facts which alarms the operator gets. Pure. Each is raised once, and cleared when it ends. */

export type LaneFact = {
  laneId: bigint
  merchant: string
  origin: string | null
  state: 'active' | 'waiting' | 'paused'
  reason: string | null
  failingHours: number | null
}

/** An account without bank data for longer than its setting allows. */
export type SilentAccount = { accountId: string; label: string; silentHours: number }

/**
 * An account with more than half of its references held, each until 90 days after its deposit. When all are held, it takes no
 * deposits.
 */
export type ScarceAccount = { accountId: string; label: string; heldPercent: number }

/** An audited act by which someone could get around the second person; a command has no person's name. */
export type ApprovalRuleAct = { place: bigint; at: Date; act: string; actor: string; name: string | null }

/** A change to the look of a live merchant's payment page. Someone who took over an owner's account might imitate another shop. */
export type BrandingAct = { place: bigint; merchant: string }

/** Minutes since WAL was last copied, null if it is not copied; why the last drill failed, null if it did not. */
export type BackupFact = { walMinutes: number | null; drillProblem: string | null }

export type Facts = {
  lanes: LaneFact[]
  /** The longest that a callback is overdue on a lane that could deliver it. */
  oldestDueMinutes: number
  due: number
  deadToday: boolean
  overdueDeposits: boolean
  silentAccounts: SilentAccount[]
  scarceAccounts: ScarceAccount[]
  /** Of the last day. */
  approvalRuleActs: ApprovalRuleAct[]
  backup: BackupFact
  /** The newest change of branding, and of the name, of each merchant in the last day. */
  brandingActs: BrandingAct[]
  /** Why a failover could lose acknowledged deposits. */
  lossRisk: string | null
}

/**
 * The gravest first: in this order they are sent. Those of which a merchant can cause many are last. docs/operate.md says what to do
 * about each.
 */
export const alarmKinds = [
  'database_away',
  'four_eyes',
  'replication_can_lose',
  'deposits_overdue',
  'backup_late',
  'backup_drill_failed',
  'account_silent',
  'references_scarce',
  'callbacks_given_up',
  'callbacks_late',
  'callbacks_many',
  'branding_changed',
  'lane_paused',
  'lane_failing',
] as const
type AlarmKind = (typeof alarmKinds)[number]

export type Alarm = { kind: AlarmKind; subject: string; detail: string }

const failingAfterHours = [72, 24, 1] as const
const oldMinutes = 15
const manyDue = 100_000

export function alarmsOf(facts: Facts): Alarm[] {
  return [
    ...facts.lanes.flatMap(laneAlarms),
    ...(facts.oldestDueMinutes >= oldMinutes
      ? [alarm('callbacks_late', 'all', `A callback is ${oldMinutes} minutes overdue.`)]
      : []),
    ...(facts.due >= manyDue
      ? [alarm('callbacks_many', 'all', `More than ${manyDue} callbacks are pending.`)]
      : []),
    ...(facts.deadToday
      ? [alarm('callbacks_given_up', 'today', 'Callbacks failed for good today: see inlet callback list.')]
      : []),
    ...(facts.overdueDeposits
      ? [alarm('deposits_overdue', 'all', 'Deposits past their deadline are not expiring.')]
      : []),
    ...(facts.lossRisk === null
      ? []
      : [
          alarm(
            'replication_can_lose',
            'all',
            `A failover could lose acknowledged deposits: ${facts.lossRisk}.`,
          ),
        ]),
    ...facts.silentAccounts.map(({ accountId, label, silentHours }) =>
      alarm(
        'account_silent',
        accountId,
        `No bank data for the account "${label}" for ${silentHours} h: there may be money that nobody has seen.`,
      ),
    ),
    ...facts.scarceAccounts.map(({ accountId, label, heldPercent }) =>
      alarm(
        'references_scarce',
        accountId,
        `About ${heldPercent} % of the references of the account "${label}" are held: when all are, it takes no deposits.`,
      ),
    ),
    ...((facts.backup.walMinutes ?? 0) >= oldMinutes
      ? [
          alarm(
            'backup_late',
            'wal',
            `Nothing has been backed up for ${oldMinutes} minutes: see inlet doctor.`,
          ),
        ]
      : []),
    ...(facts.backup.drillProblem === null
      ? []
      : [alarm('backup_drill_failed', 'all', `The last backup drill failed: ${facts.backup.drillProblem}`)]),
    ...facts.approvalRuleActs.map(({ place, act }) =>
      alarm(
        'four_eyes',
        `${place}`,
        `Approval rules, access to the desk or a bank source changed: ${act}, entry ${place} of the audit log.`,
      ),
    ),
    ...facts.brandingActs.map(({ place, merchant }) =>
      alarm(
        'branding_changed',
        `${place}`,
        `The payment page of ${merchant} has a new name, logo or colour: entry ${place} of the audit log.`,
      ),
    ),
  ]
}

function laneAlarms({ laneId, merchant, origin, state, reason, failingHours }: LaneFact): Alarm[] {
  const place = `${merchant}, ${origin ?? 'own callback URL'}`
  if (state === 'paused') {
    return [alarm('lane_paused', `${laneId}`, `Callbacks to ${place} are paused: ${reason ?? 'manually'}.`)]
  }
  const hours = failingAfterHours.find((threshold) => (failingHours ?? 0) >= threshold)
  return hours === undefined
    ? []
    : [
        alarm(
          'lane_failing',
          `${laneId}:${hours}h`,
          `Callbacks to ${place} have failed for ${hours} h or more.`,
        ),
      ]
}

const alarm = (kind: AlarmKind, subject: string, detail: string): Alarm => ({ kind, subject, detail })
