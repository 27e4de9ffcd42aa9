/**
 * The payment page in a real Chromium, against a real gateway: every screen fits and is accessible, both flows are
 * walked to every end with scripts and without, and what a script adds (copying, live status, the last minutes, the
 * way back) works, also where a browser refuses half of it. Whatever a page must not do is collected everywhere.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { matchesHex, returnString } from '../../sdk/signature.ts'
import {
  cancelDeposit,
  expireDeposit,
  type Ledger,
  receiveMoney,
  reverseDeposit,
} from '../../src/deposits/change-deposit.ts'
import { sql } from '../../src/platform/db.ts'
import { languages, messages } from '../../src/web/messages/languages.ts'
import { openBrowser } from '../support/browser.ts'
import { atEnd } from '../support/clean-up.ts'
import { type Fields, openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { payScenes, type Scene } from '../support/pay-scenes.ts'
import { pseudoLocale } from '../support/pseudo-locale.ts'

const opened = await openBrowser()
const skip = opened ? false : 'no Chromium here; CHROME_PATH may name one'
const browser = opened?.browser as Browser
const settings = { skip, timeout: 180_000 }

const phone = { viewport: { width: 360, height: 740 } }
const desk = { viewport: { width: 1280, height: 800 } }
const { en } = messages

let gateway: TestGateway
let shop: Shop
let ledger: Ledger
let scenes: Record<string, Scene>
before(async () => {
  gateway = await startGateway().finally(() => {
    // Closed before the gateway: a browser keeps connections that the gateway would wait for.
    if (opened) atEnd(opened.close)
  })
  shop = await openShop(gateway)
  // Wakes nobody: pages learn of these changes as of those that another process makes.
  ledger = { db: gateway.db, publicUrl: gateway.url, changed: () => {} }
  if (opened) scenes = await payScenes(gateway, shop)
})

// ── Visits ──────────────────────────────────────────────────────────────────────────────────────────────────

type Visit = BrowserContextOptions & {
  /** What the browser may say here, because the test brings it about. */
  expected?: RegExp
  prepare?: (context: BrowserContext) => Promise<unknown>
}

