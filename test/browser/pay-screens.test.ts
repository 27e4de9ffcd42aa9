/**
 * Every screen of the payment page in a real Chromium: it fits, in every language, with long sentences and with big
 * text; it is accessible in light and dark; hostile names stay text; it is small; nothing covers the focus.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { currencies, mostCents } from '../../src/domain/money.ts'
import { sql } from '../../src/platform/db.ts'
import { payStyles } from '../../src/surfaces/pay/assets.ts'
import { failedPage, payPage } from '../../src/surfaces/pay/pages.ts'
import type { PayView } from '../../src/surfaces/pay/view.ts'
import { render } from '../../src/surfaces/web/html.ts'
import { type Language, languages, messages } from '../../src/surfaces/web/messages/languages.ts'
import { depositWith } from '../support/deposit.ts'
import { type Fields, openShop } from '../support/gateway.ts'
import type { Scene } from '../support/pay-scenes.ts'
import {
  axe,
  created,
  desk,
  fits,
  gateway,
  inTurns,
  isWhole,
  type Look,
  languageNow,
  languageOf,
  lookOf,
  notFound,
  open,
  phone,
  scenes,
  settings,
  visit,
} from '../support/pay-visits.ts'
import { pseudoLocale } from '../support/pseudo-locale.ts'

const { en } = messages
const all = Object.values(scenes)

test(
  'every screen fits 320, 360 and 1280 pixels, also in text twice as big, and breaks no policy',
  settings,
  async () => {
    const jobs = languages.map((language) => ({ name: language }))
    await inTurns({ expected: notFound }, jobs, async (page, { name: language }) => {
      for (const [place, scene] of all.entries()) {
        // In npm test a screen is seen in one language, and in the longest sentences below.
        if (!isWhole && languageOf(place) !== language) continue
        await open(page, scene, `?lang=${language}`)
        assert.equal(await languageNow(page), language)
        await fits(page, [320, 1280, 360], scene.name)
        await page.evaluate(() => document.documentElement.style.setProperty('font-size', '200%'))
        await fits(page, [360], `${scene.name}, big`)
      }
    })
  },
)

test('every screen fits with sentences two fifths longer', settings, async () => {
  const { uz } = messages
  messages.uz = pseudoLocale(messages.ru)
  try {
    await visit({ expected: notFound }, async (page) => {
      for (const scene of all) {
        await open(page, scene, '?lang=uz')
        await fits(page, [320], `${scene.name}, long`)
      }
    })
  } finally {
    messages.uz = uz
  }
})

test('the content below the status keeps its distance, at every width', settings, async () => {
  const jobs = ['closed-unchosen', 'closed', 'expired', 'reversed', 'gone'].map((name) => scenes[name]!)
  await inTurns({ expected: notFound }, jobs, async (page, scene) => {
    await open(page, scene)
    for (const width of [320, 768, 1280]) {
      await page.setViewportSize({ width, height: 740 })
      assert.deepEqual(await page.evaluate(tooNear), [], `${scene.name} at ${width}`)
    }
  })
})

/** What stands below the status of the page and nearer to it than blocks of the page stand to each other. */
const tooNear = () => {
  const status = document.querySelector('.status')!.getBoundingClientRect()
  return [...document.querySelectorAll('main .bill, main .bar, main .button, main p')]
    .map((element) => ({ element, box: element.getBoundingClientRect() }))
    .filter(
      ({ box }) => box.top >= status.bottom - 1 && box.top < status.bottom + 16 && box.left < status.right,
    )
    .map(({ element, box }) => `${element.className || element.tagName} ${box.top - status.bottom}`)
}

type View = { scene: Scene; language: Language; look: Look }

/** Every third screen, languages and looks going round at their own pace; asked for the whole, all with all. */
const views: [which: string, View[]][] = isWhole
  ? languages.map((language) => [
      `in ${language}, on a phone in light and on a desk in dark`,
      [phone, desk].flatMap((look) => all.map((scene) => ({ scene, language, look }))),
    ])
  : [
      [
        '(languages, sizes and themes in rotation)',
        all
          .map((scene, place) => ({ scene, language: languageOf(place), look: lookOf(place >> 1) }))
          .filter((_, place) => place % 3 === 0),
      ],
    ]

for (const [which, some] of views) {
  test(`screens have no axe violation ${which}`, settings, async (t) => {
    const jobs = some.map((view) => ({
      ...view,
      name: `${view.scene.name}, ${view.language}, ${view.look.name}`,
    }))
    await inTurns({ expected: notFound }, jobs, async (page, { scene, language, name }) => {
      await open(page, scene, `?lang=${language}`)
      await axe(page, name)
    })
    t.diagnostic(`${jobs.length} screens`)
  })
}

