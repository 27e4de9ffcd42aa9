/** `inlet statement import` and `undo` as an operator meets them: signs of life, an orderly end, and kill -9. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { readTimeline } from '../src/domain/deposits/read-store.ts'
import { notBegun } from '../src/domain/statements/progress.ts'
import { beginUndo } from '../src/domain/statements/undo/undo-statement.ts'
import { refund } from '../src/domain/transfers/decide-transfer.ts'
import { sql } from '../src/platform/db.ts'
import { printImportProgress } from '../src/surfaces/command-line/progress.ts'
import { depositContextOf } from './support/bank.ts'
import { commandsOn, inlet, json } from './support/command.ts'
import { openShop, type Shop, startGateway, type TestGateway } from './support/gateway.ts'
import { holdAccount, untilWaiting } from './support/held-account.ts'
import { oneCOf, type StatementRow, strangers } from './support/one-c.ts'
import { joined } from './support/person.ts'
import { root } from './support/program.ts'

let gateway: TestGateway
let shop: Shop
let settings: Record<string, string>
/** Who undoes imports. */
let anna: string
let why: string[]
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' } })
  ;({ email: anna } = await joined(gateway, { operatorRole: 'operator' }))
  why = ['--by', anna, '--reason', 'The wrong file']
  shop = await openShop(gateway)
  settings = await commandsOn(gateway)
})

let files = 0
async function fileOf(rows: readonly StatementRow[]): Promise<string> {
  const path = join(settings.INLET_DATA_DIR!, `statement-${++files}.txt`)
  await writeFile(path, oneCOf(rows, String(files)))
  return path
}

/** No payment of a file may be one of an earlier file of the day. */
let amount = 8_000_000
async function paidRow() {
  amount += 2_000_000
  const { body } = await shop.create({ cents: amount })
  const row = { cents: BigInt(amount), purpose: body.payment_data.payment_reason as string }
  return { id: body.id as string, row }
}
const stateOf = async (id: string) => (await readTimeline(gateway.db, id))!.deposit.state

const takenOf = async (path: string) => {
  const [row] = await gateway.db.query<{ rows: bigint; distinct: bigint; matched: bigint }>(sql`
    select count(*) as rows, count(distinct (t.cents, t.document_number)) as distinct,
      count(*) filter (where t.state = 'matched') as matched
    from statements s
    join report_rows r on r.statement_id = s.id
    join transfers t on t.id = r.transfer_id
    where s.file_name = ${path.split('/').at(-1)}`)
  return row!
}