/** A browser of its own that notes everything a page must not do, handed over and closed. */
async function visit(
  { expected = /^$/, prepare, ...options }: Visit,
  look: (page: Page, context: BrowserContext) => Promise<unknown>,
): Promise<void> {
  const context = await browser.newContext({ locale: 'en-GB', ...phone, ...options })
  const complaints: string[] = []
  const complain = (text: string) => void (expected.test(text) || complaints.push(text))
  context.setDefaultTimeout(20_000)
  context.on('console', (message) => complain(`console: ${message.text()}`))
  context.on('weberror', (error) => complain(`error: ${error.error().message}`))
  context.on('dialog', (dialog) => {
    complain('dialog')
    void dialog.dismiss()
  })
  context.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${gateway.url}/`) && !url.startsWith('data:')) complain(`elsewhere: ${url}`)
  })
  await context.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) =>
      console.error(`policy: ${event.violatedDirective}`),
    )
  })
  try {
    await prepare?.(context)
    await look(await context.newPage(), context)
    assert.deepEqual(complaints, [])
  } finally {
    await context.close()
  }
}

const open = (page: Page, { path }: { path: string }, query = '?lang=en') =>
  page.goto(gateway.url + path + query)

const on = (page: Page, screen: string) => page.waitForSelector(`main[data-screen="${screen}"]`)

const press = (page: Page, name: string) =>
  page.locator('main, footer').getByRole('button', { name, exact: true }).click()
const follow = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).first().click()

type Made = { id: string; path: string; cents: bigint; number: string }
let amount = 4_000_000
/** Amounts differ, so that no two deposits want the same slot. */
async function made(isBuild: boolean, fields: Fields = {}): Promise<Made> {
  amount += 100
  const cents = amount
  const back = {
    success_url: 'https://shop.example/paid?cart=7',
    reject_url: 'https://shop.example/basket#x',
  }
  const order = { cents, currency: 'RUB', ...back, ...fields }
  const { status, body } = await (isBuild
    ? shop.build(order)
    : shop.create({ payment_type: 'any_bank', ...order }))
  assert.equal(status, 201, JSON.stringify(body))
  const { pathname: path } = new URL(body.payment_data.url)
  return { id: body.id ?? body.uuid, path, cents: BigInt(cents), number: body.payment_data.number }
}
const created = (fields?: Fields) => made(false, fields)
const builded = (fields?: Fields) => made(true, fields)

const by = (depositId: string) => ({ depositId, actor: 'operator:test', reason: 'test' })
const pay = ({ id, cents }: Made) => receiveMoney(ledger, { ...by(id), cents })

/** Moves the end of one deposit's time, and of its grace, to so much from now. */
const endsIn = ({ id }: Made, time: string, grace = '1 hour') =>
  gateway.database.owner.query(sql`
    update deposits
    set expires_at = greatest(inlet_now() + ${time}::interval, created_at + interval '1 millisecond'),
      late_until = greatest(inlet_now() + ${time}::interval + ${grace}::interval,
        created_at + interval '1 millisecond')
    where id = ${id}`)

/** Runs the jobs two at a time: one page loads while the other is looked at. */
async function inPairs<Job>(jobs: readonly Job[], work: (job: Job) => Promise<void>): Promise<void> {
  const left = [...jobs]
  const worker = async () => {
    for (let job = left.shift(); job !== undefined; job = left.shift()) await work(job)
  }
  await Promise.all([worker(), worker()])
}

const notFound = /^console: Failed to load resource: the server responded with a status of 404/

// ── Every screen ────────────────────────────────────────────────────────────────────────────────────────────

/** What stands out of the window to the right, by its class; nothing when the page fits. */
const sideways = () => {
  const wide = document.documentElement.scrollWidth
  if (wide <= innerWidth) return []
  const out = [...document.querySelectorAll('body *')].filter((one) => {
    const { right } = one.getBoundingClientRect()
    return right > innerWidth + 0.5
  })
  return [`${wide} of ${innerWidth}`, ...out.slice(0, 5).map((one) => `${one.tagName}.${one.className}`)]
}

async function fits(page: Page, widths: readonly number[], name: string): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 740 })
    assert.deepEqual(await page.evaluate(sideways), [], `${name} at ${width}`)
  }
}

test(
  'every screen in every language fits 320, 360 and 1280 pixels and breaks no policy',
  settings,
  async () => {
    await inPairs(languages, (language) =>
      visit({ expected: notFound }, async (page) => {
        for (const scene of Object.values(scenes)) {
          await open(page, scene, `?lang=${language}`)
          assert.equal(await page.locator('html').getAttribute('lang'), language)
          // What fits the narrowest fits the others, unless their own rules spoil it: one language shows that.
          await fits(page, language === 'ru' ? [320, 360, 1280] : [320], `${scene.name}, ${language}`)
        }
      }),
    )
  },
)

test('every screen fits with sentences two fifths longer, and with text twice as big', settings, async () => {
  const { uz } = messages
  messages.uz = pseudoLocale(messages.ru)
  try {
    await inPairs(['long', 'big'] as const, (how) =>
      visit({ expected: notFound }, async (page) => {
        for (const scene of Object.values(scenes)) {
          await open(page, scene, how === 'long' ? '?lang=uz' : '?lang=ru')
          if (how === 'big')
            await page.evaluate(() => document.documentElement.style.setProperty('font-size', '200%'))
          await fits(page, how === 'long' ? [320, 360] : [360], `${scene.name}, ${how}`)
        }
      }),
    )
  } finally {
    messages.uz = uz
  }
})

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa', 'best-practice']
/** What another theme or another width can change. */
const visualRules = ['color-contrast', 'link-in-text-block', 'target-size']

/** In a window as tall as the page: the bar then stands where the page ends, and covers nothing. */
async function axe(page: Page, name: string, only: typeof rules = rules): Promise<void> {
  const { width, height } = page.viewportSize()!
  const whole = await page.evaluate(() => document.documentElement.scrollHeight)
  await page.setViewportSize({ width, height: Math.max(height, whole) })
  const violations = await new AxeBuilder({ page })
    .setLegacyMode(true) // There are no frames to collect from.
    .options({ runOnly: only, resultTypes: ['violations'] })
    .analyze()
    .then((results) => results.violations)
  await page.setViewportSize({ width, height })
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
  assert.deepEqual(found, [], name)
}

test('every screen has no axe violation, on a phone in light and on a desk in dark', settings, async () => {
  // Languages go round, so that every one is seen on many screens, and the fullest page is seen in all.
  const sameButForWords = ['success-late', 'confirmed-by-hand', 'rejected-by-customer']
  const all = Object.values(scenes).filter(({ name }) => !sameButForWords.includes(name))
  const looks = [
    ...all.map((scene, place) => ({ scene, language: languages[place % 5]! })),
    ...languages.map((language) => ({ scene: scenes['pay-account']!, language })),
  ]
  await inPairs(looks, ({ scene, language }) =>
    visit({ expected: notFound, ...phone, colorScheme: 'light' }, async (page) => {
      await open(page, scene, `?lang=${language}`)
      await axe(page, `${scene.name}, ${language}, light`)
      await page.setViewportSize(desk.viewport)
      await page.emulateMedia({ colorScheme: 'dark' })
      await axe(page, `${scene.name}, ${language}, dark`, visualRules)
    }),
  )
})

test('hostile names stay text and break no layout', settings, async () => {
  const hostile = `<img src=x onerror=alert(1)>"'\u202egpj.exe 👩‍👩‍👧‍👦${'W'.repeat(960)}`
  const other = await openShop(gateway)
  await gateway.database.owner.query(
    sql`update merchants set name = ${hostile.slice(0, 100)} where id = ${other.merchant}::uuid`,
  )
  const order_id = `</bdi><script>alert(1)</script>${'Ж'.repeat(90)}`
  const { body } = await other.create({ payment_type: 'account_number', cents: 3_999_900, order_id })
  await visit({}, async (page) => {
    await open(page, { path: new URL(body.payment_data.url).pathname })
    assert.equal(await page.locator('img, main script').count(), 0)
    assert.match((await page.locator('.shop').textContent())!, /<img src=x onerror=alert\(1\)>"'gpj\.exe/)
    assert.ok((await page.locator('header .quiet').textContent())!.includes('</bdi><script>'))
    await fits(page, [320, 360, 1280], 'hostile')
  })
})

