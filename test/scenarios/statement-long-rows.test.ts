/** Rows of a file whose texts are as long as may be. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { depositContextOf, importBytes } from '../support/bank.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { oneCOf } from '../support/one-c.ts'

let gateway: TestGateway
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api' } })
})

test('long rows are taken in smaller groups, and all of them', async () => {
  const purpose = 'Оплата по договору '.repeat(500)
  const rows = Array.from({ length: 250 }, (_, at) => ({ cents: BigInt(at + 1), purpose }))
  const bytes = oneCOf(rows)
  const done: number[] = []
  const report = await importBytes(depositContextOf(gateway), bytes, {
    name: 'long.txt',
    by: 'operator:test',
    progress: ({ phase, rows }) => phase === 'matching' && done.push(rows),
  })
  assert.equal(report.taken.taken, 250)
  const groups = done.map((rows, at) => rows - (done[at - 1] ?? 0))
  assert.ok(groups.length > 1 && groups.every((group) => group > 0 && group <= 125), groups.join(', '))
})
