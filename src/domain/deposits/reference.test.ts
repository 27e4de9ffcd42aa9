import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  findReferences,
  foldText,
  hasDamagedReference,
  isReference,
  readReference,
  referenceFor,
  referenceSpace,
} from './reference.ts'

const purposes: [purpose: string, found: string[]][] = [
  ['KT48219034', ['KT48219034']],
  ['кт 4821 9034', ['KT48219034']],
  ['KT48219043', []], // check digit
  ['KT482190345', []], // one digit too many
  ['Пополнение KT48219034', ['KT48219034']],
  ['Счёт A|B KT48219034', ['KT48219034']],
  ['Кт48219034, без НДС', ['KT48219034']],
  ['КT48219034', ['KT48219034']], // Cyrillic К, Latin T
  ['KТ 4821-9034', ['KT48219034']], // Latin K, Cyrillic Т
  ['KT № 4821.9034.', ['KT48219034']],
  ['KT-4821–9034', ['KT48219034']],
  ['KT\u00a04821\u202f9034', ['KT48219034']],
  ['(KT48219034)', ['KT48219034']],
  ['KT482 19034', ['KT48219034']], // a bank broke the line inside the reference
  ['K T48219034', ['KT48219034']],
  ['KT48219034 15.03.2026', ['KT48219034']],
  ['KT48219034 KT48219034', ['KT48219034']],
  ['KT48219034 или KT48219043', ['KT48219034']],
  ['KT48219043 KT48219034', ['KT48219034']],
  ['Акт 4821 9034', []], // a letter touches
  ['пакт48219034', []],
  ['1KT48219034', []],
  ['KT48219034А', []],
  ['KT48219034ая', []],
  ['KT4821903', []],
  ['KT08219038', []], // never starts with 0
  ['48219034', []], // bare digits are for matching.ts, with the exact amount
  ['Иванов К.Т. 48219034', []], // initials
  ['KT/48219034', []],
  ['KT 4821 и 9034', []],
  ['KT４８２１９０３４', []],
  ['', []],
]

test('a reference is found as people and banks write it, never with a wrong digit', () => {
  for (const [purpose, found] of purposes) assert.deepEqual(findReferences(foldText(purpose)), found, purpose)
})

test('two references are found in order', () => {
  const [first, second] = [referenceFor(2), referenceFor(1)]
  assert.deepEqual(findReferences(foldText(`${first}, ${second}; ${first}`)), [first, second])
})

test('a reference is recognised only as we write it', () => {
  const cases: [text: string, is: boolean][] = [
    ['KT48219034', true],
    ['KT48219043', false],
    ['KT482190345', false],
    ['KT 48219034', false],
    ['kt48219034', false],
    ['КТ48219034', false],
    ['KT08219038', false],
    ['', false],
  ]
  for (const [text, is] of cases) assert.equal(isReference(text), is, text)
})

test('a typed reference is read only if the text holds nothing else', () => {
  for (const text of ['KT48219034', 'kt48219034', 'КТ 4821 9034', ' кт4821-9034 ', 'KT № 48219034'])
    assert.equal(readReference(text), 'KT48219034', text)
  for (const text of [
    '',
    'KT48219043',
    '48219034',
    'Пополнение KT48219034',
    'shop-KT48219034',
    'KT48219034-2',
  ])
    assert.equal(readReference(text), null, text)
})

test('the first draws are what they always were: a change here would repeat live references', () => {
  const draws: [n: number, reference: string][] = [
    [0, 'KT48219034'],
    [1, 'KT13842208'],
    [2, 'KT69465375'],
    [3, 'KT35088541'],
    [8_999_999, 'KT82595869'],
    [9_000_000, 'KT48219034'],
  ]
  for (const [n, reference] of draws) assert.equal(referenceFor(n), reference)
})

const draw = fc.nat({ max: Number.MAX_SAFE_INTEGER })

test('every reference is drawn exactly once before any repeats', () => {
  // Draws walk the space in equal strides. A stride that shares no factor with the space visits all of it.
  const at = (n: number) => BigInt(referenceFor(n).slice(2, 9)) - 1_000_000n
  const space = BigInt(referenceSpace)
  const stride = (at(1) - at(0) + space) % space
  assert.ok([2n, 3n, 5n].every((factor) => stride % factor !== 0n)) // 9,000,000 = 2⁶·3²·5⁶
  fc.assert(fc.property(draw, (n) => assert.equal(at(n), (at(0) + BigInt(n) * stride) % space)))
})

test('every draw is a reference', () => {
  fc.assert(fc.property(draw, (n) => assert.ok(isReference(referenceFor(n)))))
})

test('neighbours differ in all seven digits', () => {
  fc.assert(
    fc.property(fc.nat({ max: referenceSpace }), (n) => {
      const [one, next] = [referenceFor(n), referenceFor(n + 1)]
      for (let place = 2; place < 9; place++) assert.notEqual(one[place], next[place])
    }),
  )
})

test('a draw is a non-negative integer', () => {
  for (const n of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
    assert.throws(() => referenceFor(n), RangeError)
  }
})

test('any allowed spelling is found, any one wrong digit is not', () => {
  const letter = { K: fc.constantFrom('K', 'k', 'К', 'к'), T: fc.constantFrom('T', 't', 'Т', 'т') }
  const gap = fc.stringMatching(/^[ .\-№\u00a0\u202f]{0,3}$/)
  const gaps = fc.array(gap, { minLength: 8, maxLength: 8 })
  const before = fc.constantFrom('', ' ', 'за заказ ', '№', '(')
  const after = fc.constantFrom('', ' ', '.', ', спасибо', ')')
  const slip = fc.record({ place: fc.nat({ max: 7 }), shift: fc.nat({ max: 9 }) })
  fc.assert(
    fc.property(
      draw,
      letter.K,
      letter.T,
      gaps,
      before,
      after,
      slip,
      (n, k, t, between, left, right, { place, shift }) => {
        const reference = referenceFor(n)
        const digits = [...reference.slice(2)]
        digits[place] = String((Number(digits[place]) + shift) % 10)
        const written = k + t + digits.map((digit, at) => between[at] + digit).join('')
        assert.deepEqual(findReferences(foldText(left + written + right)), shift === 0 ? [reference] : [])
      },
    ),
  )
})

test('a hostile purpose is searched in time that grows with its length only', () => {
  for (const unit of ['K', 'KT', 'KT 1 ', 'KT.....1...2...3...', '№ ', 'к_|N', 'KTъ|1NO', '１\u0301 ']) {
    const before = process.threadCpuUsage()
    findReferences(foldText(unit.repeat(20_000)))
    hasDamagedReference(foldText(unit.repeat(20_000)))
    assert.ok(process.threadCpuUsage(before).user < 2_000_000, unit)
  }
})
