/**
 * How long a wrong password or code delays the next attempt. A browser in which the person has signed in before waits
 * only for its own failures. Any other waits for those of its network, and for those of all unknown browsers with this
 * account: many networks guess no faster than one, and the owner is not locked out.
 */
import { createHash } from 'node:crypto'

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
export function waitSeconds({ key, failures, ago }: { key: string; failures: number; ago: number }): number {
  const { free, maxSeconds } = allowances[key.slice(0, key.indexOf(':')) as ThrottleScope]
  if (failures < free || ago > forgottenSeconds) return 0
  const wait = Math.min(2 ** Math.min(failures - free, 20), maxSeconds)
  return Math.max(0, Math.ceil(wait - ago))
}

/** After a day failures no longer count. */
export const forgottenSeconds = 86_400
