import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32, deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { readPicture } from '../../test/support/picture.ts'
import { decodePng, encodePng, type Picture } from './png.ts'

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const whole = Buffer.alloc(body.length + 8)
  whole.writeUInt32BE(data.length, 0)
  whole.set(body, 4)
  whole.writeUInt32BE(crc32(body), body.length + 4)
  return whole
}

type Parts = { width?: number; height?: number; depth?: number; colour?: number; interlaced?: number }
function header({ width = 2, height = 1, depth = 8, colour = 6, interlaced = 0 }: Parts): Buffer {
  const data = Buffer.alloc(13)
  data.writeUInt32BE(width, 0)
  data.writeUInt32BE(height, 4)
  data.set([depth, colour, 0, 0, interlaced], 8)
  return chunk('IHDR', data)
}
const end = chunk('IEND', Buffer.alloc(0))
const file = (parts: Parts, lines: number[], before: Buffer[] = [], after: Buffer[] = []): Buffer =>
  Buffer.concat([
    signature,
    header(parts),
    ...before,
    chunk('IDAT', deflateSync(Buffer.from(lines))),
    ...after,
    end,
  ])

const honest = file({}, [0, 1, 2, 3, 255, 5, 6, 7, 128])

test('pixels come back as they were, whatever the picture', () => {
  const pictures = fc
    .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }), fc.boolean())
    .chain(([width, height, isOpaque]) =>
      fc.uint8Array({ minLength: width * height * 4, maxLength: width * height * 4 }).map((rgba): Picture => {
        if (isOpaque) for (let at = 3; at < rgba.length; at += 4) rgba[at] = 255
        return { width, height, rgba }
      }),
    )
  fc.assert(
    fc.property(pictures, (picture) => {
      const written = encodePng(picture)
      assert.deepEqual(decodePng(written, 16), picture)
      // Another program reads the same.
      const { width, height, data } = readPicture(written)
      assert.deepEqual({ width, height, rgba: Uint8Array.from(data) }, picture)
    }),
  )
})

const palette = chunk('PLTE', Buffer.from([10, 20, 30, 40, 50, 60]))
const clear = (...bytes: number[]) => chunk('tRNS', Buffer.from(bytes))
const readings: [name: string, png: Buffer, rgba: number[]][] = [
  ['colour and opacity', honest, [1, 2, 3, 255, 5, 6, 7, 128]],
  ['colour', file({ colour: 2 }, [0, 1, 2, 3, 4, 5, 6]), [1, 2, 3, 255, 4, 5, 6, 255]],
  [
    'colour, one of them clear',
    file({ colour: 2 }, [0, 1, 2, 3, 4, 5, 6], [clear(0, 1, 0, 2, 0, 3)]),
    [1, 2, 3, 0, 4, 5, 6, 255],
  ],
  [
    'colour of 16 bits',
    file({ colour: 2, depth: 16, width: 1 }, [0, 255, 255, 128, 0, 0, 0]),
    [255, 128, 0, 255],
  ],
  ['grey', file({ colour: 0 }, [0, 7, 9]), [7, 7, 7, 255, 9, 9, 9, 255]],
  ['grey and opacity', file({ colour: 4 }, [0, 7, 0, 9, 200]), [7, 7, 7, 0, 9, 9, 9, 200]],
  ['grey of one bit', file({ colour: 0, depth: 1 }, [0, 0b01000000]), [0, 0, 0, 255, 255, 255, 255, 255]],
  ['a palette', file({ colour: 3 }, [0, 1, 0], [palette]), [40, 50, 60, 255, 10, 20, 30, 255]],
  [
    'a palette of four bits with a clear colour',
    file({ colour: 3, depth: 4 }, [0, 0x10], [palette, clear(3)]),
    [40, 50, 60, 255, 10, 20, 30, 3],
  ],
  [
    'pixels in two chunks',
    Buffer.concat([
      signature,
      header({}),
      ...halves(deflateSync(Buffer.from([0, 1, 2, 3, 4, 5, 6, 7, 8]))),
      end,
    ]),
    [1, 2, 3, 4, 5, 6, 7, 8],
  ],
]
function halves(bytes: Buffer): Buffer[] {
  return [chunk('IDAT', bytes.subarray(0, 5)), chunk('IDAT', bytes.subarray(5))]
}
for (const [name, png, rgba] of readings)
  test(`${name} is read`, () => {
    const picture = decodePng(png, 16)
    assert.ok(typeof picture === 'object', String(picture))
    assert.deepEqual([...picture.rgba], rgba)
  })

/** The last byte of a chunk's checksum is wrong. */
const forged = Buffer.from(honest)
forged[signature.length + 24]! ^= 1

