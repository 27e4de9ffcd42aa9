/**
 * Both flows of the payment page walked to every end in a real Chromium, with scripts and without JavaScript, in the
 * words of the language that the customer reads. `npm test` walks half of them with languages, sizes and themes
 * in rotation; `npm run test:browser` walks each in every language and looks at every end with axe.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { cancelDeposit, expireDeposit } from '../../src/domain/deposits/change-deposit.ts'
import { reverseDeposit } from '../../src/domain/transfers/end-deposit.ts'
import { type Language, languages, messages } from '../../src/surfaces/web/messages/languages.ts'
import type { Messages } from '../../src/surfaces/web/messages/ru.ts'
import type { Fields } from '../support/gateway.ts'
import {
  axe,
  builded,
  by,
  choose,
  copies,
  depositContext,
  endsIn,
  follow,
  gateway,
  inTurns,
  isWhole,
  languageNow,
  languageOf,
  lookOf,
  type Made,
  made,
  noScript,
  on,
  open,
  pay,
  press,
  scenes,
  settings,
} from '../support/pay-visits.ts'

type Walk = {
  page: Page
  isLive: boolean
  deposit: Made
  language: Language
  words: Messages
  /** What the end says above its text, where its screen has more than one head. */
  head?: string
}

/** The next screen comes by itself where scripts run; elsewhere the customer asks. */
async function arrives({ page, isLive, words }: Walk, screen: string): Promise<void> {
  if (!isLive) await follow(page, words.refresh)
  await on(page, screen)
}

async function claim({ page, words }: Walk, screen = 'checking'): Promise<void> {
  await press(page, words.claim)
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
      await choose(walk.page, walk.words, 'any_bank')
      await claim(walk)
      await pay(walk.deposit)
      await arrives(walk, 'success')
      await saying(walk, walk.words.success.text)
      assert.match((await walk.page.locator('#return').getAttribute('href'))!, /state=confirmed/)
    },
  ],
  [
    'a part, then the rest, by reference',
    true,
    {},
    async (walk) => {
      await choose(walk.page, walk.words, 'account_number')
      await press(walk.page, walk.words.panel.less)
      await on(walk.page, 'short')
      const [missing] = await copies(walk.page)
      assert.equal(missing, `${(Number(walk.deposit.cents) / 200).toFixed(2)}`)
      await claim(walk)
      await press(walk.page, walk.words.panel.exact)
      await on(walk.page, 'success')
    },
  ],
  [
    'a part without a reference, and the rest from the same payer',
    false,
    {},
    async (walk) => {
      await press(walk.page, walk.words.panel.less)
      await on(walk.page, 'short')
      await saying(walk, walk.words.short.samePayer)
      await press(walk.page, walk.words.panel.exact)
      await on(walk.page, 'success')
    },
  ],
  [
    'paid too much',
    false,
    { payment_type: 'account_number' },
    async (walk) => {
      await press(walk.page, walk.words.panel.more)
      await on(walk.page, 'success')
      await saying(walk, walk.words.success.overpaid)
    },
  ],
  [
    'paid twice',
    false,
    { payment_type: 'account_number' },
    async (walk) => {
      await press(walk.page, walk.words.panel.twice)
      await on(walk.page, 'success')
      await saying(walk, walk.words.success.overpaid)
    },
  ],
  [
    'paid late',
    false,
    {},
    async (walk) => {
      await press(walk.page, walk.words.panel.late)
      await on(walk.page, 'success')
      await saying(walk, walk.words.success.late)
    },
  ],
  [
    'rejected by the bank',
    false,
    {},
    async (walk) => {
      await claim(walk)
      await press(walk.page, walk.words.panel.reject)
      await on(walk.page, 'rejected')
      await saying(walk, walk.words.rejected.byOther)
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
      await choose(walk.page, walk.words, 'sbp')
      await follow(walk.page, walk.words.giveUp)
      await follow(walk.page, walk.words.giveUpPage.no)
      await on(walk.page, 'pay')
      await follow(walk.page, walk.words.giveUp)
      await press(walk.page, walk.words.giveUpPage.yes)
      await on(walk.page, 'rejected')
      walk.head = walk.words.rejected.byCustomer
    },
  ],
  [
    'given up before the choice',
    true,
    {},
    async (walk) => {
      await follow(walk.page, walk.words.giveUp)
      await press(walk.page, walk.words.giveUpPage.yes)
      await on(walk.page, 'rejected')
      walk.head = walk.words.rejected.byCustomer
    },
  ],
  [
    'out of time, claimed after it, paid in the grace',
    false,
    {},
    async (walk) => {
      await expireDeposit(depositContext, by(walk.deposit.id))
      await arrives(walk, 'expired')
      assert.ok(!(await walk.page.content()).includes(walk.deposit.number))
      await claim(walk, 'expired')
      await saying(walk, walk.words.expired.claimed)
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
      const { left } = (await (await fetch(`${gateway.url}${walk.deposit.path}/status`)).json()) as {
        left: number
      }
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
      await saying(walk, walk.words.closed.money)
    },
  ],
  [
    'out of time before the choice',
    true,
    {},
    async (walk) => {
      await endsIn(walk.deposit, '-1 second', '0 seconds')
      await arrives(walk, 'closed')
      await saying(walk, walk.words.closed.unchosen)
    },
  ],
  [
    'withdrawn by the shop',
    false,
    {},
    async (walk) => {
      await cancelDeposit(depositContext, { ...by(walk.deposit.id), merchantId: null })
      await arrives(walk, 'canceled')
      await saying(walk, walk.words.canceled.text)
    },
  ],
  [
    'taken back by the bank',
    false,
    {},
    async (walk) => {
      await pay(walk.deposit)
      await arrives(walk, 'success')
      await reverseDeposit(depositContext, by(walk.deposit.id))
      await walk.page.reload()
      await on(walk.page, 'reversed')
      await saying(walk, walk.words.reversed.text)
    },
  ],
]

