/**
 * Everything that a stranger may ask for, asked for by hundreds of connections at once, for half an hour: one process and
 * what it starts stay small, and the memory is flat. Meanwhile a merchant's creates are answered.
 *
 * In `npm run test:faults`; INLET_ABUSE_MINUTES makes it shorter.
 */
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { floodsOfStrangers, from } from '../../bench/floods.ts'
import { residentOf } from '../../bench/resident.ts'
import { monotonicMs, sleep } from '../../src/platform/clock.ts'
import { atEnd } from '../support/clean-up.ts'
import { dataFolder, root, startProgram } from '../support/program.ts'
import { isLong } from './measure.ts'

const minutes = Number(process.env.INLET_ABUSE_MINUTES ?? 30)
const mostMb = 300
/** How much higher the last third may stand than the one before it. */
const growth = 1.1

const skip =
  (!isLong && 'half an hour of abuse runs in npm run test:faults') ||
  (!existsSync('/proc/self/status') && 'memory is read from /proc, which only Linux has')

test(`${minutes} minutes of mixed abuse: below ${mostMb} MB, and flat`, {
  skip,
  timeout: (minutes + 5) * 60_000,
}, async (t) => {
  // As `npm start` runs it.
  const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
  const flags = [...scripts.start.matchAll(/--max-[\w-]+=\d+/g)].join(' ')
  const program = await startProgram(await dataFolder(), {
    NODE_OPTIONS: flags,
    INLET_TRUSTED_PROXIES: '127.0.0.1,::1',
  })
  await program.ready()
  const shop = await program.demoShop()
  const tokens: string[] = []
  for (let n = 0; n < 300; n++) {
    const { body } = await shop.create({ payment_type: 'account_number', cents: 150_000 + n })
    tokens.push(/bill\/([\w-]{22})\.png/.exec(body.payment_bill_url)![1]!)
  }
  const { pid } = program.child
  const before = mb(await residentOf(pid!))
  for (const flood of floodsOfStrangers) {
    const requests = flood.origins.flatMap((origin) => from(flood.requests(tokens, ''), origin))
    const child = fork(`${root}bench/flood.mjs`)
    atEnd(async () => void child.kill())
    child.send({ port: program.port, connections: 40, beatMs: 500, requests: shuffled(requests) })
  }

  const samples: number[] = []
  let created = 0
  let reported = 0
  const begin = monotonicMs()
  while (monotonicMs() - begin < minutes * 60_000) {
    await sleep(1_000)
    created += Number((await shop.create()).status === 201)
    samples.push(mb(await residentOf(pid!)))
    const minute = Math.floor((monotonicMs() - begin) / 60_000)
    if (minute === reported) continue
    reported = minute
    t.diagnostic(
      `minute ${minute}: ${samples.at(-1)} MB, peak ${Math.max(...samples)} MB, ${created} creates`,
    )
  }
  const third = Math.floor(samples.length / 3)
  const [middle, last] = [median(samples.slice(third, 2 * third)), median(samples.slice(2 * third))]
  t.diagnostic(`before ${before} MB, peak ${Math.max(...samples)} MB, middle ${middle} MB, last ${last} MB`)
  assert.ok(created >= samples.length * 0.99, `${created} of ${samples.length} creates were answered`)
  assert.ok(Math.max(...samples) < mostMb, `${Math.max(...samples)} MB`)
  assert.ok(last <= middle * growth, `it grows: ${middle} MB, then ${last} MB`)
})

const mb = (bytes: number): number => Math.round(bytes / 2 ** 20)

const median = (figures: number[]): number =>
  figures.toSorted((left, right) => left - right)[figures.length >> 1]!

/** One address and many in turn. */
function shuffled(requests: string[]): string[] {
  const half = requests.length >> 1
  return requests.map((_, place) => requests[place % 2 ? half + (place >> 1) : place >> 1]!)
}
