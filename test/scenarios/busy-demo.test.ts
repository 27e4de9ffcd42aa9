/** `inlet demo busy`: a day with something of everything, made by the product's own verbs, in the demo and nowhere else. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { createMerchant } from '../../src/domain/merchants/create-merchant.ts'
import { openFoundation } from '../../src/open-foundation.ts'
import { sql } from '../../src/platform/db.ts'
import { createLog } from '../../src/platform/log.ts'
import { busyInstallation, gatewayOn, installation } from '../support/busy.ts'
import { inlet, json } from '../support/command.ts'
import { joined, type PersonsBrowser } from '../support/person.ts'

const quiet = createLog('error', () => {})
let made: ReturnType<typeof busyInstallation> | undefined
/** It is made once, because the tests only read it. */
const busy = () => {
  made ??= busyInstallation()
  return made
}

test('a busy day has every state and every kind of work, and violates no invariant', async () => {
  const { database, made } = await busy()
  assert.equal(made.shops, 5)
  assert.ok(made.deposits >= 300, `${made.deposits} deposits`)

  const doctor = await json('doctor', '--all')
  const notHolding = doctor.promises.filter(({ verdict }: { verdict: string }) => verdict !== 'holds')
  assert.deepEqual(notHolding, [])

  const names = async (rows: Promise<{ name: string }[]>) => (await rows).map(({ name }) => name)
  assert.deepEqual(
    await names(database.owner.query(sql`select distinct state as name from deposits order by 1`)),
    ['builded', 'canceled', 'confirmed', 'created', 'expired', 'rejected', 'reversed'],
  )
  assert.deepEqual(
    await names(database.owner.query(sql`select distinct currency as name from deposits order by 1`)),
    ['KZT', 'RUB', 'TJS', 'UZS'],
  )
  assert.deepEqual(
    await names(database.owner.query(sql`select distinct unnest(labels) as name from deposits order by 1`)),
    ['late', 'manual', 'overpaid', 'review', 'underpaid'],
  )
  assert.deepEqual(
    await names(database.owner.query(sql`select distinct state as name from transfers order by 1`)),
    [
      ...[
        'ambiguous',
        'debit',
        'duplicate',
        'held',
        'matched',
        'refunded',
        'reversal',
        'revoked',
        'set_aside',
      ],
      'unmatched',
    ],
  )
  const rules = await names(
    database.owner.query(sql`select distinct rule as name from transfer_decisions order by 1`),
  )
  for (const rule of [
    ...['amount', 'amount_doubt', 'by_hand', 'held', 'listed', 'not_payment', 'reference', 'reference_doubt'],
    ...['reversal', 'revoked', 'same_payment'],
  ])
    assert.ok(rules.includes(rule), `${rule} in ${rules.join(', ')}`)
  const [counts] = await database.owner.query<Record<string, boolean>>(sql`
    select
      exists (select from deposits where state = 'created' and claimed_at is null) as created,
      exists (select from deposits where state in ('created', 'expired') and claimed_at is not null) as claimed,
      exists (select from deposits where state = 'expired' and late_until > now()) as "inGrace",
      exists (select from deposits where state = 'expired' and late_until < now()) as final,
      exists (select from deposits where labels @> '{underpaid}' and state = 'created') as "waitsForRest",
      exists (select from delivery_attempts where outcome = 'ok') as delivered,
      exists (select from deliveries where state = 'open') as waiting,
      exists (select from deliveries where state = 'dead') as "givenUp",
      exists (select from endpoints where state = 'paused') as paused,
      exists (select from proposals where state = 'open') as proposed,
      exists (select from statements) as imported,
      exists (select from transfers where told_early_at is not null and told_booked_at is not null) as paired,
      exists (select from report_rows where parked_at is not null and closed_by is null and transfer_id is null) as parked,
      exists (
        select
        from transfers t
        join account_days d on d.account_id = t.account_id and d.day = t.booked_on
        where t.told_booked_at is null and t.told_early_at is not null) as "neverBooked",
      exists (
        select from bank_sources where last_used_at between now() - interval '14 days' and now() - interval '1 day')
        as "silentSource",
      exists (
        select from receiving_accounts where heard_at < now() - make_interval(hours => silent_hours)) as "silentAccount",
      exists (
        select
        from requisites r
        join requisite_loads l on l.requisite_id = r.id
        where l.day_cents > r.daily_cents * 0.9) as loaded,
      exists (select from deposits where created_at < now() - interval '13 days') as fortnight`)
  assert.deepEqual(
    Object.entries(counts!).filter(([, isThere]) => !isThere),
    [],
    'each of these is there',
  )

  const again = await inlet('demo', 'busy')
  assert.deepEqual([again.code, again.stderr], [1, 'The demo is busy already.\n'])
  process.env.INLET_DEMO = 'off'
  const off = await inlet('demo', 'busy')
  delete process.env.INLET_DEMO
  assert.equal(off.stderr, 'A busy day is made in the demo only: INLET_DEMO is off here.\n')
})

