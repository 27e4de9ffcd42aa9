import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readCode } from '../../../test/support/picture.ts'
import type { Shown } from '../../domain/deposits/deposit.ts'
import { codeOf } from '../pay/bill/payment-code.ts'
import { render } from './html.ts'
import { drawCode, qrMarkup } from './qr.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const pageUrl = 'https://pay.example.com/pay/q1LhJ0x2mS9nV4tYc7Bz3A'

const account: Shown = {
  kind: 'account_ru',
  number: '40702810300000000042',
  name: 'ООО "Пример"',
  bank_name: 'Банк "Тест"',
  bic: '044525999',
  corr_account: '30101810600000000999',
  payment_reason: 'Пополнение KT48219034',
  seller: 'ООО "Пример"',
}
const card: Shown = { kind: 'card', number: '2200000000000004', name: 'И', bank_name: 'Б', seller: 'И' }
const link = 'https://qr.nspk.ru/AS10003P3RH0LJ2A9ROO038L6NT5RU1M'

const codes: [shown: Shown | null, received: bigint, kind: 'bank' | 'page', begins: string][] = [
  [account, 0n, 'bank', 'ST00012|Name='],
  [{ ...account, name: 'я'.repeat(161) }, 0n, 'page', pageUrl],
  [{ ...card, link }, 0n, 'bank', link],
  [card, 0n, 'page', pageUrl],
  [null, 0n, 'page', pageUrl],
]

test('the code is what a bank’s app understands, or else the page, and says which', () => {
  for (const [shown, receivedCents, kind, begins] of codes) {
    const code = codeOf({ shown, currency: 'RUB', amountCents: 150_050n, receivedCents }, pageUrl)
    assert.equal(code.kind, kind)
    assert.ok(new TextDecoder().decode(code.payload).startsWith(begins), begins)
  }
})

test('the code of a partly paid deposit asks for the rest', () => {
  const part = { shown: account, currency: 'RUB', amountCents: 150_050n, receivedCents: 100_000n } as const
  assert.match(new TextDecoder().decode(codeOf(part, pageUrl).payload), /\|Sum=50050\|/)
})

/** Strokes the runs of the path into pixels, three to a module. */
function pixelsOf({ size, path }: { size: number; path: string }) {
  const scale = 3
  const side = size * scale
  const pixels = new Uint8Array(side * side * 4).fill(255)
  const start = /^M(\d+) (\d+)\.5/.exec(path)!
  assert.match(path, /^M\d+ \d+\.5h\d+(m-?\d+ \d+h\d+)*$/)
  let x = Number(start[1])
  let y = Number(start[2])
  let dark = 0
  for (const [, dx, dy, length] of path.matchAll(/(?:m(-?\d+) (\d+))?h(\d+)/g)) {
    x += Number(dx ?? 0)
    y += Number(dy ?? 0)
    dark += Number(length)
    for (let py = y * scale; py < (y + 1) * scale; py++) {
      for (let px = x * scale; px < (x + Number(length)) * scale; px++) {
        pixels.fill(0, (py * side + px) * 4, (py * side + px) * 4 + 3)
      }
    }
    x += Number(length)
  }
  return { pixels, side, dark }
}

test('a drawn code decodes to the given bytes', () => {
  const examples = [
    bytes(pageUrl),
    codeOf({ shown: account, currency: 'RUB', amountCents: 1n, receivedCents: 0n }, pageUrl).payload,
  ]
  for (const payload of examples) {
    const { pixels, side } = pixelsOf(drawCode(payload))
    assert.deepEqual(readCode({ data: pixels, width: side, height: side })?.bytes, payload)
  }
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 300 }), (payload) => {
      const { pixels, side } = pixelsOf(drawCode(payload))
      assert.deepEqual(readCode({ data: pixels, width: side, height: side })?.bytes, payload)
    }),
    { numRuns: 15 },
  )
})

test('four modules around the code stay white', () => {
  const { size, path } = drawCode(bytes(pageUrl))
  const { pixels, side, dark } = pixelsOf({ size, path })
  assert.ok(dark > 200)
  for (let at = 0; at < side; at++) {
    for (let depth = 0; depth < 12; depth++) {
      for (const [x, y] of [
        [at, depth],
        [at, side - 1 - depth],
        [depth, at],
        [side - 1 - depth, at],
      ] as const) {
        assert.equal(pixels[(y * side + x) * 4], 255)
      }
    }
  }
})

test('vector B is a code of version 10', () => {
  const { payload } = codeOf(
    {
      shown: { ...account, tax_id: '7700000009' },
      currency: 'RUB',
      amountCents: 150_050n,
      receivedCents: 0n,
    },
    pageUrl,
  )
  assert.equal(payload.length, 213)
  assert.equal(drawCode(payload).size, 57 + 8)
})

test('the markup is one picture with a name, on a white ground', () => {
  const text = render(qrMarkup(bytes(pageUrl), 'Code of "A" & <B>'))
  assert.match(
    text,
    /^<svg viewBox="0 0 \d+ \d+"[^>]* role="img" aria-label="Code of &quot;A&quot; &amp; &lt;B&gt;"/,
  )
  assert.match(text, /<path fill="#fff" d="M0 0h\d+v\d+H0z"\/><path stroke="#000" d="M4 4\.5h7m/)
  assert.ok(text.length < 12_000)
})
