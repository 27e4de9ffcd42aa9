/**
 * How long a wrong password or code makes the next try wait. A browser in which the person has signed in before waits
 * for its own mistakes alone. Whoever comes from elsewhere waits for those of their network, and for those that all
 * such strangers made with this account: many networks guess no faster than one, and the owner is not locked out.
 */
import { createHash } from 'node:crypto'

type Allowance = { free: number; mostSeconds: number }

const allowances = {
  browser: { free: 5, mostSeconds: 300 },
  pair: { free: 5, mostSeconds: 300 },
  network: { free: 30, mostSeconds: 60 },
  account: { free: 50, mostSeconds: 300 },
} satisfies Record<string, Allowance>
type Counted = keyof typeof allowances

/** Who is counted: what a right try wipes out, and what others share, where it takes only itself back. */
export type ThrottleKeys = { own: string[]; shared: string[] }

/** Accounts are kept as digests: the table is no list of who has one. A mark is that of a browser the person knows. */
export function throttleKeys(
  account: string,
  { network, mark }: { network: string; mark: Buffer | null },
): ThrottleKeys {
  const key = (counted: Counted, ...names: string[]) =>
    `${counted}:${createHash('sha256').update(names.join(' ')).digest('base64url')}`
  if (mark) return { own: [key('browser', account, mark.toString('hex'))], shared: [] }
  return { own: [key('pair', account, network)], shared: [`network:${network}`, key('account', account)] }
}

/** Seconds to wait still; 0 when the next try may come. */
export function waitOf({ key, failures, ago }: { key: string; failures: number; ago: number }): number {
  const { free, mostSeconds } = allowances[key.slice(0, key.indexOf(':')) as Counted]
  if (failures < free || ago > forgottenSeconds) return 0
  const wait = Math.min(2 ** Math.min(failures - free, 20), mostSeconds)
  return Math.max(0, Math.ceil(wait - ago))
}

/** Failures of yesterday are forgotten. */
const forgottenSeconds = 86_400
