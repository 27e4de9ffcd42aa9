/** The demo shop: an order in either flow, from the counter to a verified callback, and where the shop is not. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { before, test } from 'node:test'
import { signCallback } from '../../sdk/signature.ts'
import { readConfig } from '../../src/config.ts'
import type { Demo } from '../../src/domain/sandbox/demo-file.ts'
import { startGateway as startRealGateway } from '../../src/gateway.ts'
import { createLog } from '../../src/platform/log.ts'
import { openBrowser } from '../support/browser.ts'
import { atEnd } from '../support/clean-up.ts'
import { until } from '../support/delivery.ts'
import { freePort, nowSeconds, startGateway } from '../support/gateway.ts'
import { PersonsBrowser } from '../support/person.ts'
import { dataFolder, type Program, root, startProgram } from '../support/program.ts'

let program: Program
let demo: Demo
before(async () => {
  program = await startProgram(await dataFolder())
  await program.ready()
  demo = await program.demo()
})

type Got = { status: number; headers: Headers; text: string }

type Asked = RequestInit & { headers?: Record<string, string> }

async function got(path: string, { headers, ...init }: Asked = {}): Promise<Got> {
  const response = await fetch(new URL(path, program.url), {
    ...{ redirect: 'manual', ...init },
    headers: { 'accept-language': 'en', ...headers },
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  got(path, { method: 'POST', body: new URLSearchParams(fields), headers })

const basket = { product: 'notebook', quantity: '1', currency: 'RUB', way: 'card' }

/** Buys, and answers with the path of the payment page and of the order. */
async function buy(fields: Partial<typeof basket> = {}): Promise<{ payPath: string; orderPath: string }> {
  const { status, headers, text } = await post('/demo/orders', { ...basket, ...fields })
  assert.equal(status, 303, text)
  const payPath = headers.get('location')!
  assert.match(payPath, /^\/pay\/[\w-]{30}$/)
  const { text: counter } = await got('/demo')
  const orderPath = /\/demo\/orders\/demo-[\w-]+/.exec(counter)![0]
  return { payPath, orderPath }
}

async function paid(payPath: string, orderPath: string): Promise<string> {
  assert.equal((await post(`${payPath}/play`, { play: 'exact' })).status, 303)
  await until('the callback is shown', async () => (await got(orderPath)).text.includes('deposit.confirmed'))
  return (await got(orderPath)).text
}

/** The signed way back, as the payment page links it. */
async function returnOf(payPath: string, orderPath: string): Promise<URL> {
  const { text } = await got(payPath)
  const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, link]) => link!.replaceAll('&amp;', '&'))
  return new URL(links.find((link) => link.startsWith(program.url + orderPath))!)
}

/** The demo's owner, by the link that the start has printed. */
async function owner(): Promise<PersonsBrowser> {
  const browser = new PersonsBrowser(program)
  const [join] = /\/join\/\S+/.exec(program.output())!
  await browser.get(join)
  assert.equal((await browser.post(join)).location, '/home')
  return browser
}

const inlet = (...words: string[]) =>
  spawnSync(process.execPath, ['bin/inlet.mjs', ...words], {
    cwd: root,
    env: { PATH: process.env.PATH, INLET_DATA_DIR: program.dataDir },
    encoding: 'utf8',
  })

const marks = (text: string) => text.split('Signature valid').length - 1

test('the welcome names the shop before the curl', () => {
  const output = program.output()
  const shop = output.indexOf(`${program.url}/demo\n`)
  assert.ok(shop > 0 && shop < output.indexOf('curl -s'), output)
})

test('the counter is a plain form under a policy without scripts', async () => {
  const { status, headers, text } = await got('/demo')
  assert.equal(status, 200)
  assert.match(
    headers.get('content-security-policy')!,
    /^default-src 'none'; style-src 'sha256-[^;]+'; img-src/,
  )
  assert.doesNotMatch(text, /<script/)
  assert.match(text, /href="\/docs"/)
})

