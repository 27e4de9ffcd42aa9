/** `inlet upgrade rehearse`: this version's migrations on a restored copy, before they run where deposits arrive. */

import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Config } from '../../config.ts'
import { OperatorProblem } from '../../platform/operator-problem.ts'
import { joinPostgres } from '../../platform/postgres.ts'
import { secretsFile } from '../../platform/postgres-home.ts'
import { type Rehearsed, rehearse } from '../../platform/rehearse.ts'
import type { Command } from './command.ts'
import { optional, table, UsageProblem } from './options.ts'

export const upgradeCommands: Record<string, Command> = {
  'upgrade rehearse': {
    usage:
      'inlet upgrade rehearse --database URL | --data FOLDER   (a restored copy: a database, or a data folder with its own PostgreSQL)',
    summary:
      'run the migrations of this version on a restored copy; shows the time and the longest lock of each',
    example: '--database postgres://inlet:secret@localhost:5432/inlet_copy',
    async runAlone(values, _words, readConfig) {
      const [url, folder] = [optional(values, 'database'), optional(values, 'data')]
      if ((url === null) === (folder === null)) throw new UsageProblem('Name one copy: --database or --data.')
      const rehearsed = url ? await onDatabase(url, readConfig()) : await inFolder(folder!, readConfig())
      return { json: { migrations: rehearsed.map(recordOf) }, text: textOf(rehearsed) }
    },
  },
}

async function onDatabase(url: string, config: Config): Promise<Rehearsed[]> {
  if (!/^postgres(ql)?:\/\//.test(url))
    throw new UsageProblem('--database is an address such as postgres://user:password@host:5432/copy.')
  return rehearse({ url }, config.databaseUrl === null ? null : { url: config.databaseUrl })
}

/** Opens the folder as its only server: it fails if another process works on the folder. */
async function inFolder(folder: string, { dataDir }: Config): Promise<Rehearsed[]> {
  const place = await realpath(resolve(folder)).catch(() => resolve(folder))
  if (place === (await realpath(dataDir).catch(() => dataDir)))
    throw new OperatorProblem('This is the data folder of Inlet itself. Restore a backup into another one.')
  // Without this check a new, empty database would be made there.
  if (!existsSync(secretsFile(place)))
    throw new OperatorProblem(`${place} is no data folder of Inlet: restore a backup there first.`)
  const { owner, stop } = await joinPostgres({ dataDir: place, as: 'server', log: () => {} })
  return rehearse(owner, null).finally(stop)
}

const recordOf = ({ migration, ms, lock }: Rehearsed) => ({
  migration,
  seconds: Math.round(ms) / 1000,
  longest_lock: lock && { table: lock.table, mode: lock.mode, seconds: Math.round(lock.ms) / 1000 },
})

const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`

function textOf(rehearsed: readonly Rehearsed[]): string {
  if (rehearsed.length === 0) return 'The copy has every migration of this version: nothing to rehearse.'
  const [longest] = rehearsed.flatMap(({ lock }) => lock ?? []).sort((one, other) => other.ms - one.ms)
  const total = rehearsed.reduce((sum, { ms }) => sum + ms, 0)
  return [
    table(
      ['migration', 'time', 'longest lock', 'on table'],
      rehearsed.map(({ migration, ms, lock }) => [
        migration,
        seconds(ms),
        lock ? seconds(lock.ms) : 'below 0.01 s',
        lock?.table ?? '',
      ]),
    ),
    '',
    `${seconds(total)} in all. ${longest ? `Nobody could write to ${longest.table} for ${seconds(longest.ms)}.` : 'No lock kept anybody from writing for long.'}`,
    'The copy is migrated now: restore it again before the next rehearsal.',
  ].join('\n')
}
