/**
 * `npm run test:deploy`: nginx and Caddy, with the files of deploy/, in front of two Inlets. What is not installed is
 * skipped. The last figures stand in docs/reliability.md.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import http2 from 'node:http2'
import https from 'node:https'
import { before, describe, test } from 'node:test'
import tls from 'node:tls'
import { type Acknowledged, assertKept, loadCreates, until } from '../support/create-load.ts'
import { call, createPath, freePort, signedPost } from '../support/gateway.ts'
import { certificate, type FrontProxy, installed, proxies } from './proxy.ts'
import { startTwoInlets, type TwoInlets } from './two-inlets.ts'

tls.setDefaultCACertificates([...tls.getCACertificates(), readFileSync(certificate, 'utf8')])

const found = proxies.flatMap((proxy) => {
  const version = installed(proxy)
  if (version === undefined)
    test(`${proxy.name} in front of two Inlets`, (t) => t.skip(`${proxy.program} is not installed`))
  return version === undefined ? [] : [{ ...proxy, version }]
})

for (const proxy of found) describe(`${proxy.name} in front of two Inlets`, () => claims(proxy))

function claims({ name, version, start }: FrontProxy & { version: string }): void {
  let url: string
  let plainUrl: string
  let port: number
  let inlets: TwoInlets
  before(async () => {
    const http = await freePort()
    port = await freePort()
    url = `https://localhost:${port}`
    plainUrl = `http://localhost:${http}`
    inlets = await startTwoInlets(url)
    await start({ http, https: port, inlets: inlets.ports })
  })

  const created = async () => {
    const { status, body } = await inlets.shop.create()
    assert.equal(status, 201, JSON.stringify(body))
    return body
  }

  test('a signed create passes, over HTTP/1.1 and HTTP/2, and both Inlets answer', async () => {
    for (let count = 0; count < 8; count++) await created()
    const client = http2.connect(url)
    const stream = client.request({ ':path': '/health/ready' })
    const status = await new Promise((resolve) =>
      stream.on('response', (headers) => resolve(headers[':status'])),
    )
    stream.resume().on('end', () => client.close())
    assert.equal(status, 200)
    const order = inlets.shop.order()
    assert.equal((await inlets.shop.createV2(order)).status, 201)
    assert.equal((await inlets.shop.createV2(order)).status, 200)
  })

  test('the payment page and its bill are served, and no header is repeated', async () => {
    const { payment_data, payment_bill_url } = await created()
    assert.ok(payment_data.url.startsWith(`${url}/pay/`))
    const page = await call('', payment_data.url)
    assert.equal(page.status, 200)
    assert.match(page.body, /<!doctype html>/i)
    assert.equal((await fetch(payment_bill_url)).status, 200)
    const raw = await rawHeaders(payment_data.url)
    const names = raw.filter((_, place) => place % 2 === 0).map((header) => header.toLowerCase())
    assert.deepEqual(
      names.filter(
        (header, place) => names.indexOf(header) !== place && header !== 'set-cookie' && header !== 'vary',
      ),
      [],
    )
    assert.match(page.headers.get('strict-transport-security') ?? '', /max-age=31536000/)
  })

  test('the client’s own address arrives, and one that it claims does not', async () => {
    const claimed = '203.0.113.9'
    const headers = {
      'content-type': 'application/json',
      'x-signature': '0'.repeat(64),
      'x-forwarded-for': claimed,
      forwarded: `for=${claimed}`,
      'x-real-ip': claimed,
    }
    const status = await post(port, {
      localAddress: '127.0.0.77',
      headers,
      body: JSON.stringify(inlets.shop.order()),
    })
    assert.equal(status, 401)
    const refused = () => inlets.logged().filter(({ message }) => message === 'refused')
    await until('a line of the log', () => refused().length > 0)
    assert.deepEqual(
      refused().map(({ address }) => address),
      ['127.0.0.77'],
    )
  })

  test('an open page gets its changes at once', { timeout: 60_000 }, async () => {
    const { id, payment_data } = await created()
    const answer = await fetch(`${payment_data.url}/events?lang=en`, {
      headers: { accept: 'text/event-stream' },
    })
    assert.equal(answer.status, 200)
    const parts = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
    const screens: string[] = []
    const readUntil = async (screen: string) => {
      for (let text = ''; !screens.includes(screen); ) {
        const { value, done } = await parts.read()
        assert.ok(!done, `the stream ended after ${screens}`)
        text += value
        for (const [, said] of text.matchAll(/"screen":"(\w+)"/g)) screens.push(said!)
      }
    }
    await readUntil('pay')
    assert.equal(
      (await signedPost({ url }, inlets.shop, `/api/v1/requests/deposit/${id}/cancel`)).status,
      200,
    )
    await readUntil('canceled')
    await parts.cancel()
  })

  test('a body that is too large is refused, by Inlet or by the proxy', async () => {
    const sizes = [20 * 1024, 200 * 1024]
    const headers = { 'content-type': 'application/json', 'x-signature': '0'.repeat(64) }
    for (const size of sizes) assert.equal(await post(port, { headers, body: ' '.repeat(size) }), 413)
  })

  test('unfinished headers and bodies end their connection', { timeout: 120_000 }, async () => {
    const head = `POST ${createPath} HTTP/1.1\r\nHost: localhost\r\n`
    const body = (length: number, path = createPath) =>
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n{"merchant":`
    const sent = [head, body(500), body(500, '/operator/statements')]
    for (const heard of await Promise.all(sent.map((text) => halfSent(port, text))))
      assert.match(heard, /^(HTTP\/1\.1 408 .*)?$/s)
  })

  test('a body that would be too large is refused before it arrives', { timeout: 60_000 }, async () => {
    const text = `POST ${createPath} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200000\r\n\r\n{`
    assert.match(await halfSent(port, text, (heard) => heard.includes('\r\n\r\n')), /^HTTP\/1\.1 413 /)
  })

  test('a body that stops half way ends its stream of HTTP/2', { timeout: 120_000 }, async () => {
    const client = http2.connect(url)
    const stream = client.request({
      ':method': 'POST',
      ':path': createPath,
      'content-type': 'application/json',
      'content-length': '500',
    })
    stream.on('error', () => {})
    stream.write('{"merchant":')
    const status = await new Promise((resolve) => {
      stream.on('response', (headers) => resolve(headers[':status']))
      stream.on('close', () => resolve('closed'))
    })
    assert.ok(status === 408 || status === 'closed', String(status))
    client.destroy()
  })

  test('plain http leads people to https and refuses programs', async () => {
    const visit = (path: string) => fetch(`${plainUrl}${path}`, { redirect: 'manual' })
    const page = await visit('/pay/abc')
    assert.deepEqual([page.status, page.headers.get('location')], [308, 'https://localhost/pay/abc'])
    assert.equal((await visit('/sign-in')).status, 308)
    assert.equal((await visit(createPath)).status, 403)
  })

  /** Load while something is done to both Inlets; what was not answered with the deposit. */
  async function under(act: () => Promise<void>) {
    const acknowledged: Acknowledged = new Map()
    const clients = loadCreates(inlets.shop, acknowledged, 8)
    const pages = loadPages((await created()).payment_data.url)
    await until('30 deposits', () => acknowledged.size >= 30)
    await act()
    const soFar = acknowledged.size
    await until('30 more', () => acknowledged.size >= soFar + 30)
    await clients.stop()
    const { seen, failed } = await pages.stop()
    const others = clients.answers.filter(({ status }) => status !== 201).map(({ status }) => status)
    const figures = `${version}: ${clients.answers.length} creates, ${others.length} answered ${[...new Set(others)].join(' or ') || 'otherwise'}, ${clients.unanswered.length} unanswered; ${seen} pages, ${failed.length} failed`
    assert.deepEqual(clients.unanswered, [], figures)
    await assertKept(inlets.shop, acknowledged)
    return { others: [...others, ...failed], figures }
  }

  test('while both replace their processes (SIGHUP), one after the other, nothing is refused', async (t) => {
    const { others, figures } = await under(inlets.replaceInTurn)
    t.diagnostic(`${name} ${figures}`)
    assert.deepEqual(others, [])
  })

  test('while both are stopped and started, one after the other, nothing is refused', async (t) => {
    const { others, figures } = await under(inlets.restartInTurn)
    t.diagnostic(`${name} ${figures}`)
    assert.deepEqual(others, [])
  })
}

