import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { readPicture, writePicture } from '../../../test/support/picture.ts'
import { bounds } from '../../platform/bounds.ts'
import { Refusal } from '../../platform/refusals.ts'
import { fitted, logoBox, readAccent } from './brand.ts'
import { logoFrom } from './logo.ts'

const filled = (width: number, height: number, ...colour: number[]) => ({
  width,
  height,
  data: new Uint8Array(width * height * 4).map((_, at) => colour[at % 4]!),
})

const owner = { name: 'person', isKnown: true }
const logoOf = (...of: Parameters<typeof filled>) => logoFrom(writePicture(filled(...of)), owner)

test('a colour is read as people write it, and other texts are refused', () => {
  assert.equal(readAccent(' #0A5C55 '), '#0a5c55')
  assert.equal(readAccent('0a5c55'), '#0a5c55')
  for (const text of ['', '#fff', 'red', '#0a5c5', '#0a5c55;', '#0a5c55}body{', 'rgb(1,2,3)', '＃0a5c55'])
    assert.equal(readAccent(text), null, text)
})

test('a logo is stored no larger than the sharpest screen shows it, in its own proportions', async () => {
  const wide = await logoOf(500, 100, 200, 30, 30, 255)
  assert.deepEqual([wide.width, wide.height], [480, 96])
  assert.deepEqual(fitted(wide, logoBox), { width: 160, height: 32 })
  const small = await logoOf(20, 30, 200, 30, 30, 255)
  assert.deepEqual([small.width, small.height], [20, 30])
  const thin = await logoOf(512, 1, 200, 30, 30, 255)
  assert.deepEqual([thin.width, thin.height], [480, 1])
})

test('scaling keeps colours, also beside transparent pixels', async () => {
  const picture = filled(480, 480, 200, 30, 30, 255)
  // Every second pixel is transparent black.
  for (let at = 0; at < picture.data.length; at += 8) picture.data.fill(0, at, at + 4)
  const { png } = await logoFrom(writePicture(picture), owner)
  const { width, data } = readPicture(png)
  assert.equal(width, 120)
  const middle = (60 * width + 60) * 4
  for (const [place, value] of [200, 30, 30, 128].entries())
    assert.ok(Math.abs(data[middle + place]! - value) <= 3, `${data.subarray(middle, middle + 4)}`)
})

test('a logo whose file would be too large is stored smaller', async () => {
  const noise = filled(200, 100, 0, 0, 0, 255)
  let seed = 1
  for (let at = 0; at < noise.data.length; at++) {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    if (at % 4 !== 3) noise.data[at] = (seed >> 16) & 0xf0
  }
  const logo = await logoFrom(writePicture(noise), owner)
  assert.equal(logo.width, 80)
  assert.ok(logo.png.length < bounds.logoStoredBytes)
})

test('a logo is marked with the background on which it can be seen', async () => {
  const onClear = async (...colour: number[]) => {
    const picture = filled(40, 40, ...colour)
    picture.data.fill(0, 0, picture.data.length / 2)
    return (await logoFrom(writePicture(picture), owner)).tone
  }
  assert.equal(await onClear(0, 0, 0, 255), 'dark')
  assert.equal(await onClear(255, 255, 255, 255), 'light')
  assert.equal(await onClear(255, 255, 255, 140), 'light')
  assert.equal(await onClear(220, 40, 40, 255), 'any')
  assert.equal((await logoOf(40, 40, 0, 0, 0, 255)).tone, 'any')
})

const honest = writePicture(filled(5, 5, 1, 1, 1, 255))

test('nothing of a file but its pixels is stored', async () => {
  const text = Buffer.from('----tEXtComment\0<script>alert(1)</script>----', 'latin1')
  text.writeUInt32BE(text.length - 12, 0)
  text.writeUInt32BE(crc32(text.subarray(4, -4)), text.length - 4)
  const carrying = Buffer.concat([honest.subarray(0, 33), text, honest.subarray(33), Buffer.from('<script>')])
  const { png } = await logoFrom(carrying, owner)
  assert.deepEqual([...readPicture(png).data], [...readPicture(honest).data])
  assert.deepEqual(png.toString('latin1').match(/IHDR|IDAT|IEND|tEXt|script/g), ['IHDR', 'IDAT', 'IEND'])
})

const flipped = Buffer.from(honest)
flipped[45]! ^= 1
const sideless = Buffer.from(honest)
sideless.writeUInt32BE(0, 16)

const refused: [name: string, file: Buffer, sentence: RegExp][] = [
  ['a large file', Buffer.alloc(bounds.logoBytes + 1), /at most 64 KB/],
  ['another format', Buffer.from('GIF89a'), /Save the logo as PNG, at most 512 × 512/],
  ['a picture without a size', sideless, /Save the logo as PNG/],
  ['a header alone', honest.subarray(0, 30), /Save the logo as PNG/],
  ['a large picture', writePicture(filled(513, 1, 1, 1, 1, 255)), /at most 512 × 512/],
  ['a file that was cut off', honest.subarray(0, -20), /file is damaged.*Export the logo again/],
  ['a damaged file', flipped, /file is damaged/],
  ['a picture of nothing', writePicture(filled(5, 5, 1, 1, 1, 0)), /every pixel is transparent/],
]
for (const [name, file, sentence] of refused)
  test(`${name} is refused with a sentence that says what to do`, async () => {
    await assert.rejects(
      logoFrom(file, owner),
      (error) => error instanceof Refusal && error.code === 'invalid_value' && sentence.test(error.message),
    )
  })