test('a page is three requests at most, 14 KB with its styles and 30 KB in all', settings, async (t) => {
  for (const name of ['pay-card', 'pay-account', 'choose'] as const) {
    await visit({}, async (page) => {
      const sizes: Promise<[kind: string, bytes: number]>[] = []
      page.on('requestfinished', (request) => {
        sizes.push(
          request
            .sizes()
            .then(({ responseBodySize }) => [request.resourceType(), responseBodySize] as const) as Promise<
            [string, number]
          >,
        )
      })
      let asked = 0
      page.on('request', () => asked++)
      await open(page, scenes[name]!, '?lang=ru')
      await page.waitForLoadState('load')
      const known = await Promise.all(sizes)
      const bytes = Object.fromEntries(known)
      assert.ok(bytes.document! <= 14 * 1024, `${bytes.document}`)
      assert.ok(bytes.script! <= 5 * 1024, `${bytes.script}`)
      assert.ok(known.reduce((sum, [, more]) => sum + more, 0) <= 30 * 1024)
      assert.ok(asked <= 3, String(asked))
      t.diagnostic(`${name}: ${JSON.stringify(bytes)} bytes`)
    })
  }
})

test(
  'on a phone the bar never covers what has the focus; a wide screen has the code for a phone',
  settings,
  async () => {
    await visit({}, async (page) => {
      await open(page, scenes['pay-account']!)
      assert.equal(await page.locator('.qr').isVisible(), false)
      const seen = new Set<string>()
      for (let tabs = 0; tabs < 60; tabs++) {
        await page.keyboard.press('Tab')
        const { covered, text } = await page.evaluate(() => {
          const one = document.activeElement!
          const bar = document.querySelector('.bar')!
          const { top, bottom } = one.getBoundingClientRect()
          const edge = bar.getBoundingClientRect().top
          const isInside = bar.contains(one) || one === document.body
          // Past the bar's own place the page goes on below it.
          const isBelow = bar.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING
          return {
            covered: !isInside && !isBelow && (bottom > edge || top < 0),
            text: one.textContent!.slice(0, 40),
          }
        })
        assert.equal(covered, false, text)
        seen.add(text)
        if (text === en.ownName || text === messages.tg.ownName) break
      }
      assert.ok(seen.has(en.claim) && seen.has(en.copy), [...seen].join())
    })
    await visit(desk, async (page) => {
      await open(page, scenes['pay-account']!)
      assert.ok(await page.locator('.qr svg').isVisible())
    })
  },
)

