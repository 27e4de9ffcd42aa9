/**
 * Which address a callback may connect to. A merchant chooses the name, so it may resolve to anything: the
 * operator's network, this machine, the cloud's metadata. Only addresses are checked here, never names or
 * spellings; the caller must connect to exactly the address that was checked.
 */
import { type Address, insideOf, ipv4At, readAddress } from './network.ts'

export type AddressRule = {
  /** The operator's exceptions, INLET_CALLBACK_ALLOW_CIDRS. They never reach the addresses in `isNever`. */
  allowed: (address: string) => boolean
  /** This machine itself: in development only. */
  loopback: boolean
}

export function isAllowedAddress(text: string, { allowed, loopback }: AddressRule): boolean {
  const address = readAddress(text)
  if (!address) return false
  if (isPublic(address)) return true
  if (isNever(address)) return false
  return (loopback && address.range() === 'loopback') || allowed(address.toString())
}

/** All of IPv6 that IANA has given out so far. What it gives out later is denied until it stands here. */
const isGivenOut = insideOf(['0.0.0.0/0', '2000::/3'])

const isPublic = (address: Address): boolean =>
  address.range() === 'unicast' && isGivenOut(address.toString()) && !isMetadata(address.toString())

/** Link-local and the clouds' metadata, which would give control of the machine. */
const isMetadata = insideOf([
  '169.254.0.0/16',
  '100.100.100.200',
  '168.63.129.16',
  'fe80::/10',
  'fd00:ec2::254',
])

/** No exception allows these, nor the IPv6 addresses that are translated to them: NAT64, 6to4 and the old embeddings. */
function isNever(address: Address): boolean {
  if (isMetadata(address.toString())) return true
  if (address.kind() === 'ipv4' || address.range() === 'uniqueLocal') return false
  return isMetadata(ipv4At(address, address.range() === '6to4' ? 2 : 12).toString())
}
