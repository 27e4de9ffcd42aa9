/** The master key is changed while two servers work: nothing is refused, a killed run can be continued, and the old key opens nothing. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sealMac } from '../src/domain/audit/audit.ts'
import { sealAudit } from '../src/domain/audit/seal-audit.ts'
import { appendAudit } from '../src/domain/audit/store.ts'
import { sealedColumns } from '../src/domain/keys/sealed-columns.ts'
import { readSealed, readSeals } from '../src/domain/keys/store.ts'
import { sealLabel } from '../src/domain/merchants/api-key.ts'
import { totpLabel } from '../src/domain/people/person.ts'
import { recoveryDigest } from '../src/domain/people/sign-in.ts'
import { sql, type Tx } from '../src/platform/db.ts'
import { createLog } from '../src/platform/log.ts'
import { lockSealer } from '../src/platform/sealing-key.ts'
import { createVault, macWith, opened } from '../src/platform/vault.ts'
import { commandsOn, inlet, json } from './support/command.ts'
import { openShop, type Shop, shopOf, startGateway, type TestGateway } from './support/gateway.ts'
import { codeNow, joined, PersonsBrowser, password } from './support/person.ts'
import { root } from './support/program.ts'

const keys = { first: Buffer.alloc(32, 7), second: Buffer.alloc(32, 8), third: Buffer.alloc(32, 9) }
const vaultOf = (key: Buffer) => createVault(key)
const text = (key: Buffer) => key.toString('base64')
const settingsOf = (current: Buffer, old: Buffer | null) => ({
  INLET_MASTER_KEY: text(current),
  INLET_OLD_MASTER_KEY: old ? text(old) : '',
})
const both = settingsOf(keys.second, keys.first)
const servers = { INLET_ROLES: 'api,console' }
const crowd = { keys: 1_500, people: 400 }

/** Has only the first key. */
let first: TestGateway
let shop: Shop
let person: Awaited<ReturnType<typeof joined>>
let codes: string[]
/** The head of the audit log, as logged before the change. */
let head: string
let settings: Record<string, string>

before(async () => {
  first = await startGateway({ environment: servers })
  shop = await openShop(first)
  person = await joined(first, { operatorRole: 'admin' })
  codes = codesIn((await person.browser.post('/account/codes')).text)
  await fill()
  const log = createLog('info', (line) => {
    head = JSON.parse(line).head
  })
  await sealAudit(first.db, first.vault, log)
  settings = await commandsOn(first)
})

const codesIn = (page: string) =>
  [...page.matchAll(/<li>([a-z0-9]{5}-[a-z0-9]{5})<\/li>/g)].map(([, code]) => code!)

/** Adds many sealed values. */
async function fill(): Promise<void> {
  const { owner } = first.database
  const { current } = vaultOf(keys.first)
  const ids = Array.from({ length: crowd.keys }, (_, place) => `key_${String(place).padStart(6, '0')}`)
  const sealed = ids.map((id) =>
    current.seal(`whsec_${id}`, sealLabel({ id, merchantId: shop.merchant, purpose: 'callback' })),
  )
  await owner.query(sql`
    insert into api_keys (id, merchant_id, purpose, secret_sealed, not_after)
    select id, ${shop.merchant}, 'callback', sealed, inlet_now() - interval '1 day'
    from unnest(${ids}::text[], ${sealed}::bytea[]) as k (id, sealed)`)
  const people = await owner.query<{ id: string }>(sql`
    insert into people (id, email, name)
    select gen_random_uuid(), 'crowd-' || n || '@example.com', 'Crowd'
    from generate_series(1, ${crowd.people}::int) as n
    returning id`)
  const totps = people.map(({ id }) => current.seal('c2VjcmV0', totpLabel(id)))
  await owner.query(sql`
    update people p set totp_sealed = k.sealed
    from unnest(${people.map(({ id }) => id)}::uuid[], ${totps}::bytea[]) as k (id, sealed)
    where p.id = k.id`)
  const digests = people.map(({ id }) => current.mac(recoveryDigest(id, 'aaaaa-bbbbb'), 'recovery code'))
  await owner.query(sql`
    update people p set recovery_digests = array[k.digest]
    from unnest(${people.map(({ id }) => id)}::uuid[], ${digests}::bytea[]) as k (id, digest)
    where p.id = k.id`)
}

