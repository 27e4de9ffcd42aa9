/**
 * What old deposits cost the work of today: two databases, both with the same deposits of the last week, one of them with
 * years of old deposits before it. `--deposits` says how many; ten million take a quarter of an hour to write and 20 GB.
 *
 * Figures are processor time of the one session of PostgreSQL that did the work, as the kernel counts it, so other work on
 * the machine changes them little. The note has the number of pages that it read, which nothing else changes.
 */

import { readFile } from 'node:fs/promises'
import { expireDeposits } from '../src/domain/deposits/expire-deposits.ts'
import { findDeposit } from '../src/domain/deposits/read-store.ts'
import { examine } from '../src/domain/doctor/examine.ts'
import { importStatement } from '../src/domain/statements/import-statement.ts'
import { type Db, sql } from '../src/platform/db.ts'
import { createVault } from '../src/platform/vault.ts'
import { lists } from './growth-lists.ts'
import { openDeposits, statementOf } from './match.ts'
import { fillOldDeposits } from './old-deposits.ts'
import { alternate, median, openCreates } from './phases.ts'
import { drawnReference } from './references.ts'
import type { Measured, Row } from './row.ts'
import { openSide, type Side } from './side.ts'
import { masterKey, type World } from './world.ts'

/** The deposits that both databases have. */
const recent = { rows: 20_000, days: { oldest: 6.5, newest: 0.1 } }
const oldDays = { oldest: 1_095, newest: 8 }
const rounds = 5

type Sides = { young: Side; grown: Side }
type Cost = { ms: number; pages: number }

/** The number of the next reference: far from those of the last months, which are held, and each side uses different ones. */
let drawn = 0

/** Set by the first row that needs the databases. */
let filled: Promise<void> | undefined

function fillOnce(world: World, deposits: number): Promise<void> {
  filled ??= (async () => {
    drawn = deposits + 4_000_000
    await fillOldDeposits(world, 'inlet_full', { rows: deposits, days: oldDays })
    await fillOldDeposits(world, 'inlet_full', { ...recent, first: deposits })
    await fillOldDeposits(world, 'inlet_empty', recent)
  })()
  return filled
}

/** Creates over HTTP: their rate, and in the note the processor time of all processes. */
export const history: Row = {
  name: 'history',
  must: { least: 0.9 },
  aim: { least: 1 },
  async measure(world, { deposits }) {
    await fillOnce(world, deposits)
    world.status('history: warming up')
    const full = await openCreates(world, 'inlet_full', 'account')
    try {
      const empty = await openCreates(world, 'inlet_empty', 'account')
      try {
        const sides = { value: () => full.run(), reference: () => empty.run() }
        const { cpu, range, ...compared } = await alternate(world, 'history', 'perSecond', sides)
        return {
          ...compared,
          unit: '1/s',
          note: `${cpu}; ${range}; ${deposits.toLocaleString('en')} old deposits`,
        }
      } finally {
        await empty.close()
      }
    } finally {
      await full.close()
    }
  },
}

type Work = {
  name: string
  /** How often the work is done in one round. */
  times: number
  /** Preparation, whose time does not count. */
  prepare?: (world: World, side: Side) => Promise<void>
  run: (side: Side, world: World) => Promise<unknown>
}

const importRows = 2_000
let imports = 0
const expiredRows = 1_000
const context = (db: Db) => ({ db, publicUrl: 'http://localhost', changed: () => {} })

