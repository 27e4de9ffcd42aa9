/**
 * Creates of one merchant while another one does all that its limits allow: creates at twice its rate, lists, exports and uploads
 * of its clerk, and 20,000 deposits that end in one moment. Against the same creates with nobody beside them.
 */
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { signV2 } from '../sdk/signature.ts'
import { sleep } from '../src/platform/clock.ts'
import { openDatabase } from '../src/platform/db.ts'
import { joined } from '../test/support/person.ts'
import { alternate } from './compare.ts'
import { createDeposits } from './creates.ts'
import { makeOverdue } from './expire.ts'
import { openLoad } from './load.ts'
import type { CrowdRequest } from './neighbours-worker.ts'
import { createPath, type Shop, signedOrder } from './orders.ts'
import type { Row } from './row.ts'
import { settings, shareOf } from './settings.ts'
import { addShop, setRate, type World } from './world.ts'

const place = 'neighbours'
/** Of the merchant that is measured, and the limit of the other one, which is that of a new merchant. */
const rates = { measured: 50, limit: 100 } as const

export const neighbours: Row = {
  name: 'neighbours',
  what: "p99 of a merchant's creates while another merchant is at its limits ÷ without it",
  must: { most: 2 },
  aim: { most: 1.5 },
  async measure(world) {
    const { port, lastWords } = await world.inlet(place)
    const db = openDatabase(await world.superuser(place), { connections: 2 })
    const load = openLoad(lastWords)
    const greedy = await addShop(db)
    const seconds = 5 * settings.seconds
    const seen: Record<string, number> = {}
    const createSteadily = async () => {
      const count = seconds * rates.measured
      await load.prepare({ shop: world.shop, kind: 'account', from: world.draw(count), count })
      return load.drive({ port, connections: 64, seconds, rate: rates.measured }, 201)
    }
    try {
      const url = `http://127.0.0.1:${port}`
      const { browser } = await joined(
        { db, url, database: { owner: db } },
        {
          merchantId: greedy.merchant,
          role: 'owner',
        },
      )
      await createSteadily()
      const measured = await alternate(world, 'neighbours', 'p99Ms', {
        async reference() {
          await setRate(db, greedy.merchant, 1_000_000)
          await createDeposits(world, place, greedy, shareOf(20_000))
          await setRate(db, greedy.merchant, rates.limit)
          // Until every process has read the new limit, and what was created is behind us.
          await sleep(2_000)
          return createSteadily()
        },
        async value() {
          const crowd = new Worker(new URL('./neighbours-worker.ts', import.meta.url), {
            workerData: { url, seconds: seconds + 1, requests: crowdOf(world, greedy, seconds, browser) },
          })
          await makeOverdue(world, place, [greedy.merchant])
          const [phase, [statuses]] = await Promise.all([createSteadily(), once(crowd, 'message')])
          for (const [answer, times] of Object.entries(statuses as Record<string, number>))
            seen[answer] = (seen[answer] ?? 0) + times
          return phase
        },
      })
      const answers = Object.entries(seen).map(([answer, times]) => `${answer} ${times}`)
      return {
        ...measured,
        note: `${rates.measured} creates a second; the other's answers: ${answers.join(', ')}`,
      }
    } finally {
      await load.close()
      await db.close()
      await world.leave(place)
    }
  },
}

/** What the other merchant and its clerk send, each kind at a steady pace. */
function crowdOf(
  world: World,
  greedy: Shop,
  seconds: number,
  { cookie, csrf }: { cookie: string; csrf: string },
): CrowdRequest[] {
  const at = `/console/${greedy.merchant}`
  const listed = '/api/v1/requests/deposits?limit=200'
  const boundary = 'bench'
  const field = (name: string, rest = '') =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${rest}\r\n`
  const logo = Buffer.concat([
    Buffer.from(`${field('csrf')}\r\n${csrf}\r\n${field('accent')}\r\n#336699\r\n`),
    Buffer.from(`${field('logo', '; filename="logo.png"')}Content-Type: image/png\r\n\r\n`),
    picture(),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
  const orders = Array.from({ length: 2 * rates.limit * seconds }, () => {
    const { body, headers } = signedOrder(greedy, 'account', world.draw(1))
    return { name: 'create', path: createPath, body: Buffer.from(body), headers }
  })
  const list = () => {
    const t = Math.floor(Date.now() / 1000)
    const { secret, keyId: kid } = greedy
    const signature = signV2({ secret, kid, t, method: 'GET', target: listed, body: Buffer.alloc(0) })
    return { name: 'list', path: listed, headers: { 'X-Signature': signature } }
  }
  return [
    ...orders,
    ...repeated(20 * seconds, list),
    ...repeated(10 * seconds, () => ({ name: 'console', path: at, headers: { cookie } })),
    ...repeated(2 * seconds, () => ({ name: 'csv', path: `${at}/deposits/export.csv`, headers: { cookie } })),
    ...repeated(2 * seconds, () => ({
      name: 'upload',
      path: `${at}/settings/branding`,
      body: logo,
      headers: {
        cookie,
        'sec-fetch-site': 'same-origin',
        'content-type': `multipart/form-data; boundary=${boundary}`,
      },
    })),
  ]
}

const repeated = (count: number, make: () => CrowdRequest): CrowdRequest[] =>
  Array.from({ length: count }, make)

/** Noise, which no compression makes smaller. */
function picture(): Buffer {
  const { PNG } = createRequire(import.meta.url)('pngjs')
  const png = new PNG({ width: 100, height: 100 })
  crypto.getRandomValues(png.data)
  return PNG.sync.write(png)
}
