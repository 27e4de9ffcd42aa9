/** Resolves the names of receivers to the addresses that a request may go to. */
import { lookup as systemLookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { type AddressRule, isAllowedAddress } from './allowed-address.ts'
import { monotonicMs } from './clock.ts'
import { createFairLimit } from './fair-limit.ts'

const nameBounds = {
  /** Every address of a name is checked, and a name server can return thousands, which took 80 ms per callback. */
  addressesOfName: 64,
  lookupTimeoutMs: 3_000,
  /**
   * 32 threads of the process do lookups. A name whose server does not answer occupies one for many seconds, and a lookup
   * cannot be canceled. Some threads stay free for the database's own name.
   */
  lookups: { atOnce: 28, ofOwner: 2, waiting: 1_000 },
  namesKnown: 10_000,
  nameKnownMs: 30_000,
  nameFailedMs: 5_000,
} as const

/** `demote` moves an address to the end, for as long as this answer is cached. */
type Found =
  | { addresses: readonly string[]; demote: (address: string) => void }
  | { error: 'dns' | 'blocked_address' | 'timeout'; address?: string }

export type Resolver = (owner: string, host: string, timeLeftMs: number) => Promise<Found>

/**
 * Resolves names to allowed addresses. A single denied address refuses the name: a server that mixes denied addresses
 * with allowed ones is not trusted. No caller waits longer than lookupTimeoutMs, but a name is looked up only once
 * at a time, however long the system takes, because lookups occupy threads that other names need. For the same
 * reason owners take turns, and share no lookup.
 */
export function createResolver(
  rule: AddressRule,
  lookup: (host: string) => Promise<string[]> = everyAddress,
): Resolver {
  const known = new Map<string, { found: Promise<Found>; until: number }>()
  const inTurn = createFairLimit(nameBounds.lookups)

  const judge = (addresses: string[]): Found => {
    const denied = addresses.find((address) => !isAllowedAddress(address, rule))
    if (denied !== undefined) return { error: 'blocked_address', address: denied }
    const demote = (address: string) => {
      const place = addresses.indexOf(address)
      if (place >= 0) addresses.push(...addresses.splice(place, 1))
    }
    return addresses.length === 0 ? { error: 'dns' } : { addresses, demote }
  }

  const ask = (key: string, owner: string, host: string): Promise<Found> => {
    const entry = {
      until: Number.POSITIVE_INFINITY,
      found: inTurn(owner, () => lookup(host)).then(
        (addresses): Found =>
          addresses.length > nameBounds.addressesOfName ? { error: 'dns' } : judge([...new Set(addresses)]),
        (): Found => ({ error: 'dns' }),
      ),
    }
    entry.found.then((found) => {
      const hasFailed = 'error' in found && found.error === 'dns'
      entry.until = monotonicMs() + (hasFailed ? nameBounds.nameFailedMs : nameBounds.nameKnownMs)
    })
    known.delete(key)
    known.set(key, entry)
    if (known.size > nameBounds.namesKnown) known.delete(known.keys().next().value!)
    return entry.found
  }

  return (owner, host, timeLeftMs) => {
    if (isIP(host)) return Promise.resolve(judge([host]))
    const key = `${owner} ${host}`
    const entry = known.get(key)
    const found = entry && monotonicMs() < entry.until ? entry.found : ask(key, owner, host)
    const { lookupTimeoutMs } = nameBounds
    return timeLeftMs < lookupTimeoutMs
      ? within(found, timeLeftMs, { error: 'timeout' })
      : within(found, lookupTimeoutMs, { error: 'dns' })
  }
}

const everyAddress = async (host: string): Promise<string[]> =>
  (await systemLookup(host, { all: true })).map(({ address }) => address)

async function within<Result>(work: Promise<Result>, ms: number, otherwise: Result): Promise<Result> {
  const late = Promise.withResolvers<Result>()
  const timer = setTimeout(() => late.resolve(otherwise), ms)
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer))
}
