/**
 * `npm run test:deploy`, the row `floods`: how long merchants' creates take through each proxy of deploy/ while one address, or
 * two hundred, send all that a stranger may send; against the same without a flood. Every create must be answered; the times are
 * reported, not asserted. What is not installed is skipped.
 */
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import tls from 'node:tls'
import { freePort } from '../support/gateway.ts'
import { floods } from './anonymous-floods.ts'
import { certificate, type FrontProxy, installed, proxies } from './proxy.ts'
import { startTwoInlets, type TwoInlets } from './two-inlets.ts'

tls.setDefaultCACertificates([...tls.getCACertificates(), readFileSync(certificate, 'utf8')])

const settings = { perSecond: 50, seconds: 4, connections: 200, beatMs: 500, leadMs: 500 } as const
/** Other addresses of this machine than the merchant's. */
const addresses = {
  'one address': ['127.0.0.9'],
  'many addresses': Array.from({ length: 200 }, (_, place) => `127.0.1.${place + 1}`),
}

for (const proxy of proxies)
  if (installed(proxy)) describe(`floods through ${proxy.name}`, () => measure(proxy))
  else test(`floods through ${proxy.name}`, (t) => t.skip(`${proxy.program} is not installed`))

function measure({ name, start }: FrontProxy): void {
  let port: number
  let inlets: TwoInlets
  let tokens: string[]
  let quietMs: number
  before(async () => {
    port = await freePort()
    inlets = await startTwoInlets(`https://localhost:${port}`)
    await start({ http: await freePort(), https: port, inlets: inlets.ports })
    const made = await Promise.all(Array.from({ length: 100 }, () => inlets.shop.create()))
    tokens = made.map(({ body }) => new URL(body.payment_data.url).pathname.replace('/pay/', ''))
    await createP99()
    quietMs = await createP99()
  })

  /** Of creates that are sent at a steady pace, whether or not answers come. */
  async function createP99(): Promise<number> {
    const took: number[] = []
    const statuses: number[] = []
    const asked: Promise<void>[] = []
    const begin = performance.now()
    for (let n = 0; n < settings.perSecond * settings.seconds; n++) {
      const dueAt = begin + (n * 1000) / settings.perSecond
      await sleep(Math.max(0, dueAt - performance.now()))
      asked.push(
        inlets.shop.create().then(({ status }) => {
          took.push(performance.now() - dueAt)
          statuses.push(status)
        }),
      )
    }
    await Promise.all(asked)
    assert.deepEqual([...new Set(statuses)], [201])
    return took.toSorted((left, right) => left - right)[Math.floor(took.length * 0.99)]!
  }

  for (const flood of floods)
    for (const [origin, from] of Object.entries(addresses))
      test(`${flood.name}, ${origin}`, { timeout: 60_000 }, async (t) => {
        const child = fork(new URL('./flood.mjs', import.meta.url))
        try {
          await once(child, 'spawn')
          const { connections, beatMs, leadMs } = settings
          child.send({ port, connections, beatMs, requests: flood.requests(tokens), addresses: from })
          await sleep(leadMs)
          const ms = await createP99()
          child.send('stop')
          const [seen] = (await once(child, 'message')) as [Record<string, number>]
          const answers = Object.entries(seen).map(([status, times]) => `${times} × ${status}`)
          t.diagnostic(
            `floods ${name}: ${flood.name}, ${origin}: p99 ${ms.toFixed(0)} ms against ${quietMs.toFixed(0)} = ${(ms / quietMs).toFixed(1)}; flood: ${answers.join(', ')}`,
          )
        } finally {
          child.kill()
        }
      })
}