// ── Walks ───────────────────────────────────────────────────────────────────────────────────────────────────

type Walk = { page: Page; isLive: boolean; deposit: Made }

/** The next screen comes by itself where scripts run; elsewhere the customer asks. */
async function arrives({ page, isLive }: Walk, screen: string): Promise<void> {
  if (!isLive) await follow(page, en.refresh)
  await on(page, screen)
}

async function choose({ page }: Walk, method: 'any_bank' | 'account_number' | 'sbp') {
  await on(page, 'choose')
  await page.getByText(en.methods[method]).click()
  await press(page, en.choose.next)
  await on(page, 'pay')
}
async function claim({ page }: Walk, screen = 'checking') {
  await press(page, en.claim)
  await on(page, screen)
}
const saying = async ({ page }: Walk, text: string) =>
  assert.ok((await page.locator('#status').textContent())!.includes(text), text)

const walks: [claim: string, isBuild: boolean, fields: Fields, walk: (walk: Walk) => Promise<unknown>][] = [
  [
    'chosen, paid, claimed, confirmed',
    true,
    {},
    async (walk) => {
      await choose(walk, 'any_bank')
      await claim(walk)
      await pay(walk.deposit)
      await arrives(walk, 'success')
      await saying(walk, en.success.text)
      assert.match((await walk.page.locator('#return').getAttribute('href'))!, /state=confirmed/)
    },
  ],
  [
    'a part, then the rest, by reference',
    true,
    {},
    async (walk) => {
      await choose(walk, 'account_number')
      await press(walk.page, en.panel.less)
      await on(walk.page, 'short')
      const [missing] = await copies(walk.page)
      assert.equal(missing, `${(Number(walk.deposit.cents) / 200).toFixed(2)}`)
      await claim(walk)
      await press(walk.page, en.panel.exact)
      await on(walk.page, 'success')
    },
  ],
  [
    'a part without a reference waits for a person',
    false,
    {},
    async (walk) => {
      await press(walk.page, en.panel.less)
      await on(walk.page, 'checking')
      await saying(walk, 'Do not send more yet')
    },
  ],
  [
    'paid too much',
    false,
    { payment_type: 'account_number' },
    async (walk) => {
      await press(walk.page, en.panel.more)
      await on(walk.page, 'success')
      await saying(walk, en.success.overpaid)
    },
  ],
  [
    'paid twice',
    false,
    { payment_type: 'account_number' },
    async (walk) => {
      await press(walk.page, en.panel.twice)
      await on(walk.page, 'success')
      await saying(walk, en.success.overpaid)
    },
  ],
  [
    'paid late',
    false,
    {},
    async (walk) => {
      await press(walk.page, en.panel.late)
      await on(walk.page, 'success')
      await saying(walk, en.success.late)
    },
  ],
  [
    'rejected by the bank',
    false,
    {},
    async (walk) => {
      await claim(walk)
      await press(walk.page, en.panel.reject)
      await on(walk.page, 'rejected')
      await saying(walk, en.rejected.byOther)
      const link = new URL((await walk.page.locator('#return').getAttribute('href'))!)
      assert.deepEqual(
        [link.pathname, link.hash, link.searchParams.get('state')],
        ['/basket', '#x', 'rejected'],
      )
    },
  ],
  [
    'given up, after a no and a yes',
    true,
    {},
    async (walk) => {
      await choose(walk, 'sbp')
      await follow(walk.page, en.giveUp)
      await follow(walk.page, en.giveUpPage.no)
      await on(walk.page, 'pay')
      await follow(walk.page, en.giveUp)
      await press(walk.page, en.giveUpPage.yes)
      await on(walk.page, 'rejected')
      await saying(walk, en.rejected.byCustomer)
    },
  ],
  [
    'given up before the choice',
    true,
    {},
    async (walk) => {
      await follow(walk.page, en.giveUp)
      await press(walk.page, en.giveUpPage.yes)
      await on(walk.page, 'rejected')
    },
  ],
  [
    'out of time, claimed after it, paid in the grace',
    false,
    {},
    async (walk) => {
      await expireDeposit(ledger, by(walk.deposit.id))
      await arrives(walk, 'expired')
      assert.ok(!(await walk.page.content()).includes(walk.deposit.number))
      await claim(walk, 'expired')
      await saying(walk, en.expired.claimed)
      await pay(walk.deposit)
      await arrives(walk, 'success')
    },
  ],
  [
    'claimed near the end: there is more time',
    false,
    {},
    async (walk) => {
      await endsIn(walk.deposit, '2 minutes')
      await claim(walk)
      const left = Number(await walk.page.locator('main').getAttribute('data-left'))
      assert.ok(left > 600 && left <= 720, String(left))
    },
  ],
  [
    'out of time for good',
    false,
    { payment_type: 'account_number' },
    async (walk) => {
      await endsIn(walk.deposit, '-1 second', '0 seconds')
      await arrives(walk, 'closed')
      await saying(walk, en.closed.money)
    },
  ],
  [
    'out of time before the choice',
    true,
    {},
    async (walk) => {
      await endsIn(walk.deposit, '-1 second', '0 seconds')
      await arrives(walk, 'closed')
      await saying(walk, en.closed.unchosen)
    },
  ],
  [
    'withdrawn by the shop',
    false,
    {},
    async (walk) => {
      await cancelDeposit(ledger, { ...by(walk.deposit.id), of: null })
      await arrives(walk, 'canceled')
    },
  ],
  [
    'taken back by the bank',
    false,
    {},
    async (walk) => {
      await pay(walk.deposit)
      await arrives(walk, 'success')
      await reverseDeposit(ledger, by(walk.deposit.id))
      await walk.page.reload()
      await on(walk.page, 'reversed')
    },
  ],
]

