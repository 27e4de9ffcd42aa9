/**
 * Tables with a partition for each day: partitions are made ahead, and dropped when they are too old. Only the owner of the database
 * may do this, not the runtime role. A partition is made as a table and then attached, so that writers do not wait.
 */
import { type Db, sql } from './db.ts'

type Partitioned = {
  tables: readonly string[]
  aheadDays: number
  keepDays: number
  /** Whether an old day is kept, because something still points to its rows. */
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

/** Takes the lock of the migrations, so that two processes that start together make each partition once. */
async function makeAhead(owner: Db, table: string, today: string, aheadDays: number): Promise<void> {
  await owner.transaction(async (tx) => {
    await tx.query(sql`lock table migrations in exclusive mode`)
    const known = new Set(await listDays(tx, table))
    for (let ahead = -1; ahead <= aheadDays; ahead++) {
      const day = addDays(today, ahead)
      if (known.has(day)) continue
      const name = nameOf(table, day)
      for (const text of [
        // Rows of a day change while callbacks are sent: the new version of a row fits on its page.
        `create table ${name} (like ${table} including all) with (fillfactor = 85)`,
        `alter table ${table} attach partition ${name} for values from ('${day}') to ('${addDays(day, 1)}')`,
      ])
        await tx.query({ text, name: '', values: [] })
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
  const { today } = await db.one<{ today: string }>(
    sql`select (inlet_now() at time zone 'UTC')::date::text as today`,
  )
  return today
}

const nameOf = (table: string, day: string) => `${table}_${day.replaceAll('-', '')}`

const addDays = (day: string, days: number) =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)
