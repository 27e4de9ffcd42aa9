/**
 * Counts sign-in attempts in memory and decides there, so that no request waits for a row lock. Each attempt is counted
 * before it is checked; a right one is subtracted again.
 *
 * The table `sign_in_failures` keeps the counts across restarts and processes. A key is read when it is first used here and
 * again every few seconds while it is in use, and written once a second outside of requests. Processes of one machine send
 * each other every change immediately. So the count of a machine is exact; several together allow, for a few seconds, the
 * free attempts of each, and a killed process loses its last second. A running wait is seen by all of them.
 */

import { batched } from '../../platform/batched.ts'
import { bounds } from '../../platform/bounds.ts'
import { monotonicMs } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { faultFields, type Log } from '../../platform/log.ts'
import { Refusal } from '../../platform/refusals.ts'
import { message } from '../messages/message.ts'
import { type ThrottleKeys, waitSeconds } from './login-throttle.ts'
import {
  type FailureChange,
  type Failures,
  forgetOldFailures,
  readFailures,
  saveFailures,
} from './session-store.ts'

export type LoginAttempts = {
  /** Counts one attempt, or refuses it: `rate_limited` with the seconds to wait. */
  admit(keys: ThrottleKeys): Promise<void>
  /** The attempt was right: its own failures are reset, of shared keys only this attempt is subtracted. */
  succeed(keys: ThrottleKeys): void
  /** The attempt was not checked. */
  takeBack(keys: ThrottleKeys): void
  /** Another process of this machine has counted this, and writes it down. */
  hear(change: FailureChange): void
  /** Writes what was counted since the last time. */
  flush(): Promise<void>
  stop(): Promise<void>
}

/** `heardAt`: when another process of this machine last counted it. */
type Entry = { failures: number; lastAt: number; readAt: number; heardAt: number }

/** `announce` sends every change to the other processes of this machine. */
export function createLoginAttempts(
  db: Db,
  log: Log,
  announce: (change: FailureChange) => void = () => {},
): LoginAttempts {
  const entries = new Map<string, Entry>()
  /** Not yet written to the table. */
  let unsaved = new Map<string, FailureChange>()
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> = Promise.resolve()
  const read = batched((keys) => readFailures(db, keys))

  const wait = (keys: readonly string[]): number =>
    Math.max(
      0,
      ...keys.map((key) => {
        const entry = entries.get(key)
        return entry
          ? waitSeconds({ key, failures: entry.failures, ago: (monotonicMs() - entry.lastAt) / 1000 })
          : 0
      }),
    )

  function refuseEarly(keys: readonly string[]): void {
    const retryAfterSeconds = wait(keys)
    if (retryAfterSeconds > 0)
      throw new Refusal('rate_limited', { detail: message('too_many_wrong_tries'), retryAfterSeconds })
  }

  async function refresh(key: string): Promise<void> {
    const entry = entries.get(key)
    if (entry && monotonicMs() - entry.readAt < bounds.loginAttempts.rereadMs) return
    update(key, await read(key))
  }

  /** Combines the row of the table with the changes that are not written yet. */
  function update(key: string, row: Failures | undefined): void {
    const change = unsaved.get(key)
    const now = monotonicMs()
    const base = change?.isReset ? 0 : (row?.failures ?? 0)
    const entry = entries.get(key)
    const heardAt = entry?.heardAt ?? Number.NEGATIVE_INFINITY
    // What was heard a moment ago may not be in the table yet.
    const heard = now - heardAt < 2 * bounds.loginAttempts.flushMs ? entry!.failures : 0
    const failures = Math.max(0, base + (change?.added ?? 0), heard)
    const rowAt = row ? now - row.ago * 1000 : Number.NEGATIVE_INFINITY
    const lastAt = Math.max(rowAt, entry?.lastAt ?? Number.NEGATIVE_INFINITY)
    remember(key, { failures, lastAt, readAt: now, heardAt })
  }

  /** The least recently used key makes room. */
  function remember(key: string, entry: Entry): void {
    entries.delete(key)
    entries.set(key, entry)
    if (entries.size > bounds.loginAttempts.entries) entries.delete(entries.keys().next().value!)
  }

  function count(key: string, by: { added: number; isReset?: boolean }, isHeard = false): void {
    const now = monotonicMs()
    const never = Number.NEGATIVE_INFINITY
    const fresh = { failures: 0, lastAt: now, readAt: isHeard ? never : now, heardAt: never }
    const entry = entries.get(key) ?? fresh
    const failures = by.isReset ? 0 : Math.max(0, entry.failures + by.added)
    const lastAt = by.added > 0 ? now : entry.lastAt
    remember(key, { ...entry, failures, lastAt, ...(isHeard && { heardAt: now }) })
  }

  function change(key: string, by: { added: number; isReset?: boolean }): void {
    count(key, by)
    announce({ key, added: by.added, isReset: by.isReset ?? false })
    const before = by.isReset ? undefined : unsaved.get(key)
    const isReset = by.isReset ?? before?.isReset ?? false
    unsaved.set(key, { key, isReset, added: (before?.added ?? 0) + by.added })
    timer ??= setTimeout(() => void flush(), bounds.loginAttempts.flushMs).unref()
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    flushing = flushing.then(save)
    return flushing
  }

  async function save(): Promise<void> {
    if (unsaved.size === 0) return
    const saving = unsaved
    unsaved = new Map()
    try {
      for (const row of await saveFailures(db, [...saving.values()])) update(row.key, row)
      await forgetOldFailures(db)
    } catch (error) {
      // The counts in memory stay; the changes are written with the next ones.
      log.warn('tries to sign in were not written down', faultFields(error))
      for (const [key, { isReset, added }] of saving) {
        const later = unsaved.get(key)
        if (!later) unsaved.set(key, { key, isReset, added })
        else if (!later.isReset) unsaved.set(key, { key, isReset, added: later.added + added })
      }
      if (unsaved.size > bounds.loginAttempts.entries) unsaved.clear()
    }
  }

  return {
    async admit({ own, shared }) {
      const keys = [...own, ...shared]
      // Before anything is read, so that a waiting client costs nothing.
      refuseEarly(keys)
      await Promise.all(keys.map(refresh))
      // Nothing is awaited between this check and the counting, so concurrent attempts see each other.
      refuseEarly(keys)
      for (const key of keys) change(key, { added: 1 })
    },
    succeed({ own, shared }) {
      for (const key of own) change(key, { added: 0, isReset: true })
      for (const key of shared) change(key, { added: -1 })
    },
    takeBack({ own, shared }) {
      for (const key of [...own, ...shared]) change(key, { added: -1 })
    },
    hear: (change) => count(change.key, change, true),
    flush,
    async stop() {
      await flush()
      clearTimeout(timer)
    },
  }
}
