import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextRound } from 'node:timers/promises'
import type { ProcessLink, ToMember, ToParent } from './process-link.ts'
import type { RateLimit } from './rate-limit.ts'
import { createSharedRates } from './shared-rates.ts'

/** Processes whose parent hands on at once what one of them says. */
function processesOf(count: number): RateLimit[] {
  const listeners: ((message: ToMember & { kind: 'rates' }) => void)[] = []
  return Array.from({ length: count }, (_, place) => {
    const link: Pick<ProcessLink, 'settings' | 'send' | 'on'> = {
      settings: {
        number: place + 1,
        processes: count,
        connections: { money: 1, people: 1 },
        postgres: null,
        masterKeys: { current: Buffer.alloc(32), old: null },
      },
      send(message: ToParent) {
        if (message.kind !== 'rates') return
        for (const [other, hear] of listeners.entries()) if (other !== place) hear(message)
      },
      on(_kind, hear) {
        listeners[place] = hear as (typeof listeners)[number]
      },
    }
    return createSharedRates(link)
  })
}

/** So slow that nothing comes back while the test runs. */
const rate = { perSecond: 0.001, burst: 100 }

for (const count of [2, 4, 16]) {
  test(`${count} processes allow one burst together, a tenth more at most, and what is taken while a message travels`, async () => {
    const processes = processesOf(count)
    let allowed = 0
    for (let round = 0; round < 200; round++) {
      for (const { take } of processes) if (take('merchant', rate).allowed) allowed++
      await nextRound()
    }
    assert.ok(allowed >= 100 && allowed <= 110 + count, `${allowed}`)
    // It is missing afterwards: nobody gets one before it has come back.
    assert.ok(processes.every(({ take }) => take('merchant', rate).retryAfterSeconds >= 1_000))
  })
}

test('a client on one connection has the whole burst', async () => {
  const [first] = processesOf(4)
  const verdicts = Array.from({ length: 101 }, () => first!.take('merchant', rate).allowed)
  assert.deepEqual([verdicts.indexOf(false), verdicts.length], [100, 101])
})