const commandWith = async (environment: Record<string, string>, ...words: string[]) => {
  Object.assign(process.env, settings, environment)
  return inlet(...words)
}

const warningOf = async (environment: Record<string, string>) => {
  const { stdout } = await commandWith(environment, 'doctor', '--json')
  const found = JSON.parse(stdout).promises.find(({ name }: { name: string }) => name === 'one-master-key')
  return found.offenders.map(({ id, detail }: { id: string; detail: string }) => `${id} ${detail}`)
}

const at = (gateway: TestGateway, { merchant, keyId, secret }: Shop) =>
  shopOf(gateway, merchant, keyId, secret)

async function signsIn(gateway: TestGateway, code: string): Promise<boolean> {
  const browser = new PersonsBrowser(gateway)
  await browser.post('/sign-in', { email: person.email, password })
  await browser.get('/sign-in/second')
  return (await browser.post('/sign-in/second', { code })).location === '/home'
}

/** Every value that is sealed, with its label. */
async function sealedValues() {
  const values = []
  for (const column of sealedColumns)
    for (const row of await readSealed(first.database.owner, column, { after: null, limit: 100_000 }))
      values.push({ table: column.table, id: row.id, sealed: row.sealed, label: column.label(row) })
  return values
}

test('every binary column of the schema is listed as sealed, keyed or plain', async () => {
  const sealed = [
    ...sealedColumns.map(({ table, column }) => `${table}.${column}`),
    'installation.master_key_check',
  ]
  const keyed = ['audit_seals.mac', 'people.recovery_digests']
  const plain = [
    ...['audit_entries.digest', 'audit_entries.previous', 'audit_seals.digest'],
    ...['installation.audit_digest', 'installation.reference_seed'],
    ...['bank_sources.token_digest', 'deposits.fingerprint', 'merchants.logo'],
    ...['passkeys.public_key', 'sessions.digest', 'sessions.mark', 'sign_in_links.digest'],
    ...['staged_entries.key', 'staged_entries.variant', 'statements.digest', 'transfer_keys.key'],
    ...['statement_uploads.head', 'transfer_keys.variant', 'upload_parts.bytes', 'used_once.digest'],
  ]
  const rows = await first.database.owner.query<{ name: string }>(sql`
    select table_name || '.' || column_name as name
    from information_schema.columns
    where table_schema = 'inlet' and udt_name in ('bytea', '_bytea')`)
  assert.deepEqual(rows.map(({ name }) => name).sort(), [...sealed, ...keyed, ...plain].sort())
})

test('two people who seal values at once hold up neither each other nor the audit log', async () => {
  const { db, vault } = first
  const act = {
    personId: null,
    actor: 'test',
    act: 'totp_set',
    subject: 'person:test',
    requestId: null,
  } as const
  await db.transaction(async (one) => {
    await lockSealer(one, vault)
    await db.transaction(async (other) => {
      await lockSealer(other, vault)
      await appendAudit(other, act)
    })
    await appendAudit(one, act)
  })
})

test('a process with both keys seals with the old one until the reseal begins, and that waits for the last process', async () => {
  const second = await startGateway({ beside: first, environment: { ...servers, ...both } })
  const made = await openShop(second)
  // The process that has only the old key serves a merchant that the other one created.
  assert.equal((await at(first, made).create()).status, 201)
  const secret = await person.secret!
  assert.ok(await signsIn(second, await codeNow(first, secret, 1n)))
  const refused = await commandWith(both, 'key', 'reseal')
  assert.match(
    refused.stderr,
    /^\d+ connections to the database are of processes that do not have the new key\./,
  )
  assert.equal(refused.code, 1)
  const warnings = await warningOf(both)
  assert.match(
    warnings[0]!,
    /^api_keys 15\d\d values are still sealed with the old key: run "inlet key reseal"$/,
  )
  await second.stop()
})

test('without another key there is nothing to re-encrypt', async () => {
  const { code, stderr } = await commandWith(settingsOf(keys.first, null), 'key', 'reseal')
  assert.deepEqual(
    [code, stderr.slice(0, 72)],
    [1, 'INLET_MASTER_KEY is the key that this database is sealed with. To change'],
  )
  const same = await commandWith(settingsOf(keys.first, keys.first), 'key', 'reseal')
  assert.match(same.stderr, /INLET_OLD_MASTER_KEY is the same key as INLET_MASTER_KEY/)
})