/** The figures of an overview: what each says, and where it leads. */
function figuresOf(page: string): { href: string; count: number }[] {
  const overview = page.slice(page.indexOf('<main'))
  const links = overview.matchAll(/<a href="([^"]+)">(?:[^<]*: )?([\d,]+)<\/a>/g)
  return [...links].map(([, href, count]) => ({
    href: href!.replaceAll('&amp;', '&'),
    count: Number(count!.replaceAll(',', '')),
  }))
}

/** How many rows the list has that a page ends with, over all of its pages. */
async function listedAt(browser: PersonsBrowser, href: string): Promise<number> {
  let found = 0
  for (let next: string | undefined = href; next; ) {
    const { status, text }: { status: number; text: string } = await browser.get(next)
    assert.equal(status, 200, next)
    const list: string = text.slice(text.search(/<table class="(?:list|rows)">|<ol class="items"/))
    found += [...list.matchAll(/<tr>(?!<th scope="col").*?<\/tr>|<li>.*?<\/li>/gs)].length
    next = /rel="next" href="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
  }
  return found
}

test('every figure of both overviews equals the list that it links to', async () => {
  const { gateway, merchant } = await gatewayOn((await busy()).database)
  const admin = await joined(gateway, { operatorRole: 'admin' })
  const owner = await joined(gateway, { merchantId: merchant, role: 'owner' })
  for (const [browser, path, least] of [
    [admin.browser, '/operator/overview', 16],
    [owner.browser, `/console/${merchant}/overview`, 16],
  ] as const) {
    const before = figuresOf((await browser.get(path)).text)
    assert.ok(before.length >= least, `${before.length} figures at ${path}`)
    const lists: number[] = []
    for (const { href } of before) lists.push(await listedAt(browser, href))
    // What waits gets older meanwhile: then the figure is another one as well.
    const after = figuresOf((await browser.get(path)).text)
    for (const [place, { href, count }] of before.entries()) {
      const listed = lists[place]!
      assert.ok([count, after[place]?.count].includes(listed), `${href}: ${count}, listed ${listed}`)
    }
  }
})

test('data that is not the demo’s, a running Inlet, and production prevent a busy day', async () => {
  const { database, foundation } = await installation()
  const server = await openFoundation(readConfig(), 'server', quiet)
  const running = await inlet('demo', 'busy')
  assert.match(running.stderr, /^Inlet runs on this database\. Stop it, and try again\./)
  await server.close()
  await createMerchant(foundation.db, foundation.vault, { name: 'Ours', mode: 'live', callbackUrl: null })
  const ours = await inlet('demo', 'busy')
  assert.match(ours.stderr, /^This database has merchants or accounts that are not the demo’s\./)
  assert.equal(ours.code, 1)
  assert.deepEqual(await database.owner.query(sql`select from deposits`), [])

  process.env.NODE_ENV = 'production'
  process.env.INLET_PUBLIC_URL = 'https://pay.example'
  const production = await inlet('demo', 'busy')
  delete process.env.NODE_ENV
  delete process.env.INLET_PUBLIC_URL
  assert.equal(production.stderr, 'A busy day is made in the demo only: INLET_DEMO is off here.\n')
})
