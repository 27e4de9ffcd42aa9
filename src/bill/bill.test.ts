import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Deposit, DepositState } from '../deposits/deposit.ts'
import type { Reference } from '../deposits/reference.ts'
import { render } from '../web/html.ts'
import { bill, type Situation, situationOf } from './bill.ts'

const at = (text: string) => new Date(`2026-11-15T${text}:00Z`)

const deposit: Deposit = {
  id: '019a8d20-7c11-7b52-9f0e-2d6a41c5e803',
  merchantId: '3f0c9a52-7d1e-4b86-9c2a-5e8f1d20b647',
  orderId: 'A-1001',
  flow: 'create',
  state: 'created',
  amountCents: 150_050n,
  currency: 'RUB',
  paymentType: 'account_number',
  customer: 'user-42',
  customerPhoneNumber: null,
  callbackUrl: null,
  successUrl: null,
  rejectUrl: null,
  shown: {
    kind: 'account_ru',
    number: '40702810300000000042',
    name: 'ООО "Пример"',
    bank_name: 'Банк "Тест"',
    bic: '044525999',
    payment_reason: 'Пополнение KT48219034',
    seller: 'ООО "Пример"',
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

const draw = (changes: Partial<Deposit> = {}, merchantName = 'Shop', now = at('09:10')) =>
  render(bill({ deposit: { ...deposit, ...changes }, now, merchantName, testMode: false }, 'ru'))

/** Well-formed enough for XML: balanced tags, quoted attributes, no loose "<" and no unknown reference. */
function assertXml(text: string): void {
  const open: string[] = []
  const rest = text.replace(
    /<(\/?)([a-z]+)((?: [a-zA-Z:-]+="[^"<]*")*)(\/?)>/g,
    (_tag, end, name, _attributes, empty) => {
      if (end) assert.equal(open.pop(), name)
      else if (!empty) open.push(name)
      return ''
    },
  )
  assert.deepEqual(open, [])
  assert.doesNotMatch(rest, /[<>]/)
  assert.doesNotMatch(text, /&(?!(?:lt|gt|quot|amp|#39);)/)
  assert.doesNotMatch(text, /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/)
  assert.ok(text.isWellFormed())
}

test('the bill says what to transfer, to whom and until when', () => {
  const text = draw()
  assertXml(text)
  for (const part of [
    '1\u00a0500.50\u00a0RUB',
    '4070 2810 3000 0000 0042',
    'ООО &quot;Пример&quot;',
    '044525999',
    'Пополнение KT48219034',
    '12:30 (Москва, GMT+3)',
    'A-1001',
    'Shop',
  ]) {
    assert.ok(text.includes(part), part)
  }
  assert.doesNotMatch(text, /style|script|href/)
})

const situations: [state: DepositState, now: Date, situation: Situation][] = [
  ['builded', at('09:29'), 'choose'],
  ['builded', at('09:30'), 'late'],
  ['created', at('09:29'), 'pay'],
  ['created', at('09:30'), 'late'], // the deadline itself, before the sweep has seen it
  ['created', at('19:30'), 'closed'],
  ['expired', at('09:31'), 'late'],
  ['expired', at('19:30'), 'closed'],
  ['confirmed', at('09:29'), 'confirmed'],
  ['rejected', at('09:29'), 'rejected'],
  ['canceled', at('09:29'), 'canceled'],
  ['reversed', at('09:29'), 'reversed'],
]

test('a whole number is drawn only while somebody may pay by it', () => {
  for (const [state, now, situation] of situations) {
    assert.equal(situationOf({ ...deposit, state }, now), situation)
    const text = draw({ state }, 'Shop', now)
    assertXml(text)
    assert.equal(text.includes('4070 2810'), situation === 'pay', situation)
    assert.equal(text.includes('rotate('), !['pay', 'choose'].includes(situation), situation)
  }
})

test('hostile names and order ids stay text', () => {
  const attacks = [
    '</text><script>alert(1)</script>',
    '"/><image href="https://evil.example/x"/>',
    ']]><!ENTITY x SYSTEM "file:///etc/passwd">&x;',
    '&#60;script&#62;',
    '\u202e\0\ud800\uffff',
    '漢'.repeat(200),
    'x'.repeat(500),
    '👩‍👩‍👧‍👦'.repeat(60),
  ]
  for (const attack of attacks) {
    const text = draw(
      {
        orderId: attack,
        shown: { ...deposit.shown!, name: attack, bank_name: attack, payment_reason: attack },
      },
      attack,
    )
    assertXml(text)
    assert.doesNotMatch(text, /<script|<image|<!/)
  }
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (hostile) => {
      assertXml(draw({ orderId: hostile, shown: { ...deposit.shown!, name: hostile } }, hostile))
    }),
  )
})