for (const [name, fields, operation] of [
  ['direct, by card', { way: 'card' }, 'create'],
  ['direct, by phone', { way: 'phone', product: 'pen' }, 'create'],
  ['direct, to an account in UZS', { way: 'account', currency: 'UZS' }, 'create'],
  ['selection', { way: 'choose', quantity: '3' }, 'build'],
  ['selection in UZS', { way: 'choose', currency: 'UZS' }, 'build'],
] as const) {
  test(`an order is paid and the callback shown as verified: ${name}`, async () => {
    const { payPath, orderPath } = await buy(fields)
    const waiting = await got(orderPath)
    assert.match(waiting.text, new RegExp(`Waiting[\\s\\S]*deposit/${operation}<`))
    assert.equal(marks(waiting.text), 0)

    if (operation === 'build')
      assert.equal((await post(`${payPath}/choose`, { method: 'any_bank' })).status, 303)
    const page = await paid(payPath, orderPath)
    assert.match(page, /<strong>Paid<\/strong>/)
    assert.match(page, /webhook-id: [\w-]+\nwebhook-timestamp: \d+\nwebhook-signature: v1,/)
    assert.match(page, /&quot;buyer&quot;: &quot;demo-customer&quot;/)
    assert.equal(marks(page), 1)

    const back = await returnOf(payPath, orderPath)
    const returned = await got(back.pathname + back.search)
    assert.match(returned.text, /state=confirmed\n/)
    assert.equal(marks(returned.text), 2)
    assert.equal(marks((await got(orderPath)).text), 2, 'the return is remembered')
  })
}

const rotations: [by: string, rotate: () => Promise<void>][] = [
  [
    'in the console',
    async () => {
      const browser = await owner()
      for (const path of ['keys/rotate', 'keys/secret']) {
        const place = `/console/${demo.merchant}/${path}`
        await browser.get(place)
        assert.equal((await browser.post(place, { days: '0' })).status, 200)
      }
    },
  ],
  [
    'on the command line',
    async () => {
      for (const act of ['rotate', 'secret']) {
        const words = ['key', act, '--merchant', demo.merchant, '--by', 'operator@demo.example']
        const { status, stderr } = inlet(...words, '--days', '0')
        assert.equal(status, 0, stderr)
      }
    },
  ],
]

for (const [by, rotate] of rotations) {
  test(`keys rotated ${by}, without overlap: the shop, demo.json and inlet sign go on with the new ones`, async () => {
    const before = demo
    await rotate()
    demo = await program.demo()
    assert.deepEqual(Object.keys(demo), Object.keys(before))
    for (const name of ['key_id', 'signing_secret', 'callback_secret'] as const)
      assert.notEqual(demo[name], before[name], name)

    // The gateway believes what it has read of keys for a second.
    await until('the new key is known', async () => {
      const { status } = await post('/demo/orders', { ...basket, way: 'account' })
      return status === 303
    })
    const { payPath, orderPath } = await buy({ way: 'account' })
    assert.match(await paid(payPath, orderPath), /<strong>Paid<\/strong>/)
    const back = await returnOf(payPath, orderPath)
    assert.equal(marks((await got(back.pathname + back.search)).text), 2)

    const fields = {
      ...{ merchant: demo.merchant, order_id: `signed ${by}`, cents: 990_000, currency: 'RUB' },
      ...{ payment_type: 'account_number', customer: 'c' },
    }
    const signed = inlet('sign', JSON.stringify(fields), '--json')
    assert.equal(signed.status, 0, signed.stderr)
    const created = await got('/api/v1/requests/deposit/create', {
      method: 'POST',
      body: JSON.stringify(fields),
      headers: { 'content-type': 'application/json', 'x-signature': JSON.parse(signed.stdout).signature },
    })
    assert.equal(created.status, 201, created.text)
  })
}

