/**
 * npm run lists: how long the pages of the consoles take with five million deposits, and how much memory a CSV of a million
 * rows takes. LISTS_ROWS asks for other numbers. The real program is warm and gets one request after another; the time is
 * that of the whole answer. It runs on the test runner, which provides the database. It prints and asserts nothing, because
 * machines are noisy. The query plans are asserted in test/console/plans.test.ts and test/desk/plans.test.ts.
 */
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { openDatabase, sql } from '../src/platform/db.ts'
import { openShop, startGateway } from '../test/support/gateway.ts'
import { fillDeposits } from '../test/support/many-deposits.ts'
import { joined } from '../test/support/person.ts'
import { dataFolder, startProgram } from '../test/support/program.ts'

const rows = Number(process.env.LISTS_ROWS ?? 5_000_000)
const looks = 40

test('lists', { timeout: 7_200_000 }, async () => {
  const gateway = await startGateway()
  const shop = await openShop(gateway)
  const { browser: owner } = await joined(gateway, { merchantId: shop.merchant, role: 'owner' })
  const { browser: admin } = await joined(gateway, { operatorRole: 'admin' })
  const begun = performance.now()
  await fillDeposits(gateway, shop.merchant, { deposits: rows, callbacks: rows / 5, days: 365 })
  const database = openDatabase(gateway.database.login, { connections: 1, hasNoStatementTimeout: true })
  await database.script('set statement_timeout = 0; set lock_timeout = 0')
  await database.script('vacuum deposits')
  await database.close()
  console.log(
    `${rows.toLocaleString('en')} deposits of a year in ${Math.round((performance.now() - begun) / 1000)} s`,
  )

  const program = await startProgram(await dataFolder(), {
    DATABASE_URL: gateway.database.url,
    INLET_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    INLET_ROLES: 'api,console',
    INLET_DEMO: 'off',
    INLET_METRICS_PORT: 'off',
    // Each page is requested from another address, so that the limit of one address does not count.
    INLET_TRUSTED_PROXIES: '127.0.0.1,::1',
  })
  await program.ready()
  const { url } = program
  const [middle] = await gateway.db.query<{ id: string; orderId: string }>(sql`
    select id, order_id as "orderId" from deposits where order_id = ${`O-${rows / 2}`}`)
  const at = `/console/${shop.merchant}`
  const pages: [name: string, path: string, cookie: string][] = [
    ['deposits', at, owner.cookie],
    ['by order', `${at}?q=${middle!.orderId}`, owner.cookie],
    ['by amount', `${at}?q=1234.00`, owner.cookie],
    ['by last four', `${at}?q=0777`, owner.cookie],
    ['by state and currency', `${at}?state=rejected&currency=UZS`, owner.cookie],
    ['of some days', `${at}?from=2026-06-01&to=2026-06-02`, owner.cookie],
    ['a deposit', `${at}/deposits/${middle!.id}`, owner.cookie],
    ['callbacks', `${at}/callbacks`, owner.cookie],
    ['events', `${at}/events`, owner.cookie],
    ['charts of 90 days', `${at}/charts?days=90`, owner.cookie],
    ['queue', '/operator', admin.cookie],
    ['desk: deposits', '/operator/deposits', admin.cookie],
    ['desk: by order', `/operator/deposits?q=${middle!.orderId}`, admin.cookie],
    ['desk: a deposit', `/operator/deposits/${middle!.id}`, admin.cookie],
    ['desk: transfers', '/operator/transfers', admin.cookie],
    ['requisites', '/operator/requisites', admin.cookie],
    ['metrics', '/operator/metrics', admin.cookie],
    ['audit', '/operator/audit', admin.cookie],
  ]
  for (const [place, [name, path, cookie]] of pages.entries()) {
    const headers = { cookie, 'x-forwarded-for': `10.0.0.${place}` }
    const times: number[] = []
    for (let look = 0; look < looks; look++) {
      const started = performance.now()
      const answer = await fetch(url + path, { headers, redirect: 'manual' })
      await answer.arrayBuffer()
      times.push(performance.now() - started)
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`)
    }
    const [first] = times
    const sorted = times.slice(1).sort((a, b) => a - b)
    const quantile = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]!.toFixed(1)
    console.log(
      `${name.padEnd(24)} p50 ${quantile(0.5)} ms, p95 ${quantile(0.95)} ms, the first ${first!.toFixed(1)} ms`,
    )
  }

  const resident = async () =>
    Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${program.child.pid}/status`, 'utf8'))![1]) / 1024
  const before = await resident()
  let most = before
  let lines = 0
  const started = performance.now()
  const csv = await fetch(`${url + at}/deposits.csv?currency=RUB`, { headers: { cookie: owner.cookie } })
  for await (const chunk of csv.body!) {
    for (const byte of chunk) if (byte === 10) lines++
    if (lines > 1_000_000) break
    most = Math.max(most, await resident())
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  console.log(
    `CSV of ${lines.toLocaleString('en')} rows in ${seconds} s: ${before.toFixed(0)} MB, at most ${most.toFixed(0)} MB`,
  )
})
