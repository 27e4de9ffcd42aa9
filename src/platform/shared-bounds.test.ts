import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bounds } from './bounds.ts'
import { connectionsOf, databaseConnectionsOf, partOf, workBoundsOf } from './shared-bounds.ts'

for (const [allowed, processes, money, people] of [
  [197, 2, 10, 4],
  [97, 2, 10, 4],
  [97, 8, 7, 2],
  [97, 16, 3, 2],
  [20, 16, 3, 2],
] as const) {
  test(`of ${allowed} connections each of ${processes} processes gets ${money} for money and ${people} for people`, () => {
    const each = databaseConnectionsOf(allowed, processes)
    assert.deepEqual(each, { money, people })
  })
}

test('while there is enough for the least, all processes and one more stay below what the server allows', () => {
  for (let processes = 2; processes <= bounds.processes.most; processes++) {
    for (const allowed of [97, 197, 497, 997]) {
      const { money, people } = databaseConnectionsOf(allowed, processes)
      const isEnough = allowed >= (processes + 1) * bounds.processes.connectionsLeast
      if (isEnough) assert.ok((money + people) * (processes + 1) <= allowed, `${processes} of ${allowed}`)
    }
  }
})

for (const money of [3, 4, 7, 10]) {
  test(`of ${money} connections, work leaves one to creates, and nobody has all places of a kind`, () => {
    const { inAll, merchantWork, pageActs, pushes } = workBoundsOf(money)
    assert.ok(inAll < money, `${inAll}`)
    for (const { atOnce, ofOwner } of [merchantWork, pageActs, pushes]) {
      assert.ok(atOnce <= inAll, `${atOnce} of ${inAll}`)
      assert.ok(ofOwner >= 1 && ofOwner < atOnce, `${ofOwner} of ${atOnce}`)
    }
  })
}

test('one process has whole bounds; several have their parts and a little more, and whole bounds of one connection or process', () => {
  assert.deepEqual(connectionsOf(bounds.connections, 1), bounds.connections)
  const half = connectionsOf(bounds.connections, 2)
  assert.deepEqual([half.most, half.mostOfNetwork], [2_000, 550])
  assert.equal(half.unfinishedBytes, bounds.connections.unfinishedBytes)
  assert.equal(half.unfinishedBytesInAll, bounds.connections.unfinishedBytesInAll)
  assert.equal(partOf(1, 64), 1)
})
