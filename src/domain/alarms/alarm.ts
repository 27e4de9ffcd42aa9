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

/** What is wrong now. Each is raised once, and cleared when it ends. */
export type Alarm = { kind: AlarmKind; subject: string; detail: string }
