/** From the demo to production: a start refuses what the demo left open, and once it is closed it opens nothing. */

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { before, test } from 'node:test'
import { signV2 } from '../../sdk/signature.ts'
import { readConfig } from '../../src/config.ts'
import { proposeAct } from '../../src/domain/approvals/propose-act.ts'
import { readIndependence } from '../../src/domain/approvals/store.ts'
import { appendAudit } from '../../src/domain/audit/store.ts'
import { createMerchant } from '../../src/domain/merchants/create-merchant.ts'
import { rotateKey } from '../../src/domain/merchants/rotate-key.ts'
import { invitePerson } from '../../src/domain/people/change-person.ts'
import { enterDemo } from '../../src/domain/people/links/accept-link.ts'
import { findLink } from '../../src/domain/people/links/store.ts'
import { hashPassword } from '../../src/domain/people/password.ts'
import { digestOfSecret, sessionCookie } from '../../src/domain/people/session.ts'
import { seedDemo } from '../../src/domain/sandbox/demo-data.ts'
import { type Demo, demoFile, writeDemo } from '../../src/domain/sandbox/demo-file.ts'
import { inviteDemoPeople } from '../../src/domain/sandbox/demo-people.ts'
import { refuseDemo } from '../../src/domain/sandbox/remove-demo.ts'
import { startGateway } from '../../src/gateway.ts'
import { openFoundation } from '../../src/open-foundation.ts'
import { sql } from '../../src/platform/db.ts'
import type { Foundation } from '../../src/platform/foundation.ts'
import { createLog } from '../../src/platform/log.ts'
import { start } from '../../src/start.ts'
import type { Terminal } from '../../src/surfaces/command-line/command.ts'
import { staffPath } from '../../src/surfaces/staff/paths.ts'
import { atEnd } from '../support/clean-up.ts'
import { inlet } from '../support/command.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { call, freePort, nowSeconds, shopOf } from '../support/gateway.ts'
import { PersonsBrowser } from '../support/person.ts'
import { dataFolder } from '../support/program.ts'

const settings = {
  INLET_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  INLET_METRICS_PORT: 'off',
  INLET_LOG_LEVEL: 'error',
}
const production = { ...settings, NODE_ENV: 'production', INLET_PUBLIC_URL: 'https://pay.example' }
const quiet = createLog('error', () => {})
const actor = { personId: null, name: 'test', requestId: null }

type Installation = { database: TestDatabase; foundation: Foundation; dataDir: string; demo: Demo }

/** What a first start in development leaves behind; its two links are still unused. */
async function demoInstallation(): Promise<Installation & { links: { merchant: string; operator: string } }> {
  const database = await createDatabase()
  const dataDir = await dataFolder()
  const config = readConfig({ ...settings, DATABASE_URL: database.url, INLET_DATA_DIR: dataDir })
  const foundation = await openFoundation(config, 'server', quiet)
  atEnd(() => foundation.close())
  const demo = (await seedDemo(config, foundation))!
  const links = await inviteDemoPeople(foundation.db, demo, (token) => staffPath('/join/:token', token))
  return { database, foundation, dataDir, demo, links }
}

const nobody = {
  stdout: { write: () => true, on() {} },
  stderr: { write: () => true, on() {} },
  on() {},
  removeAllListeners() {},
  // A refused start ends its process, which here is that of the tests.
  exit() {},
} as unknown as Terminal

/** A start as an operator makes it, on the database of the demo. */
const startIn = async ({ database }: Installation, dataDir: string, more: Record<string, string> = {}) =>
  start(
    readConfig({
      ...production,
      ...more,
      DATABASE_URL: database.url,
      INLET_DATA_DIR: dataDir,
      PORT: String(await freePort()),
    }),
    nobody,
  )

const refused = {
  name: 'OperatorProblem',
  message: /used for the demo, which is still open .*"inlet demo remove"/,
}

let made: Awaited<ReturnType<typeof demoInstallation>>
before(async () => {
  made = await demoInstallation()
})

for (const roles of ['api,pay,console,worker', 'api', 'pay', 'console', 'worker']) {
  test(`production refuses to start on the demo's data with the roles ${roles}`, async () => {
    await assert.rejects(startIn(made, made.dataDir, { INLET_ROLES: roles }), refused)
  })
}

test('also on another machine, without a demo.json', async () => {
  await assert.rejects(startIn(made, await dataFolder()), refused)
})

