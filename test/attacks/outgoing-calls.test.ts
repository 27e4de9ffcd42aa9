/**
 * Callback and return addresses that lead to denied hosts (SSRF): spellings of denied addresses, names whose address
 * changes between lookup and connection (DNS rebinding), redirects, and addresses that are not web addresses. A canary
 * listens on loopback: if anything reaches it, the attack has succeeded. Nothing leaves this machine.
 */
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { before, test } from 'node:test'
import { type AddressRule, isAllowedAddress } from '../../src/platform/allowed-address.ts'
import { insideOf } from '../../src/platform/network.ts'
import { createOutbound } from '../../src/platform/outbound.ts'
import type { OutboundOptions } from '../../src/platform/outbound-connections.ts'
import { denied, otherHosts, spellingsOf } from '../support/address-spellings.ts'
import { attackedGateway } from '../support/attacked-gateway.ts'
import { attacksOf, fromAnywhere, inTurns, isWhole, many, pick, seed, seeded } from '../support/attempts.ts'
import { atEnd } from '../support/clean-up.ts'
import { openShop, type Shop, type TestGateway } from '../support/gateway.ts'
import { joined } from '../support/person.ts'

const { attack, report } = attacksOf('outgoing calls (SSRF)')
const random = seeded(seed)

/** A receiver that the operator allows; loopback itself is denied, as in production. */
const receiverAddress = '127.0.0.2'
const production: AddressRule = { allowed: insideOf([receiverAddress]), loopback: false }

const open = (options: OutboundOptions) => {
  const outbound = createOutbound(production, options)
  atEnd(() => outbound.close())
  return (url: string) => outbound.post({ url, headers: {}, body: '{}', deadlineMs: 20_000, owner: 'shop' })
}

const canary = { port: 0, reached: 0 }
before(async () => {
  const note = createServer((socket) => {
    canary.reached++
    socket.destroy()
  })
  canary.port = await listen(note, '127.0.0.1')
})

async function listen(server: Server, host: string, port = 0): Promise<number> {
  await new Promise<void>((done, fail) => server.once('error', fail).listen(port, host, done))
  atEnd(async () => void server.close())
  return (server.address() as AddressInfo).port
}

/** How many connections this process starts during the work, to any address. */
async function connectionsDuring(work: () => Promise<unknown>): Promise<number> {
  let begun = 0
  const count = (message: unknown) =>
    (message as { socket: Socket }).socket.on('connectionAttempt', () => begun++)
  subscribe('net.client.socket', count)
  await work().finally(() => unsubscribe('net.client.socket', count))
  return begun
}

const userinfos = [
  '',
  'user@',
  'user:password@',
  'public.example@',
  'public.example:443@',
  '%40@',
  ':@',
  'a%3ab@',
]

test('control: an address that the operator allows is called', async () => {
  let called = 0
  const server = createHttpServer((_request, response) => {
    called++
    response.end('ok')
  })
  const port = await listen(server, receiverAddress)
  const post = open({ lookup: async () => [receiverAddress] })
  assert.ok('status' in (await post(`http://shop.example:${port}/`)))
  assert.equal(called, 1)
})

attack('spellings of denied addresses, by http and https, with and without user names', async (note) => {
  // A malicious name server: every name resolves to this machine.
  const post = open({ lookup: async () => ['127.0.0.1'] })
  const hosts = [...denied.flatMap(spellingsOf), ...otherHosts]
  const chosen = isWhole ? hosts : hosts.filter(() => random() < 0.15)
  for (const host of chosen) {
    const parsed = URL.parse(`http://${host}/`)?.hostname.replace(/^\[|\]$/g, '') ?? ''
    assert.ok(
      !isAllowedAddress(parsed, { allowed: () => false, loopback: false }),
      `${host} is public: a mistake in the list`,
    )
    for (const scheme of isWhole ? ['http', 'https'] : ['http']) {
      const url = `${scheme}://${pick(random, userinfos)}${host}:${canary.port}/`
      const begun = await connectionsDuring(() => post(url))
      note(url, begun > 0)
    }
  }
  assert.equal(canary.reached, 0)
})

attack('names whose address changes between lookup and connection (DNS rebinding)', async (note) => {
  const server = createHttpServer((_request, response) => response.end('ok'))
  // Both answer on one port: only the address decides who is reached.
  const port = await listen(server, receiverAddress)
  let reached = 0
  const trap = createServer((socket) => {
    reached++
    socket.destroy()
  })
  await listen(trap, '127.0.0.1', port)
  for (let round = 0; round < many(400, 30); round++) {
    const answers = Array.from({ length: 6 }, () =>
      pick(random, [
        [receiverAddress],
        ['127.0.0.1'],
        [receiverAddress, '127.0.0.1'],
        ['127.0.0.1', receiverAddress],
        ['::1'],
        ['::ffff:127.0.0.1'],
      ]),
    )
    let asked = 0
    const post = open({ lookup: async () => answers[asked++ % answers.length]! })
    const host = `name-${round}.example`
    const before = reached
    for (const scheme of ['http', 'https', 'http']) await post(`${scheme}://${host}:${port}/`)
    note(`${host}: ${JSON.stringify(answers)}`, reached > before)
  }
  // Control: the trap counts connections.
  await assert.rejects(fetch(`http://127.0.0.1:${port}/`))
  assert.equal(reached, 1)
})

