/**
 * Counts sign-in attempts in memory and decides there, so that no request waits for the database. Each attempt is counted
 * before it is checked; a right one is subtracted again. The processes of one machine tell each other every change at once, so its
 * count is exact. Several machines count each for itself, and a restart forgets.
 *
 * A browser in which the person has signed in before waits only for its own failures. Any other waits for those of its network,
 * and for those of all unknown browsers with this account: many networks guess no faster than one, and the owner is not locked out.
 */
import { createHash } from 'node:crypto'
import { bounds } from '../../platform/bounds.ts'
import { monotonicMs } from '../../platform/clock.ts'
import { Refusal } from '../../platform/refusals.ts'
import { message } from '../messages/message.ts'

type Allowance = { free: number; maxSeconds: number }

const allowances = {
  browser: { free: 5, maxSeconds: 300 },
  pair: { free: 5, maxSeconds: 300 },
  network: { free: 30, maxSeconds: 60 },
  account: { free: 50, maxSeconds: 300 },
} satisfies Record<string, Allowance>
type ThrottleScope = keyof typeof allowances

/** The counters of an attempt: a right one resets its own, and subtracts only itself from shared ones. */
export type ThrottleKeys = { own: string[]; shared: string[] }

/** Digests keep the keys short, whatever was typed. `mark`: of a browser that the person has used. */
export function throttleKeys(
  account: string,
  { network, mark }: { network: string; mark: Buffer | null },
): ThrottleKeys {
  const key = (scope: ThrottleScope, ...names: string[]) =>
    `${scope}:${createHash('sha256').update(names.join(' ')).digest('base64url')}`
  if (mark) return { own: [key('browser', account, mark.toString('hex'))], shared: [] }
  return { own: [key('pair', account, network)], shared: [`network:${network}`, key('account', account)] }
}

/** Seconds until the next attempt is allowed. */
function waitSeconds({ key, failures, ago }: { key: string; failures: number; ago: number }): number {
  const { free, maxSeconds } = allowances[key.slice(0, key.indexOf(':')) as ThrottleScope]
  if (failures < free || ago > forgottenSeconds) return 0
  const wait = Math.min(2 ** Math.min(failures - free, 20), maxSeconds)
  return Math.max(0, Math.ceil(wait - ago))
}

/** After a day failures no longer count. */
const forgottenSeconds = 86_400

type AttemptChange = { key: string; added: number; isReset: boolean }

export type LoginAttempts = {
  /** Counts one attempt, or refuses it: `rate_limited` with the seconds to wait. */
  admit(keys: ThrottleKeys): void
  /** The attempt was right: its own failures are reset, of shared keys only this attempt is subtracted. */
  succeed(keys: ThrottleKeys): void
  /** The attempt was not checked. */
  takeBack(keys: ThrottleKeys): void
  /** Another process of this machine has counted this. */
  hear(change: AttemptChange): void
}

/** `announce` sends every change to the other processes of this machine. */
export function createLoginAttempts(
  announce: (change: AttemptChange) => void = () => {},
  now = monotonicMs,
): LoginAttempts {
  const entries = new Map<string, { failures: number; lastAt: number }>()
  const agoOf = (lastAt: number) => (now() - lastAt) / 1000

  function count({ key, added, isReset }: AttemptChange): void {
    const entry = entries.get(key)
    const isOver = isReset || !entry || agoOf(entry.lastAt) > forgottenSeconds
    const failures = Math.max(0, (isOver ? 0 : entry.failures) + added)
    entries.delete(key)
    if (failures > 0) entries.set(key, { failures, lastAt: added > 0 || !entry ? now() : entry.lastAt })
    // The least recently used key makes room.
    if (entries.size > bounds.loginAttemptKeys) entries.delete(entries.keys().next().value!)
  }

  function change(keys: readonly string[], added: number, isReset = false): void {
    for (const key of keys) {
      count({ key, added, isReset })
      announce({ key, added, isReset })
    }
  }

  return {
    admit({ own, shared }) {
      const keys = [...own, ...shared]
      const waits = keys.map((key) => {
        const entry = entries.get(key)
        return entry ? waitSeconds({ key, failures: entry.failures, ago: agoOf(entry.lastAt) }) : 0
      })
      const retryAfterSeconds = Math.max(...waits)
      if (retryAfterSeconds > 0)
        throw new Refusal('rate_limited', { detail: message('too_many_wrong_tries'), retryAfterSeconds })
      change(keys, 1)
    },
    succeed({ own, shared }) {
      change(own, 0, true)
      change(shared, -1)
    },
    takeBack: ({ own, shared }) => change([...own, ...shared], -1),
    hear: count,
  }
}