const copies = (page: Page): Promise<(string | null)[]> =>
  page.locator('.copy').evaluateAll((buttons) => buttons.map((button) => button.getAttribute('data-copy')))

const noScript = /^console: Failed to load resource: net::ERR_FAILED/
const ways: [how: string, isLive: boolean, options: Visit][] = [
  ['with scripts', true, {}],
  ['without JavaScript', false, { javaScriptEnabled: false }],
]

for (const [how, isLive, options] of ways) {
  test(`both flows reach every end ${how}`, settings, async () => {
    await inPairs(walks, ([name, isBuild, fields, walk]) =>
      visit(options, async (page) => {
        const deposit = await made(isBuild, fields)
        await open(page, deposit)
        try {
          await walk({ page, isLive, deposit })
          // Nothing goes anywhere by itself where the customer's own press brought the end.
          assert.ok(page.url().startsWith(gateway.url))
        } catch (error) {
          throw new Error(`${name}: ${(error as Error).message}`, { cause: error })
        }
      }),
    )
  })
}

test(
  'with its script blocked a page is complete and accessible: nothing shows that would not work',
  settings,
  async () => {
    const block = (context: BrowserContext) => context.route('**/assets/*', (route) => route.abort())
    await inPairs(['choose', 'pay-account', 'success', 'expired'], (name) =>
      visit({ prepare: block, expected: noScript }, async (page) => {
        await open(page, scenes[name]!)
        for (const hidden of await page.locator('.copy, #timer, #auto, #print').all())
          assert.equal(await hidden.isVisible(), false)
        await axe(page, name)
      }),
    )
    await visit({ prepare: block, expected: noScript }, async (page) => {
      const deposit = await builded()
      await open(page, deposit)
      await choose({ page, isLive: false, deposit }, 'sbp')
      await claim({ page, isLive: false, deposit })
      await pay(deposit)
      await arrives({ page, isLive: false, deposit }, 'success')
    })
  },
)

// ── What scripts add ────────────────────────────────────────────────────────────────────────────────────────

const atShop = (context: BrowserContext) =>
  context.route('https://shop.example/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><html lang="en"><title>Shop</title>' }),
  )
