import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { breaksIn, decode } from './decode.ts'
import { Lines } from './lines.ts'

function linesOf(texts: string[]): string[] {
  const cutter = new Lines({ areEven: true })
  return [...texts.flatMap((text) => [...cutter.push(text)]), ...cutter.end()].map(({ text }) => text)
}

const other = /holds a line break of another kind than the file's own/

for (const [name, ending] of [
  ['CRLF', '\r\n'],
  ['LF', '\n'],
  ['CR', '\r'],
] as const)
  test(`a file of ${name} is cut at ${name}, wherever the pieces are cut, and at nothing else`, () => {
    assert.deepEqual(linesOf([`a${ending}b${ending}${ending}c`]), ['a', 'b', '', 'c'])
    assert.deepEqual(linesOf([`a${ending}b${ending}`]), ['a', 'b'])
    for (const wrong of ['\r\n', '\n', '\r'].filter((mark) => mark !== ending)) {
      const text = `a${ending}b${wrong}c${ending}d${ending}`
      // In a file of CR the CRLF is a line and an LF, in one of LF a CR and a line: seen in the one or the other.
      assert.throws(() => linesOf([text]), other, JSON.stringify(text))
      assert.throws(() => linesOf([...text]), other, JSON.stringify(text))
    }
  })

test('a line ending in pieces, none at all, and one that the end of the file cuts', () => {
  assert.deepEqual(linesOf(['a\r', '\nb\r\n', '\r', '\nc']), ['a', 'b', '', 'c'])
  assert.deepEqual(linesOf(['a\r', 'b']), ['a', 'b'])
  assert.deepEqual(linesOf(['a\r']), ['a'])
  assert.deepEqual(linesOf(['a\r\nb\r']), ['a', 'b'])
  assert.deepEqual(linesOf(['a']), ['a'])
  assert.deepEqual(linesOf([]), [])
})

test('pieces cut anywhere give the same lines, or the same damage', () => {
  const readLines = (texts: string[]) => {
    try {
      return linesOf(texts)
    } catch (error) {
      return String(error)
    }
  }
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[ab\r\n]{0,6}$/)), (texts) => {
      const whole = texts.join('')
      const cut = readLines(texts)
      assert.deepEqual(cut, readLines([whole]))
      if (typeof cut === 'string') return
      const [ending = '\n'] = /\r\n?|\n/.exec(whole) ?? []
      assert.ok(cut.every((line) => !line.includes(ending)))
      const inside = whole.endsWith(ending) ? whole.slice(0, -ending.length) : whole.replace(/\r$/, '')
      assert.equal(cut.join(ending), inside)
    }),
    { numRuns: 2_000 },
  )
})

test('a line may have 64 KB and not a character more', () => {
  assert.equal(linesOf(['a'.repeat(65_536), '\nb'])[0]?.length, 65_536)
  assert.throws(() => linesOf(['x\n', 'a'.repeat(65_536), 'a']), /Line 2: This line is longer than 64 KB/)
})

async function decoded(bytes: Uint8Array, encoding: 'utf-8' | 'windows-1251' = 'utf-8'): Promise<string> {
  let text = ''
  const lineNow = () => breaksIn(text) + 1
  for await (const piece of decode(given(bytes), () => encoding, lineNow)) text += piece
  return text
}

async function* given(bytes: Uint8Array) {
  yield bytes
}

test('a character that is split across two chunks is decoded', async () => {
  for (let shift = 0; shift < 8; shift++) {
    const text = `${'a'.repeat(shift)}${'я€😀'.repeat(20_000)}`
    assert.equal(await decoded(Buffer.from(text)), text)
  }
})

test('the byte order mark is dropped at the beginning only', async () => {
  assert.equal(await decoded(Buffer.from('\ufeffa\ufeff'), 'windows-1251'), 'a\ufeff')
})

test('bytes of another encoding are refused with their line, and so is a zero byte', async () => {
  await assert.rejects(
    decoded(Buffer.from('a\r\nb\rc\n\xff', 'latin1')),
    /Line 4: This line cannot be read as utf-8/,
  )
  await assert.rejects(decoded(Buffer.from([0x61, 0x0a, 0xd0])), /Line 2/)
  await assert.rejects(decoded(Buffer.from('a\n\0'), 'windows-1251'), /Line 2: This line holds a zero byte/)
  const large = Buffer.concat([Buffer.from('я\n'.repeat(50_000)), Buffer.of(0xff)])
  await assert.rejects(decoded(large), /Line 50001/)
})