test('inlet sign says why it cannot sign: a key for v2 alone, a body of another merchant', async () => {
  const byOperator = ['--merchant', demo.merchant, '--by', 'operator@demo.example']
  const other = inlet('sign', '{"merchant":"00000000-0000-4000-8000-000000000000"}')
  assert.match(other.stderr, /^The body names the merchant 0000[\w-]+, and the demo merchant is .*--secret/)
  assert.equal(other.status, 1)

  assert.equal(inlet('key', 'v2', demo.key_id, ...byOperator).status, 0)
  const literal = inlet('sign', '{}')
  assert.match(literal.stderr, /^The demo merchant's key takes v2 signatures only: add --v2 --time /)
  assert.equal(literal.status, 1)
  const time = String(nowSeconds())
  assert.match(inlet('sign', '--v2', '--time', time, '{}').stdout, /X-Signature: t=\d+,kid=key_/)
  assert.equal(inlet('key', 'both', demo.key_id, ...byOperator).status, 0)
  assert.equal(inlet('sign', '{}').status, 0)
})

test('a rejected order says so, by callback and by return', async () => {
  const { payPath, orderPath } = await buy({ way: 'account' })
  await post(`${payPath}/play`, { play: 'reject' })
  await until('the callback is shown', async () => (await got(orderPath)).text.includes('deposit.rejected'))
  const back = await returnOf(payPath, orderPath)
  const { text } = await got(back.pathname + back.search)
  assert.match(text, /<strong>Rejected<\/strong>/)
  assert.equal(marks(text), 2)
})

test('a forged return is marked, and pays nothing', async () => {
  const { orderPath } = await buy({ way: 'account' })
  const orderId = orderPath.split('/').at(-1)!
  const query = new URLSearchParams({
    id: 'x',
    order_id: orderId,
    state: '<b>confirmed</b>',
    ts: String(nowSeconds()),
    signature: 'ab'.repeat(32),
  })
  const { text } = await got(`${orderPath}?${query}`)
  assert.match(text, /Signature invalid/)
  assert.match(text, /<strong>Waiting<\/strong>/)
  assert.doesNotMatch(text, /<b>confirmed/)
})

test('a forged callback is refused and not shown; a true one again is counted once', async () => {
  const { orderPath } = await buy({ way: 'account' })
  const deliver = (event: object, { secret = demo.callback_secret, ageSeconds = 0, id = 'evt_1' } = {}) => {
    const body = JSON.stringify(event)
    const timestamp = nowSeconds() - ageSeconds
    return got('/demo/callback', {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signCallback({ secrets: [secret], id, timestamp, body }),
      },
    })
  }
  const data = {
    external_id: orderPath.split('/').at(-1),
    state: 'confirmed',
    amount_cents: 49_000,
    amount_currency: 'RUB',
  }
  const event = { type: 'deposit.confirmed', id: 'evt_1', sequence: 1, timestamp: '', data }

  const turnedAway = async () =>
    Number(/Refused callbacks[^<]*?: (\d+)\./.exec((await got('/demo')).text)?.[1] ?? 0)
  const before = await turnedAway()
  const forged = await deliver(event, { secret: `whsec_${Buffer.alloc(32, 9).toString('base64')}` })
  assert.deepEqual([forged.status, forged.text], [400, 'callback_signature_invalid\n'])
  assert.equal((await deliver(event, { ageSeconds: 400 })).status, 400, 'old')
  assert.equal((await got('/demo/callback', { method: 'POST', body: JSON.stringify(event) })).status, 400)
  const other = await deliver({ ...event, data: { ...data, amount_cents: 1 } })
  assert.deepEqual([other.status, other.text], [400, 'callback_amount_differs\n'])
  const { text: untouched } = await got(orderPath)
  assert.match(untouched, /<strong>Waiting<\/strong>/)
  assert.doesNotMatch(untouched, /evt_1/)
  assert.equal(await turnedAway(), before + 4)

  // Signed, but of no order here (a shop that was restarted), or of no deposit (a test call).
  assert.equal((await deliver({ ...event, data: { ...data, external_id: 'forgotten' } })).status, 204)
  assert.equal((await deliver({ type: 'test', id: 'evt_2' })).status, 204)
  assert.match((await got(orderPath)).text, /<strong>Waiting<\/strong>/)

  assert.equal((await deliver(event)).status, 204)
  assert.equal((await deliver(event)).status, 204)
  const { text } = await got(orderPath)
  assert.match(text, /<strong>Paid<\/strong>/)
  assert.match(text, /received 2 times/)
  assert.equal(marks(text), 1)
})

test('a refusal of the API is shown with its code and detail, and the form stays filled', async () => {
  const asked = { ...basket, product: 'pen', way: 'phone', quantity: '7' }
  for (let phone = 1; phone <= 3; phone++) await buy(asked)
  const { status, text } = await post('/demo/orders', asked)
  assert.equal(status, 503)
  assert.match(
    text,
    /The API refused the request: <code>no_requisite_available<\/code>[\s\S]*try another quantity/,
  )
  assert.match(text, /value="phone" required checked/)
  assert.match(text, /value="pen" required checked/)
  assert.match(text, /required value="7"/)
})

test('the shop offers what can be paid in the currency, and nothing else', async () => {
  for (const [currency, offered] of [
    ['RUB', ['card', 'phone', 'account', 'choose']],
    ['UZS', ['card', 'account', 'choose']],
  ] as const) {
    const { text } = await got(`/demo?currency=${currency}`)
    const ways = [...text.matchAll(/name="way" value="(\w+)"/g)].map(([, way]) => way)
    assert.deepEqual(ways, offered)
    for (const way of offered) await buy({ way, currency, quantity: '8' })
  }
  const { status, text } = await post('/demo/orders', { ...basket, way: 'phone', currency: 'UZS' })
  assert.equal(status, 422)
  assert.match(text, /Choose one of the options on this page/)
})

