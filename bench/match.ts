/**
 * A statement of 100,000 rows, imported and matched against 100,000 open deposits: read, deduplicated, matched, the
 * deposits confirmed, their events and callbacks written. Against COPY of the same transfers by the server itself.
 */

import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Client } from 'pg'
import { monotonicMs, newId } from '../src/platform/clock.ts'
import type { Imported } from './import-worker.ts'
import { drawnReference } from './references.ts'
import type { Row } from './row.ts'
import { connect, type Place, type World } from './world.ts'

const rows = 100_000
const cents = 150_000
const worker = fileURLToPath(new URL('./import-worker.ts', import.meta.url))

export const match: Row = {
  name: 'match',
  must: { most: 6 },
  aim: { most: 4 },
  async measure(world) {
    const folder = await mkdtemp(join(tmpdir(), 'inlet-match-'))
    // PostgreSQL may run as another user, and reads the copy by itself.
    await chmod(folder, 0o777)
    try {
      world.status('match: 100,000 open deposits')
      // It makes the days that callbacks are written into.
      await world.inlet('inlet_empty')
      const references = Array.from({ length: rows }, (_, n) => drawnReference(5_000_000 + n) as string)
      await openDeposits(world, { place: 'inlet_empty', references, hours: 24 })
      const file = join(folder, 'statement.txt')
      await writeFile(file, statementOf(references, world.accounts[0]!.draft.number))
      world.status('match: importing')
      const { ms, peakMegabytes } = await timeImport(world, file)
      world.status('match: COPY')
      const copyMs = await timeCopy(world, folder, 'transfers', { isChecked: false })
      const tables: Record<string, number> = {}
      for (const table of written) tables[table] = await timeCopy(world, folder, table, { isChecked: true })
      tables.deposits = await timeUpdate(world)
      const allMs = Object.values(tables).reduce((sum, ms) => sum + ms, 0)
      const times = Object.entries(tables).map(([table, ms]) => `${table} ${(ms / 1000).toFixed(1)}`)
      const note = [
        `${Math.round(rows / (ms / 1000))} rows/s`,
        `peak RSS of the importer ${Math.round(peakMegabytes)} MB`,
        `all rows that it writes, by COPY with their foreign keys, and one update of the deposits: ${(allMs / copyMs).toFixed(1)}× (${times.join(', ')} s)`,
      ].join('; ')
      return { value: ms / 1000, unit: 's', reference: copyMs / 1000, ratio: ms / copyMs, note }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
}

/** Inserts deposits directly, because creating them is measured elsewhere. `hours`: until they expire. */
export async function openDeposits(
  world: World,
  { place, references, hours }: { place: Place; references: readonly string[]; hours: number },
): Promise<void> {
  const { requisiteId, accountId } = world.accounts[0]!
  const client = await connect(world.superuser(place), '-c synchronous_commit=off')
  try {
    for (let from = 0; from < references.length; from += 10_000) {
      const part = references.slice(from, from + 10_000)
      await client.query(depositsText, [world.shop.merchant, requisiteId, accountId, part, cents, hours])
    }
    await client.query(
      'update requisite_loads set open_deposits = open_deposits + $2 where requisite_id = $1',
      [requisiteId, references.length],
    )
    await client.query('analyze')
  } finally {
    await client.end()
  }
}

const depositsText = `
  insert into deposits
    (id, merchant_id, order_id, flow, fingerprint, state, amount_cents, currency, payment_type, customer,
     requisite_id, account_id, shown, reference, page_token, sent, created_at, issued_at, expires_at, late_until)
  select
    uuidv7(), $1, 'match-' || reference, 'create', sha256(reference::bytea), 'created', $5, 'RUB', 'account_number',
    'customer', $2, $3,
    jsonb_build_object('kind', 'account_ru', 'number', '40702810300000000042', 'name', 'ООО "Пример"',
      'bank_name', 'Банк "Тест"', 'seller', 'ООО "Пример"', 'bic', '044525999',
      'payment_reason', 'Пополнение ' || reference),
    reference, translate(encode(uuid_send(gen_random_uuid()), 'base64'), '+/=', '-_'),
    '{}', now() - interval '1 day', now() - interval '1 day', now() + make_interval(hours => $6::int), now() + interval '5 days'
  from unnest($4::text[]) as r (reference)`

/** `first`: the number of its first document; `ahead`: of which day, counted from today. */
export function* statementOf(
  references: readonly string[],
  account: string,
  first = 1,
  ahead = 0,
): Generator<string> {
  const [year, month, day] = new Date(Date.now() + (3 + 24 * ahead) * 3_600_000)
    .toISOString()
    .slice(0, 10)
    .split('-')
  const date = `${day}.${month}.${year}`
  yield lines('1CClientBankExchange', 'ВерсияФормата=1.03', 'Кодировка=Windows', `РасчСчет=${account}`)
  const total = `ВсегоПоступило=${(cents / 100) * references.length}.00`
  yield lines('СекцияРасчСчет', `РасчСчет=${account}`, total, 'КонецРасчСчет')
  for (const [place, reference] of references.entries()) {
    yield lines(
      'СекцияДокумент=Платежное поручение',
      `Номер=${first + place}`,
      `Дата=${date}`,
      `Сумма=${cents / 100}.00`,
      'ПлательщикСчет=40817810000000000001',
      'Плательщик1=Иванов Иван Иванович',
      `ПолучательСчет=${account}`,
      `ДатаПоступило=${date}`,
      `НазначениеПлатежа=Пополнение ${reference}`,
      'КонецДокумента',
    )
  }
  yield lines('КонецФайла')
}

const lines = (...texts: string[]): string => texts.map((text) => `${text}\r\n`).join('')

async function timeImport(world: World, file: string): Promise<Imported> {
  const asked = JSON.stringify([world.login('inlet_empty'), file])
  const { stdout } = await promisify(execFile)(process.execPath, [worker, asked])
  const imported = JSON.parse(stdout) as Imported
  if (imported.matched !== rows) throw new Error(`Matched ${imported.matched} of ${rows}.`)
  return imported
}

/** What an import writes beside the deposits. */
const written = [
  'transfers',
  'allocations',
  'transfer_keys',
  'report_rows',
  'transfer_decisions',
  'deposit_history',
  'callbacks',
  'callback_due',
]

/**
 * The same rows into a table of the same shape, keys and checks included. `isChecked`: with its foreign keys, each of which the
 * database looks up for every row.
 */
async function timeCopy(
  world: World,
  folder: string,
  table: string,
  { isChecked }: { isChecked: boolean },
): Promise<number> {
  const file = join(folder, table)
  return withCopyOf(world, table, async (client, copy) => {
    await client.query(`copy (select * from ${table}) to '${file}'`)
    const { rows } = await client.query<{ rule: string }>(
      `select pg_get_constraintdef(oid) as rule from pg_constraint
       where conrelid = '${table}'::regclass and contype = 'f' and conparentid = 0`,
    )
    if (isChecked) for (const { rule } of rows) await client.query(`alter table ${copy} add ${rule}`)
    return timed(client, `copy ${copy} from '${file}'`)
  })
}

/** An update of every deposit that enters it into all of its indexes again. */
const timeUpdate = (world: World): Promise<number> =>
  withCopyOf(world, 'deposits', async (client, copy) => {
    await client.query(`insert into ${copy} select * from deposits`)
    await client.query(`vacuum analyze ${copy}`)
    return timed(client, `update ${copy} set amount_cents = amount_cents + 1`)
  })

async function withCopyOf<Result>(
  world: World,
  table: string,
  work: (client: Client, copy: string) => Promise<Result>,
): Promise<Result> {
  const client = await connect(world.superuser('inlet_empty'))
  const copy = `copied_${newId().replaceAll('-', '')}`
  try {
    await client.query(`create table ${copy} (like ${table} including all)`)
    return await work(client, copy)
  } finally {
    await client.query(`drop table if exists ${copy}`)
    await client.end()
  }
}

async function timed(client: Client, text: string): Promise<number> {
  const begin = monotonicMs()
  await client.query(text)
  return monotonicMs() - begin
}