/** The command in a process of its own. */
function start(...words: string[]) {
  const child = spawn(process.execPath, ['bin/inlet.mjs', ...words], {
    cwd: root,
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  child.stderr.on('data', (chunk) => {
    output += chunk
  })
  return { child, output: () => output, ended: once(child, 'close') as Promise<[number | null]> }
}

/** Imports a file of three groups, and lets something happen while a group after the first waits for the account. */
async function interrupted(happens: (child: ReturnType<typeof start>['child']) => void) {
  const { id, row } = await paidRow()
  const path = await fileOf([...strangers(2_199, 200_000 + files * 100_000), row])
  let letGo = await holdAccount(gateway)
  const command = start('statement', 'import', path, '--mode', 'test')
  await untilWaiting(gateway, 1)
  // The command has the account once to begin, and once for each group; after each time the test has it again.
  while ((await takenOf(path)).rows === 0n) {
    const again = holdAccount(gateway)
    await untilWaiting(gateway, 2)
    await letGo()
    letGo = await again
    await untilWaiting(gateway, 1)
  }
  happens(command.child)
  return { id, path, command, letGo }
}

/** At least the first group, and not all of them. */
const assertWholeGroups = (rows: bigint) =>
  assert.ok(rows > 0n && rows < 2_200n && rows % 500n === 0n, `${rows}`)

test('an import killed with -9 can be repeated, and stores nothing twice', async () => {
  const { id, path, command, letGo } = await interrupted((child) => child.kill('SIGKILL'))
  await command.ended
  await letGo()
  const { rows } = await takenOf(path)
  assertWholeGroups(rows)
  assert.equal(await stateOf(id), 'created')
  assert.match((await inlet('statement', 'list')).stdout, /unfinished/)
  const report = await json('statement', 'import', path, '--mode', 'test')
  assert.partialDeepStrictEqual(report.taken, { taken: 2_200 - Number(rows), seen: Number(rows), matched: 1 })
  assert.deepEqual(await takenOf(path), { rows: 2_200n, distinct: 2_200n, matched: 1n })
  assert.equal(await stateOf(id), 'confirmed')
  const [left] = await gateway.db.query<{ staged: bigint }>(
    sql`select count(*) as staged from staged_entries`,
  )
  assert.ok(left!.staged <= 2_200n, 'what the killed run had staged goes with the next day')
})

test('Ctrl-C ends an import after the group under way, and says how to go on', async () => {
  const { id, path, command, letGo } = await interrupted((child) => child.kill('SIGINT'))
  // It is not killed: it waits for its group.
  await new Promise((resolve) => setTimeout(resolve, 200))
  assert.equal(command.child.exitCode, null)
  await letGo()
  assert.deepEqual((await command.ended)[0], 1, command.output())
  const { rows } = await takenOf(path)
  assertWholeGroups(rows)
  assert.match(
    command.output(),
    new RegExp(`^Stopped: ${rows} of 2200 rows imported, 0 of them matched\\.$`, 'm'),
  )
  const [, statement] = /inlet statement undo (\S+) --by/.exec(command.output())!
  assert.equal((await json('statement', 'import', path, '--mode', 'test')).statement, statement)
  assert.equal(await stateOf(id), 'confirmed')

  // An undo that was interrupted is gone on with.
  const begin = { statementId: statement!, reason: 'The wrong file', by: 'operator:anna' }
  await gateway.db.transaction((tx) => beginUndo(tx, begin))
  assert.match((await inlet('statement', 'list')).stdout, /undoing/)
  await json('statement', 'go-on', statement!, '--by', anna)
  assert.equal(await stateOf(id), 'reversed')
  assert.match((await inlet('statement', 'list')).stdout, /undone/)
  assert.match((await inlet('statement', 'show', statement!)).stdout, /undo_reason: The wrong file/)
  const twice = await inlet('statement', 'undo', statement!, ...why)
  assert.deepEqual([twice.code, /^state_conflict: /.test(twice.stderr)], [1, true])
})

test('an undo asks for a second person as at the desk, and lists refunds that stand against it', async () => {
  const path = await fileOf(strangers(2, 990_000))
  const { statement } = await json('statement', 'import', path, '--mode', 'test')
  const [{ id }] = (await gateway.db.query<{ id: string }>(
    sql`select transfer_id as id from report_rows where statement_id = ${statement} order by place limit 1`,
  )) as [{ id: string }]
  assert.match((await json('statement', 'undo', statement, ...why)).request, /^[0-9a-f-]{36}$/)
  assert.doesNotMatch((await inlet('statement', 'show', statement)).stdout, /undo_reason/)
  await refund(depositContextOf(gateway), {
    transferId: id,
    cents: 500n,
    actor: 'operator:Anna',
    reason: 'Sent back',
  })
  const { code, stderr } = await inlet('statement', 'undo', statement, ...why)
  assert.equal(code, 1)
  assert.equal(
    stderr.replaceAll('\u00a0', ' '),
    `state_conflict: Refunds of its transfers have been paid. Settle them with the payers first:\n  ${id}: 5.00 RUB\n`,
  )
  assert.match((await inlet('statement', 'undo', statement, '--by', anna)).stderr, /--reason is required/)
  assert.match((await inlet('statement', 'undo', 'x', ...why)).stderr, /^not_found/)
})

const reading = { ...notBegun, rows: 1_000, share: 0.25, elapsedMs: 2_000 }
const matching = {
  phase: 'matching',
  rows: 500,
  total: 4_000,
  matched: 321,
  share: 0.125,
  elapsedMs: 1_000,
} as const

test('a terminal has a bar for each step', () => {
  const written: string[] = []
  const tell = printImportProgress({ isTTY: true, write: (text) => written.push(text) })
  tell(reading)
  tell({ ...reading, rows: 4_000, share: 1, elapsedMs: 8_000 })
  tell(matching)
  assert.deepEqual(written, [
    '\rreading  ██████░░░░░░░░░░░░░░░░░░ 25 %  1000 rows  0:06 left\u001b[K',
    '\rreading  ████████████████████████ 100 %  4000 rows\u001b[K\n',
    '\rmatching ███░░░░░░░░░░░░░░░░░░░░░ 12 %  500/4000 rows  321 matched  0:07 left\u001b[K',
  ])
})

test('a log has a line every ten seconds', () => {
  const written: string[] = []
  let now = 0
  const tell = printImportProgress({ write: (text) => written.push(text) }, () => now)
  for (const at of [0, 5_000, 9_999, 10_000, 15_000, 20_001]) {
    now = at
    tell(at < 20_000 ? reading : matching)
  }
  assert.deepEqual(written, [
    'reading: 25 %, 1000 rows, 0:06 left\n',
    'matching: 12 %, 500/4000 rows, 321 matched, 0:07 left\n',
  ])
})
