import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encode } from 'uqr'
import { quickCode } from './quick-code.ts'

/** Bytes that differ from place to place, the same at each run. */
const payloadOf = (length: number) =>
  Uint8Array.from({ length }, (_, index) => (index * 151 + length * 37) % 256)

test('every size of code is the one that the library draws, from empty to full', () => {
  const seen = new Set<number>()
  // The longest payload of each version with error correction M (ISO/IEC 18004, table 7), and one byte more.
  const fullest = [
    14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251, 287, 331, 362, 412, 450, 504, 560, 624, 666,
  ]
  const longest = [
    711, 779, 857, 911, 997, 1059, 1125, 1190, 1264, 1370, 1452, 1538, 1628, 1722, 1809, 1911, 1989, 2099,
    2213, 2331,
  ]
  const lengths = [...fullest, ...longest].flatMap((most) => [most - 1, most, most + 1])
  for (const length of [0, 1, 2, ...lengths.filter((length) => length <= 2331)]) {
    const payload = payloadOf(length)
    const { size, modules } = quickCode(payload)
    const theirs = encode([...payload], { ecc: 'M', border: 0, maskPattern: 2 })
    assert.equal(size, theirs.size, `${length} bytes`)
    assert.deepEqual([...modules], theirs.data.flat().map(Number), `${length} bytes`)
    seen.add((size - 17) / 4)
  }
  assert.equal(seen.size, 40)
  assert.throws(() => quickCode(payloadOf(2332)), /does not fit/)
})
