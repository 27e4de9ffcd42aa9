import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomNonce } from '../clock.ts'
import { createVault } from '../vault.ts'
import { opened, sealed } from './sealed-stream.ts'

const vault = createVault(Buffer.alloc(32, 1))

async function* chunksOf(bytes: Buffer, length = 700_000) {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}
const all = async (bytes: AsyncIterable<Buffer>) => Buffer.concat(await Array.fromAsync(bytes))
const seal = (plain: Buffer) => all(sealed(vault, 'a/1', chunksOf(plain)))
const open = (stored: Buffer, name = 'a/1', key = vault) => all(opened(key, name, chunksOf(stored)))

for (const bytes of [0, 1, 1024 * 1024, 5_000_000]) {
  test(`${bytes} bytes come back as they were`, async () => {
    const plain = randomNonce(bytes)
    assert.deepEqual(await open(await seal(plain)), plain)
  })
}

test('compressible bytes are stored smaller, and never unencrypted', async () => {
  const plain = Buffer.from('order-4711 '.repeat(100_000))
  const stored = await seal(plain)
  assert.ok(stored.length < plain.length / 100)
  assert.equal(stored.indexOf('order-4711'), -1)
})

test('another key is named as the reason', async () => {
  const stored = await seal(Buffer.from('text'))
  await assert.rejects(open(stored, 'a/1', createVault(Buffer.alloc(32, 2))), {
    name: 'OperatorProblem',
    message: /a\/1 was encrypted under another master key; set INLET_MASTER_KEY/,
  })
})

test('a changed, cut, lengthened or exchanged file is refused, wherever it was touched', async () => {
  const stored = await seal(randomNonce(3_000_000))
  for (const place of [20, 48, 60, 1_500_000, stored.length - 1]) {
    const changed = Buffer.from(stored)
    changed[place]! ^= 1
    await assert.rejects(open(changed), { message: /a\/1 is damaged/ }, `byte ${place}`)
  }
  const secondBlock = 48 + 4 + 1024 * 1024 + 16
  for (const length of [0, 10, 48, secondBlock, stored.length - 1])
    await assert.rejects(open(stored.subarray(0, length)), { message: /a\/1 is damaged/ }, `cut at ${length}`)
  await assert.rejects(open(Buffer.concat([stored, Buffer.from('x')])), { message: /something was added/ })
  await assert.rejects(open(stored, 'a/2'), { message: /a\/2 is damaged/ })
})
