/**
 * What a script adds to the payment page, in a real Chromium: the way back, live status, the last minutes, copying,
 * forms sent once. It works where a browser refuses half of it, and in two tabs; the language chosen stays.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { matchesHex, returnString } from '../../sdk/signature.ts'
import { receiveMoney } from '../../src/domain/deposits/change-deposit.ts'
import { priceText } from '../../src/surfaces/web/format.ts'
import { languages, messages } from '../../src/surfaces/web/messages/languages.ts'
import { clipboardText } from '../support/browser.ts'
import {
  axe,
  builded,
  by,
  choose,
  copies,
  created,
  depositContext,
  endsIn,
  fits,
  follow,
  gateway,
  type Made,
  noScript,
  on,
  open,
  pay,
  scenes,
  settings,
  shop,
  visit,
} from '../support/pay-visits.ts'

const { en } = messages

// ── The way back ────────────────────────────────────────────────────────────────────────────────────────────

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

/** The shop receives what happened, signed. */
function checkReturn(address: string, deposit: Made, state: string) {
  const { searchParams } = new URL(address)
  const read = (name: string) => searchParams.get(name)!
  const returned = { id: read('id'), orderId: read('order_id'), state: read('state'), ts: Number(read('ts')) }
  assert.deepEqual([returned.id, returned.state], [deposit.id, state])
  assert.ok(matchesHex(shop.secret, returnString(returned), read('signature')))
}

test(
  'on a phone the way back takes one row beside the button to stay, in every language',
  settings,
  async () => {
    for (const language of languages)
      await visit({ viewport: { width: 360, height: 740 } }, async (page) => {
        const deposit = await created()
        await stopClock(page)
        await open(page, deposit, `?lang=${language}`)
        await pay(deposit)
        await on(page, 'success')
        await page.locator('#auto').waitFor()
        const [text, stay] = await Promise.all(
          ['#auto > span', '#stay'].map(async (place) => (await page.locator(place).boundingBox())!),
        )
        assert.ok(stay!.x >= text!.x + text!.width, `${language}: the button stands below`)
      })
  },
)

test('a customer goes back 20 seconds after the money arrived, unless they stay', settings, async () => {
  await visit({ prepare: atShop, expected: elsewhere }, async (page) => {
    const deposit = await created()
    await stopClock(page)
    await open(page, deposit)
    await pay(deposit)
    await on(page, 'success')
    await page.locator('#auto').waitFor()
    await page.clock.runFor(15_000)
    // One sentence: a word of it that stands by itself would be pushed away from the others.
    assert.equal(await page.locator('#auto > span').innerText(), `${en.returnsIn} 5\u00a0${en.seconds}`)
    assert.equal(await page.locator('#auto').evaluate((line) => line.children.length), 2)
    const returned = page.waitForURL('https://shop.example/**')
    await page.clock.runFor(5_000)
    await returned
    assert.match(page.url(), /^https:\/\/shop\.example\/paid\?cart=7&id=/)
    checkReturn(page.url(), deposit, 'confirmed')

    const other = await created()
    await open(page, other)
    await pay(other)
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
    checkReturn(page.url(), other, 'confirmed')
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
    await receiveMoney(depositContext, { ...by(deposit.id), cents: deposit.cents / 2n })
    await on(page, 'short')
    await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }))
    await receiveMoney(depositContext, { ...by(deposit.id), cents: 1_000n })
    const expected = priceText(deposit.cents / 2n + 1_000n, 'RUB', 'en')
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
      // Five seconds at once, and no more: left to run, the clock would take the finished page to the shop. A script
      // that has not noticed the refusal by now has its own five seconds to come.
      await page.clock.fastForward(5_000)
      await on(page, 'success')
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

test('the time left is counted from the start, whatever the clock of the phone says', settings, async () => {
  const day = 86_400_000
  const prepare = (context: BrowserContext) =>
    context.addInitScript(() => {
      const shift = Number(location.hash.slice(1))
      const now = Date.now.bind(Date)
      Date.now = () => now() + shift
    })
  await visit({ prepare }, async (page) => {
    for (const shift of [0, day, -day]) {
      const deposit = await created()
      await endsIn(deposit, '2 hours')
      await open(page, deposit, `?lang=en#${shift}`)
      const seen = await page.evaluate(() => Date.now())
      assert.ok(Math.abs(seen - Date.now() - shift) < day / 2)
      await page.locator('#timer-left', { hasText: /^1:59:[0-5]\d$/ }).waitFor()
      await endsIn(deposit, '9 minutes 50 seconds')
      await page.locator('#timer-left', { hasText: /^9:[0-5]\d$/ }).waitFor()
      assert.doesNotMatch(await page.title(), /\d:\d\d/)
    }
  })
})

test('five minutes and one minute are spoken; at the end the page asks what it means', settings, async () => {
  // Without the stream, and without answers after the first, only the countdown moves: its clock is not the server's here.
  let answers = true
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
    answers = false
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
        assert.equal(wanted[0], `${deposit.cents / 100n}`)
        assert.equal(wanted[1], deposit.number)
        assert.match(wanted[1]!, /^\+?\d+$/)
        for (const [place, text] of wanted.entries()) {
          const button = page.locator('.copy').nth(place)
          await button.click()
          await button.and(page.locator('.done')).waitFor()
          assert.equal(await clipboardText(page), text)
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
        const field = page.locator('input.by-hand')
        await field.waitFor()
        const wanted = (await copies(page))[place]
        const selected = await field.evaluate((input: HTMLInputElement) => [
          document.activeElement === input,
          input.value.slice(input.selectionStart!, input.selectionEnd!),
        ])
        assert.deepEqual(selected, [true, wanted])
        assert.equal(await page.locator('small.by-hand').textContent(), en.copyFailed)
        assert.ok((await page.locator('#voice').textContent())!.endsWith(en.copyFailed))
      }
      await fits(page, [320, 360], 'by hand')
      await axe(page, 'by hand')
    })
  },
)

test('a selected number contains no space', settings, async () => {
  await visit({ javaScriptEnabled: false }, async (page) => {
    const deposit = await created()
    await open(page, deposit)
    const selected = await page
      .locator('.bill .number')
      .first()
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

test(
  'a choice of nothing is answered in the page’s language, never by the browser’s bubble',
  settings,
  async () => {
    const deposit = await builded()
    for (const javaScriptEnabled of [true, false])
      await visit({ javaScriptEnabled }, async (page) => {
        for (const language of languages) {
          const { choose: words } = messages[language]
          await open(page, deposit, `?lang=${language}`)
          await page.getByRole('button', { name: words.next, exact: true }).click()
          await page.getByRole('alert').waitFor()
          assert.equal(await page.getByRole('alert').textContent(), words.pickOne)
          await on(page, 'choose')
        }
      })
  },
)

test('of two tabs the first choice counts, and the second shows it', settings, async () => {
  await visit({ javaScriptEnabled: false }, async (first, context) => {
    const deposit = await builded()
    const second = await context.newPage()
    await open(first, deposit)
    await open(second, deposit)
    await choose(first, en, 'sbp')
    await choose(second, en, 'any_bank')
    assert.deepEqual(await copies(second), await copies(first))
    assert.match((await copies(second))[1]!, /^\+7/)
  })
  // With scripts the second tab follows by itself.
  await visit({}, async (first, context) => {
    const deposit = await builded()
    const second = await context.newPage()
    await open(second, deposit)
    await open(first, deposit)
    await choose(first, en, 'sbp')
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