test('each part of the demo alone is refused: people, merchant, keys, accounts, requisites', async () => {
  const { db } = made.foundation
  const { owner } = made.database
  const closeAll = `
    update people set disabled_at = now(); update merchants set enabled = false;
    update api_keys set not_after = now() - interval '1 minute';
    update receiving_accounts set enabled = false; update requisites set enabled = false;`
  const elsewhere = await dataFolder()
  for (const [open, named] of [
    ["update people set disabled_at = null, name = 'Anna' where email like 'owner%'", /person owner@demo/],
    ["update merchants set enabled = true, name = 'Renamed'", new RegExp(`merchant ${made.demo.merchant}`)],
    ["update api_keys set not_after = null where purpose = 'request'", /merchant/],
    ["update api_keys set not_after = null where purpose = 'callback'", /merchant/],
    ['update receiving_accounts set enabled = true', /receiving accounts: \d+/],
    ['update requisites set enabled = true', /receiving accounts: \d+/],
    [
      `update sign_in_links set used_at = null, made_by_person =
         (select id from people where email = 'operator@demo.example')`,
      /links that its people handed out: \d+/,
    ],
  ] as const) {
    await assert.rejects(
      owner.transaction(async (tx) => {
        // Undone at the end: every part is looked at alone.
        for (const text of [...closeAll.split(';').filter((statement) => statement.trim()), open])
          await tx.query({ text, name: '', values: [] })
        await refuseDemo({ ...db, transaction: (work) => work(tx) }, elsewhere)
      }),
      { name: 'OperatorProblem', message: named },
    )
  }
})

test('a merchant of an older demo without a mark is known by demo.json', async () => {
  const { foundation, database, demo } = await demoInstallation()
  await database.owner.script(`
    update merchants set is_demo = false; update people set disabled_at = now();
    update receiving_accounts set is_demo = false`)
  const folder = await dataFolder()
  await refuseDemo(foundation.db, folder)
  await writeDemo(folder, demo)
  await assert.rejects(refuseDemo(foundation.db, folder), {
    message: new RegExp(`merchant ${demo.merchant}`),
  })
})

