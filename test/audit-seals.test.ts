/** The audit chain rewritten by somebody with access to the database but without the master key: it is detected and reported. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { chainStart, digestOf } from '../src/domain/audit/audit.ts'
import { sealAudit } from '../src/domain/audit/seal-audit.ts'
import { appendAudit, readAuditAfter } from '../src/domain/audit/store.ts'
import { verifyAudit } from '../src/domain/audit/verify-audit.ts'
import { sql } from '../src/platform/db.ts'
import { createLog } from '../src/platform/log.ts'
import { createVault } from '../src/platform/vault.ts'
import { commandsOn, inlet, json } from './support/command.ts'
import { startGateway, type TestGateway } from './support/gateway.ts'

let gateway: TestGateway
/** Heads in the order that they were logged in, as `PLACE:MAC`. */
const heads: string[] = []
const errors: string[] = []
const log = createLog('info', (line) => {
  const { message, head, error } = JSON.parse(line)
  if (message === 'audit head') heads.push(head)
  if (message === 'audit record damaged') errors.push(error)
})

async function act(times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    await gateway.db.transaction((tx) =>
      appendAudit(tx, {
        ...{ personId: null, actor: 'Anna', act: 'deposit_confirm', subject: 'deposit:1', merchantId: null },
        ...{ reason: 'seen', before: null, after: null, requestId: null },
      }),
    )
  }
}

const seal = () => sealAudit(gateway.db, gateway.vault, log)
const verify = (head?: string) => inlet('audit', 'verify', ...(head ? ['--head', head] : []))

/** Rewrites every entry from a place on, so that the chain fits again from end to end. */
async function rewriteFrom(place: bigint): Promise<void> {
  const { owner } = gateway.database
  let previous: Buffer = chainStart
  for (const entry of await readAuditAfter(owner, 0n, 1_000)) {
    const forged = { ...entry, previous, actor: entry.place >= place ? 'Boris' : entry.actor }
    const digest = digestOf(forged)
    await owner.query(sql`
      update audit_entries set actor = ${forged.actor}, previous = ${previous}, digest = ${digest}
      where place = ${entry.place}`)
    previous = digest
  }
  await owner.query(sql`update installation set audit_digest = ${previous}`)
}

/** What was done to the record is undone after it was looked at. */
async function during(hand: () => Promise<unknown>, look: () => Promise<unknown>): Promise<void> {
  const { owner } = gateway.database
  const tables = ['audit_entries', 'installation', 'audit_seals']
  for (const table of tables) await owner.script(`create table kept_${table} as table ${table}`)
  try {
    await hand()
    await look()
  } finally {
    for (const table of tables)
      await owner.script(
        `delete from ${table}; insert into ${table} table kept_${table}; drop table kept_${table}`,
      )
  }
}

before(async () => {
  // Without a worker: the test seals when it wants to.
  gateway = await startGateway({ demo: false, environment: { INLET_ROLES: 'api' } })
  await commandsOn(gateway)
  for (const entries of [5, 3, 2]) {
    await act(entries)
    await seal()
  }
})

test('each seal holds the head of its time, and the log says it, also while nothing happens', async () => {
  await seal()
  assert.deepEqual(
    heads.map((head) => head.split(':')[0]),
    ['5', '8', '10', '10'],
  )
  assert.equal(heads[2], heads[3])
  const seals = await gateway.db.query<{ place: bigint }>(
    sql`select number, place from audit_seals order by number`,
  )
  assert.deepEqual(seals, [
    { number: 1n, place: 5n },
    { number: 2n, place: 8n },
    { number: 3n, place: 10n },
  ])
  for (const head of heads) assert.equal((await verify(head)).code, 0)
  const { entries, keyed_head, problem, gaps } = await json('audit', 'verify')
  assert.deepEqual([entries, keyed_head, problem, gaps], [10, heads[3], null, []])
})

test('ten processes that seal at once make one seal', async () => {
  await act(1)
  await Promise.all(Array.from({ length: 10 }, seal))
  const [row] = await gateway.db.query(
    sql`select count(*)::int as count, max(place) as place from audit_seals`,
  )
  assert.deepEqual(row, { count: 4, place: 11n })
  assert.equal((await verify()).code, 0)
})

test('a chain that was rewritten as a whole is found by its seals, and is not sealed again', () =>
  during(
    () => rewriteFrom(7n),
    async () => {
      // Without the seals nothing would tell: the chain itself fits.
      const output = await verify()
      assert.deepEqual(
        [output.code, output.stdout.trim()],
        [1, 'The log was rewritten: entry 8 is not the one sealed by seal 2.'],
      )
      await act(1)
      await seal()
      assert.match(errors.at(-1)!, /Entry 12 does not follow the one before it/)
      const [row] = await gateway.db.query(sql`select count(*)::int as count from audit_seals`)
      assert.deepEqual(row, { count: 4 })
      const doctor = JSON.parse((await inlet('doctor', '--json')).stdout)
      const found = doctor.promises.find((one: { name: string }) => one.name === 'audit-record-is-whole')
      assert.equal(found.verdict, 'broken')
    },
  ))

