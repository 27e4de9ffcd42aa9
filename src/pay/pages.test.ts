import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Deposit, DepositState } from '../deposits/deposit.ts'
import type { Reference } from '../deposits/reference.ts'
import { plainStyles } from '../web/assets.ts'
import { render } from '../web/html.ts'
import { gonePage, payPage } from './pages.ts'

const at = (text: string) => new Date(`2026-11-15T${text}:00Z`)

const deposit: Deposit = {
  id: '019a8d20-7c11-7b52-9f0e-2d6a41c5e803',
  merchantId: '3f0c9a52-7d1e-4b86-9c2a-5e8f1d20b647',
  orderId: 'A-1001',
  flow: 'create',
  state: 'created',
  amountCents: 4_500_000n,
  currency: 'UZS',
  paymentType: 'any_bank',
  customer: 'user-42',
  customerPhoneNumber: null,
  callbackUrl: null,
  successUrl: null,
  rejectUrl: null,
  shown: {
    kind: 'card',
    number: '8600990000000004',
    name: 'PETROV IVAN',
    bank_name: 'Test Bank',
    seller: 'Petrov',
  },
  reference: 'KT48219034' as Reference,
  pageToken: 'q1LhJ0x2mS9nV4tYc7Bz3A',
  receivedCents: 0n,
  labels: [],
  claimedAt: null,
  extended: false,
  createdAt: at('09:00'),
  expiresAt: at('09:30'),
  lateUntil: at('19:30'),
  finalAt: null,
}

const show = (
  changes: Partial<Deposit> = {},
  { now = at('09:10'), merchantName = 'Shop', language = 'en' as const } = {},
) => {
  const view = {
    deposit: { ...deposit, ...changes },
    now,
    merchantName,
    testMode: false,
    host: 'inlet.example',
  }
  return render(payPage(view, language, plainStyles).markup)
}

test('the number and the amount are grouped by elements, so a copy holds no space', () => {
  const text = show()
  assert.ok(text.includes('<span>8600</span><span>9900</span><span>0000</span><span>0004</span>'))
  assert.ok(text.includes('<span>45</span><span>000.00</span>'))
  assert.ok(text.includes('14:30 (Tashkent, GMT+5)'))
})

test('whole requisites stand on the page only while the deposit may be paid', () => {
  const cases: [state: DepositState, now: Date, isShown: boolean][] = [
    ['created', at('09:29'), true],
    ['created', at('09:30'), false],
    ['expired', at('09:29'), false],
    ['confirmed', at('09:29'), false],
    ['rejected', at('09:29'), false],
    ['canceled', at('09:29'), false],
    ['reversed', at('09:29'), false],
    ['builded', at('09:29'), false],
  ]
  const heads = new Set<string>()
  for (const [state, now, isShown] of cases) {
    const text = show({ state }, { now })
    assert.equal(text.includes('<span>8600</span>'), isShown, state)
    assert.ok(isShown || !text.includes('990000'), state)
    heads.add(/<strong>(.*?)<\/strong>/.exec(text)![1]!)
  }
  assert.equal(heads.size, 7)
})

test('a reference is told only where the transfer carried it', () => {
  assert.ok(!show({ state: 'expired' }).includes('KT48219034'))
  const shown = {
    ...deposit.shown!,
    kind: 'account_uz' as const,
    payment_reason: 'Пополнение KT48219034',
    bic: '00999',
  }
  assert.ok(show({ state: 'expired', shown }).includes('KT48219034'))
  const open = show({ shown })
  assert.ok(open.includes('<bdi>Пополнение KT48219034</bdi><small>Keep this text'))
  assert.ok(open.includes('MFO'))
})

test('the shop is text inside bdi, without characters that turn the reading around', () => {
  const text = show({}, { merchantName: '<img src=x onerror=alert(1)>\u202egpj.exe' })
  assert.ok(text.includes('<bdi>&lt;img src=x onerror=alert(1)&gt;gpj.exe</bdi>'))
})

test('no page has a script, an input, a style attribute or another origin', () => {
  const pages = [show(), show({ state: 'confirmed' }), render(gonePage('ru', plainStyles).markup)]
  for (const text of pages) {
    assert.doesNotMatch(text, /<script|<input|<form| style=| on[a-z]+=/)
    assert.doesNotMatch(text, /(?:href|src)="(?!\/(?!\/)|data:image\/svg)/)
  }
})

test('the policy names exactly the styles of the page', () => {
  const { csp } = gonePage('en', plainStyles)
  assert.match(
    csp,
    /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
  )
})
