/**
 * `npm run lists`: what each list and search of API, desk and console costs PostgreSQL at a million deposits. Each page is asked for
 * again and again from the real program; the figure is PostgreSQL's processor time for one answer. A page must stay below 50 ms.
 */
import { signV2 } from '../sdk/signature.ts'
import { monotonicMs } from '../src/platform/clock.ts'
import { openDatabase, sql } from '../src/platform/db.ts'
import { joined } from '../test/support/person.ts'
import { fillOld } from './old-deposits.ts'
import type { Row } from './row.ts'
import { settings } from './settings.ts'
import type { World } from './world.ts'

const looks = 10

type Sample = { id: string; orderId: string; reference: string }
type Page = { name: string; path: string; who: 'shop' | 'owner' | 'admin' }
type Cost = { name: string; postgresMs: number; wholeMs: number }

export const lists: Row = {
  name: 'lists',
  what: "the dearest list or search of API, desk and console, PostgreSQL's processor time",
  must: { most: 50 },
  aim: { most: 25 },
  async measure(world) {
    await fillOld(world)
    const db = openDatabase(await world.superuser('old'), { connections: 2 })
    try {
      const merchant = world.shop.merchant
      const [oldest] = await db.query<Sample>(sql`
        select id, order_id as "orderId", reference from deposits where merchant_id = ${merchant} order by id limit 1`)
      const costs: Cost[] = []
      for (const page of pagesOf(merchant, oldest!)) {
        costs.push(await costOf(world, db, page))
        const { name, postgresMs, wholeMs } = costs.at(-1)!
        world.status(`${name}: PostgreSQL ${postgresMs.toFixed(1)} ms, whole answer ${wholeMs.toFixed(1)} ms`)
      }
      costs.sort((left, right) => right.postgresMs - left.postgresMs)
      const [dearest] = costs
      const over = costs.filter(({ postgresMs }) => postgresMs > 50).length
      const note = `${dearest!.name}; ${over} of ${costs.length} above 50 ms; ${settings.deposits.toLocaleString('en')} deposits`
      return { value: dearest!.postgresMs, unit: 'ms', reference: null, ratio: null, note }
    } finally {
      await db.close()
    }
  },
}

function pagesOf(merchant: string, { id, orderId, reference }: Sample): Page[] {
  const day = new Date(Date.now() - 100 * 86_400_000).toISOString().slice(0, 10)
  const searches = {
    'of all': '',
    'by order': `?q=${orderId}`,
    'by reference': `?q=${reference}`,
    'by exact amount': '?q=1234.00',
    'by customer': '?q=customer-77',
    'by last digits': '?q=0777',
    'by nothing there is': '?q=never%20seen',
  }
  const narrowed = {
    'by state and currency': '?state=rejected&currency=UZS',
    'by a state that none has': '?state=review',
    'by method': '?method=sbp',
    'of some days': `?from=${day}&to=${day}`,
  }
  const console = `/console/${merchant}`
  const pages = (who: Page['who'], prefix: string, base: string, queries: Record<string, string>): Page[] =>
    Object.entries(queries).map(([name, query]) => ({ name: `${prefix} ${name}`, path: base + query, who }))
  return [
    ...pages('shop', 'API: deposits', '/api/v1/requests/deposits', {
      'of all': '?limit=200',
      'of a state': '?state=rejected&limit=200',
      'of a day': `?from=${day}T00:00:00Z&to=${day}T23:59:59Z&limit=200`,
    }),
    ...pages('shop', 'API:', '/api/v1', {
      'by order': `/requests/deposit?order_id=${orderId}`,
      callbacks: '/callbacks',
    }),
    ...pages('owner', 'console: deposits', console, { ...searches, ...narrowed }),
    ...pages('owner', 'console:', console, {
      'a deposit': `/deposits/${id}`,
      callbacks: '/callbacks',
      'callbacks that wait': '/callbacks?state=pending',
      overview: '/overview',
    }),
    ...pages('admin', 'desk: deposits', '/operator/deposits', {
      ...searches,
      'created on a day': `?created=${day}`,
    }),
    ...pages('admin', 'desk:', '/operator', {
      queue: '',
      'a deposit': `/deposits/${id}`,
      transfers: '/transfers',
      statements: '/statements',
      requisites: '/requisites',
      audit: '/audit',
      refunds: '/refunds',
    }),
  ]
}

type Db = ReturnType<typeof openDatabase>
let asked = 0

/** Each page is asked for by a person of its own at an address of its own, whose limits it does not reach. */
async function costOf(world: World, db: Db, { name, path, who }: Page): Promise<Cost> {
  const { port } = await world.inlet('old')
  const url = `http://127.0.0.1:${port}`
  const { merchant, secret, keyId: kid } = world.shop
  const gateway = { db, url, database: { owner: db } }
  const headers: Record<string, string> = { 'x-forwarded-for': `10.0.0.${++asked}` }
  if (who !== 'shop') {
    const role =
      who === 'owner' ? ({ merchantId: merchant, role: who } as const) : ({ operatorRole: who } as const)
    headers.cookie = (await joined(gateway, role)).browser.cookie
  }
  const look = async () => {
    if (who === 'shop') {
      const t = Math.floor(Date.now() / 1000)
      headers['x-signature'] = signV2({ secret, kid, t, method: 'GET', target: path, body: Buffer.alloc(0) })
    }
    const answer = await fetch(url + path, { headers, redirect: 'manual' })
    const text = await answer.text()
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text.slice(0, 300)}`)
  }
  await look()
  const before = (await world.cpuMs()).postgres
  const began = monotonicMs()
  for (let times = 0; times < looks; times++) await look()
  const wholeMs = (monotonicMs() - began) / looks
  return { name, wholeMs, postgresMs: ((await world.cpuMs()).postgres - before) / looks }
}
