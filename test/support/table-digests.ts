/** What stands in a database, as one digest per table: for tests that nothing was changed. */
import { type Db, sql } from '../../src/platform/db.ts'

/** What time alone changes, or the gateway by itself. */
const alwaysMoving = [
  ...['upkeep', 'sessions'],
  // Made of what others did before, whenever a worker comes to it.
  ...['audit_seals', 'operator_alarms'],
]

type TableDigests = Record<string, string>

/** `about`: only rows that hold this text, in whichever column. */
export async function tableDigests(owner: Db, { about = '' } = {}): Promise<TableDigests> {
  const tables = await owner.query<{ name: string }>(sql`
    select table_name::text as name
    from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE'
    order by table_name`)
  const digests: TableDigests = {}
  for (const { name } of tables) {
    // A partition is read with its parent.
    if (alwaysMoving.includes(name) || /_\d{4,}/.test(name)) continue
    const [row] = await owner.query<{ digest: string }>({
      name: '',
      text: `select count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as digest
        from ${name} t where $1 = '' or position($1 in t::text) > 0`,
      values: [about],
    })
    digests[name] = row!.digest
  }
  return digests
}
