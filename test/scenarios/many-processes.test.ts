/** Two Inlet processes on one PostgreSQL share expiry and delivery with no configuration, whatever happens to one. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DepositContext } from '../../src/domain/deposits/change-deposit.ts'
import { changeMerchant } from '../../src/domain/merchants/change-merchant.ts'
import { rejectDeposit } from '../../src/domain/transfers/end-deposit.ts'
import { sql } from '../../src/platform/db.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { dataFolder, type Program, startProgram } from '../support/program.ts'
import { type Receiver, slow, startReceiver } from '../support/receiver.ts'

let gateway: TestGateway
let shop: Shop
let receiver: Receiver
let context: DepositContext
before(async () => {
  // This process serves the API only; the two programs do the work.
  gateway = await startGateway({ environment: { INLET_ROLES: 'api' } })
  shop = await openShop(gateway)
  receiver = await startReceiver()
  context = { db: gateway.db, publicUrl: gateway.url, changed: () => {} }
  await changeMerchant(gateway.db, { merchantId: shop.merchant, callbackUrl: receiver.url('/shop') })
})

/** `clockSkewMs` makes the wall clock of a process wrong, which must not matter: time is the database's. */
async function startNode(clockSkewMs = 0): Promise<Program> {
  const folder = await dataFolder()
  const skew = join(folder, 'skew.mjs')
  await writeFile(skew, `const real = Date.now; Date.now = () => real() + ${clockSkewMs}\n`)
  const program = await startProgram(folder, {
    NODE_OPTIONS: `--import ${skew}`,
    DATABASE_URL: gateway.database.url,
    INLET_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    INLET_ROLES: 'worker',
    INLET_DEMO: 'off',
    INLET_METRICS_PORT: 'off',
  })
  await program.ready()
  return program
}

async function makeEvents(count: number): Promise<void> {
  for (let made = 0; made < count; made += 10) {
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        const depositId = (await shop.create()).body.id as string
        await rejectDeposit(context, { depositId, actor: 'operator:test', reason: 'test' })
      }),
    )
  }
}

async function until(what: string, holds: () => boolean | Promise<boolean>, tries = 1_200): Promise<void> {
  for (let attempt = 0; attempt < tries; attempt++) {
    if (await holds()) return
    await sleep(50)
  }
  assert.fail(`never happened: ${what}`)
}

const isDrained = async () =>
  (
    await gateway.db.query<{ due: bigint }>(sql`select count(*) as due from deliveries where state = 'open'`)
  )[0]!.due === 0n
const delivered = () => new Set(receiver.of('/shop').map((callback) => callback.id))

/** Same id, same bytes; every number of the merchant arrived. */
async function assertAllArrived(): Promise<void> {
  const [row] = await gateway.db.query<{ last: bigint }>(
    sql`select last_sequence as last from event_counters where merchant_id = ${shop.merchant}`,
  )
  const numbers = new Set(receiver.of('/shop').map((callback) => callback.sequence))
  assert.equal(BigInt(numbers.size), row!.last)
  const bytes = new Map<string, string>()
  for (const { id, hash } of receiver.of('/shop')) assert.equal(bytes.get(id) ?? hash, hash, id)
  for (const { id, hash } of receiver.of('/shop')) bytes.set(id, hash)
}

test('two processes deliver everything once; one that is killed, frozen or has a wrong clock leaves no trace but repeats', async () => {
  const nodes = [await startNode(), await startNode()]
  await makeEvents(50)
  await until('everything delivered', isDrained)
  await assertAllArrived()
  assert.equal(receiver.of('/shop').length, delivered().size)

  // One is killed in the middle of sending: the other takes over, with the same bytes.
  receiver.answer('/shop', slow(300))
  const before = receiver.of('/shop').length
  const making = makeEvents(40)
  await until('sending', () => receiver.of('/shop').length > before + 5)
  nodes[0]!.child.kill('SIGKILL')
  await nodes[0]!.ended()
  await making
  receiver.answer('/shop', () => ({ status: 200 }))
  await until('the survivor delivers the rest', isDrained)
  await assertAllArrived()

  // One is frozen while it owns a lane, and continues after the lane went to another, whose clock is ten minutes wrong.
  const third = await startNode(600_000)
  receiver.answer('/shop', slow(200))
  const frozenAt = receiver.of('/shop').length
  const makingMore = makeEvents(40)
  await until('sending', () => receiver.of('/shop').length > frozenAt + 5)
  nodes[1]!.child.kill('SIGSTOP')
  await makingMore
  receiver.answer('/shop', () => ({ status: 200 }))
  await until('the other delivers while one is frozen', isDrained)
  nodes[1]!.child.kill('SIGCONT')
  await makeEvents(20)
  await until('both go on', isDrained)
  await assertAllArrived()
  const [wrong] = await gateway.db.query<{ count: bigint }>(
    sql`select count(*) from deliveries where state = 'dead'`,
  )
  assert.equal(wrong!.count, 0n)

  // Expiry is shared as well.
  const open = await Promise.all(
    Array.from({ length: 40 }, async () => (await shop.create()).body.id as string),
  )
  await gateway.database.shiftClock('31 minutes')
  await until('all expired', async () => {
    const [row] = await gateway.db.query<{ open: bigint }>(
      sql`select count(*) as open from deposits where id = any(${open}::uuid[]) and state = 'created'`,
    )
    return row!.open === 0n
  })
  await until('their callbacks delivered', isDrained)
  await assertAllArrived()

  // A clean end leaves nothing half done.
  third.child.kill('SIGTERM')
  nodes[1]!.child.kill('SIGTERM')
  assert.deepEqual([await third.ended(), await nodes[1]!.ended()], [0, 0])
})
