/** Months of old details in files: nothing is lost wherever a run is broken off, and each deposit still opens. */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import { type ArchiveStep, archiveMonths, restoreArchive } from '../../src/domain/deposits/archive-details.ts'
import { listArchives, listMonths } from '../../src/domain/deposits/archive-store.ts'
import { confirmDeposit } from '../../src/domain/deposits/change-deposit.ts'
import { moveOldDetails } from '../../src/domain/deposits/move-details.ts'
import { readTimeline } from '../../src/domain/deposits/read-store.ts'
import { examine } from '../../src/domain/doctor/examine.ts'
import { rejectDeposit, reverseDeposit } from '../../src/domain/transfers/end-deposit.ts'
import { sql } from '../../src/platform/db.ts'
import { depositContextOf } from '../support/bank.ts'
import { commandsOn, inlet } from '../support/command.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { untilWaiting } from '../support/held-account.ts'
import { ageDeposits } from '../support/old-deposits.ts'
import { joined } from '../support/person.ts'
import { root } from '../support/program.ts'

let gateway: TestGateway
let shop: Shop
let folder: string
const orders: Record<string, string | number>[] = []
const ids: string[] = []
const everything = 203_001

before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,pay,console' } })
  shop = await openShop(gateway)
  folder = await mkdtemp(join(tmpdir(), 'inlet-archive-'))
  const context = depositContextOf(gateway)
  for (let made = 0; made < 5; made++) {
    const order = shop.order()
    const { body } = await shop.create(order)
    orders.push(order)
    ids.push(body.id)
    const act = { depositId: body.id, actor: 'operator:anna', reason: `decided ${made}` }
    await (made === 4 ? confirmDeposit(context, act) : rejectDeposit(context, act))
  }
  await ageDeposits(gateway)
  await gateway.database.owner.script('delete from callback_due; delete from callbacks')
  assert.equal(await move(), 5)
})
after(() => rm(folder, { recursive: true, force: true }))

const move = () => gateway.asOwner((owner) => moveOldDetails(owner, 90))
const archive = (onStep?: (step: ArchiveStep) => void) =>
  gateway.asOwner((owner) => archiveMonths(owner, { before: everything, folder, ...(onStep && { onStep }) }))

/** What is shown of these deposits, by id, order and page. */
const look = async (of = ids) =>
  JSON.stringify(
    await Promise.all(
      of.map(async (id, place) => {
        const { body } = await shop.get(`/api/v1/requests/deposit/${id}`)
        const { body: byOrder } = await shop.get(
          `/api/v1/requests/deposit?order_id=${orders[place]!.order_id}`,
        )
        const replayed = await shop.post('create', orders[place]!)
        const { history } = (await readTimeline(gateway.db, id))!
        const page = await fetch(body.payment_data.url)
        return [body, byOrder, replayed.status, replayed.body, history, page.status]
      }),
    ),
  )

const kept = () =>
  gateway.db.one<{ chunks: number; tables: number }>(sql`
    select (select count(*)::int from deposit_details) as chunks,
      (select count(*)::int from pg_class where relname ~ '^deposit_details_[0-9]+$') as tables`)

const broken = async () =>
  (await examine(gateway, { all: true }))
    .filter(({ verdict }) => verdict === 'broken')
    .map(({ name }) => name)

const steps: ArchiveStep[] = [
  'begun',
  'file written',
  'file read back',
  'recorded',
  'partition dropped',
  'done',
]

for (const broke of steps)
  test(`a run that ends after "${broke}" loses nothing, and the next one goes on`, async () => {
    const seen = await look()
    await archive((step) => {
      if (step === broke) throw new Error('killed')
    }).catch((error) => assert.equal(error.message, 'killed'))
    assert.equal(await look(), seen)
    assert.deepEqual(await broken(), [])
    await archive()
    assert.deepEqual(await kept(), { chunks: 0, tables: 0 })
    assert.equal(await look(), seen)
    assert.deepEqual(await broken(), [])
    const [{ file, state, deposits }] = (await listArchives(gateway.db)) as [
      Awaited<ReturnType<typeof listArchives>>[number],
    ]
    assert.deepEqual([state, deposits], ['archived', 5n])
    await gateway.asOwner((owner) => restoreArchive(owner, join(folder, file)))
    assert.equal((await kept()).tables, 1)
    assert.equal(await look(), seen)
    assert.deepEqual(await listArchives(gateway.db), [])
  })

/**
 * Where a process is stopped and killed, by a lock that the test holds: before the first line of the file, before the file is
 * recorded, while the partition is detached, before the end is recorded, and before a restored month is committed.
 */