function startReseal(): ChildProcess {
  return spawn(process.execPath, ['bin/inlet.mjs', 'key', 'reseal'], {
    cwd: root,
    env: { PATH: process.env.PATH, ...settings, ...both },
    stdio: 'ignore',
  })
}

/** Locks a row, waits until the reseal waits for it, and kills the reseal without a chance to clean up. */
async function killAt(place: number, of: 'api_keys' | 'people'): Promise<void> {
  const { owner } = first.database
  const hold = {
    api_keys: (tx: Tx) =>
      tx.query(sql`select id from api_keys order by id offset ${place} limit 1 for update`),
    people: (tx: Tx) =>
      tx.query(sql`
        select id from people where totp_sealed is not null order by id offset ${place} limit 1 for update`),
  }[of]
  await owner.transaction(async (tx) => {
    await tx.query(sql`set local idle_in_transaction_session_timeout = 0`)
    await hold(tx)
    const child = startReseal()
    const ended = once(child, 'exit')
    for (let isWaiting = false; !isWaiting; await sleep(20)) {
      assert.equal(child.exitCode, null, 'it ended before it came to the row')
      isWaiting = await owner.has(sql`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like 'select t.%'`)
    }
    child.kill('SIGKILL')
    await ended
  })
}

test('killed at random rows under load, the reseal finishes when run again: nobody was refused, and the old key opens nothing', async (context) => {
  await first.stop()
  const pair = await Promise.all([
    startGateway({ beside: first, environment: { ...servers, ...both } }),
    startGateway({ beside: first, environment: { ...servers, ...both } }),
  ])
  let isOver = false
  const statuses = new Map<number, number>()
  const load = pair.map(async (gateway) => {
    while (!isOver) {
      const { status } = await at(gateway, shop).create()
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      // New secrets during the reseal, which the other server needs immediately.
      const other = pair.find((candidate) => candidate !== gateway)!
      const made = await at(other, await openShop(gateway)).create()
      statuses.set(made.status, (statuses.get(made.status) ?? 0) + 1)
      await sleep(100)
    }
  })
  context.after(() => {
    isOver = true
  })
  const seed = Math.floor(Math.random() * 1e9)
  context.diagnostic(`seed ${seed}`)
  await killAt(seed % crowd.keys, 'api_keys')
  // The new key alone is not enough for a server now.
  await assert.rejects(
    startGateway({ beside: first, environment: settingsOf(keys.second, null) }),
    /Values are still sealed with the old master key/,
  )
  await killAt(1 + (seed % (crowd.people - 1)), 'people')
  assert.equal((await warningOf(both)).length > 0, true)
  assert.ok(await signsIn(pair[0]!, codes[0]!), 'a recovery code works during the reseal')
  const done = await commandWith(both, 'key', 'reseal')
  isOver = true
  await Promise.all(load)
  assert.deepEqual([done.code, done.stderr], [0, ''])
  assert.match(
    done.stdout,
    /^\d+ values re-encrypted; \d+ open with the key \w{8} alone\.\nThe old key \(\w{8}\) opens nothing now: remove INLET_OLD_MASTER_KEY\.\n$/,
  )
  assert.deepEqual([...statuses.keys()], [201])

  const [old, now] = [vaultOf(keys.first), vaultOf(keys.second)]
  const values = await sealedValues()
  assert.ok(values.length > crowd.keys + crowd.people)
  for (const { table, id, sealed, label } of values) {
    assert.equal(opened(old, sealed, label), undefined, `${table} ${id}`)
    assert.notEqual(opened(now, sealed, label), undefined, `${table} ${id}`)
  }
  for (const seal of await readSeals(first.database.owner, 0n, 1_000)) {
    assert.notDeepEqual(seal.mac, sealMac(old.current.mac, seal))
    assert.deepEqual(seal.mac, sealMac(now.current.mac, seal))
  }
  const guessed = codes.map((code) =>
    macWith(old.current.macKey('recovery code'), recoveryDigest(person.person.id, code)),
  )
  assert.ok(
    !(await first.database.owner.has(sql`select from people where recovery_digests && ${guessed}::bytea[]`)),
    'a code cannot be guessed with the old key',
  )
  assert.match(
    (await warningOf(both))[0]!,
    /the old key is set, but no longer needed: remove INLET_OLD_MASTER_KEY$/,
  )
  await Promise.all(pair.map((gateway) => gateway.stop()))
})