const elsewhere = /^elsewhere: https:\/\/shop\.example\//

/** From here on the page's time stands still but for what the test lets pass. */
async function stopClock(page: Page): Promise<void> {
  const now = Date.now()
  await page.clock.install({ time: now })
  await page.clock.pauseAt(now + 1_000)
}

/** What the shop is told is what happened, and signed. */
function checkReturn(address: string, deposit: Made, state: string) {
  const { searchParams } = new URL(address)
  const read = (name: string) => searchParams.get(name)!
  const told = { id: read('id'), orderId: read('order_id'), state: read('state'), ts: Number(read('ts')) }
  assert.deepEqual([told.id, told.state], [deposit.id, state])
  assert.ok(matchesHex(shop.secret, returnString(told), read('signature')))
}

test('who sees the money arrive goes back after 20 seconds, unless told to stay', settings, async () => {
  await visit({ prepare: atShop, expected: elsewhere }, async (page) => {
    const deposit = await created()
    await stopClock(page)
    await open(page, deposit)
    await pay(deposit)
    await on(page, 'success')
    await page.locator('#auto').waitFor()
    await page.clock.runFor(15_000)
    assert.equal(await page.locator('#auto-left').textContent(), '5')
    const returned = page.waitForURL('https://shop.example/**')
    await page.clock.runFor(5_000)
    await returned
    assert.match(page.url(), /^https:\/\/shop\.example\/paid\?cart=7&id=/)
    checkReturn(page.url(), deposit, 'confirmed')
  })
  await visit({ prepare: atShop, expected: elsewhere }, async (page) => {
    const deposit = await created()
    await stopClock(page)
    await open(page, deposit)
    await pay(deposit)
    await on(page, 'success')
    await page.getByRole('button', { name: en.stay }).click()
    assert.equal(await page.locator('#auto').isVisible(), false)
    assert.equal(await page.evaluate(() => document.activeElement!.id), 'return')
    await page.clock.fastForward(60_000)
    await page.reload()
    // Opened again, a finished page offers its link and waits.
    assert.equal(await page.locator('#auto').isVisible(), false)
    await page.clock.fastForward(60_000)
    await on(page, 'success')
    await follow(page, en.toShop)
    await page.waitForURL('https://shop.example/**')
    checkReturn(page.url(), deposit, 'confirmed')
  })
})

test('a finished page that is opened stays, and so does one that ran out of time', settings, async () => {
  await visit({}, async (page) => {
    await page.clock.install()
    for (const name of ['success', 'rejected', 'expired', 'canceled']) {
      await open(page, scenes[name]!)
      assert.equal(await page.locator('#auto:visible').count(), 0)
      await page.clock.fastForward(60_000)
      await on(page, scenes[name]!.name)
    }
  })
})

test('a status that changes in words only is changed in place, and spoken', settings, async () => {
  await visit({}, async (page) => {
    const deposit = await created({ payment_type: 'account_number' })
    await open(page, deposit)
    await receiveMoney(ledger, { ...by(deposit.id), cents: deposit.cents / 2n })
    await on(page, 'short')
    await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }))
    await receiveMoney(ledger, { ...by(deposit.id), cents: 1_000n })
    const expected = (Number(deposit.cents / 2n + 1_000n) / 100).toLocaleString('en-GB', {
      minimumFractionDigits: 2,
    })
    await page.locator('#status-text', { hasText: expected }).waitFor()
    assert.equal(await page.evaluate(() => 'isSamePage' in globalThis), true)
    assert.equal(await page.locator('[role=status]').count(), 1)
  })
})

test(
  'where the stream is refused the page asks, and asks at once when the customer comes back',
  settings,
  async () => {
    const refuse = (context: BrowserContext) =>
      context.route('**/events*', (route) => route.fulfill({ status: 503, body: 'no' }))
    const expected = /status of 503|MIME type/
    await visit({ prepare: refuse, expected }, async (page) => {
      const deposit = await created()
      await page.clock.install()
      const refused = page.waitForResponse('**/events*')
      await open(page, deposit)
      await refused
      await pay(deposit)
      // Until the script has noticed, moving its clock does nothing.
      const end = page.waitForSelector('main[data-screen="success"]')
      let isThere = false
      void end.then(
        () => {
          isThere = true
        },
        () => {},
      )
      while (!isThere) await page.clock.runFor(5_000).catch(() => {})
      await end
    })
    await visit({ prepare: refuse, expected }, async (page) => {
      const deposit = await created()
      await open(page, deposit)
      await pay(deposit)
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
      await on(page, 'success')
    })
  },
)

