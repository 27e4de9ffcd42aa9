import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cachedDataVersionTag, setFlagsFromString } from 'node:v8'
import { at, depositWith } from '../../../../test/support/deposit.ts'
import { type Picture, readCode, readPicture } from '../../../../test/support/picture.ts'
import type { Deposit, Shown } from '../../../domain/deposits/deposit.ts'
import { bounds } from '../../../platform/bounds.ts'
import { drawPicture } from '../../../platform/pictures.ts'
import { type Language, languages } from '../../web/messages/languages.ts'
import { createPainter, versionOf } from './painter.ts'
import { codeOf } from './payment-code.ts'

const painter = createPainter()

const pageUrl = 'https://pay.example.com/pay/q1LhJ0x2mS9nV4tYc7Bz3A'
const shown: Shown = {
  kind: 'account_ru',
  number: '40702810300000000042',
  name: 'ООО "Пример"',
  bank_name: 'Банк "Тест"',
  bic: '044525999',
  corr_account: '30101810600000000999',
  tax_id: '7700000009',
  payment_reason: 'Пополнение KT48219034',
  seller: 'ООО "Пример"',
}
const deposit = depositWith({ shown })

const viewOf = (changes: Partial<Deposit> = {}, merchantName = 'Shop') => ({
  deposit: { ...deposit, ...changes },
  now: at('09:10'),
  merchantName,
  testMode: true,
  pageUrl,
})
const drawingOf = (...of: Parameters<typeof viewOf>) =>
  ({ view: viewOf(...of), language: 'ru', format: 'png' }) as const
/** A small one, each time another. */
let others = 0
const another = () => ({ ...drawingOf({ orderId: `other-${others++}` }), format: 'svg' }) as const

async function paint(changes: Partial<Deposit> = {}, merchantName = 'Shop', language: Language = 'ru') {
  return readPicture(await painter.paint({ ...drawingOf(changes, merchantName), language }))
}

const isWhite = ({ data, width }: Picture, x: number, y: number) => data[(y * width + x) * 4]! > 250

test('the picture is 960 wide, and its code reads as the bytes of the deposit', async () => {
  const image = await paint()
  assert.equal(image.width, 960)
  const code = readCode(image)!
  assert.deepEqual(code.bytes, codeOf(deposit, pageUrl).payload)
  assert.ok(code.width >= 400, `${code.width} px`)
})

test('a cached picture keeps no other memory alive', async () => {
  for (const picture of [await painter.paint(drawingOf()), await painter.paint(another())])
    assert.equal(picture.buffer.byteLength, picture.length)
})

test('compiled code is still used after a picture was drawn: the flags of the process are the same', async () => {
  // Another test of this process may have asked for it.
  setFlagsFromString('--no-expose-gc')
  const before = cachedDataVersionTag()
  const fresh = createPainter()
  await fresh.paint(drawingOf({ orderId: 'flags' }))
  assert.equal(cachedDataVersionTag(), before)
})

test('the longest code that a bill can have still reads', async () => {
  const changes = {
    shown: { ...shown, name: 'Щ'.repeat(160), bank_name: 'Ж'.repeat(45) },
    amountCents: 999_999_999_999_999n,
  }
  const image = await paint(changes)
  const code = readCode(image)!
  assert.deepEqual(code.bytes, codeOf({ ...deposit, ...changes }, pageUrl).payload)
})

test('no text leaves the frame, whatever it is and in every language', async () => {
  const names = [
    'Щ'.repeat(160),
    'W'.repeat(160),
    '_'.repeat(160),
    '漢'.repeat(160),
    '😀'.repeat(160),
    'ǆ'.repeat(160),
    'Общество с ограниченной ответственностью '.repeat(4),
  ]
  for (const [index, name] of names.entries()) {
    const language = languages[index % languages.length]!
    const image = await paint(
      {
        shown: { ...shown, name, bank_name: name, payment_reason: name },
        orderId: name.slice(0, 128),
        amountCents: 999_999_999_999_999n,
      },
      name,
      language,
    )
    // Between the text (32 to 448) and the frame (8.5 and 471.5) nothing stands; the corners are round.
    for (let y = 60; y < image.height - 60; y++) {
      for (const [from, to] of [
        [24, 60],
        [904, 936],
      ] as const) {
        for (let x = from; x < to; x++) {
          if (!isWhite(image, x, y)) assert.fail(`${name.slice(0, 10)} ${language} at ${x}, ${y}`)
        }
      }
    }
  }
})

test('all five languages are drawn, each in its own letters', async () => {
  const seen = new Set<string>()
  for (const language of languages) {
    seen.add(Buffer.from(await painter.paint({ ...drawingOf(), language })).toString('base64'))
  }
  assert.equal(seen.size, languages.length)
})

test('one version is drawn once, however many ask; what cannot be drawn fails alone and is not kept', async () => {
  const [first, second] = [painter.paint(drawingOf()), painter.paint(drawingOf())]
  assert.equal(await first, await second)
  const broken = { ...drawingOf(), language: 'xx' as Language }
  for (const _ of [1, 2]) await assert.rejects(painter.paint(broken), TypeError)
  assert.equal((await paint()).width, 960)
})

test('a version depends on amount, language, screen and shop, but not on the minute', () => {
  const drawing = drawingOf()
  const { view } = drawing
  const others = [
    { ...drawing, view: { ...view, deposit: { ...deposit, amountCents: 1n } } },
    { ...drawing, language: 'en' },
    { ...drawing, format: 'svg' },
    { ...drawing, view: { ...view, now: at('23:59') } },
    { ...drawing, view: { ...view, merchantName: 'Other' } },
    { ...drawing, view: { ...view, testMode: false } },
    { ...drawing, view: { ...view, pageUrl: 'https://other.example' } },
  ] as const
  assert.equal(new Set([drawing, ...others].map(versionOf)).size, others.length + 1)
  assert.equal(versionOf({ ...drawing, view: { ...view, now: at('09:11') } }), versionOf(drawing))
})

test('one is drawn at once, few wait, and what cannot wait is refused before anything else is asked', async () => {
  const numbered = (number: number) => drawingOf({ orderId: `busy ${number}` })
  const small = { svg: '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>' }
  const asked = Array.from({ length: 1 + bounds.picturesWaiting }, (_, place) =>
    drawPicture(small, { name: `${place}`, isKnown: false }),
  )
  await assert.rejects(
    painter.paint(numbered(-1), { site: '', mayDraw: () => assert.fail('it is not even asked') }),
    { code: 'overloaded' },
  )
  await Promise.all(asked)
  assert.ok((await painter.paint(numbered(-2))).length > 0)
})

test('bills are kept up to so many bytes, the one asked for last the longest', async () => {
  const drawings = Array.from({ length: 4 }, another)
  const { length } = await painter.paint(drawings[0]!)
  const small = createPainter({ keepBytes: Math.floor(3.5 * length) })
  const drawn: number[] = []
  for (const place of [0, 1, 2, 0, 3, 0, 1])
    await small.paint(drawings[place]!, { site: '', mayDraw: () => void drawn.push(place) })
  assert.ok(small.keptBytes <= 3.5 * length)
  assert.deepEqual(drawn, [0, 1, 2, 3, 1])
})
