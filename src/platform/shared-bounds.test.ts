import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bounds } from './bounds.ts'
import { databaseConnectionsOf, pushTurnsOf } from './shared-bounds.ts'

for (const [allowed, processes, money, people] of [
  [197, 2, 8, 6],
  [97, 2, 8, 6],
  [97, 8, 6, 3],
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
  test(`of ${money} connections, pushes leave one to creates, and no source has all`, () => {
    const { atOnce, ofOwner } = pushTurnsOf(money)
    assert.ok(atOnce < money && ofOwner >= 1 && ofOwner < atOnce, `${atOnce}, ${ofOwner}`)
  })
}
