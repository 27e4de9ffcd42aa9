import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { at, depositWith } from '../../../test/support/deposit.ts'
import { payViewOf } from '../../../test/support/pay-view.ts'
import { render } from '../web/html.ts'
import type { PackedPage } from '../web/send-page.ts'
import { payScript, payStyles } from './assets.ts'
import { keptPages } from './kept-pages.ts'
import { payPage } from './pages.ts'
import type { PayView } from './view.ts'

const assets = { styles: payStyles, scripts: [payScript.name] }
const shown = {
  kind: 'card',
  number: '8600990000000004',
  name: 'PETROV IVAN',
  bank_name: 'Test Bank',
  seller: 'Petrov',
} as const
const deposit = depositWith({ amountCents: 4_500_000n, currency: 'UZS', shown })

const viewOf = (changes: Partial<PayView['deposit']> = {}, more: Partial<PayView> = {}): PayView =>
  payViewOf({ ...deposit, ...changes }, more)

const offer = { code: 'any_bank', name: 'Card of any bank', group: 'card', isFree: true } as const

const logo = { digest: 'a'.repeat(22), width: 480, height: 120, tone: 'any' } as const

/** Each differs from the first in one fact. */
const views: [name: string, view: PayView][] = [
  ['as it is', viewOf()],
  ['other amount', viewOf({ amountCents: 4_500_001n })],
  ['part of the money', viewOf({ receivedCents: 100n })],
  ['claimed', viewOf({ claimedAt: at('09:05') })],
  ['longer', viewOf({ expiresAt: at('09:50') })],
  ['late for longer', viewOf({ lateUntil: at('19:50') })],
  ['other account', viewOf({ shown: { ...shown, number: '8600990000000012' } })],
  ['confirmed', viewOf({ state: 'confirmed', finalAt: at('09:12'), receivedCents: 4_500_000n })],
  ['paid too much', viewOf({ state: 'confirmed', finalAt: at('09:12'), labels: ['overpaid'] })],
  ['under review', viewOf({ labels: ['review'] })],
  ['out of time', viewOf({}, { now: at('09:45') })],
  ['given up', viewOf({ state: 'rejected' }, { gaveUp: true })],
  ['rejected', viewOf({ state: 'rejected' })],
  ['renamed shop', viewOf({}, { merchantName: 'Another shop' })],
  ['another colour', viewOf({}, { brand: { accent: '#5b3fd6', logo: null } })],
  ['a logo', viewOf({}, { brand: { accent: null, logo } })],
  ['another logo', viewOf({}, { brand: { accent: null, logo: { ...logo, digest: 'b'.repeat(22) } } })],
  ['test mode', viewOf({}, { testMode: true })],
  ['a name that ends as the next field begins', viewOf({ orderId: 'A' }, { merchantName: 'Shop}host' })],
  ['an order as if it were two fields', viewOf({ orderId: '1;flow:"6 create' })],
  ['offers', viewOf({ shown: null, state: 'builded' }, { offers: [offer] })],
  [
    'the same offer, taken',
    viewOf({ shown: null, state: 'builded' }, { offers: [{ ...offer, isFree: false }] }),
  ],
]

type Open = ReturnType<typeof keptPages>['open']
async function opened(
  open: Open,
  view: PayView,
  encoding: 'gzip' | null = null,
  language: 'ru' | 'en' = 'en',
): Promise<PackedPage> {
  const page = await open(view, language, encoding)
  assert.ok('bytes' in page)
  return page
}

test('a page that was kept is the page as it is now, in every state, language and encoding', async () => {
  const { open } = keptPages(assets)
  for (const round of ['first', 'again', 'once more']) {
    for (const language of ['ru', 'en'] as const) {
      for (const [name, view] of views) {
        const fresh = render(payPage(view, language, assets).markup)
        const plain = await opened(open, view, null, language)
        const zipped = await opened(open, view, 'gzip', language)
        assert.equal(plain.bytes.toString(), fresh, `${name}, ${round}`)
        assert.equal(gunzipSync(zipped.bytes).toString(), fresh, `${name}, ${round}`)
      }
    }
  }
})

test('the second time a page comes from what was kept, however much time is left', async () => {
  const pages = keptPages(assets)
  const first = await opened(pages.open, viewOf())
  const { bytes } = pages
  const second = await opened(pages.open, viewOf({}, { now: at('09:11') }))
  assert.equal(second.bytes, first.bytes)
  assert.equal(pages.bytes, bytes)
})

test('a cached page keeps no other memory alive', async () => {
  const { open } = keptPages(assets)
  for (const encoding of ['gzip', null] as const) {
    const { bytes } = await opened(open, viewOf(), encoding)
    assert.equal(bytes.buffer.byteLength, bytes.length)
  }
})

test('the signed link back to the shop is made again each time', async () => {
  const pages = keptPages(assets)
  const view = viewOf({ state: 'confirmed' }, { returnTo: 'https://shop.example/?ts=1' })
  assert.ok(!('bytes' in (await pages.open(view, 'en', 'gzip'))))
  assert.equal(pages.bytes, 0)
})
