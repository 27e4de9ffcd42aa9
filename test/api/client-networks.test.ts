/** Every limit counts the network of its client: an IPv4 address, also on a socket for both families, or an IPv6 /64. */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { networkInterfaces } from 'node:os'
import { before, test } from 'node:test'
import { bounds } from '../../src/platform/bounds.ts'
import { createPath, startGateway, type TestGateway } from '../support/gateway.ts'

const hasIPv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ family }) => family === 'IPv6'))

let gateway: TestGateway
before(async () => {
  const environment = { HOST: hasIPv6 ? '::' : '127.0.0.1', INLET_TRUSTED_PROXIES: '127.0.0.8/30' }
  gateway = await startGateway({ environment })
})

type Client = { from: string; forwardedFor?: string }
type Asked = { method?: string; path: string; body?: string; headers?: Record<string, string> }

/** Over IPv4 from an address of this machine: the server sees it inside of IPv6. */
function ask(
  { from, forwardedFor }: Client,
  { method = 'GET', path, body, headers }: Asked,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const sent = request({
    host: '127.0.0.1',
    port: gateway.config.port,
    localAddress: from,
    agent: false,
    method,
    path,
    headers: { ...headers, ...(forwardedFor !== undefined && { 'x-forwarded-for': forwardedFor }) },
  })
  sent.on('response', (answer) => answer.resume().on('end', () => resolve(answer.statusCode!)))
  sent.on('error', reject)
  sent.end(body)
  return promise
}

const unknownPage: Asked = { path: '/pay/AAAAAAAAAAAAAAAAAAAAAA' }
const unknownBill: Asked = { path: '/bill/AAAAAAAAAAAAAAAAAAAAAA.svg' }
const wrongSignature: Asked = {
  method: 'POST',
  path: createPath,
  headers: { 'content-type': 'application/json', 'x-signature': 'f'.repeat(64) },
  body: '{"merchant":"00000000-0000-4000-8000-000000000000","order_id":"1","cents":1,"currency":"RUB","customer":"1","payment_type":"sbp"}',
}
const wrongToken: Asked = {
  method: 'POST',
  path: '/api/v1/bank/transfers',
  headers: { 'content-type': 'application/json', authorization: `Bearer bank_${'A'.repeat(43)}` },
  body: '{}',
}
/** Asks until refused. `atOnce`: on a busy machine one after another could be slower than a limit allows again. */
async function untilRefused(client: (turn: number) => Client, asked: Asked, most: number, atOnce = 1) {
  for (let turn = 0; turn <= most; turn += atOnce) {
    const asks = Array.from({ length: atOnce }, (_, place) => ask(client(turn + place), asked))
    if ((await Promise.all(asks)).includes(429)) return
  }
  assert.fail(`never refused in ${most} turns`)
}

for (const [what, asked, heard, rate, site] of [
  ['unknown pages', unknownPage, 404, bounds.unknownPageRate, '2001:db8:0:1'],
  ['unknown bills', unknownBill, 404, bounds.unknownPageRate, '2001:db8:0:3'],
  ['wrong signatures', wrongSignature, 401, bounds.failedSignatureRate, '2001:db8:0:5'],
  ['wrong tokens of banks', wrongToken, 401, bounds.failedSignatureRate, '2001:db8:0:7'],
  ['unsigned requests', { path: '/api/v1/none' }, 404, bounds.addressRate, '2001:db8:0:9'],
] as const) {
  test(`all addresses of an IPv6 /64 share the limit of ${what}, and no other network does`, async () => {
    const proxy = { from: '127.0.0.9' }
    const another = (turn: number) => ({ ...proxy, forwardedFor: `${site}:${turn.toString(16)}::1` })
    await untilRefused(another, asked, rate.burst * 3, rate.perSecond)
    assert.equal(await ask({ ...proxy, forwardedFor: '2001:db8:0:ffff::1' }, asked), heard)
  })
}

test('a client that is no trusted proxy cannot choose another network for its requests', async () => {
  const client = (turn: number) => ({ from: '127.0.0.50', forwardedFor: `198.51.100.${turn}` })
  await untilRefused(client, unknownPage, bounds.unknownPageRate.burst * 3)
})