const kills: [moment: string, words: (file: string) => string[], hold: string][] = [
  ['the file is written', archiveWords, 'lock table MONTH in access exclusive mode'],
  ['the file is recorded', archiveWords, `select pg_advisory_lock(hashtext('written'))`],
  ['the partition is detached', archiveWords, 'select from MONTH'],
  ['the end is recorded', archiveWords, `select pg_advisory_lock(hashtext('archived'))`],
  ['a restored month is committed', restoreWords, `select pg_advisory_lock(hashtext('restored'))`],
]
function archiveWords() {
  return ['archive', '--before', '2030-01', '--to', folder]
}
function restoreWords(file: string) {
  return ['archive', 'restore', join(folder, file)]
}

for (const [moment, words, hold] of kills)
  test(`a process killed with -9 before ${moment} loses nothing, and the command can be run again`, async () => {
    const seen = await look()
    if (words === restoreWords) await archive()
    const settings = await commandsOn(gateway)
    const month = (await listMonths(gateway.db))[0]
    const [archived] = await listArchives(gateway.db)
    const command = words(archived?.file ?? '')
    const held = await holding(hold.replace('MONTH', `deposit_details_${month}`))
    const child = spawn(process.execPath, ['bin/inlet.mjs', ...command], {
      cwd: root,
      env: { PATH: process.env.PATH, ...settings },
      stdio: 'ignore',
    })
    const ended = once(child, 'exit')
    await untilWaiting(gateway, 1)
    child.kill('SIGKILL')
    await ended
    // Readers of a month that is being written or detached do not wait; only the test's own lock blocks them.
    if (!hold.startsWith('lock')) assert.equal(await look(), seen)
    await held.release()
    assert.equal(await look(), seen)
    assert.deepEqual(await broken(), [])

    assert.deepEqual(await inlet(...command).then(({ code, stderr }) => [code, stderr]), [0, ''])
    assert.equal(await look(), seen)
    assert.deepEqual(await broken(), [])
    if (words === restoreWords) return
    const { file, state, deposits } = (await listArchives(gateway.db))[0]!
    assert.deepEqual([state, deposits, await kept()], ['archived', 5n, { chunks: 0, tables: 0 }])
    await gateway.asOwner((owner) => restoreArchive(owner, join(folder, file)))
    assert.equal(await look(), seen)
  })

/** A lock or a snapshot that lasts until it is released. */
async function holding(statement: string) {
  await gateway.database.owner.script(`
    create or replace function await_test() returns trigger language plpgsql as $$
    begin
      perform set_config('lock_timeout', '0', true);
      perform pg_advisory_xact_lock(hashtext(case tg_op when 'DELETE' then 'restored' else new.state end));
      return coalesce(new, old);
    end $$;
    create or replace trigger await_test before update or delete on detail_archives
    for each row execute function await_test()`)
  const client = new pg.Client({ ...gateway.database.login, options: '-c search_path=inlet' })
  await client.connect()
  await client.query(`begin; ${statement}`)
  return { release: () => client.end() }
}

test('a month without details is archived too', async () => {
  await gateway.database.owner.script(`
    create table deposit_details_202501 partition of deposit_details for values from (2025010000000000) to (2025020000000000)`)
  assert.equal((await archive())[0]!.deposits, 0n)
  assert.deepEqual(await kept(), { chunks: 0, tables: 0 })
  await gateway.database.owner.script(`delete from detail_archives where month = 202501`)
  const { file } = (await listArchives(gateway.db))[0]!
  await gateway.asOwner((owner) => restoreArchive(owner, join(folder, file)))
})

test('neither the month that is named nor a later one is archived; without a name, none of the last year', async () => {
  for (const month of [202503, 202504, 202505])
    await gateway.database.owner.script(`
      create table deposit_details_${month} partition of deposit_details
        for values from (${month}0000000000) to (${month + 1}0000000000)`)
  const monthsOf = async (before: number | null) => {
    const archived = await gateway.asOwner((owner) => archiveMonths(owner, { before, folder }))
    return archived.map(({ month }) => month)
  }
  assert.deepEqual(await monthsOf(202504), [202503])
  // A year before that day is in the middle of April 2025, whose last days are younger than a year.
  const goTo = (day: string) => gateway.database.shiftClock(`${Date.parse(day) - Date.now()} milliseconds`)
  await goTo('2026-04-15T12:00Z')
  assert.deepEqual(await monthsOf(null), [])
  await goTo('2026-05-01T12:00Z')
  assert.deepEqual(await monthsOf(null), [202504])
  await gateway.database.shiftClock('0')
  await gateway.database.owner.script(`
    drop table deposit_details_202505;
    delete from detail_archives where month in (202503, 202504)`)
})

test('files of one month have different names, also after the first was restored', async () => {
  const emptyMonth = () =>
    gateway.database.owner.script(`
      create table deposit_details_202502 partition of deposit_details for values from (2025020000000000) to (2025030000000000)`)
  const archiveEmpty = async () => {
    await emptyMonth()
    const archived = await gateway.asOwner((owner) => archiveMonths(owner, { before: 202503, folder }))
    return archived.map(({ file }) => file)
  }
  assert.deepEqual(await archiveEmpty(), ['deposits-2025-02.jsonl.gz'])
  assert.deepEqual(await archiveEmpty(), ['deposits-2025-02-2.jsonl.gz'])
  await gateway.database.owner.script(`delete from detail_archives where file = 'deposits-2025-02.jsonl.gz'`)
  assert.deepEqual(await archiveEmpty(), ['deposits-2025-02-3.jsonl.gz'])
  await gateway.database.owner.script(`delete from detail_archives where month = 202502`)
})

