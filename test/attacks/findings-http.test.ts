/** Findings of the audit about HTTP: limits by address, two names of a host, headers of pages, forms that contradict themselves. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { attackedGateway } from '../support/attacked-gateway.ts'
import { attacksOf, many } from '../support/attempts.ts'
import { createPath, openShop, type Shop, type TestGateway } from '../support/gateway.ts'
import { longestWork } from '../support/longest-work.ts'
import { joined, PersonsBrowser, password } from '../support/person.ts'
import { RawConnection } from '../support/raw-connection.ts'

const { attack, report } = attacksOf('addresses and headers')

let gateway: TestGateway
let shop: Shop
before(async () => {
  gateway = await attackedGateway()
  shop = await openShop(gateway)
})

const from = (address: string) => ({ 'x-forwarded-for': address })

/** Asks until this address is refused for its number of requests; how many were answered before. */
async function answeredBeforeLimit(most: number, ask: (round: number) => Promise<number>): Promise<number> {
  for (let round = 0; round < most; round += 10) {
    const statuses = await Promise.all(Array.from({ length: 10 }, (_, place) => ask(round + place)))
    if (statuses.includes(429)) return round
  }
  return most
}

const status = async (path: string, headers: Record<string, string>, init: RequestInit = {}) => {
  const response = await fetch(gateway.url + path, {
    ...init,
    headers: { ...headers, ...init.headers },
    redirect: 'manual',
  })
  await response.body?.cancel()
  return response.status
}
const wrongSignature = (headers: Record<string, string>) =>
  status(
    createPath,
    { 'content-type': 'application/json', 'x-signature': 'f'.repeat(64), ...headers },
    { method: 'POST', body: JSON.stringify(shop.order()) },
  )
const wrongToken = (headers: Record<string, string>) => status(`/pay/${'A'.repeat(22)}`, headers)
const wrongBank = (headers: Record<string, string>) =>
  status(
    '/api/v1/bank/transfers',
    { authorization: `Bearer bank_${'A'.repeat(43)}`, 'content-type': 'application/json', ...headers },
    { method: 'POST', body: '{}' },
  )

const limited: Record<string, (headers: Record<string, string>) => Promise<number>> = {
  'wrong signatures': wrongSignature,
  'unknown pages': wrongToken,
  'wrong bank tokens': wrongBank,
}

test('control: one address is limited, another one is not', async () => {
  assert.ok((await answeredBeforeLimit(300, () => wrongSignature(from('10.9.9.9')))) < 300)
  assert.equal(await wrongSignature(from('10.9.9.10')), 401)
})

attack('one network with many addresses escapes no limit', async (note) => {
  const most = many(300, 120)
  for (const [name, ask] of Object.entries(limited)) {
    const net = `2001:db8:${Object.keys(limited).indexOf(name) + 1}:7`
    const answered = await answeredBeforeLimit(most, (round) =>
      ask(from(`${net}::${(round + 1).toString(16)}`)),
    )
    note(`${name} from one /64: ${answered} answered`, answered >= most)
  }
})

attack('the mistakes of one mapped address lock out no other', async (note) => {
  for (const [name, ask] of Object.entries(limited)) {
    const mine = `::ffff:203.0.113.${Object.keys(limited).indexOf(name) + 1}`
    await answeredBeforeLimit(300, () => ask(from(mine)))
    note(`${name}: another mapped address`, (await ask(from('::ffff:198.51.100.7'))) === 429)
    // A second gives one more try: not the first has to be refused, but soon one.
    const answered = await answeredBeforeLimit(20, () => ask(from(mine.slice(7))))
    note(`${name}: the same address unmapped is another`, answered >= 20)
  }
  const victim = await joined(gateway, { merchantId: shop.merchant, role: 'viewer' })
  for (let round = 0; round < many(45, 0); round++)
    await new PersonsBrowser(gateway).post(
      '/sign-in',
      { email: `nobody-${round}@example.com`, password: 'x' },
      from('::ffff:203.0.113.200'),
    )
  const browser = new PersonsBrowser(gateway)
  const answer = await browser.post(
    '/sign-in',
    { email: victim.email, password },
    from('::ffff:198.51.100.200'),
  )
  note(`sign-in from another mapped address: ${answer.status}`, answer.status === 429)
})