const bomb = Buffer.concat([
  signature,
  header({ width: 16, height: 16 }),
  chunk('IDAT', deflateSync(Buffer.alloc(50_000_000))),
  end,
])

const refused: [name: string, png: Buffer, problem: string][] = [
  ['nothing', Buffer.alloc(0), 'not_png'],
  ['another format', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'not_png'],
  ['a JPEG', Buffer.from([0xff, 0xd8, 0xff, 0xe0]), 'not_png'],
  ['the signature alone', signature, 'damaged'],
  ['no end', honest.subarray(0, -12), 'damaged'],
  ['a wrong checksum', forged, 'damaged'],
  [
    'a chunk longer than the file',
    Buffer.concat([signature, Buffer.from([0x7f, 0xff, 0xff, 0xff]), Buffer.from('IHDRxxxxxxxx')]),
    'damaged',
  ],
  [
    'a chunk whose length wraps',
    Buffer.concat([signature, Buffer.from([0xff, 0xff, 0xff, 0xff]), Buffer.from('IHDRxxxxxxxx')]),
    'damaged',
  ],
  ['no header', Buffer.concat([signature, chunk('IDAT', deflateSync(Buffer.alloc(9))), end]), 'damaged'],
  ['two headers', file({}, [0, 1, 2, 3, 4, 5, 6, 7, 8], [header({})]), 'damaged'],
  ['no pixels', Buffer.concat([signature, header({}), end]), 'damaged'],
  ['too few pixels', file({}, [0, 1, 2, 3]), 'damaged'],
  ['too many pixels', file({}, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), 'damaged'],
  ['50 MB in 50 KB', bomb, 'damaged'],
  ['no width', file({ width: 0 }, [0]), 'damaged'],
  ['an unknown filter', file({}, [5, 1, 2, 3, 4, 5, 6, 7, 8]), 'damaged'],
  ['an unknown colour type', file({ colour: 5 }, [0, 1, 2]), 'damaged'],
  ['a depth that its colours cannot have', file({ colour: 2, depth: 4 }, [0, 1, 2, 3]), 'damaged'],
  ['no palette', file({ colour: 3 }, [0, 0, 0]), 'damaged'],
  ['a colour outside the palette', file({ colour: 3 }, [0, 0, 2], [palette]), 'damaged'],
  [
    'an unknown chunk that is needed',
    file({}, [0, 1, 2, 3, 4, 5, 6, 7, 8], [chunk('CgBI', Buffer.alloc(4))]),
    'damaged',
  ],
  ['too wide', file({ width: 17 }, [0]), 'too_large'],
  ['as high as can be written', file({ height: 0xffffffff }, [0]), 'too_large'],
  ['interlacing', file({ interlaced: 1 }, [0, 1, 2, 3, 4, 5, 6, 7, 8]), 'interlaced'],
  ['animation', file({}, [0, 1, 2, 3, 4, 5, 6, 7, 8], [chunk('acTL', Buffer.alloc(8))]), 'animated'],
]
for (const [name, png, problem] of refused)
  test(`${name} is refused: ${problem}`, () => assert.equal(decodePng(png, 16), problem))

test('a file that is cut anywhere is refused, and so is one with any changed byte', () => {
  for (let length = 0; length < honest.length; length++)
    assert.equal(typeof decodePng(honest.subarray(0, length), 16), 'string', `${length}`)
  for (let at = 8; at < honest.length; at++) {
    const altered = Buffer.from(honest)
    altered[at]! ^= 0x20
    assert.equal(typeof decodePng(altered, 16), 'string', `${at}`)
  }
})

test('of a file only its pixels survive: no text, no profile, nothing behind its end', () => {
  const script = '<script>alert(1)</script>'
  const metadata = ['tEXt', 'zTXt', 'iTXt', 'eXIf', 'iCCP', 'tIME', 'prIv'].map((type) =>
    chunk(type, Buffer.from(script)),
  )
  const carrying = Buffer.concat([
    file({}, [0, 1, 2, 3, 4, 5, 6, 7, 8], metadata, metadata),
    Buffer.from(script),
  ])
  const picture = decodePng(carrying, 16)
  assert.ok(typeof picture === 'object')
  const written = encodePng(picture)
  assert.equal(written.includes('script'), false)
  const types = ['IHDR', 'IDAT', 'IEND']
  let at = 8
  for (const type of types) {
    assert.equal(written.toString('latin1', at + 4, at + 8), type)
    at += 12 + written.readUInt32BE(at)
  }
  assert.equal(at, written.length)
})

test('arbitrary bytes never make the reader fail', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      decodePng(Buffer.concat([signature, bytes]), 16)
      decodePng(Buffer.concat([signature, header({}), chunk('IDAT', bytes), end]), 16)
    }),
  )
})
