/** Commits of one plain row: the most that the server can do for clients that wait for each commit. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { monotonicMs } from '../src/platform/clock.ts'
import type { Phase } from './compare.ts'
import { isInstalled } from './creates.ts'
import { settings } from './settings.ts'
import { connect, type World } from './world.ts'

type Commits = { name: string; run(): Promise<Phase>; close(): Promise<void> }

const phaseOf = (perSecond: number): Phase => ({
  perSecond,
  answered: perSecond * settings.seconds,
  p99Ms: 0,
})

export async function openCommits(world: World, clients: number): Promise<Commits> {
  const login = await world.superuser('commits')
  const connections = [await connect(login)]
  const [admin] = connections
  await admin!.query(
    'create table if not exists plain_row (id bigint generated always as identity primary key, text text)',
  )
  const { rows } = await admin!.query<{ schema: string }>('select current_schema() as schema')
  const insert = `insert into ${rows[0]!.schema}.plain_row (text) values ('a deposit, more or less')`
  const close = async () => void (await Promise.all(connections.map((connection) => connection.end())))
  if (!(await isInstalled('pgbench', '--version'))) {
    while (connections.length < clients) connections.push(await connect(login))
    return {
      name: `bare commits on ${clients} connections (pgbench is not installed)`,
      async run() {
        let committed = 0
        const began = monotonicMs()
        const end = began + settings.seconds * 1000
        await Promise.all(
          connections.map(async (connection) => {
            for (; monotonicMs() < end; committed++) await connection.query({ name: 'plain', text: insert })
          }),
        )
        return phaseOf((committed / (monotonicMs() - began)) * 1000)
      },
      close,
    }
  }
  const folder = await mkdtemp(join(tmpdir(), 'inlet-pgbench-'))
  const script = join(folder, 'commit.sql')
  await writeFile(script, `${insert};\n`)
  const { host, port, database, user, password } = login
  const place = ['-h', host, '-p', String(port), '-U', user, database]
  const words = ['-n', '-M', 'prepared', '-c', String(clients), '-T', String(settings.seconds), '-f', script]
  return {
    name: `pgbench, ${clients} clients`,
    async run() {
      const env = { ...process.env, PGPASSWORD: password }
      const { stdout } = await promisify(execFile)('pgbench', [...words, ...place], { env })
      const tps = /tps = ([\d.]+)/.exec(stdout)?.[1]
      if (!tps) throw new Error(`pgbench: ${stdout}`)
      return phaseOf(Number(tps))
    },
    async close() {
      await close()
      await rm(folder, { recursive: true })
    },
  }
}
