/**
 * What a deposit's QR code says: what a bank's app understands, or else the address of the payment page; the caller names
 * it truthfully by `kind`. Nothing here invents a bank's link.
 */
import type { Deposit } from '../../../domain/deposits/deposit.ts'
import { gostPayload } from './gost.ts'

type Code = {
  /** `bank`: scanned with a bank's app it begins the transfer. `page`: it opens the payment page. */
  kind: 'bank' | 'page'
  payload: Uint8Array
}

/** For what is still missing. To be shown only while the customer is asked to pay. */
export function codeOf(
  deposit: Pick<Deposit, 'shown' | 'currency' | 'amountCents' | 'receivedCents'>,
  pageUrl: string,
): Code {
  const gost = gostPayload(deposit, deposit.amountCents - deposit.receivedCents)
  if (gost) return { kind: 'bank', payload: gost }
  const link = deposit.shown?.link
  if (link) return { kind: 'bank', payload: bytes(link) }
  return { kind: 'page', payload: bytes(pageUrl) }
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