test('with the new key alone everything works, and the old one alone starts nothing', async () => {
  await assert.rejects(
    startGateway({ beside: first, environment: settingsOf(keys.first, null) }),
    /The master key is not the one this database is sealed with\. Restore the right key; after a rotation/,
  )
  const after = await startGateway({
    beside: first,
    environment: { ...servers, ...settingsOf(keys.second, null) },
  })
  assert.equal((await at(after, shop).create()).status, 201)
  assert.ok(await signsIn(after, codes[1]!))
  assert.ok(!(await signsIn(after, codes[1]!)), 'each code once')
  assert.deepEqual(await warningOf(settingsOf(keys.second, null)), [])
  const { problem } = await json('audit', 'verify')
  assert.equal(problem, null)
  // What was logged under the old key is still compared.
  assert.equal((await commandWith(settingsOf(keys.second, null), 'audit', 'verify', '--head', head)).code, 0)
  const wrong = head.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))
  assert.equal((await commandWith(settingsOf(keys.second, null), 'audit', 'verify', '--head', wrong)).code, 1)
  await after.stop()
})

const entries = async () =>
  (await first.database.owner.query(sql`select place from audit_entries where act = 'master_key_reseal'`))
    .length

test('run once more, the reseal changes nothing, and the audit log has the change once', async () => {
  const values = await sealedValues()
  const { resealed, proved, finished } = JSON.parse(
    (await commandWith(settingsOf(keys.second, null), 'key', 'reseal', '--json')).stdout,
  )
  assert.deepEqual([resealed, finished, proved > values.length], [0, true, true])
  assert.deepEqual(await sealedValues(), values)
  assert.equal(await entries(), 1)
})

test('a value that no key opens is listed and left unchanged; the others are re-encrypted, and it can be given up', async () => {
  const { owner } = first.database
  const change = settingsOf(keys.third, keys.second)
  const damage = sql`
    update api_keys set secret_sealed = set_byte(secret_sealed, 20, (get_byte(secret_sealed, 20) + 1) % 256)
    where id = 'key_000003'`
  await owner.query(damage)
  const before = (await sealedValues()).find(({ id }) => id === 'key_000003')!
  const { code, stdout } = await commandWith(change, 'key', 'reseal')
  assert.equal(code, 1)
  assert.match(stdout, /\n1 values open with no key and were left as they are:\n {2}api_keys key_000003\n/)
  assert.match(stdout, /\nKeep the old key\./)
  const values = await sealedValues()
  const third = vaultOf(keys.third)
  const unopened = values.filter(({ sealed, label }) => opened(third, sealed, label) === undefined)
  assert.deepEqual(unopened, [before])
  assert.equal(await entries(), 1)
  assert.equal((await commandWith(change, 'key', 'reseal', '--leave-damaged')).code, 0)
  assert.equal(await entries(), 2)
  const after = await startGateway({
    beside: first,
    environment: { ...servers, ...settingsOf(keys.third, null) },
  })
  assert.ok(await signsIn(after, codes[2]!), 'a code of two master keys ago')
  assert.equal((await commandWith(settingsOf(keys.third, null), 'audit', 'verify', '--head', head)).code, 0)
  await after.stop()
})

test('a copy of the whole database holds no master key and no secret that can be read', async () => {
  const { owner } = first.database
  const secrets = [shop.secret, text(await person.secret!), 'c2VjcmV0', ...codes]
  const needles = [
    ...Object.values(keys).flatMap((key) => [text(key), key.toString('hex')]),
    ...secrets.flatMap((secret) => [secret, Buffer.from(secret).toString('hex')]),
    (await person.secret!).toString('hex'),
  ]
  const tables = await owner.query<{ name: string }>(sql`
    select table_name as name
    from information_schema.tables
    where table_schema = 'inlet' and table_type = 'BASE TABLE'`)
  let rows = 0
  for (const { name } of tables) {
    const found = await owner.query<{ row: string }>({
      text: `select t::text as row from ${name} t`,
      name: '',
      values: [],
    })
    rows += found.length
    for (const { row } of found)
      for (const needle of needles) assert.ok(!row.includes(needle), `${name} holds a secret`)
  }
  assert.ok(rows > crowd.keys)
})
