/** Creates of several clients at once against a program, and what was acknowledged of them. */

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Shop } from './gateway.ts'
import type { Program } from './program.ts'

/** By order: the id that was answered. */
export type Acknowledged = Map<string, string>

/**
 * Creates until stopped; records every acknowledgement before counting it. A client waits a moment before its next one: without
 * that the load would take the processor from what is waited for, and each of its thousands of deposits is looked at in the end.
 */
export function loadCreates(
  shop: Shop,
  acknowledged: Acknowledged,
  connections: number,
  { pauseMs = 25 } = {},
) {
  let running = true
  const answers: Answer[] = []
  const unanswered: string[] = []
  const client = async () => {
    while (running) {
      const order = shop.order({ payment_type: 'account_number' })
      try {
        const answer = await shop.post('create', order)
        answers.push(answer)
        if (answer.status === 201) acknowledged.set(String(order.order_id), answer.body.id)
        if (pauseMs > 0) await sleep(pauseMs)
      } catch {
        unanswered.push(String(order.order_id))
        await sleep(20)
      }
    }
  }
  const clients = Array.from({ length: connections }, client)
  return {
    answers,
    unanswered,
    async stop() {
      running = false
      await Promise.all(clients)
    },
  }
}

/** With these limits nobody is refused, unless the test says so. */
export async function raiseRate(
  program: Program,
  rate = 100_000,
  environment: Record<string, string> = {},
): Promise<void> {
  const { merchant } = await program.demo()
  const done = spawnSync(
    process.execPath,
    [
      'bin/inlet.mjs',
      'merchant',
      'limits',
      merchant,
      '--by',
      'operator@demo.example',
      '--reason',
      'Load of a test',
      '--rate-per-second',
      String(rate),
      '--rate-burst',
      String(rate),
      '--json',
    ],
    { env: { PATH: process.env.PATH, INLET_DATA_DIR: program.dataDir, ...environment }, encoding: 'utf8' },
  )
  assert.equal(done.status, 0, done.stderr)
  assert.equal(JSON.parse(done.stdout).id, merchant)
}

export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 3_600; tries++) {
    if (await holds()) return
    await sleep(50)
  }
  assert.fail(`never happened: ${what}`)
}

/** Every acknowledged deposit is there under its id, whole. */
export async function assertKept(shop: Shop, acknowledged: Acknowledged): Promise<void> {
  for (const [order, id] of acknowledged) {
    const { status, body } = await shop.get(`/api/v1/requests/deposit?order_id=${order}`)
    assert.deepEqual([status, body.id, body.state], [200, id, 'created'])
    assert.match(body.payment_data.payment_reason, /KT\d{8}/)
  }
}
