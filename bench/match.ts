/**
 * A statement of 100,000 rows, imported and matched against 100,000 open deposits: read, deduplicated, matched, the
 * deposits confirmed, their events and callbacks written. Against COPY of the same transfers by the server itself.
 */

import { createReadStream } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { referenceFor } from '../src/deposits/reference.ts'
import { monotonicMs, newId } from '../src/platform/clock.ts'
import { openDatabase } from '../src/platform/db.ts'
import { importStatement } from '../src/statements/import-statement.ts'
import type { Row } from './row.ts'
import { connect, type World } from './world.ts'

const rows = 100_000
const cents = 150_000

export const match: Row = {
  name: 'match',
  must: { most: 10 },
  aim: { most: 4 },
  async measure(world) {
    const folder = await mkdtemp(join(tmpdir(), 'inlet-match-'))
    // PostgreSQL may run as another user, and reads the copy by itself.
    await chmod(folder, 0o777)
    try {
      world.status('match: 100,000 open deposits')
      // It makes the days that callbacks are written into.
      await world.inlet('inlet_empty')
      const references = await openDeposits(world)
      const file = join(folder, 'statement.txt')
      await writeFile(file, statementOf(references, world.accounts[0]!.draft.number))
      world.status('match: importing')
      const value = await timeImport(world, file)
      world.status('match: COPY')
      const reference = await timeCopy(world, join(folder, 'copy.txt'))
      const note = `${Math.round(rows / (value / 1000))} rows/s; peak RSS of the importer ${Math.round(process.resourceUsage().maxRSS / 1024)} MB, load and all`
      return { value: value / 1000, unit: 's', reference: reference / 1000, ratio: value / reference, note }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
}

/** Straight into the table: how deposits are made is measured elsewhere. */
async function openDeposits(world: World): Promise<string[]> {
  const { requisiteId, accountId } = world.accounts[0]!
  const client = await connect(world.superuser('inlet_empty'), '-c synchronous_commit=off')
  const references = Array.from({ length: rows }, (_, n) => referenceFor(5_000_000 + n) as string)
  try {
    for (let from = 0; from < rows; from += 10_000) {
      const part = references.slice(from, from + 10_000)
      await client.query(depositsText, [world.shop.merchant, requisiteId, accountId, part, cents])
    }
    await client.query(
      'update requisite_loads set open_deposits = open_deposits + $2 where requisite_id = $1',
      [requisiteId, rows],
    )
    await client.query('analyze')
  } finally {
    await client.end()
  }
  return references
}

const depositsText = `
  with new as (
    select uuidv7() as id, reference from unnest($4::text[]) as r (reference)
  ), added as (
    insert into deposits
      (id, merchant_id, order_id, flow, fingerprint, state, amount_cents, currency, payment_type, customer,
       requisite_id, account_id, shown, reference, page_token, created_at, issued_at, expires_at, late_until)
    select
      id, $1, 'match-' || reference, 'create', sha256(reference::bytea), 'created', $5, 'RUB', 'account_number',
      'customer', $2, $3,
      jsonb_build_object('kind', 'account_ru', 'number', '40702810300000000042', 'name', 'ООО "Пример"',
        'bank_name', 'Банк "Тест"', 'seller', 'ООО "Пример"', 'bic', '044525999',
        'payment_reason', 'Пополнение ' || reference),
      reference, translate(encode(uuid_send(gen_random_uuid()), 'base64'), '+/=', '-_'),
      now(), now(), now() + interval '1 day', now() + interval '5 days'
    from new
  )
  insert into deposit_history (deposit_id, entry, at, action, to_state, actor)
  select id, 1, now(), 'create', 'created', 'merchant' from new`

function statementOf(references: readonly string[], account: string): string {
  const [year, month, day] = new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 10).split('-')
  const date = `${day}.${month}.${year}`
  const head = ['1CClientBankExchange', 'ВерсияФормата=1.03', 'Кодировка=Windows', `РасчСчет=${account}`]
  const documents = references.map((reference, place) =>
    [
      'СекцияДокумент=Платежное поручение',
      `Номер=${place + 1}`,
      `Дата=${date}`,
      `Сумма=${cents / 100}.00`,
      'ПлательщикСчет=40817810000000000001',
      'Плательщик1=Иванов Иван Иванович',
      `ПолучательСчет=${account}`,
      `ДатаПоступило=${date}`,
      `НазначениеПлатежа=Пополнение ${reference}`,
      'КонецДокумента',
    ].join('\r\n'),
  )
  return [...head, ...documents, 'КонецФайла'].join('\r\n')
}

async function timeImport(world: World, file: string): Promise<number> {
  const db = openDatabase(world.login('inlet_empty'), { isPatient: true })
  try {
    const begin = monotonicMs()
    const report = await importStatement(
      { db, publicUrl: 'http://localhost', changed: () => {} },
      {
        file: { name: 'statement.txt', open: () => createReadStream(file) },
        mode: 'test',
        by: 'bench',
        dryRun: false,
        anyway: false,
      },
    )
    const took = monotonicMs() - begin
    if (report.taken.matched !== rows) throw new Error(`Matched ${report.taken.matched} of ${rows}.`)
    return took
  } finally {
    await db.close()
  }
}

/** The same rows into a table of the same shape, keys and checks included. */
async function timeCopy(world: World, file: string): Promise<number> {
  const client = await connect(world.superuser('inlet_empty'))
  const table = `copied_${newId().replaceAll('-', '')}`
  try {
    await client.query(`create table ${table} (like transfers including all)`)
    await client.query(`copy transfers to '${file}'`)
    const begin = monotonicMs()
    await client.query(`copy ${table} from '${file}'`)
    return monotonicMs() - begin
  } finally {
    await client.query(`drop table if exists ${table}`)
    await client.end()
  }
}