test('inlet demo remove closes all of it, says so, and a second time there is nothing', async () => {
  const { foundation, database, dataDir, demo, links } = made
  const { db, vault } = foundation
  // What may have happened in development: a password, a session, a new key, another shop, people of the demo's admin.
  const client = { network: '127.0.0.1', browser: 'test', mark: null, requestId: null }
  const session = await enterDemo(db, { token: links.operator.split('/').at(-1)!, client })
  await db.query(
    sql`update people set password = ${await hashPassword('correct horse battery')} where is_demo`,
  )
  const rotated = await rotateKey(db, vault, {
    ...{ merchantId: demo.merchant, purpose: 'request' as const, overlapDays: 7, v2Only: false },
  })
  const real = await createMerchant(db, vault, { name: 'Real', mode: 'live', callbackUrl: null })
  await invitePerson(db, {
    ...{ email: 'owner@demo.example', name: 'x', operatorRole: null, actor },
    membership: { merchantId: real.merchant.id, role: 'owner' },
  })
  const handedOut = await invitePerson(db, {
    ...{ email: 'colleague@shop.example', name: 'Colleague', operatorRole: 'admin', membership: null },
    actor: { ...actor, personId: session.person.id },
  })
  const friendsGuest = await invitePerson(db, {
    ...{
      email: 'friend-of-colleague@shop.example',
      name: 'Friend',
      operatorRole: 'auditor',
      membership: null,
    },
    actor: { ...actor, personId: handedOut.person.id },
  })
  const by = { personId: session.person.id, email: 'operator@demo.example', requestId: null }
  const audit = {
    ...{
      personId: by.personId,
      actor: by.email,
      act: 'merchant_create',
      subject: 'merchant:of-the-demo-operator',
    },
    ...{ merchantId: null, reason: '', before: null, after: null, requestId: null },
  }
  await createMerchant(db, vault, { name: 'Theirs', mode: 'live', callbackUrl: null })
  await db.transaction((tx) => appendAudit(tx, audit))
  await db.transaction((tx) =>
    proposeAct(
      tx,
      {
        ...{ kind: 'installation.approvals', subject: 'installation', merchantId: null, isGuard: true },
        ...{ asked: { id: 'installation', texts: { single: 'on' }, seen: {} }, several: false },
        ...{ reason: 'alone here', personId: by.personId, actor: by.email, requestId: null },
      },
      'settings_change',
    ),
  )

  Object.assign(process.env, { ...production, DATABASE_URL: database.url, INLET_DATA_DIR: dataDir })
  atEnd(async () => {
    for (const name of ['NODE_ENV', 'INLET_PUBLIC_URL']) delete process.env[name]
  })
  const output = await inlet('demo', 'remove')
  assert.equal(output.code, 0, output.stderr)
  for (const line of [
    'Closed person operator@demo.example',
    'Closed person owner@demo.example',
    `Disabled merchant ${demo.merchant}`,
    'Disabled 87 receiving accounts',
    'Ended 1 links that',
    'still open: colleague@shop.example',
    'still open: friend-of-colleague@shop.example',
    "Done by the demo's people: merchant_create merchant:of-the-demo-operator.",
  ])
    assert.ok(output.stdout.includes(line), output.stdout)
  assert.equal(existsSync(demoFile(dataDir)), false)
  const again = await inlet('demo', 'remove')
  assert.match(again.stdout, /^Nothing of the demo is open\.\n/)
  const lines = await db.query<{ actor: string }>(
    sql`select actor from audit_entries where act = 'demo_remove'`,
  )
  assert.deepEqual(lines, [{ actor: 'command line' }])
  await refuseDemo(db, dataDir)
  assert.deepEqual(await db.query(sql`select state from proposals`), [{ state: 'withdrawn' }])
  assert.ok(await findLink(db, digestOfSecret(friendsGuest.token)), 'what others handed out stays')
  // The demo's operator was nobody's second person: a first admin of one's own is alone here.
  const alone = { proposedBy: handedOut.person.id, personId: handedOut.person.id }
  assert.equal((await readIndependence(db, alone)).hasOtherDecider, false)

  const port = await freePort()
  const config = readConfig({
    ...production,
    ...{ DATABASE_URL: database.url, INLET_DATA_DIR: dataDir, PORT: String(port) },
  })
  const gateway = await startGateway(config, foundation, quiet, demo)
  atEnd(() => gateway.close())
  const url = `http://localhost:${port}`
  for (const secret of [demo.signing_secret, rotated.secret]) {
    const shop = shopOf({ url }, demo.merchant, rotated.id, secret)
    for (const answer of [await shop.create(), await shop.createV2(shop.order())])
      assert.deepEqual([answer.status, answer.body.code], [401, 'signature_invalid'])
  }
  const browser = new PersonsBrowser({ url })
  const chosen = { password: 'seven lamps of a harbour' }
  for (const path of [links.merchant, `/join/${handedOut.token}`])
    assert.equal((await browser.post(path, chosen)).status, 410, 'nor does what the demo’s people handed out')
  browser.keep([sessionCookie(session.secret, true)])
  assert.deepEqual([(await browser.get('/operator')).status, (await browser.get('/home')).status], [303, 303])
  const signIn = await new PersonsBrowser({ url }).post('/sign-in', {
    ...{ email: 'operator@demo.example', password: 'correct horse battery' },
  })
  assert.equal(signIn.status, 401)
  // A test-mode merchant of one's own gets no requisites of the demo, and time does not pass at its word.
  const own = await createMerchant(db, vault, { name: 'Own', mode: 'test', callbackUrl: null })
  const shop = shopOf({ url }, own.merchant.id, own.keyId, own.signingSecret)
  assert.equal((await shop.createV2(shop.order())).body.code, 'no_requisite_available')
  const body = Buffer.from('{"minutes":5}')
  const target = '/api/v1/sandbox/clock'
  const clock = await call(url, target, {
    ...{ method: 'POST', body },
    headers: {
      'content-type': 'application/json',
      'x-signature': signV2({
        ...{ secret: own.signingSecret, kid: own.keyId, t: nowSeconds(), method: 'POST', target, body },
      }),
    },
  })
  assert.deepEqual([clock.status, clock.body.code], [404, 'not_found'])
  const passed = await inlet('bank', 'pass', '--merchant', own.merchant.id, '--minutes', '5')
  assert.deepEqual([passed.code, passed.stderr.slice(0, 10)], [1, 'not_found:'])
})

test('data without a demo start: a test merchant with the demo’s name is not taken for a demo', async () => {
  const database = await createDatabase()
  const dataDir = await dataFolder()
  const config = readConfig({ ...production, DATABASE_URL: database.url, INLET_DATA_DIR: dataDir })
  const foundation = await openFoundation(config, 'server', quiet)
  atEnd(() => foundation.close())
  await createMerchant(foundation.db, foundation.vault, {
    name: 'Demo shop',
    mode: 'test',
    callbackUrl: null,
  })
  await refuseDemo(foundation.db, dataDir)
})