test(
  'the countdown shows in the last ten minutes only, whatever the clock of the phone says',
  settings,
  async () => {
    const day = 86_400_000
    for (const shift of [0, day, -day]) {
      const prepare = (context: BrowserContext) =>
        context.addInitScript((by) => {
          const now = Date.now.bind(Date)
          Date.now = () => now() + by
        }, shift)
      await visit({ prepare }, async (page) => {
        const deposit = await created()
        await endsIn(deposit, '12 minutes')
        await open(page, deposit)
        assert.equal(await page.locator('#timer').isVisible(), false)
        await endsIn(deposit, '9 minutes 50 seconds')
        await page.locator('#timer').waitFor()
        assert.match((await page.locator('#timer-left').textContent())!, /^9:[0-5]\d$/)
        assert.doesNotMatch(await page.title(), /\d:\d\d/)
      })
    }
  },
)

test('five minutes and one minute are spoken; at the end the page asks what it means', settings, async () => {
  // Without the stream and without answers only the countdown moves: its clock is not the server's here.
  let answers = false
  const prepare = async (context: BrowserContext) => {
    await context.route('**/events*', (route) => route.abort())
    await context.route('**/status*', (route) => (answers ? route.continue() : route.abort()))
  }
  await visit({ prepare, expected: noScript }, async (page) => {
    const deposit = await created()
    await endsIn(deposit, '6 minutes')
    await stopClock(page)
    await open(page, deposit)
    await page.locator('#timer').waitFor()
    await page.clock.runFor(70_000)
    assert.equal(await page.locator('#voice').textContent(), en.minutesLeft(5))
    await page.clock.runFor(240_000)
    assert.equal(await page.locator('#voice').textContent(), en.minutesLeft(1))
    await endsIn(deposit, '-1 second')
    answers = true
    await page.clock.runFor(70_000)
    await on(page, 'expired')
  })
})

// ── Copying ─────────────────────────────────────────────────────────────────────────────────────────────────

const mayCopy = (context: BrowserContext) =>
  context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: gateway.url })

const clipboard = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { kept } = globalThis as unknown as { kept?: Clipboard }
    return (kept ?? navigator.clipboard).readText()
  })

/** Takes the modern way away, as many browsers inside apps do; the test keeps it for looking. */
const withoutClipboard = (context: BrowserContext) =>
  context.addInitScript(() => {
    Object.assign(globalThis, { kept: navigator.clipboard })
    Object.defineProperty(Navigator.prototype, 'clipboard', { get: () => undefined })
  })

for (const [how, prepare] of [
  ['by the clipboard', mayCopy],
  [
    'without one',
    async (context: BrowserContext) => {
      await mayCopy(context)
      await withoutClipboard(context)
    },
  ],
] as const) {
  test(`every row copies its machine form ${how}, and says so`, settings, async () => {
    await visit({ prepare }, async (page) => {
      for (const payment_type of ['any_bank', 'sbp', 'account_number']) {
        const deposit = await created({ payment_type })
        await open(page, deposit)
        const wanted = await copies(page)
        assert.equal(wanted[0], `${deposit.cents / 100n}.00`)
        assert.equal(wanted[1], deposit.number)
        assert.match(wanted[1]!, /^\+?\d+$/)
        for (const [place, text] of wanted.entries()) {
          const button = page.locator('.copy').nth(place)
          await button.click()
          await page.locator('.copy.done', { hasText: en.copied }).nth(0).waitFor()
          await button.and(page.locator('.done')).waitFor()
          assert.equal(await clipboard(page), text)
          assert.ok((await page.locator('#voice').textContent())!.endsWith(en.copied))
          assert.equal(await page.locator('.by-hand').count(), 0)
        }
      }
      await axe(page, 'after copying')
    })
  })
}

