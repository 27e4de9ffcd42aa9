import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { at, depositWith } from '../../test/support/deposit.ts'
import { type Picture, readCode, readPicture } from '../../test/support/picture.ts'
import { bounds } from '../bounds.ts'
import type { Deposit, Shown } from '../deposits/deposit.ts'
import { render } from '../web/html.ts'
import { type Language, languages } from '../web/messages/languages.ts'
import { bill } from './bill.ts'
import { ruler } from './font.ts'
import { createPainter } from './png.ts'
import { codeOf } from './qr.ts'

const painter = createPainter()
after(() => painter.close())

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

let versions = 0
async function paint(changes: Partial<Deposit> = {}, merchantName = 'Shop', language: Language = 'ru') {
  const view = {
    deposit: { ...deposit, ...changes },
    now: at('09:10'),
    merchantName,
    testMode: true,
    pageUrl,
  }
  return readPicture(await painter.paint(`v${versions++}`, render(bill(view, language, ruler))))
}

const isWhite = ({ data, width }: Picture, x: number, y: number) => data[(y * width + x) * 4]! > 250

test('the picture is 960 wide, and its code reads as the bytes of the deposit', async () => {
  const image = await paint()
  assert.equal(image.width, 960)
  const code = readCode(image)!
  assert.deepEqual(code.bytes, codeOf(deposit, pageUrl).payload)
  assert.ok(code.width >= 400, `${code.width} px`)
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
    const { data } = await paint({}, 'Shop', language)
    seen.add(Buffer.from(data).toString('base64'))
  }
  assert.equal(seen.size, languages.length)
})

test('one version is drawn once, however many ask; a broken drawing fails alone and is not kept', async () => {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"><rect width="4" height="4"/></svg>'
  const [first, second] = [painter.paint('same', svg), painter.paint('same', 'never read')]
  assert.equal(await first, await second)
  await assert.rejects(async () => painter.paint('broken', '<svg'))
  const { width } = readPicture(await painter.paint('broken', svg))
  assert.equal(width, 8)
})

test('few are drawn at once, few wait, and what cannot wait is refused before anything else is asked', async () => {
  const busy = createPainter()
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>'
  const most = bounds.billThreads.threads + bounds.billThreads.queue
  const asked = Array.from({ length: most }, (_, place) => busy.paint(`v${place}`, svg))
  assert.throws(() => busy.paint('one more', svg, () => assert.fail('it is not even asked')), {
    code: 'overloaded',
  })
  await Promise.all(asked)
  assert.ok((await busy.paint('one more', svg)).length > 0)
  await busy.close()
})

test('pictures are kept up to so many bytes, the one asked for last the longest', async () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>'
  const { length } = await painter.paint('measure', svg)
  const small = createPainter({ keepBytes: 3 * length })
  const drawn: string[] = []
  const paint = (version: string) => small.paint(version, svg, () => void drawn.push(version))
  for (const version of ['a', 'b', 'c', 'a', 'd']) await paint(version)
  assert.equal(small.keptBytes, 3 * length)
  await paint('a')
  await paint('b')
  assert.deepEqual(drawn, ['a', 'b', 'c', 'd', 'b'])
  await small.close()
})

test('how long it takes (printed, not asserted)', async (t) => {
  const view = { deposit, now: at('09:10'), merchantName: 'Shop', testMode: true, pageUrl }
  const drawn = performance.now()
  const svg = render(bill(view, 'ru', ruler))
  const started = performance.now()
  const runs = 6
  let bytes = 0
  for (let run = 0; run < runs; run++) bytes = (await painter.paint(`run ${run}`, svg)).length
  const ms = (performance.now() - started) / runs
  t.diagnostic(`SVG ${(started - drawn).toFixed(1)} ms, PNG ${ms.toFixed(0)} ms, ${bytes} bytes`)
})
