/**
 * A merchant's server, as a process of its own: it creates orders through several gateways at once, repeats each until it is
 * answered, and writes every acknowledgement down before it goes on. Its words: the ledger, merchant, key, secret, and the
 * gateways as name=url.
 */
import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { signLiteral } from '../../sdk/signature.ts'
import { type Fields, shopOf, textOf } from '../support/gateway.ts'

const [ledger, merchant, keyId, secret, ...gateways] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  ...string[],
]
const clients = 3
const pauseMs = 60

let isRunning = true
process.on('SIGTERM', () => {
  isRunning = false
})

const post = async (url: string, order: Fields) => {
  const response = await fetch(`${url}/api/v1/requests/deposit/create`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-signature': signLiteral(secret, 'create', textOf(order)),
    },
    body: JSON.stringify(order),
    signal: AbortSignal.timeout(10_000),
  })
  return { status: response.status, body: (await response.json()) as { id?: string; code?: string } }
}

async function create(way: string, url: string): Promise<void> {
  const order = shopOf({ url }, merchant, keyId, secret).order()
  while (isRunning) {
    const { status, body } = await post(url, order).catch(() => ({ status: 0, body: {} as { id?: string } }))
    const isAcknowledged = status === 201 || status === 200
    const line = { at: Date.now(), way, status, order: order.order_id, id: body.id }
    appendFileSync(ledger, `${JSON.stringify(line)}\n`)
    if (isAcknowledged) return
    await sleep(100)
  }
}

const client = async (way: string, url: string) => {
  while (isRunning) {
    await create(way, url)
    await sleep(pauseMs)
  }
}

await Promise.all(
  gateways.flatMap((gateway) => {
    const [way, url] = gateway.split('=') as [string, string]
    return Array.from({ length: clients }, () => client(way, url))
  }),
)
