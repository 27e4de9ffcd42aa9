/**
 * How long a wrong password makes the next try wait. The wait is of whoever tries: of one network for one account,
 * and of one network for all accounts. An account alone makes nobody wait, so its owner is never locked out by a
 * stranger elsewhere.
 */
import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'

type Patience = { free: number; mostSeconds: number }

const patience: Record<'pair' | 'network', Patience> = {
  pair: { free: 5, mostSeconds: 300 },
  network: { free: 30, mostSeconds: 60 },
}

/** Who is counted. Addresses are kept as digests: the table is no list of who has an account. */
export const triesOf = (account: string, network: string): string[] => [
  `pair:${createHash('sha256').update(`${account} ${network}`).digest('base64url')}`,
  `network:${network}`,
]

/** Seconds to wait still; 0 when the next try may come. */
export function waitOf({ key, failures, ago }: { key: string; failures: number; ago: number }): number {
  const { free, mostSeconds } = patience[key.startsWith('pair:') ? 'pair' : 'network']
  if (failures < free) return 0
  const wait = Math.min(2 ** Math.min(failures - free, 20), mostSeconds)
  return Math.max(0, Math.ceil(wait - ago))
}

/** One household, one office: an IPv6 network has as many addresses as anybody wants. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('%', 1)[0]!.split('::')
  const groups = head.split(':').filter(Boolean)
  const rest = tail?.split(':').filter(Boolean) ?? []
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - rest.length)
  return [...groups, ...Array(zeros).fill('0'), ...rest].slice(0, 4).join(':')
}
