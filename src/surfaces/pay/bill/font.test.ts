import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { test } from 'node:test'
import { currencies } from '../../../domain/money.ts'
import { clockTime, priceText } from '../../web/format.ts'
import { languages, messages } from '../../web/messages/languages.ts'
import { fontFiles, ruler } from './font.ts'
import { letterWidths } from './true-type.ts'

const faces = fontFiles.map((path) => letterWidths(readFileSync(path)))

/** Every text of a catalogue; those with arguments are called with digits. */
function textsOf(words: unknown): string[] {
  if (typeof words === 'string') return [words]
  if (typeof words === 'function') return [String(words('1', '2'))]
  return Object.values(words as object).flatMap(textsOf)
}

test('the font has every character of all five languages, with their months, amounts and numbers', () => {
  for (const language of languages) {
    const written = [
      ...textsOf(messages[language]),
      ...Array.from({ length: 12 }, (_, month) =>
        currencies.map((currency) => clockTime(new Date(Date.UTC(2026, month, 15)), currency, language)),
      ).flat(),
      ...currencies.map((currency) => priceText(123_456_789_012n, currency, language)),
      '•••• 0123456789 +- «»“”„’ʻʼ … № ₽ ₸ ЁёЎўҚқҒғҲҳӢӣӮӯҶҷӘәҢңӨөҰұҮүҺһІі ABCDEFGHIJKLMNOPQRSTUVWXYZ',
    ].join('')
    const missing = [...new Set(written)].filter((letter) =>
      faces.some((face) => face.widthOf(letter.codePointAt(0)!) === undefined),
    )
    assert.deepEqual(missing, [], language)
  }
})

test('widths are those of the font: digits are tabular, a missing letter has none', () => {
  for (const face of faces) {
    for (const digit of '0123456789') assert.equal(face.widthOf(digit.charCodeAt(0)), 0.572)
    assert.ok(face.widthOf('Щ'.charCodeAt(0))! > face.widthOf('і'.charCodeAt(0))!)
    assert.equal(face.widthOf('漢'.codePointAt(0)!), undefined)
    assert.equal(face.widthOf('😀'.codePointAt(0)!), undefined)
  }
  assert.equal(ruler.width('00', 10), 11.44)
})

test('the font files are small', () => {
  for (const path of fontFiles) assert.ok(statSync(path).size < 150_000, path)
})

test('lines are broken at spaces, words only where they fit no line', () => {
  const lines = ruler.lines('Общество с ограниченной ответственностью «Пример»', 18, 200)
  assert.ok(lines.length > 2)
  assert.equal(lines.join(' '), 'Общество с ограниченной ответственностью «Пример»')
  for (const text of ['x'.repeat(300), '漢'.repeat(100), '👩‍👩‍👧‍👦 '.repeat(30), 'a b'.repeat(60), '']) {
    const broken = ruler.lines(text, 18, 200)
    assert.equal(broken.join('').replaceAll(' ', ''), text.replaceAll(' ', ''))
    // A letter of several parts may be wider than a line by itself: it still stands whole.
    for (const line of broken) assert.ok(ruler.width(line, 18) <= 200 || [...line].length <= 11, line)
  }
})

test('a text that fits is left alone, another ends with an ellipsis', () => {
  assert.equal(ruler.cut('Магазин', 15, 400), 'Магазин')
  const cut = ruler.cut('Магазин '.repeat(20), 15, 200)
  assert.match(cut, /^Магазин.*…$/)
  assert.ok(ruler.width(cut, 15) <= 200)
})
