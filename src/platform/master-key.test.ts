/** Where the master key comes from. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { readMasterKeys } from './master-key.ts'

const key = Buffer.alloc(32, 5)
let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inlet-key-'))
})
after(() => rm(folder, { recursive: true, force: true }))

test('in development a key is made once in the data folder, in production never', async () => {
  const own = { masterKey: null, oldMasterKey: null, dataDir: folder }
  const made = await readMasterKeys({ ...own, production: false })
  assert.deepEqual(await readMasterKeys({ ...own, production: false }), made)
  await rm(join(folder, 'master.key'))
  await assert.rejects(readMasterKeys({ ...own, production: true }), /master\.key cannot be read \(ENOENT\)/)
})

test('the old key is another key', async () => {
  const own = { production: true, dataDir: folder, masterKey: key }
  const old = Buffer.alloc(32, 6)
  assert.deepEqual(await readMasterKeys({ ...own, oldMasterKey: old }), { current: key, old })
  await assert.rejects(
    readMasterKeys({ ...own, oldMasterKey: key }),
    /INLET_OLD_MASTER_KEY is the same key as INLET_MASTER_KEY: leave it out/,
  )
})
