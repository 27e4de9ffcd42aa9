/**
 * Whose turn ends. An endpoint that answers slowly, but well, never lets its lane become idle: so a process gives lanes back
 * while others are ready that it has no room for.
 */
import { bounds } from '../../../platform/bounds.ts'
import type { MerchantId } from '../../merchants/merchant.ts'

type Turn = {
  readonly merchantId: MerchantId
  readonly claimedAt: number
  /** Its turn has ended: it is released when its requests in flight are answered and written. */
  readonly isEnding: boolean
}

type Waiting = {
  /** Lanes that are ready, and that this process could not claim. */
  waiting: number
  /** How many lanes a merchant may have now. */
  share: number
  now: number
}

/**
 * As many lanes as wait, of the merchants that have their share or more: always the one that the merchant with the most
 * lanes has had longest.
 */
export function lanesToGiveBack<Lane extends Turn>(
  lanes: Iterable<Lane>,
  { waiting, share, now }: Waiting,
): Lane[] {
  const { true: ending = [], false: serving = [] } = Object.groupBy(lanes, ({ isEnding }) => `${isEnding}`)
  const ofMerchants = Map.groupBy(serving, ({ merchantId }) => merchantId)
  return [...ofMerchants.values()]
    .filter((ofMerchant) => ofMerchant.length >= share)
    .flatMap((ofMerchant) =>
      ofMerchant
        .sort((a, b) => a.claimedAt - b.claimedAt)
        .map((lane, place) => ({ lane, left: ofMerchant.length - place })),
    )
    .filter(({ lane }) => now - lane.claimedAt >= bounds.delivery.laneTurnMs)
    .sort((a, b) => b.left - a.left || a.lane.claimedAt - b.lane.claimedAt)
    .slice(0, Math.max(0, waiting - ending.length))
    .map(({ lane }) => lane)
}
