import assert from 'node:assert/strict'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { randomNonce } from '../clock.ts'
import { createVault } from '../vault.ts'
import { get, openBackups, store } from './backup-folder.ts'
import { deleteOld } from './take-backup.ts'

const root = await mkdtemp(join(tmpdir(), 'inlet-folder-'))
after(() => rm(root, { recursive: true, force: true }))
const folder = await openBackups(root, createVault(Buffer.alloc(32, 1)))
const file = join(root, 'a/1')

async function* chunksOf(bytes: Buffer, length = 700_000) {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}
const all = async (bytes: AsyncIterable<Buffer>) => Buffer.concat(await Array.fromAsync(bytes))

for (const bytes of [0, 1, 1024 * 1024, 5_000_000]) {
  test(`${bytes} bytes come back as they were, and nothing else is left`, async () => {
    const plain = randomNonce(bytes)
    await store(folder, 'a/1', chunksOf(plain))
    assert.deepEqual(await all(get(folder, 'a/1')), plain)
    assert.deepEqual(await readdir(join(root, 'a')), ['1'])
  })
}

test('compressible bytes are stored smaller, and never unencrypted', async () => {
  const plain = Buffer.from('order-4711 '.repeat(100_000))
  await store(folder, 'a/1', chunksOf(plain))
  const stored = await readFile(file)
  assert.ok(stored.length < plain.length / 100)
  assert.equal(stored.indexOf('order-4711'), -1)
})

test('a changed, cut, lengthened, exchanged or missing file, and one of another key, are refused by name', async () => {
  await store(folder, 'a/1', chunksOf(randomNonce(3_000_000)))
  const stored = await readFile(file)
  const refused = async (bytes: Buffer, what: string) => {
    await writeFile(file, bytes)
    await assert.rejects(
      all(get(folder, 'a/1')),
      { name: 'OperatorProblem', message: /a\/1 is damaged/ },
      what,
    )
  }
  for (const place of [0, 20, 48, 60, 1_500_000, stored.length - 1]) {
    const changed = Buffer.from(stored)
    changed[place]! ^= 1
    if (place === 0 || place >= 16) await refused(changed, `byte ${place}`)
  }
  for (const length of [0, 10, 48, 64, 1_000_000, stored.length - 1])
    await refused(stored.subarray(0, length), `cut at ${length}`)
  await refused(Buffer.concat([stored, Buffer.from('x')]), 'lengthened')
  await writeFile(join(root, 'a/2'), stored)
  await assert.rejects(all(get(folder, 'a/2')), /a\/2 is damaged/)
  await assert.rejects(all(get(folder, 'a/3')), /a\/3 is damaged \(it is missing\)/)
  await writeFile(file, stored)
  const other = await openBackups(root, createVault(Buffer.alloc(32, 2)))
  await assert.rejects(
    all(get(other, 'a/1')),
    /a\/1 was encrypted under another master key; set INLET_MASTER_KEY/,
  )
})

test('a file is complete or missing, and nothing is written where a disk is not mounted', async () => {
  async function* failing() {
    yield Buffer.from('half')
    throw new Error('the source is gone')
  }
  await assert.rejects(store(folder, 'b/1', failing()), /the source is gone/)
  assert.deepEqual(await readdir(join(root, 'b')), [])
  await rename(root, `${root}-away`)
  await assert.rejects(
    store(folder, 'a/1', chunksOf(Buffer.from('x'))),
    /does not exist; make it .* or mount/,
  )
  await assert.rejects(openBackups(root, folder.keys), /does not exist/)
  await assert.rejects(readdir(root), { code: 'ENOENT' })
  await rename(`${root}-away`, root)
})

const segment = (number: number) => `0000000100000000${number.toString(16).toUpperCase().padStart(8, '0')}`

test('the newest backups stay with their WAL, by their place in WAL and not by a clock; interrupted ones go', async () => {
  const names = [
    `${segment(3)}-20261117T100000Z`,
    `${segment(8)}-20261119T100000Z`,
    `${segment(16)}-20201118T100000Z`,
  ]
  const interrupted = `${segment(20)}-20261120T100000Z`
  const make = async (name: string) => {
    await mkdir(dirname(join(root, name)), { recursive: true })
    await copyFile(file, join(root, name))
  }
  for (const name of names) await make(`id/base/${name}/manifest`)
  await make(`id/base/${interrupted}/cluster`)
  for (const number of [2, 7, 8, 9, 16]) await make(`id/wal/${segment(number)}`)
  const left = async () => [await readdir(join(root, 'id/base')), await readdir(join(root, 'id/wal'))]
  await deleteOld(folder, 'id', 3)
  assert.deepEqual(await left(), [names, [7, 8, 9, 16].map(segment)])
  await deleteOld(folder, 'id', 2)
  assert.deepEqual(await left(), [names.slice(1), [8, 9, 16].map(segment)])
})
