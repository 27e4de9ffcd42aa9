/** What a screen of the payment page is made of. */
import type { Offer } from '../../domain/catalogue/offer.ts'
import type { FoundPage } from '../../domain/deposits/deposit.ts'
import type { AcceptedAddress } from '../web/html.ts'
import type { Screen } from './screen.ts'

export type PayView = FoundPage & {
  screen: Screen
  /** Where this page lives, printed so that the customer can compare it with the address bar. */
  host: string
  pageUrl: string
  /** The signed way back to the shop, where there is one. */
  returnTo: AcceptedAddress | string | null
  /** Only on the screen where the customer chooses a method. */
  offers: readonly Offer[]
  /** What this browser chose last. */
  lastMethod: string | null
  notice: Notice | null
}

export const notices = ['ran_out', 'pick_one'] as const
type Notice = (typeof notices)[number]
