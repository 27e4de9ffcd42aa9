/** A database of its own for each test file: a clone of the migrated template, on the run's real PostgreSQL. */
import { statfs } from 'node:fs/promises'
import pg from 'pg'
import { newId } from '../../src/platform/clock.ts'
import { type Db, type Login, openDatabase } from '../../src/platform/db.ts'
import { atEnd } from './clean-up.ts'

export type TestDatabase = {
  login: Login
  url: string
  /** Connects as the owner, without a statement timeout: the owner may do what the program may not, such as shifting the clock. */
  owner: Db
  /** Moves the database's clock, for everybody who asks it. */
  shiftClock(interval: string): Promise<void>
  /** From now on time passes only by `shiftClock`: nothing becomes due because a machine is slow. */
  stopClock(): Promise<void>
}

export const testLogin = (): Login => {
  const login = process.env.INLET_TEST_POSTGRES
  if (!login) throw new Error('Run the tests with "npm test": it starts their PostgreSQL.')
  return JSON.parse(login) as Login
}

/** Another PostgreSQL than the run's, until the test file ends. */
export function useLogin(login: string): void {
  const before = process.env.INLET_TEST_POSTGRES
  process.env.INLET_TEST_POSTGRES = login
  atEnd(async () => {
    process.env.INLET_TEST_POSTGRES = before
  })
}

/**
 * Made now, and gone with the run's cluster: each drop would be a checkpoint, which writes down the pages of every database while
 * all others wait for the disk. A whole run takes about 4 GB; where there is little more, each goes with its test file.
 * `template0` makes an empty one, as an operator would.
 */
export async function createDatabase(from: 'inlet' | 'demo' | 'template0' = 'inlet'): Promise<TestDatabase> {
  const template = testLogin()
  const name = `test_${newId().replaceAll('-', '')}`
  await onTemplate((client) => client.query(`create database ${name} template ${from}`))
  const login = { ...template, database: name }
  const owner = openDatabase(login, { connections: 2, hasNoStatementTimeout: true })
  atEnd(async () => {
    await owner.close()
    const { bavail, bsize } = await statfs(template.host)
    if (bavail * bsize > 8e9) return
    // An autovacuum worker may be in it, which only a superuser can send away.
    void onTemplate((client) => client.query(`drop database ${name} with (force)`)).catch(() => {})
  })
  return {
    login,
    url: urlOf(login),
    owner,
    async shiftClock(interval) {
      await owner.script(`update installation set shift = '${interval}'`)
    },
    async stopClock() {
      await owner.script(`
        do $do$
        begin
          execute format('create or replace function inlet_now() returns timestamptz language sql stable
            return date_trunc(''milliseconds'', %L::timestamptz + (select shift from installation))', now());
        end $do$`)
    },
  }
}

const urlOf = ({ host, port, database, user, password }: Login): string =>
  `postgres://${user}:${encodeURIComponent(password)}@/${database}?host=${encodeURIComponent(host)}&port=${port}`

async function onTemplate(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ ...testLogin(), database: 'postgres' })
  // A server that hangs up is reported twice: by the promise, and here, where nobody listening ends the process.
  client.on('error', () => {})
  await client.connect()
  await work(client).finally(() => client.end())
}