const works: Work[] = [
  { name: 'status', times: 200, run: (side) => findDeposit(side.db, { ...side, id: some(side.recent) }) },
  {
    name: 'status of an old deposit',
    times: 200,
    run: (side) => findDeposit(side.db, { ...side, id: some(side.old) }),
  },
  ...lists.map(({ name, look }) => ({ name, times: 40, run: look })),
  {
    name: `import of ${importRows.toLocaleString('en')} rows`,
    times: 1,
    prepare: (world, side) => addOpen(world, side, importRows, 1),
    run: async (side, world) => {
      const first = drawn - importRows
      const references = referencesFrom(first, importRows)
      // A day of its own: beside equal amounts of one day, which this file does not tell, a person would have to look.
      const lines = statementOf(references, world.accounts[0]!.draft.number, first, imports++)
      const bytes = Buffer.from([...lines].join(''))
      const { taken } = await importStatement(context(side.db), {
        file: {
          name: 'statement.txt',
          open: () =>
            (async function* () {
              yield bytes
            })(),
        },
        mode: 'test',
        by: 'bench',
        dryRun: false,
        anyway: false,
      })
      if (taken.matched !== importRows) throw new Error(`Matched ${taken.matched} of ${importRows}.`)
    },
  },
  {
    name: `expiry of ${expiredRows.toLocaleString('en')} deposits`,
    times: 1,
    prepare: (world, side) => addOpen(world, side, expiredRows, -1),
    run: async ({ db }) => {
      let expired = 0
      for (let more = 1; more > 0; expired += more) more = await expireDeposits(context(db))
      if (expired < expiredRows) throw new Error(`${expired} of ${expiredRows} expired.`)
    },
  },
  {
    name: 'doctor',
    times: 1,
    run: async ({ db }) => {
      const findings = await examine({ db, vault: createVault(masterKey) }, { all: false })
      const wrong = findings.filter(({ verdict }) => verdict !== 'holds' && verdict !== 'warning')
      if (wrong.length > 0)
        throw new Error(
          `The doctor: ${wrong.map(({ name, offenders }) => `${name} ${offenders[0]?.detail}`).join('; ')}`,
        )
    },
  },
]

export const growth: readonly Row[] = works.map((work) => ({
  name: `growth ${work.name}`,
  must: { most: 1.2 },
  aim: { most: 1.1 },
  async measure(world, { deposits }) {
    await fillOnce(world, deposits)
    world.status(`growth: ${work.name}`)
    return compare(world, work)
  },
}))

async function compare(world: World, work: Work): Promise<Measured> {
  const grown = await openSide(world, 'inlet_full')
  const young = await openSide(world, 'inlet_empty')
  try {
    const costs = await takeTurns(world, work, { young, grown })
    const [value, reference] = [middleOf(costs.grown), middleOf(costs.young)]
    return {
      value: value.ms,
      reference: reference.ms,
      ratio: value.ms / reference.ms,
      unit: 'ms',
      note: `PostgreSQL's processor time; pages touched ${Math.round(value.pages)} against ${Math.round(reference.pages)}`,
    }
  } finally {
    await grown.db.close()
    await young.db.close()
  }
}

async function takeTurns(world: World, work: Work, sides: Sides): Promise<Record<keyof Sides, Cost[]>> {
  const costs: Record<keyof Sides, Cost[]> = { young: [], grown: [] }
  // The first round reads into memory and makes plans.
  for (let round = 0; round <= rounds; round++)
    for (const name of ['young', 'grown'] as const) {
      const side = sides[name]
      await work.prepare?.(world, side)
      const before = await costSoFar(side)
      for (let time = 0; time < work.times; time++) await work.run(side, world)
      const after = await costSoFar(side)
      const each = (figure: keyof Cost) => (after[figure] - before[figure]) / work.times
      if (round > 0) costs[name].push({ ms: each('ms'), pages: each('pages') })
    }
  return costs
}

const middleOf = (costs: readonly Cost[]): Cost => ({
  ms: median(costs.map(({ ms }) => ms)),
  pages: median(costs.map(({ pages }) => pages)),
})

async function costSoFar({ db, pid }: Side): Promise<Cost> {
  await db.query(sql`select pg_stat_force_next_flush()`)
  const { pages } = await db.one<{ pages: number }>(sql`
    select sum(hits + reads)::float8 as pages
    from pg_stat_get_backend_io(pg_backend_pid())
    where object = 'relation'`)
  const [nanoseconds] = (await readFile(`/proc/${pid}/schedstat`, 'utf8')).split(' ')
  return { ms: Number(nanoseconds) / 1e6, pages }
}

let looked = 0
/** Returns another id at each call, and the same ones in each run. */
const some = (ids: readonly string[]): string => ids[looked++ % ids.length]!

const referencesFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, n) => drawnReference(first + n))

async function addOpen(world: World, side: Side, count: number, hours: number): Promise<void> {
  const references = referencesFrom(drawn, count)
  drawn += count
  await openDeposits(world, { place: side.place, references, hours })
}
