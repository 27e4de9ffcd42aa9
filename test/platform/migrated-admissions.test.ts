/** Who gave whom rights, in databases that kept only the last one, and while a version before it runs beside. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import { createLog } from '../../src/platform/log.ts'
import { migrate, readMigrations } from '../../src/platform/migrate.ts'
import { createDatabase } from '../support/database.ts'

const quiet = createLog('error', () => {})

test('an update keeps who gave rights before it, and a version before it erases nobody', async () => {
  const { owner } = await createDatabase('template0')
  await migrate(
    owner,
    quiet,
    readMigrations().filter(({ name }) => name < '0097'),
  )
  const [person, first, second] = [newId(), newId(), newId()]
  for (const id of [first, second, person])
    await owner.query(
      sql`insert into people (id, email, name) values (${id}, ${`${id}@example.com`}, 'Somebody')`,
    )
  // As every version writes it.
  const admit = (by: string | null) =>
    owner.query(sql`update people set admitted_by = ${by}, admitted_at = inlet_now() where id = ${person}`)
  await admit(first)
  await migrate(owner, quiet)
  await admit(second)
  await admit(null)
  await admit(second)
  const rows = await owner.query<{ by: string }>(
    sql`select admitted_by as by from admissions where person_id = ${person} order by at`,
  )
  assert.deepEqual(
    rows.map(({ by }) => by),
    [first, second],
  )
})
