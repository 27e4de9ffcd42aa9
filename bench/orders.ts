/**
 * Signed create requests as the bytes that go over the wire, made before the clock starts: what a merchant pays
 * for signing is not Inlet's cost.
 */
import { signLiteral } from '../sdk/signature.ts'

export type Shop = { merchant: string; secret: string; keyId: string }

/** `account`: identified by a reference. `card`: identified by the amount, so every amount is new. */
export type OrderKind = 'account' | 'card'

export type Orders = { shop: Shop; kind: OrderKind; from: number; count: number }

export const orderId = (kind: OrderKind, number: number): string =>
  `${kind}-${String(number).padStart(9, '0')}`

/** Accounts take any amount again; a card's slot is one amount, so the number of the order is the amount. */
export const orderCents = (kind: OrderKind, number: number): number =>
  kind === 'card' ? 10_000 + number : 150_000

export function buildOrders({ shop, kind, from, count }: Orders): Buffer[] {
  return Array.from({ length: count }, (_, index) => buildOrder(shop, kind, from + index))
}

function buildOrder({ merchant, secret }: Shop, kind: OrderKind, number: number): Buffer {
  const fields = {
    merchant,
    order_id: orderId(kind, number),
    cents: String(orderCents(kind, number)),
    currency: 'RUB',
    payment_type: kind === 'card' ? 'any_bank' : 'account_number',
    customer: `customer-${number % 10_000}`,
    callback_url: 'https://shop.example/callbacks/deposits',
  }
  const body = JSON.stringify({ ...fields, cents: Number(fields.cents) })
  return requestBytes('POST', '/api/v1/requests/deposit/create', body, [
    'Content-Type: application/json',
    `X-Signature: ${signLiteral(secret, 'create', fields)}`,
  ])
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
