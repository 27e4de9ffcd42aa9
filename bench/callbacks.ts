/**
 * Drains stored callbacks to a local receiver, against bare POSTs of the same size to the same receiver, and against a program that
 * does no more than deliver the same callbacks.
 */
import { randomBytes } from 'node:crypto'
import type { Client } from 'pg'
import { Pool } from 'undici'
import { signedHeaders } from '../src/domain/callbacks/signed-headers.ts'
import { monotonicMs } from '../src/platform/clock.ts'
import type { Login } from '../src/platform/db.ts'
import { bodyBytes, type CallbackLoad, openCallbackLoad, type Shop } from './callback-load.ts'
import type { Measured, Row } from './row.ts'
import { connect, type World } from './world.ts'

const lanes = 20
const perRound = 33_400
const rounds = 3

export const callbacks: Row = {
  name: 'callbacks',
  must: { least: 0.6 },
  aim: { least: 0.8 },
  measure: (world) => measure(world, 'callbacks', (load) => postBare(load, perRound)),
}

/** The upper limit of the row before. */
export const callbacksStored: Row = {
  name: 'callbacks-stored',
  must: null,
  aim: null,
  measure: (world) =>
    measure(world, 'callbacks-stored', async (load, shops) => {
      for (const shop of shops) await load.enqueue(shop, perRound / lanes)
      await load.owner.script('vacuum analyze callback_due')
      return deliverBare(load, world.login('inlet'), shops)
    }),
}

async function measure(
  world: World,
  label: string,
  reference: (load: CallbackLoad, shops: readonly Shop[]) => Promise<number>,
): Promise<Measured> {
  const load = await openCallbackLoad(world)
  try {
    const shops = await Promise.all(
      Array.from({ length: lanes }, (_, lane) => load.addShop(`127.0.0.${lane + 1}`, '/ok')),
    )
    await world.inlet('inlet')
    const ran: { drained: number; bare: number }[] = []
    for (let round = 1; round <= rounds; round++) {
      world.status(`${label}: round ${round} of ${rounds}, reference`)
      await load.pauseAll()
      const bare = await reference(load, shops)
      world.status(`${label}: round ${round} of ${rounds}, drain of ${perRound}`)
      for (const shop of shops) await load.enqueue(shop, perRound / lanes)
      await load.owner.script('vacuum analyze callback_due')
      const began = monotonicMs()
      await load.resume(shops)
      await load.untilDelivered(shops)
      ran.push({ drained: (perRound / (monotonicMs() - began)) * 1000, bare })
    }
    ran.sort((left, right) => left.drained / left.bare - right.drained / right.bare)
    const { drained: value, bare } = ran[rounds >> 1]!
    const ratios = [ran[0]!, ran.at(-1)!].map(({ drained, bare }) => (drained / bare).toFixed(2))
    const note = `${rounds} × ${perRound} callbacks over ${lanes} lanes; ratios ${ratios.join(' to ')}`
    return { value, unit: '1/s', reference: bare, ratio: value / bare, note }
  } finally {
    await load.close()
  }
}

async function postBare({ port }: CallbackLoad, count: number): Promise<number> {
  const body = '{"sequence":1}'.padEnd(bodyBytes)
  const pools = Array.from(
    { length: lanes },
    (_, lane) => new Pool(`http://127.0.0.${lane + 1}:${port}`, { connections: 32, pipelining: 1 }),
  )
  let left = count
  const began = monotonicMs()
  await Promise.all(
    Array.from({ length: 64 }, async (_, client) => {
      while (left-- > 0) {
        const answer = await pools[client % lanes]!.request({
          method: 'POST',
          path: '/ok',
          body,
          headers: { 'content-type': 'application/json' },
        })
        await answer.body.dump()
      }
    }),
  )
  const rate = (count / (monotonicMs() - began)) * 1000
  await Promise.all(pools.map((pool) => pool.destroy()))
  return rate
}

type Due = {
  deposit_id: string
  sequence: string
  callback_id: string
  made_on: string
  url: string
  body: string
}

/** Reads what is due lane by lane, signs it, sends it, and stores each result: without leases, order, retries or breakers. */
async function deliverBare({ port }: CallbackLoad, login: Login, shops: readonly Shop[]): Promise<number> {
  // One session for each lane: it waits for the results of one batch, and the others go on.
  const sessions = await Promise.all(shops.map(() => connect(login)))
  const secrets = [`whsec_${randomBytes(32).toString('base64')}`]
  const began = monotonicMs()
  const pools = shops.map(
    (_, lane) => new Pool(`http://127.0.0.${lane + 1}:${port}`, { connections: 32, pipelining: 1 }),
  )
  const deliver = async (pool: Pool, session: Client, { laneId }: Shop) => {
    for (;;) {
      const { rows } = await session.query<Due>({ name: 'due', text: dueText, values: [laneId] })
      if (rows.length === 0) return
      const results = await Promise.all(rows.map((due) => post(pool, secrets, due)))
      await session.query({ name: 'results', text: resultText, values: [laneId, JSON.stringify(results)] })
    }
  }
  await Promise.all(pools.map((pool, lane) => deliver(pool, sessions[lane]!, shops[lane]!)))
  const rate = (perRound / (monotonicMs() - began)) * 1000
  await Promise.all([...sessions.map((session) => session.end()), ...pools.map((pool) => pool.destroy())])
  return rate
}

async function post(pool: Pool, secrets: string[], { body, ...due }: Due) {
  const at = Date.now()
  const headers = signedHeaders({ secrets, id: due.callback_id, timestamp: Math.floor(at / 1000), body })
  const answer = await pool.request({ method: 'POST', path: '/ok', body, headers })
  await answer.body.dump()
  return { ...due, at, ms: Date.now() - at, status: answer.statusCode }
}

const dueText = `
  select d.deposit_id, d.sequence, d.callback_id, d.made_on, coalesce(c.url, m.callback_url) as url, c.body
  from (select * from callback_due where lane_id = $1 order by due_at limit 100) d
  join callbacks c on c.made_on = d.made_on and c.id = d.callback_id
  join merchants m on m.id = c.merchant_id`

const resultText = `
  with async_commit as materialized (
    select set_config('synchronous_commit', 'off', true) as setting
  ), result as materialized (
    select *
    from json_to_recordset($2::json) as r (
      deposit_id uuid, sequence bigint, callback_id uuid, made_on date, at float8, ms integer, status smallint)
  ), delivered as (
    delete from callback_due d
    using result r
    where d.deposit_id = r.deposit_id and d.lane_id = $1 and d.sequence = r.sequence
  )
  insert into callback_attempts (made_on, callback_id, at, ms, outcome, status, node)
  select r.made_on, r.callback_id, to_timestamp(r.at / 1000), r.ms, 'ok', r.status, gen_random_uuid()
  from result r
  join async_commit on async_commit.setting = 'off'`