test('the shop’s own refusals are pages of the shop', async () => {
  for (const [answer, status, sentence] of [
    [
      await post('/demo/orders', { ...basket, product: 'yacht' }),
      422,
      'Choose one of the options on this page.',
    ],
    [
      await post('/demo/orders', basket, { 'sec-fetch-site': 'cross-site' }),
      403,
      'Open the shop and use its form.',
    ],
    [
      await post('/demo/orders', basket, { origin: 'https://other.example' }),
      403,
      'Open the shop and use its form.',
    ],
    [
      await post('/demo/orders', basket, {
        'sec-fetch-site': 'same-origin',
        origin: 'https://other.example',
      }),
      403,
      'Open the shop and use its form.',
    ],
    [await got('/demo/orders/demo-nobody'), 404, 'Order not found. '],
  ] as const) {
    assert.equal(answer.status, status)
    assert.match(answer.text, new RegExp(`<h1>Demo shop</h1>[\\s\\S]*${sentence}`))
  }
})

test('the shop forgets all but the latest orders', async () => {
  const { orderPath } = await buy({ way: 'account' })
  for (let n = 0; n < 50; n++) await buy({ way: 'account' })
  assert.equal((await got(orderPath)).status, 404)
  assert.equal((await got('/demo')).text.match(/<li><a href="\/demo\/orders\//g)!.length, 50)
})

test('in a browser without scripts: buy, choose, play the bank, come back to a paid order', async (context) => {
  const opened = await openBrowser()
  if (!opened) return context.skip('no Chromium here; CHROME_PATH may name one')
  atEnd(opened.close)
  // By another name of the machine, too: the redirect after the form must not leave form-action 'self'.
  const viewport = { width: 360, height: 740 }
  for (const base of [program.url, program.url.replace('localhost', '127.0.0.1')]) {
    const visit = await opened.browser.newContext({ viewport, locale: 'en-GB', javaScriptEnabled: false })
    const page = await visit.newPage()
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    await page.goto(`${base}/demo`)
    await page.check('input[value=choose]')
    await page.click('button')
    await page.check('input[value=account_number]')
    await page.click('#choose button, .bar button')
    await page.click('button[value=exact]')
    await page.click('a[href*="/demo/orders/"]')
    assert.equal(
      await page
        .locator('h1')
        .textContent()
        .then((text) => text!.startsWith('Order demo-')),
      true,
    )
    await until('the callback has arrived', async () => {
      await page.click('text=Refresh')
      return (await page.locator('.status strong').textContent()) === 'Paid'
    })
    assert.equal(await page.locator('.badge.ok').count(), 2)
    assert.deepEqual(complaints, [])
    await visit.close()
  }
})

test('no shop in production, without the demo merchant’s keys, or without the roles it needs', async () => {
  const beside = await startGateway({ demo: false })
  const plain = { INLET_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'), INLET_METRICS_PORT: 'off' }
  const production = { NODE_ENV: 'production', INLET_PUBLIC_URL: 'https://pay.example' }
  const cases: [environment: Record<string, string>, keys: Demo | undefined, status: number][] = [
    [{}, demo, 200],
    [{}, undefined, 404],
    [production, demo, 404],
    [{ INLET_ROLES: 'pay,worker' }, demo, 404],
    [{ INLET_ROLES: 'api' }, demo, 404],
  ]
  for (const [environment, keys, status] of cases) {
    const port = await freePort()
    const config = readConfig({
      ...plain,
      PORT: String(port),
      DATABASE_URL: beside.database.url,
      ...environment,
    })
    const log = createLog('error', () => {})
    const gateway = await startRealGateway(config, beside, log, keys)
    try {
      for (const [method, path] of [
        ['GET', '/demo'],
        ['POST', '/demo/orders'],
        ['POST', '/demo/callback'],
      ] as const) {
        const answer = await fetch(`http://localhost:${port}${path}`, { method })
        if (status === 404) assert.equal(answer.status, 404, `${path} ${JSON.stringify(environment)}`)
        else assert.notEqual(answer.status, 404)
      }
      const front = await (await fetch(`http://localhost:${port}/`)).text()
      assert.equal(front.includes('href="/demo"'), status === 200, JSON.stringify(environment))
    } finally {
      await gateway.close()
    }
  }
  assert.equal((await fetch(`${beside.url}/demo`)).status, 404)
})
