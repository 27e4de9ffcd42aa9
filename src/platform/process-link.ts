/** The messages between the parent and its processes, and the link as a process sees it. */
import cluster from 'node:cluster'
import type { Login } from './db.ts'
import type { MasterKeys } from './master-key.ts'
import type { MetricFamily } from './metrics.ts'
import type { SpentRate } from './rate-limit.ts'
import type { DatabaseConnections } from './shared-bounds.ts'

/** What a process learns from its parent before it starts. */
export type MemberSettings = {
  /** Numbers start at 1; a process that replaces another gets its number. */
  number: number
  processes: number
  connections: DatabaseConnections
  /** The embedded PostgreSQL, which the parent has started; null where DATABASE_URL names another. */
  postgres: { owner: Login; runtime: Login } | null
  /** Read by the parent, so that they are in no environment variable and no argument of this process. */
  masterKeys: MasterKeys
}

/** A counted attempt to sign in: see login-attempts.ts. */
type AttemptChange = { key: string; added: number; isReset: boolean }

export type ToMember =
  | { kind: 'settings'; settings: MemberSettings }
  | { kind: 'rates'; spent: SpentRate[] }
  | { kind: 'attempt'; change: AttemptChange }
  | { kind: 'metrics' }
  /** Another process has taken its place: finish what is under way, and end. */
  | { kind: 'leave' }

export type ToParent =
  | { kind: 'hello' }
  | { kind: 'ready' }
  | { kind: 'rates'; spent: SpentRate[] }
  | { kind: 'attempt'; change: AttemptChange }
  | { kind: 'metrics'; families: MetricFamily[] }

export type ProcessLink = {
  settings: MemberSettings
  send(message: ToParent): void
  /** Sets the handler for messages of a kind. */
  on<Kind extends ToMember['kind']>(kind: Kind, handle: (message: ToMember & { kind: Kind }) => void): void
}

/** The link of this process to its parent; undefined where it has none. */
export async function joinParent(): Promise<ProcessLink | undefined> {
  if (!cluster.isWorker) return undefined
  const listeners = new Map<string, (message: never) => void>()
  const send = (message: ToParent) => {
    // If the parent was killed, the channel is closed, and this process ends by itself.
    if (process.connected) process.send!(message, undefined, {}, () => {})
  }
  const settings = new Promise<MemberSettings>((resolve) => {
    listeners.set('settings', (message: ToMember & { kind: 'settings' }) => resolve(message.settings))
  })
  process.on('message', (message: ToMember) => listeners.get(message.kind)?.(message as never))
  send({ kind: 'hello' })
  const link: ProcessLink = {
    settings: await settings,
    send,
    on: (kind, handle) => void listeners.set(kind, handle),
  }
  // The channel alone must not keep a finished process alive.
  process.channel?.unref()
  return link
}
