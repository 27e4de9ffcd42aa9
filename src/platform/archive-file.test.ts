import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { longestWork } from '../../test/support/longest-work.ts'
import { findLines, readArchive, writeArchive } from './archive-file.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inlet-archive-'))
})
after(() => rm(folder, { recursive: true, force: true }))

test('two hundred lines of a large file are found without keeping others waiting, and no other lines', async () => {
  const ids = Array.from({ length: 20_000 }, () => randomUUID()).sort()
  const other = ids[7_777]!
  const path = join(folder, 'lines.gz')
  const { indexDigest } = await writeArchive(
    path,
    (async function* () {
      for (const id of ids) yield { id, text: JSON.stringify({ id, text: `${randomUUID()} `.repeat(22) }) }
    })(),
  )
  for (const wanted of [ids.filter((_, place) => place % 100 === 0), ids.slice(0, 200), [other]]) {
    let found: string[] = []
    const longest = await longestWork(async () => {
      found = await findLines(path, indexDigest, wanted)
    })
    assert.deepEqual(found.map((line) => JSON.parse(line).id).sort(), wanted)
    assert.ok(longest < 60, `${longest} ms`)
  }
})

test('a member has few lines where lines are long, because whoever looks for one reads it whole', async () => {
  const ids = Array.from({ length: 300 }, () => randomUUID()).sort()
  const path = join(folder, 'long-lines.gz')
  const { indexDigest } = await writeArchive(
    path,
    (async function* () {
      for (const id of ids) yield { id, text: JSON.stringify({ id, text: 'x'.repeat(50_000) }) }
    })(),
  )
  const read: string[] = []
  for await (const lines of readArchive(path, indexDigest)) {
    assert.ok(lines.join('').length < 1.1 * 1024 * 1024, `${lines.length} lines`)
    read.push(...lines)
  }
  assert.deepEqual(
    read.map((line) => JSON.parse(line).id),
    ids,
  )
  const [found] = await findLines(path, indexDigest, [ids[150]!])
  assert.equal(JSON.parse(found!).id, ids[150])
})