test('the database names no archive file outside of its folder', async () => {
  for (const file of [
    '../deposits-2020-01.jsonl.gz',
    '/deposits-2020-01.jsonl.gz',
    'deposits-2020-01/../x',
    '',
  ])
    await assert.rejects(
      gateway.database.owner.run(
        sql`insert into detail_archives (file, month, folder) values (${file}, 190001, ${folder})`,
      ),
      /detail_archive_file_name/,
      file,
    )
})

test('a file can be read with zcat: one line of JSON for each deposit, by id', async () => {
  const { file } = (await archive())[0]!
  const lines = gunzipSync(await readFile(join(folder, file)))
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    lines.slice(0, -1).map(({ id }) => id),
    ids.toSorted(),
  )
  assert.ok(Array.isArray(lines.at(-1).index))
})

test('without its file a deposit opens from its row, and the command line, the desk and the console name the file', async () => {
  const { file } = (await listArchives(gateway.db))[0]!
  const path = join(folder, file)
  const seen = await look()
  await rename(path, `${path}.away`)
  const { body } = await shop.get(`/api/v1/requests/deposit/${ids[0]}`)
  assert.partialDeepStrictEqual(body, { id: ids[0], state: 'rejected', payment_bill_url: null })
  assert.equal((await shop.post('create', orders[0]!)).status, 200)
  assert.equal((await shop.post('create', { ...orders[0]!, cents: 150_001 })).status, 422)
  assert.equal((await fetch(body.payment_data.url)).status, 200)
  await commandsOn(gateway)
  const { stdout } = await inlet('deposit', 'show', ids[0]!)
  assert.match(stdout, new RegExp(`are in the archive file ${file}`))
  // Its callback would go to the merchant's default address instead of its own.
  const back = { depositId: ids[4]!, actor: 'bank:push', reason: 'The bank took it back' }
  await assert.rejects(reverseDeposit(depositContextOf(gateway), back), { code: 'service_unavailable' })
  const { browser: admin } = await joined(gateway, { operatorRole: 'admin' })
  const { browser: owner } = await joined(gateway, { merchantId: shop.merchant, role: 'owner' })
  const pages = [
    await admin.get(`/operator/deposits/${ids[0]}`),
    await owner.get(`/console/${shop.merchant}/deposits/${ids[0]}`),
  ]
  for (const page of pages) assert.match(page.text, new RegExp(`archive file ${file}`))
  // The cause of such a refusal is in the log, because the bank's program that is refused shows it to nobody.
  await admin.post(`/operator/deposits/${ids[4]}/take`)
  const refused = await admin.post(`/operator/deposits/${ids[4]}/reverse`, {
    reason: 'The bank took it back',
  })
  assert.equal(refused.status, 503)
  const lines = gateway.logged.filter((line) => line.includes('"service_unavailable"'))
  assert.match(lines.at(-1)!, new RegExp(`"error":"[^"]* archive file ${file}`))
  await rename(`${path}.away`, path)
  assert.equal(await look(), seen)
})

test('a file that cannot be read is not called missing or damaged', async () => {
  const { file } = (await listArchives(gateway.db))[0]!
  const path = join(folder, file)
  await rename(path, `${path}.away`)
  const restore = () => gateway.asOwner((owner) => restoreArchive(owner, path))
  await assert.rejects(restore, /is missing or damaged/)
  await mkdir(path)
  await assert.rejects(restore, {
    name: 'OperatorProblem',
    message: /cannot be read: EISDIR\. Nothing was dropped/,
  })
  await rm(path, { recursive: true })
  await rename(`${path}.away`, path)
})

test('a damaged file is never used to show a deposit, drop a month or restore it', async () => {
  const { file } = (await listArchives(gateway.db))[0]!
  const path = join(folder, file)
  await copyFile(path, `${path}.good`)
  const bytes = await readFile(path)
  bytes[40]! ^= 1
  await writeFile(path, bytes)
  const { body } = await shop.get(`/api/v1/requests/deposit/${ids[0]}`)
  assert.equal(body.payment_bill_url, null)
  await assert.rejects(
    gateway.asOwner((owner) => restoreArchive(owner, path)),
    /missing or damaged/,
  )
  await rename(`${path}.good`, path)
  await gateway.asOwner((owner) => restoreArchive(owner, path))
  await archive((step) => {
    if (step === 'recorded') throw new Error('killed')
  }).catch(() => {})
  await writeFile(path, bytes)
  await assert.rejects(archive(), /Nothing was dropped/)
  assert.equal((await kept()).tables, 1)
})