attack('answers that redirect: status codes and headers that name another server', async (note) => {
  const there = () => `127.0.0.1:${canary.port}`
  const targets = [
    ...[
      `http://${there()}/`,
      `https://${there()}/`,
      `//${there()}/`,
      `http://2130706433:${canary.port}/`,
      '/again',
      '',
    ],
    ...[
      'file:///etc/passwd',
      'gopher://127.0.0.1:6379/_',
      `http:${there()}`,
      `\\\\${there()}\\`,
      'javascript:1',
      'data:,x',
    ],
  ]
  const statuses = isWhole ? [300, 301, 302, 303, 304, 305, 306, 307, 308, 201, 401] : [302, 307]
  let requests = 0
  let reply: [number, Record<string, string>] = [200, {}]
  const server = createHttpServer((_request, response) => {
    requests++
    response.writeHead(...reply).end()
  })
  const port = await listen(server, receiverAddress)
  const post = open({ lookup: async () => [receiverAddress] })
  for (const status of statuses)
    for (const target of targets) {
      for (const headers of [
        { location: target },
        { refresh: `0;url=${target}`, 'alt-svc': `h2="${there()}"; ma=60`, link: `<${target}>; rel=preload` },
      ] as Record<string, string>[]) {
        reply = [status, headers]
        const before = requests
        await post(`http://shop.example:${port}/`)
        note(`${status} ${JSON.stringify(headers)}`, canary.reached > 0 || requests !== before + 1)
      }
    }
})

/** Addresses that no merchant may use. */
const noWebAddress = [
  ...[
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\tscript:alert(1)',
    'data:text/html,<script>1</script>',
    'vbscript:x',
  ],
  ...[
    'file:///etc/passwd',
    'ftp://shop.example/',
    'gopher://shop.example/',
    'ws://shop.example/',
    'blob:https://shop.example/x',
  ],
  ...[
    '//evil.example/',
    '\\\\evil.example\\',
    'https:\\\\evil.example',
    'https:evil.example',
    'https:/evil.example',
    '/path',
    'evil.example',
    ''.padEnd(3),
  ],
  ...[
    'https://',
    'https:///x',
    'https://?x',
    'https://#x',
    'https://user@shop.example/',
    'https://user:pw@shop.example/',
    'https://@shop.example/',
    'https://a@b@shop.example/',
  ],
  ...[
    'https://shop.example\\@evil.example/',
    'https://shop.example\n.evil.example/',
    'https://shop.example /x',
    'https://shop.example\u0000.evil.example/',
  ],
  ...[
    'https://[::1',
    'https://shop.example:99999/',
    'https://shop.example:0x50/',
    `https://shop.example/${'a'.repeat(2_100)}`,
  ],
]
/** Addresses that a live merchant may not use. */
const notForLive = () => [
  // In development loopback is trusted; the tests above use production's rule.
  ...denied
    .filter((address) => !address.startsWith('127.'))
    .flatMap(spellingsOf)
    .map((host) => `https://${host}/`),
  ...[
    'http://shop.example/',
    'https://shop.example:22/',
    'https://shop.example:6379/',
    'https://shop.example:80/',
    'https://[fd00:ec2::254]/',
  ],
]

let gateway: TestGateway
let live: Shop
let testing: Shop
before(async () => {
  gateway = await attackedGateway()
  live = await openShop(gateway, { mode: 'live' })
  testing = await openShop(gateway)
})

attack('addresses in a request of the merchant', async (note) => {
  const fields = ['callback_url', 'success_url', 'reject_url'] as const
  const forLive = isWhole ? [...noWebAddress, ...notForLive()] : noWebAddress.slice(0, 12)
  for (const [shop, addresses] of [
    [live, forLive],
    [testing, noWebAddress],
  ] as const) {
    const jobs = addresses.flatMap((address) =>
      (isWhole ? fields : [pick(random, fields)]).map((field) => ({ address, field })),
    )
    await inTurns(jobs, async ({ address, field }) => {
      // Signed with v2, which allows every text.
      const { status, body } = await shop.createV2(shop.order({ [field]: address }))
      assert.ok(status < 500 || body.code === 'no_requisite_available', `${address}: ${status}`)
      note(`${field}=${address}`, status < 400 || body.code === 'no_requisite_available')
    })
  }
  const honest = await live.createV2(live.order({ callback_url: 'https://shop.example/cb' }))
  assert.equal(honest.body.code, 'no_requisite_available', 'control: an honest address is accepted')
})

attack('addresses in the merchant’s console', async (note) => {
  for (const [shop, addresses] of [
    [live, [...noWebAddress, ...notForLive().filter(() => random() < (isWhole ? 0.3 : 0.02))]],
    [testing, noWebAddress],
  ] as const) {
    const owner = async () => (await joined(gateway, { merchantId: shop.merchant, role: 'owner' })).browser
    let browser = await owner()
    const base = `/console/${shop.merchant}`
    for (const [place, address] of addresses.entries()) {
      // A new person after every 50 forms, so that no form is refused by the rate limit.
      if (place > 0 && place % 50 === 0) browser = await owner()
      if (address.trim() === '' || (!isWhole && place % 6 > 0)) continue
      const from = fromAnywhere()
      const callback = await browser.post(`${base}/settings/callback`, { address }, from)
      assert.notEqual(callback.status, 429)
      note(`callback ${address}`, callback.status < 400)
      const returns = await browser.post(
        `${base}/settings/returns`,
        { success: address, reject: address },
        from,
      )
      note(`returns ${address}`, returns.status < 400)
    }
    const honest = await browser.post(`${base}/settings/callback`, { address: 'https://shop.example/cb' })
    assert.match(honest.location ?? '', /done=(callback|proposed)/, 'control')
  }
})

report()