/** Opens one page again and again, as several customers would. */
function loadPages(address: string) {
  let running = true
  let seen = 0
  const failed: (number | string)[] = []
  const client = async () => {
    while (running) {
      const status = await fetch(address).then(
        (answer) => answer.text().then(() => answer.status),
        (error) => String(error.cause ?? error),
      )
      if (status === 200) seen++
      else if (status !== 429) failed.push(status)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  const clients = [client(), client()]
  return {
    async stop() {
      running = false
      await Promise.all(clients)
      return { seen, failed }
    },
  }
}

type Post = { localAddress?: string; headers: Record<string, string>; body: string }

const post = (port: number, { body, ...options }: Post): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const length = { 'content-length': String(Buffer.byteLength(body)) }
    const headers = { ...options.headers, ...length }
    const request = https.request({
      host: 'localhost',
      family: 4,
      port,
      path: createPath,
      method: 'POST',
      agent: false,
      ...options,
      headers,
    })
    request.on('response', (answer) => resolve(answer.resume().statusCode))
    request.on('error', reject)
    request.end(body)
  })

const rawHeaders = (address: string): Promise<string[]> =>
  new Promise((resolve, reject) => {
    https.get(address, { agent: false }, (answer) => resolve(answer.resume().rawHeaders)).on('error', reject)
  })

/** What comes back on a connection that goes silent after this, until the other side ends it or it is enough. */
const halfSent = (port: number, text: string, isEnough = (_heard: string) => false): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = tls.connect({ host: '127.0.0.1', servername: 'localhost', port })
    let heard = ''
    socket.on('data', (chunk) => {
      heard += chunk
      if (isEnough(heard)) socket.destroy()
    })
    socket.on('close', () => resolve(heard))
    socket.on('error', reject)
    socket.write(text)
  })