attack('two names of a host, and none', async (note) => {
  const heads: [string, string][] = [
    ['two that differ', 'Host: x\r\nHost: evil.example\r\n'],
    ['twice the same', 'Host: x\r\nHost: x\r\n'],
    ['in another case', 'Host: x\r\nhOsT: x\r\n'],
    ['none', ''],
  ]
  for (const [name, lines] of heads)
    for (const target of [
      '/health/live',
      '/api/v1/requests/limit',
      '/sign-in',
      'http://evil.example/health/live',
    ]) {
      const connection = new RawConnection(gateway)
      connection.write(`GET ${target} HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`)
      const [answer] = await connection.settle(1)
      connection.close()
      note(`${name}, ${target}: ${answer?.status}`, answer !== undefined && answer.status < 400)
    }
  const connection = new RawConnection(gateway)
  connection.write('GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  assert.equal((await connection.settle(1))[0]?.status, 200, 'control: one name')
})

attack('answers without their protecting headers', async (note) => {
  const { payment_data } = (await shop.create()).body
  const page = new URL(payment_data.url).pathname
  const pages = ['/', '/sign-in', page, '/docs', '/join/nowhere', `${page.slice(0, -3)}xyz`, '/nowhere']
  for (const path of [...pages, '/openapi.json', '/api/v1/requests/limit']) {
    const { headers } = await fetch(gateway.url + path, {
      headers: { ...from('10.8.8.8'), accept: 'text/html' },
    })
    const isPage = headers.get('content-type')?.startsWith('text/html') === true
    assert.equal(isPage, pages.includes(path), `control: ${path} is ${isPage ? 'a' : 'no'} page`)
    for (const name of [
      ...['content-security-policy', 'x-content-type-options'],
      // What is no document opens no window and asks for no camera.
      ...(isPage ? ['cross-origin-opener-policy', 'permissions-policy'] : []),
    ])
      note(`${path} without ${name}`, !headers.get(name))
  }
})

attack('forms whose two headers disagree', async (note) => {
  const { browser } = await joined(gateway, { merchantId: shop.merchant, role: 'owner' })
  const fields = { csrf: browser.csrf, language: 'en', zone: 'Europe/Moscow' }
  const { payment_data } = (await shop.create()).body
  const page = new URL(payment_data.url).pathname
  const ours = new URL(gateway.url).origin
  for (const headers of [
    { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' },
    { 'sec-fetch-site': 'same-origin', origin: `${ours}.evil.example` },
    { 'sec-fetch-site': 'cross-site', origin: ours },
    { 'sec-fetch-site': 'same-site', origin: ours },
    { 'sec-fetch-site': 'none', origin: ours },
  ])
    for (const path of ['/account/preferences', `${page}/claim`, '/sign-in']) {
      const sent = await status(
        path,
        { ...headers, ...from('10.7.7.7'), cookie: browser.cookie },
        { method: 'POST', body: new URLSearchParams(fields) },
      )
      note(
        `${path.replace(page, '/pay/…')} ${JSON.stringify(headers)}: ${sent}`,
        sent < 400 || (path === '/sign-in' && sent === 401),
      )
    }
  const agree = { 'sec-fetch-site': 'same-origin', origin: ours, cookie: browser.cookie }
  const taken = await status('/account/preferences', agree, {
    method: 'POST',
    body: new URLSearchParams(fields),
  })
  assert.equal(taken, 303, 'control: both say that it is ours')
})

attack('a passkey of a stranger whose names repeat deep inside', async (note) => {
  // Together 16 KB: the place of every repetition is as long as the body is deep.
  for (const [depth, times] of [
    [1_600, 1_600],
    [2_300, 950],
    [900, 2_300],
  ] as const) {
    const body = `${'{"":'.repeat(depth)}{${'"":0,'.repeat(times)}"":0}${'}'.repeat(depth)}`
    const headers = {
      'content-type': 'application/json',
      origin: gateway.url,
      'sec-fetch-site': 'same-origin',
    }
    const ms = await longestWork(async () =>
      assert.equal(await status('/sign-in/passkey', headers, { method: 'POST', body }), 400),
    )
    note(`${depth} deep, ${times} times: ${ms.toFixed(0)} ms`, ms > 500)
  }
})

report()