/** The last screen is in the language that the walk began with. */
async function checkEnd(walk: Walk): Promise<void> {
  const { page, language, words } = walk
  // Nothing goes anywhere by itself where the customer's own press brought the end.
  assert.ok(page.url().startsWith(gateway.url))
  assert.equal(await languageNow(page), language)
  const screen = await page.locator('main').getAttribute('data-screen')
  await saying(walk, walk.head ?? words.status[screen as keyof Messages['status']])
  if (isWhole) await axe(page, 'at the end')
}

/**
 * Which language the walk at a place has; the look changes from walk to walk. In `npm test` every fourth walk
 * is walked with scripts and every fourth without; asked for the whole, each is walked both ways.
 */
const rounds: [which: string, languageAt: (place: number) => Language, shift: number][] = isWhole
  ? languages.map((language, shift) => [`in ${language}`, () => language, shift])
  : [['(languages, sizes and themes in rotation)', languageOf, 0]]

for (const [how, isLive] of [
  ['with scripts', true],
  ['without JavaScript', false],
] as const) {
  for (const [which, languageAt, shift] of rounds) {
    test(`both flows reach their ends ${how} ${which}`, settings, async (t) => {
      const jobs = walks
        .map(([end, isBuild, fields, walk], place) => {
          const language = languageAt(place)
          const look = lookOf(Math.floor(place / 2) + shift)
          return { name: `${end}, ${language}, ${look.name}`, language, look, isBuild, fields, walk }
        })
        .filter((_, place) => isWhole || place % 4 === (isLive ? 0 : 2))
      await inTurns(
        { javaScriptEnabled: isLive },
        jobs,
        async (page, { language, isBuild, fields, walk }) => {
          const deposit = await made(isBuild, fields)
          const walker = { page, isLive, deposit, language, words: messages[language] }
          await open(page, deposit, `?lang=${language}`)
          await walk(walker)
          await checkEnd(walker)
        },
      )
      t.diagnostic(`${jobs.length} walks`)
    })
  }
}

test(
  'with its script blocked a page is complete and accessible: nothing shows that would not work',
  settings,
  async () => {
    const prepare = (context: BrowserContext) => context.route('**/assets/*', (route) => route.abort())
    const names = isWhole
      ? ['choose', 'pay-account', 'success', 'expired', 'walked']
      : ['pay-account', 'walked']
    await inTurns(
      { prepare, expected: noScript },
      names.map((name) => ({ name })),
      async (page, { name }) => {
        if (name === 'walked') return walkBlocked(page)
        await open(page, scenes[name]!)
        for (const hidden of await page.locator('.copy, #timer, #auto, #print').all())
          assert.equal(await hidden.isVisible(), false)
        await axe(page, name)
      },
    )
  },
)

async function walkBlocked(page: Page): Promise<void> {
  const deposit = await builded()
  const walk: Walk = { page, isLive: false, deposit, language: 'en', words: messages.en }
  await open(page, deposit)
  await choose(page, walk.words, 'sbp')
  await claim(walk)
  await pay(deposit)
  await arrives(walk, 'success')
}
