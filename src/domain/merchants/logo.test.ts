import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bounds } from '../../platform/bounds.ts'
import { decodePng, encodePng } from '../../platform/png.ts'
import { Refusal } from '../../platform/refusals.ts'
import { fitted, logoBox, readAccent } from './brand.ts'
import { drawnLogo, logoFrom } from './logo.ts'

const filled = (width: number, height: number, ...colour: number[]) => ({
  width,
  height,
  rgba: new Uint8Array(width * height * 4).map((_, at) => colour[at % 4]!),
})

test('a colour is read as people write it, and other texts are refused', () => {
  assert.equal(readAccent(' #0A5C55 '), '#0a5c55')
  assert.equal(readAccent('0a5c55'), '#0a5c55')
  for (const text of ['', '#fff', 'red', '#0a5c5', '#0a5c55;', '#0a5c55}body{', 'rgb(1,2,3)', '＃0a5c55'])
    assert.equal(readAccent(text), null, text)
})

test('a logo is stored no larger than the sharpest screen shows it, in its own proportions', () => {
  const wide = logoFrom(encodePng(filled(500, 100, 200, 30, 30, 255)))
  assert.deepEqual([wide.width, wide.height], [480, 96])
  assert.deepEqual(fitted(wide, logoBox), { width: 160, height: 32 })
  const small = logoFrom(encodePng(filled(20, 30, 200, 30, 30, 255)))
  assert.deepEqual([small.width, small.height], [20, 30])
  const thin = logoFrom(encodePng(filled(512, 1, 200, 30, 30, 255)))
  assert.deepEqual([thin.width, thin.height], [480, 1])
})

test('scaling keeps colours, also beside transparent pixels', () => {
  const picture = filled(480, 480, 200, 30, 30, 255)
  // Every second pixel is transparent black.
  for (let at = 0; at < picture.rgba.length; at += 8) picture.rgba.fill(0, at, at + 4)
  const { png, width } = drawnLogo(picture)
  const read = decodePng(png, 512)
  assert.ok(typeof read === 'object')
  assert.equal(width, 120)
  assert.deepEqual([...read.rgba.subarray(0, 4)], [200, 30, 30, 128])
})

test('a logo whose file would be too large is stored smaller', () => {
  const noise = filled(512, 128, 0, 0, 0, 255)
  let seed = 1
  for (let at = 0; at < noise.rgba.length; at++) {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    if (at % 4 !== 3) noise.rgba[at] = seed >> 16
  }
  const logo = drawnLogo(noise)
  assert.equal(logo.width, 160)
  assert.ok(logo.png.length < 65_536)
})

test('a logo is marked with the background on which it can be seen', () => {
  const onClear = (...colour: number[]) => {
    const picture = filled(40, 40, ...colour)
    picture.rgba.fill(0, 0, picture.rgba.length / 2)
    return drawnLogo(picture).tone
  }
  assert.equal(onClear(0, 0, 0, 255), 'dark')
  assert.equal(onClear(255, 255, 255, 255), 'light')
  assert.equal(onClear(220, 40, 40, 255), 'any')
  assert.equal(drawnLogo(filled(40, 40, 0, 0, 0, 255)).tone, 'any')
})

const refused: [name: string, file: Buffer, sentence: RegExp][] = [
  ['a large file', Buffer.alloc(bounds.logoBytes + 1), /at most 64 KB/],
  ['another format', Buffer.from('GIF89a'), /Save the logo as PNG, at most 512 × 512/],
  ['a large picture', encodePng(filled(513, 1, 1, 1, 1, 255)), /at most 512 × 512/],
  ['a damaged file', encodePng(filled(5, 5, 1, 1, 1, 255)).subarray(0, -1), /Export the logo again/],
  ['a picture of nothing', encodePng(filled(5, 5, 1, 1, 1, 0)), /every pixel is transparent/],
]
for (const [name, file, sentence] of refused)
  test(`${name} is refused with a sentence that says what to do`, () => {
    assert.throws(
      () => logoFrom(file),
      (error) => error instanceof Refusal && error.code === 'invalid_value' && sentence.test(error.message),
    )
  })
