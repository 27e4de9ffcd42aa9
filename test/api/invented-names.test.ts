/** Anybody may invent merchants and keys: what is remembered of them is the name, not the request that it came in. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { openDatabase } from '../../src/platform/db.ts'
import { createVault } from '../../src/platform/vault.ts'
import { createDirectory } from '../../src/surfaces/api/merchant-directory.ts'
import { atEnd } from '../support/clean-up.ts'
import { createDatabase } from '../support/database.ts'
import { openShop, startGateway } from '../support/gateway.ts'
import { heapMegabytes } from '../support/heap.ts'

/** A part of a longer text: V8 keeps the whole of it for as long as the part is kept. */
const inLongText = (name: string): string =>
  Buffer.from(`${name}${'x'.repeat(16 * 1024)}`)
    .toString()
    .slice(0, name.length)

for (const [what, ask] of [
  ['merchants', (directory) => directory.byId(inLongText(randomUUID()))],
  ['merchants of many letters', (directory) => directory.byId(`${randomUUID()}${'y'.repeat(16 * 1024)}`)],
  ['keys', (directory) => directory.byKey(inLongText(randomUUID()))],
] as [string, (directory: ReturnType<typeof createDirectory>) => Promise<unknown>][]) {
  test(`four thousand invented ${what} take little memory`, async () => {
    const db = openDatabase((await createDatabase()).login)
    atEnd(() => db.close())
    const directory = createDirectory(db, createVault(Buffer.alloc(32, 7)))
    await ask(directory)
    const before = heapMegabytes()
    for (let name = 0; name < 4_000; name += 200)
      await Promise.all(Array.from({ length: 200 }, () => ask(directory)))
    const grown = heapMegabytes() - before
    assert.equal(await directory.byId(randomUUID()), undefined)
    assert.ok(grown < 32, `${grown} MB`)
  })
}

test('however many signatures of a merchant are refused at once, its ended keys are read once', async () => {
  const gateway = await startGateway()
  const { merchant } = await openShop(gateway)
  const directory = createDirectory(gateway.db, createVault(Buffer.alloc(32, 7)))
  const read = await Promise.all(Array.from({ length: 50 }, () => directory.endedKeys(merchant)))
  assert.equal(new Set(read).size, 1)
  directory.forget(merchant)
  assert.notEqual(await directory.endedKeys(merchant), read[0])
})
