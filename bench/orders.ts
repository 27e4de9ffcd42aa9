/**
 * Signed create requests as the bytes that go over the wire, made before the clock starts: what a merchant pays
 * for signing is not Inlet's cost.
 */
import { signLiteral } from '../sdk/signature.ts'

export type Shop = { merchant: string; secret: string; keyId: string }

/** `account`: identified by a reference. `card`: identified by the amount, so every amount is new. */
export type OrderKind = 'account' | 'card'

/** `callbackUrl`: where the orders ask for their callbacks; with null they go to the merchant's address. */
export type Orders = {
  shop: Shop
  kind: OrderKind
  from: number
  count: number
  callbackUrl?: string | null
}

export const createPath = '/api/v1/requests/deposit/create'

export const buildOrders = ({ shop, kind, from, count, callbackUrl }: Orders): Buffer[] =>
  Array.from({ length: count }, (_, index) => {
    const { body, headers } = signedOrder(shop, kind, from + index, callbackUrl)
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    return requestBytes('POST', createPath, body, lines)
  })

export function signedOrder(
  { merchant, secret }: Shop,
  kind: OrderKind,
  number: number,
  callbackUrl: string | null = 'https://shop.example/callbacks/deposits',
): { body: string; headers: Record<string, string> } {
  const fields = {
    merchant,
    order_id: `${kind}-${String(number).padStart(9, '0')}`,
    // Accounts take any amount again; a card's slot is one amount, so the number of the order is the amount.
    cents: String(kind === 'card' ? 10_000 + number : 150_000),
    currency: 'RUB',
    payment_type: kind === 'card' ? 'any_bank' : 'account_number',
    customer: `customer-${number % 10_000}`,
    ...(callbackUrl !== null && { callback_url: callbackUrl }),
  }
  return {
    body: JSON.stringify({ ...fields, cents: Number(fields.cents) }),
    headers: {
      'Content-Type': 'application/json',
      'X-Signature': signLiteral(secret, 'create', fields),
    },
  }
}

/** A request as it goes over the wire. */
export function requestBytes(
  method: 'GET' | 'POST',
  target: string,
  body: string,
  headers: readonly string[],
): Buffer {
  const length = method === 'POST' ? [`Content-Length: ${Buffer.byteLength(body)}`] : []
  const head = [`${method} ${target} HTTP/1.1`, 'Host: 127.0.0.1', ...headers, ...length]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}