test('an error page fits and has no axe violation', settings, async () => {
  const reasons = ['crossSite', 'tooMany', 'other', 'fault'] as const
  const jobs = languages.map((language, place) => ({
    name: `${reasons[place % 4]}, ${language}`,
    language,
    reason: reasons[place % 4]!,
    token: place % 4 === 1 ? null : 'A'.repeat(22),
    look: lookOf(place),
  }))
  await inTurns({}, jobs, async (page, { name, language, reason, token }) => {
    const { markup } = failedPage(reason, token, language, { styles: payStyles, scripts: [] })
    await page.setContent(render(markup))
    await axe(page, name)
    await fits(page, [320, 360, 1280], name)
  })
})

const transfers: { label: 'card' | 'phone' | 'account' | 'iban'; fields: Fields; number: RegExp }[] = [
  { label: 'card', fields: { currency: 'RUB', cents: 4_999_950 }, number: /^\d{16}$/ },
  { label: 'card', fields: { currency: 'TJS', cents: 2_345_650 }, number: /^\d{16}$/ },
  { label: 'phone', fields: { payment_type: 'sbp', cents: 4_999_950 }, number: /^\+7\d{10}$/ },
  {
    label: 'account',
    fields: { payment_type: 'account_number', currency: 'RUB', cents: 4_999_950 },
    number: /^\d{20}$/,
  },
  {
    label: 'account',
    fields: { payment_type: 'account_number', currency: 'UZS', cents: 1_234_567_850 },
    number: /^\d{20}$/,
  },
  {
    label: 'iban',
    fields: { payment_type: 'account_number', currency: 'KZT', cents: 12_345_650 },
    number: /^KZ\w{18}$/,
  },
]

test(
  'on every phone a number stands on one line in every language, and a button with a name copies it',
  settings,
  async () => {
    const jobs = await Promise.all(
      transfers.map(async ({ label, fields, number }) => {
        const deposit = await created(fields)
        assert.match(deposit.number, number)
        return { ...deposit, label, name: `${label} ${fields.currency}` }
      }),
    )
    await inTurns({}, jobs, async (page, job) => {
      for (const language of languages) {
        const { copyOf, rows } = messages[language]
        await open(page, job, `?lang=${language}`)
        for (const width of [320, 360, 390]) {
          await fits(page, [width], `${job.name}, ${language}`)
          assert.deepEqual(await page.evaluate(broken), [], `${job.name}, ${language}, ${width}`)
        }
        for (const label of [rows.amount, rows[job.label], rows.recipient]) {
          const button = page.getByRole('button', { name: copyOf(label), exact: true })
          assert.ok(await button.isVisible(), `${job.name}, ${language}: ${label}`)
        }
      }
    })
  },
)

/** Numbers that take more than one line, or so little room that nobody reads them. */
const broken = () =>
  [...document.querySelectorAll('.number')]
    .filter(
      (number) =>
        new Set([...number.children].map((group) => Math.round(group.getBoundingClientRect().top))).size >
          1 || Number.parseFloat(getComputedStyle(number).fontSize) < 13,
    )
    .map((number) => number.textContent)

test(
  'an amount of any length stands on one line and fits, in every language and currency',
  settings,
  async () => {
    const sums = [mostCents, 9_999_999_999n, 999_999_950n, 99_999_950n, 9_999_950n, 9_999_900n]
    const view = {
      screen: 'canceled',
      merchantName: 'Shop',
      brand: { accent: null, logo: null },
      host: 'inlet.example',
      returnTo: null,
      offers: [],
    } as unknown as PayView
    await visit({ viewport: { width: 320, height: 740 } }, async (page) => {
      for (const language of languages)
        for (const currency of currencies)
          for (const amountCents of sums) {
            const deposit = depositWith({ amountCents, currency, shown: null })
            const { markup } = payPage({ ...view, deposit }, language, { styles: payStyles, scripts: [] })
            await page.setContent(render(markup))
            await fits(page, [320], `${amountCents} ${currency}, ${language}`)
          }
    })
  },
)

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

test('a page is four requests at most, 14 KB with its styles and 30 KB in all', settings, async (t) => {
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
      assert.ok(asked <= 4, String(asked))
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
          const element = document.activeElement!
          const bar = document.querySelector('.bar')!
          const { top, bottom } = element.getBoundingClientRect()
          const edge = bar.getBoundingClientRect().top
          const isInside = bar.contains(element) || element === document.body
          // Past the bar's own place the page goes on below it.
          const isBelow = bar.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING
          return {
            covered: !isInside && !isBelow && (bottom > edge || top < 0),
            text: (element.getAttribute('aria-label') ?? element.textContent!).slice(0, 40),
          }
        })
        assert.equal(covered, false, text)
        seen.add(text)
        if (text === en.ownName || text === messages.tg.ownName) break
      }
      assert.ok(seen.has(en.claim) && seen.has(en.copyOf(en.rows.account)), [...seen].join())
    })
    await visit({ viewport: desk.viewport }, async (page) => {
      await open(page, scenes['pay-account']!)
      assert.ok(await page.locator('.qr svg').isVisible())
    })
  },
)
