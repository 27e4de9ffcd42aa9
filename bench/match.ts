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
import { monotonicMs } from '../src/platform/clock.ts'
import { createDeposits } from './creates.ts'
import type { Imported } from './import-worker.ts'
import type { Row } from './row.ts'
import { shareOf } from './settings.ts'
import { connect, type World } from './world.ts'

const cents = 150_000
const worker = fileURLToPath(new URL('./import-worker.ts', import.meta.url))

type Open = { reference: string; account: string }

export const match: Row = {
  name: 'match',
  what: 'a statement of 100,000 transfers imported and matched against 100,000 open deposits ÷ COPY of them',
  must: { most: 9 },
  aim: { most: 7.5 },
  async measure(world) {
    const rows = shareOf(100_000)
    const folder = await mkdtemp(join(tmpdir(), 'inlet-match-'))
    // PostgreSQL may run as another user, and reads the copy by itself.
    await chmod(folder, 0o777)
    const owner = await connect(await world.superuser('match'))
    try {
      world.status(`match: ${rows} open deposits`)
      await createDeposits(world, 'match', world.shop, rows)
      const { rows: open } = await owner.query<Open>(`
        select d.reference, r.number as account
        from deposits d
        join requisites r on r.id = d.requisite_id
        where d.state = 'created'`)
      await owner.query('vacuum analyze')
      const file = join(folder, 'statement.txt')
      await writeFile(file, statementOf(open))
      world.status('match: importing')
      const { ms, peakMegabytes } = await timeImport(world, file, rows)
      world.status('match: COPY')
      const rowsFile = join(folder, 'transfers')
      await owner.query(`copy transfers to '${rowsFile}'`)
      await owner.query('create table copied (like transfers including all)')
      const began = monotonicMs()
      await owner.query(`copy copied from '${rowsFile}'`)
      const copyMs = monotonicMs() - began
      const note = `${Math.round(rows / (ms / 1000))} rows/s; the importer's peak ${Math.round(peakMegabytes)} MB`
      return { value: ms / 1000, unit: 's', reference: copyMs / 1000, ratio: ms / copyMs, note }
    } finally {
      await owner.end()
      await rm(folder, { recursive: true, force: true })
      await world.leave('match')
    }
  },
}

function* statementOf(open: readonly Open[]): Generator<string> {
  // Moscow's day.
  const [year, month, day] = new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 10).split('-')
  const date = `${day}.${month}.${year}`
  const accounts = Map.groupBy(open, ({ account }) => account)
  yield lines('1CClientBankExchange', 'ВерсияФормата=1.03', 'Кодировка=Windows')
  for (const account of accounts.keys()) yield lines(`РасчСчет=${account}`)
  for (const [account, { length }] of accounts) {
    const total = `ВсегоПоступило=${(cents / 100) * length}.00`
    yield lines('СекцияРасчСчет', `РасчСчет=${account}`, total, 'КонецРасчСчет')
  }
  for (const [place, { reference, account }] of open.entries())
    yield lines(
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
    )
  yield lines('КонецФайла')
}

const lines = (...texts: string[]): string => texts.map((text) => `${text}\r\n`).join('')

async function timeImport(world: World, file: string, rows: number): Promise<Imported> {
  const asked = JSON.stringify([await world.login('match'), file])
  const { stdout } = await promisify(execFile)(process.execPath, [worker, asked])
  const imported = JSON.parse(stdout) as Imported
  if (imported.matched !== rows) throw new Error(`Matched ${imported.matched} of ${rows}.`)
  return imported
}
