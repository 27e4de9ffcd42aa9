/**
 * Tables whose rows leave by the day: partitions are made ahead and dropped when their time is over. The owner's
 * work; the runtime role can do none of it. A partition is made apart and attached, which lets writers go on.
 */
import { type Db, sql } from './db.ts'

type Partitioned = {
  tables: readonly string[]
  aheadDays: number
  keepDays: number
  /** Days that something still points into are kept. */
  isNeeded: (day: string) => Promise<boolean>
}

export async function keepPartitions(owner: Db, { tables, aheadDays, keepDays, isNeeded }: Partitioned) {
  const today = await readToday(owner)
  // All tables first: without a partition for today nothing can be written, and dropping may fail.
  for (const table of tables) await makeAhead(owner, table, today, aheadDays)
  for (const table of tables) {
    for (const day of await listDays(owner, table)) {
      if (day >= addDays(today, -keepDays) || (await isNeeded(day))) continue
      await owner.script(`alter table ${table} detach partition ${nameOf(table, day)} concurrently`)
      await owner.script(`drop table ${nameOf(table, day)}`)
    }
  }
}

/** Under the lock of the migrations: two processes that start together make each partition once. */
async function makeAhead(owner: Db, table: string, today: string, aheadDays: number): Promise<void> {
  await owner.transaction(async (tx) => {
    await tx.query(sql`lock table migrations in exclusive mode`)
    const known = new Set(await listDays(tx, table))
    for (let ahead = -1; ahead <= aheadDays; ahead++) {
      const day = addDays(today, ahead)
      if (known.has(day)) continue
      const name = nameOf(table, day)
      const bounds = `for values from ('${day}') to ('${addDays(day, 1)}')`
      await tx.query({
        text: `create table ${name} (like ${table} including all) with (fillfactor = 85)`,
        name: '',
        values: [],
      })
      await tx.query({
        text: `alter table ${table} attach partition ${name} ${bounds}`,
        name: '',
        values: [],
      })
    }
  })
}

async function listDays(db: Pick<Db, 'query'>, table: string): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`
    select c.relname as name
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent = ${table}::regclass
    order by c.relname`)
  return rows.map(({ name }) => name.slice(-8).replace(/^(....)(..)(..)$/, '$1-$2-$3'))
}

async function readToday(db: Db): Promise<string> {
  const [row] = await db.query<{ today: string }>(
    sql`select (inlet_now() at time zone 'UTC')::date::text as today`,
  )
  return row!.today
}

const nameOf = (table: string, day: string) => `${table}_${day.replaceAll('-', '')}`

const addDays = (day: string, days: number) =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)
