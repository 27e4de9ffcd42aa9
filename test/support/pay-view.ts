/** What a payment page shows of a deposit, for tests of pure code. */
import type { Deposit } from '../../src/domain/deposits/deposit.ts'
import { screenOf } from '../../src/surfaces/pay/screen.ts'
import type { PayView } from '../../src/surfaces/pay/view.ts'
import { at } from './deposit.ts'

export function payViewOf(deposit: Deposit, more: Partial<PayView> = {}): PayView {
  const now = more.now ?? at('09:10')
  return {
    deposit,
    now,
    screen: screenOf(deposit, now),
    merchantName: 'Shop',
    merchantLanguage: null,
    brand: { accent: null, logo: null },
    testMode: false,
    gaveUp: false,
    host: 'inlet.example',
    pageUrl: `https://inlet.example/pay/${deposit.pageToken}`,
    returnTo: null,
    offers: [],
    lastMethod: null,
    notice: null,
    ...more,
  }
}