test(
  'where nothing may be copied the text is selected for the customer’s own hand, and that is said',
  settings,
  async () => {
    const prepare = async (context: BrowserContext) => {
      await withoutClipboard(context)
      await context.addInitScript(() => {
        document.execCommand = () => false
      })
    }
    await visit({ prepare }, async (page) => {
      const deposit = await created()
      await open(page, deposit)
      for (const place of [1, 0]) {
        await page.locator('.copy').nth(place).click()
        const field = page.locator('.by-hand')
        await field.waitFor()
        const wanted = (await copies(page))[place]
        const selected = await field.evaluate((one: HTMLInputElement) => [
          document.activeElement === one,
          one.value.slice(one.selectionStart!, one.selectionEnd!),
        ])
        assert.deepEqual(selected, [true, wanted])
        assert.equal(await page.locator('.copy').nth(place).textContent(), en.copyFailed)
        assert.ok((await page.locator('#voice').textContent())!.endsWith(en.copyFailed))
      }
      await fits(page, [320, 360], 'by hand')
      await axe(page, 'by hand')
    })
  },
)

test('a number selected by hand holds no space', settings, async () => {
  await visit({ javaScriptEnabled: false }, async (page) => {
    const deposit = await created()
    await open(page, deposit)
    const selected = await page
      .locator('.bill .number')
      .nth(1)
      .evaluate((number) => {
        getSelection()!.selectAllChildren(number)
        return String(getSelection())
      })
    assert.equal(selected, deposit.number)
  })
})

// ── Twice, twofold, in other words ──────────────────────────────────────────────────────────────────────────

test('a double click sends a form once, and without scripts twice with one effect', settings, async () => {
  for (const javaScriptEnabled of [true, false]) {
    await visit({ javaScriptEnabled }, async (page) => {
      const deposit = await builded()
      const posts: string[] = []
      page.on('request', (request) => {
        if (request.method() === 'POST') posts.push(request.url().split('/').at(-1)!)
      })
      await open(page, deposit)
      await page.getByText(en.methods.sbp).click()
      await page.getByRole('button', { name: en.choose.next }).dblclick()
      await on(page, 'pay')
      await page.getByRole('button', { name: en.claim }).dblclick()
      await on(page, 'checking')
      if (javaScriptEnabled) assert.deepEqual(posts, ['choose', 'claim'])
      assert.equal(await page.locator('.bill').count(), 1)
    })
  }
})

test('of two tabs the first choice counts, and the second shows it', settings, async () => {
  await visit({ javaScriptEnabled: false }, async (first, context) => {
    const deposit = await builded()
    const second = await context.newPage()
    await open(first, deposit)
    await open(second, deposit)
    await choose({ page: first, isLive: false, deposit }, 'sbp')
    await choose({ page: second, isLive: false, deposit }, 'any_bank')
    assert.deepEqual(await copies(second), await copies(first))
    assert.match((await copies(second))[1]!, /^\+7/)
  })
  // With scripts the second tab follows by itself.
  await visit({}, async (first, context) => {
    const deposit = await builded()
    const second = await context.newPage()
    await open(second, deposit)
    await open(first, deposit)
    await choose({ page: first, isLive: true, deposit }, 'sbp')
    await on(second, 'pay')
    assert.deepEqual(await copies(second), await copies(first))
  })
})

test('a language is chosen by its own name and stays chosen, with scripts or without', settings, async () => {
  for (const javaScriptEnabled of [true, false]) {
    await visit({ javaScriptEnabled, locale: 'kk-KZ' }, async (page, context) => {
      const deposit = await created()
      await open(page, deposit, '')
      const language = () => page.locator('html').getAttribute('lang')
      assert.equal(await language(), 'kk')
      await follow(page, messages.uz.ownName)
      assert.equal(await language(), 'uz')
      await open(page, deposit, '')
      assert.equal(await language(), 'uz')
      const [cookie] = await context.cookies()
      assert.deepEqual([cookie!.name, cookie!.value, cookie!.httpOnly], ['inlet_lang', 'uz', true])
      await page.getByRole('button', { name: messages.uz.claim }).click()
      await on(page, 'checking')
      assert.equal(await language(), 'uz')
    })
  }
})
