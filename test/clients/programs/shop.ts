/** What the programs share: an order of 99,999,999,999 cents, and a fetch that signs what a generated client sends. */
import { signV2 } from './signature'

const {
  INLET_URL: url = '',
  INLET_MERCHANT: merchant = '',
  INLET_KEY_ID: kid = '',
  INLET_SECRET: secret = '',
} = process.env

export { url }
export const order = {
  merchant,
  order_id: `order-${process.pid}`,
  cents: 99_999_999_999,
  currency: 'UZS' as const,
  payment_type: 'any_bank',
  customer: 'user-42',
}

const plainFetch = globalThis.fetch
export const signedFetch: typeof fetch = async (input, init) => {
  const request = new Request(input, init)
  const { pathname, search } = new URL(request.url)
  const body = new Uint8Array(await request.clone().arrayBuffer())
  const t = Math.floor(Date.now() / 1000)
  const signed = { secret, kid, t, method: request.method, target: pathname + search, body }
  request.headers.set('X-Signature', signV2(signed))
  return plainFetch(request)
}

/** What the gateway answered, four times. */
export function tell(...cents: (number | undefined)[]): void {
  console.log(JSON.stringify(cents))
}
