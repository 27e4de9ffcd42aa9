/**
 * A primary and its standby behind one address: Inlet works with the one that can be written to, and goes with it. Two
 * clusters cost five seconds, so this is one of the long runs.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addDemoRequisites } from '../../src/domain/sandbox/demo-data.ts'
import { type Login, sql } from '../../src/platform/db.ts'
import { openShop, startGateway } from '../support/gateway.ts'
import { startPrimaryAndStandby } from '../support/standby.ts'
import { isLong } from './measure.ts'

const skip = isLong ? false : 'in npm run test:faults'

test('when the primary is lost and its standby takes over, nothing acknowledged is lost', {
  skip,
}, async () => {
  const { primary, standby } = await startPrimaryAndStandby()
  await primary.asAdmin(async (admin) => {
    await admin.query("alter system set synchronous_standby_names = '*'")
    await admin.query('select pg_reload_conf()')
  })

  // The standby is named first: it answers, and is not taken.
  const hosts = [standby, primary].map(({ owner: { host, port } }) => `${encodeURIComponent(host)}:${port}`)
  const url = ({ user, password }: Login) => `postgres://${user}:${password}@${hosts}/inlet`
  const gateway = await startGateway({
    environment: { DATABASE_URL: url(primary.runtime), INLET_OWNER_DATABASE_URL: url(primary.owner) },
  })
  await addDemoRequisites(gateway.db)
  const shop = await openShop(gateway)
  const acknowledged: string[] = []
  const create = async () => {
    const { status, body, headers } = await shop.create()
    if (status === 201) acknowledged.push(body.id)
    else assert.deepEqual([status, headers.has('retry-after')], [503, true], JSON.stringify(body))
    return status
  }
  const readiness = async () => (await fetch(`${gateway.url}/health/ready`)).status
  assert.deepEqual([await create(), await readiness()], [201, 200])

  let isOver = false
  const traffic = Array.from({ length: 4 }, async () => {
    while (!isOver) await create()
  })
  process.kill(await primary.pid(), 'SIGKILL')
  while ((await create()) !== 503);
  assert.equal(await readiness(), 503)
  await standby.asAdmin((admin) => admin.query('select pg_promote()'))
  while ((await create()) !== 201);
  isOver = true
  await Promise.all(traffic)
  assert.equal(await readiness(), 200)
  const kept = await gateway.db.query<{ id: string }>(sql`
    select id
    from deposits
    where id = any(${acknowledged}::uuid[])`)
  assert.equal(kept.length, acknowledged.length)
  await gateway.stop()
})
