/** Stored callbacks and the endpoints they go to, for the callback rows. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { keepCallbackPartitions } from '../src/domain/callbacks/keep-partitions.ts'
import { createMerchant } from '../src/domain/merchants/create-merchant.ts'
import { sleep } from '../src/platform/clock.ts'
import { type Db, openDatabase, sql } from '../src/platform/db.ts'
import { proveVault } from '../src/platform/sealing-key.ts'
import { createVault } from '../src/platform/vault.ts'
import { masterKey, type World } from './world.ts'

export const bodyBytes = 900

export type CallbackLoad = {
  owner: Db
  port: number
  /** A merchant whose endpoint is this path, on a host of its own so that it has a pool of its own. */
  addShop(host: string, path: string): Promise<Shop>
  enqueue(shop: Shop, count: number): Promise<void>
  /** Paused while a backlog is stored, so that the clock covers the draining alone. */
  pauseAll(): Promise<void>
  resume(shops: readonly Shop[]): Promise<void>
  untilDelivered(shops: readonly Shop[]): Promise<void>
  close(): Promise<void>
}
export type Shop = { merchantId: string; laneId: bigint }

export async function openCallbackLoad(world: World): Promise<CallbackLoad> {
  const owner = openDatabase(world.superuser('inlet'), { connections: 4 })
  await keepCallbackPartitions(owner)
  const vault = createVault(masterKey)
  await proveVault(owner, vault, 'server')
  const receiver: ChildProcess = fork(fileURLToPath(new URL('./receiver.mjs', import.meta.url)), {
    execArgv: [],
  })
  const [port] = (await once(receiver, 'message')) as [number]
  return {
    owner,
    port,
    async addShop(host, path) {
      const callbackUrl = `http://${host}:${port}${path}`
      const { merchant } = await createMerchant(owner, vault, { name: 'Bench', mode: 'test', callbackUrl })
      const [lane] = await owner.query<{ id: bigint }>(
        sql`select id from callback_lanes where merchant_id = ${merchant.id}`,
      )
      return { merchantId: merchant.id, laneId: lane!.id }
    },
    async enqueue({ merchantId, laneId }, count) {
      await owner.query(sql`
        with numbered as (
          insert into event_counters as c (merchant_id, last_sequence)
          values (${merchantId}, ${count})
          on conflict (merchant_id) do update set last_sequence = c.last_sequence + excluded.last_sequence
          returning last_sequence - ${count}::bigint as first
        ), made as (
          insert into callbacks (made_on, id, merchant_id, sequence, deposit_id, type, lane_id, body, made_at)
          select (inlet_now() at time zone 'UTC')::date, gen_random_uuid(), ${merchantId}, first + n,
            gen_random_uuid(), 'deposit.confirmed', ${laneId}, rpad('{"sequence":1}', ${bodyBytes}::int, ' '), inlet_now()
          from numbered, generate_series(1, ${count}::int) n
          returning made_on, id, sequence, deposit_id, lane_id, made_at
        )
        insert into callback_due (lane_id, deposit_id, sequence, callback_id, made_on, due_at)
        select lane_id, deposit_id, sequence, id, made_on, made_at
        from made`)
    },
    pauseAll: () => owner.script(`update callback_lanes set state = 'paused'`),
    async resume(shops) {
      await owner.query(
        sql`update callback_lanes set state = 'active' where id = any(${lanesOf(shops)}::bigint[])`,
      )
    },
    async untilDelivered(shops) {
      for (;;) {
        const [row] = await owner.query<{ due: boolean }>(
          sql`select exists (select from callback_due where lane_id = any(${lanesOf(shops)}::bigint[])) as due`,
        )
        if (!row!.due) return
        await sleep(20)
      }
    },
    async close() {
      receiver.kill()
      await owner.close()
    },
  }
}

const lanesOf = (shops: readonly Shop[]) => shops.map(({ laneId }) => laneId)