test('a seal that is made without the master key is named', () =>
  during(
    async () => {
      await rewriteFrom(7n)
      const thief = createVault(Buffer.alloc(32, 1))
      await gateway.database.owner.script('delete from audit_seals where number > 1')
      const [{ digest }] = (await gateway.db.query<{ digest: Buffer }>(
        sql`select audit_digest as digest from installation`,
      )) as [{ digest: Buffer }]
      await gateway.database.owner.query(sql`
        insert into audit_seals (number, place, digest, sealed_at, mac)
        values (2, 11, ${digest}, inlet_now(), ${thief.current.mac(digest, 'inlet audit seal')})`)
    },
    async () => {
      const sentence = 'Seal 2 was not made with the master key of this installation.'
      assert.equal((await verify()).stdout.trim(), sentence)
      await seal()
      assert.equal(errors.at(-1), sentence)
    },
  ))

test('seals that were moved, copied or taken out are named', async () => {
  for (const [script, sentence] of [
    ['delete from audit_seals where number = 2', 'Seal 2 is missing.'],
    ['delete from audit_seals where number = 1', 'Seal 1 is missing.'],
    ['update audit_seals set place = 7 where number = 2', 'Seal 2 was not made with the master key'],
    ["update audit_seals set sealed_at = sealed_at + interval '1 second'", 'Seal 1 was not made with'],
    [
      'update audit_seals set number = number - 1 where number > 1; delete from audit_seals where number = 0',
      'Seal 1',
    ],
  ] as const) {
    await during(
      async () => {
        if (script.includes('number - 1'))
          await gateway.database.owner.script('delete from audit_seals where number = 1')
        await gateway.database.owner.script(script)
      },
      async () => {
        const output = await verify()
        assert.equal(output.code, 1, script)
        assert.ok(output.stdout.startsWith(sentence), output.stdout)
      },
    )
  }
})

test('an entry cut off behind a seal is missed, with the head set back too', () =>
  during(
    () =>
      gateway.database.owner.script(`
        delete from audit_entries where place > 9;
        update installation set audit_place = 9, audit_digest = (select digest from audit_entries where place = 9)`),
    async () =>
      assert.match((await verify()).stdout, /^Entry 10 is missing: it existed when seal 3 was made\./),
  ))

test('with all seals gone and the chain rewritten, the time without seals is named and a logged head proves it', () =>
  during(
    async () => {
      await rewriteFrom(1n)
      await gateway.database.owner.script('delete from audit_seals')
    },
    async () => {
      // Within two hours nobody can tell from the database alone; the log can.
      assert.equal((await verify()).code, 0)
      for (const head of heads) {
        const output = await verify(head)
        const [place] = head.split(':')
        assert.deepEqual(
          [output.code, output.stdout.trim()],
          [1, `The log was rewritten: entry ${place} differs from the hash that was logged.`],
        )
      }
      await gateway.database.shiftClock('3 hours')
      try {
        const { gaps } = await verifyAudit(gateway.db, gateway.vault)
        assert.equal(gaps.length, 1)
        assert.match(
          gaps[0]!.text,
          /entries were not sealed: no process with the role worker was running, or seals/,
        )
        // The next worker seals what it finds: the time without seals stays visible.
        await seal()
        assert.deepEqual((await verifyAudit(gateway.db, gateway.vault)).gaps.length, 1)
        const doctor = JSON.parse((await inlet('doctor', '--json')).stdout)
        const found = doctor.promises.find((one: { name: string }) => one.name === 'audit-record-is-sealed')
        assert.equal(found.verdict, 'warning')
      } finally {
        await gateway.database.shiftClock('0')
      }
    },
  ))

test('a head that is none, of another place or cut off: a sentence', async () => {
  assert.match((await verify('12')).stderr, /^--head is a place and 64 hexadecimal digits/)
  const other = `9:${heads[0]!.split(':')[1]}`
  assert.match((await verify(other)).stdout, /^The log was rewritten: entry 9 /)
  assert.match((await verify(`99:${'0'.repeat(64)}`)).stdout, /^Entry 99 is missing: it existed when/)
})

test('the program itself can neither change nor remove a seal', async () => {
  for (const text of ['update audit_seals set place = 1', 'delete from audit_seals', 'truncate audit_seals'])
    await assert.rejects(gateway.db.query({ text, name: '', values: [] }), { code: '42501' }, text)
})

test('a worker seals at its start and at its end', async () => {
  const worker = await startGateway({ beside: gateway, environment: { INLET_ROLES: 'worker' } })
  await act(2)
  await worker.stop()
  const [row] = await gateway.db.query(sql`select max(place) as place from audit_seals`)
  assert.deepEqual(row, { place: 13n })
  assert.ok(worker.logged.some((line) => line.includes('"audit head"') && line.includes('"head":"13:')))
})
