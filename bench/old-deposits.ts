/** A database with the deposits of a year, for the rows that must not be slower beside them. `--deposits` says how many. */
import { openDatabase } from '../src/platform/db.ts'
import { fillDeposits } from '../test/support/many-deposits.ts'
import { settings } from './settings.ts'
import type { World } from './world.ts'

let filled: Promise<void> | undefined

export function fillOld(world: World): Promise<void> {
  filled ??= fill(world)
  return filled
}

async function fill(world: World): Promise<void> {
  const { deposits } = settings
  world.status(`writing ${deposits.toLocaleString('en')} old deposits`)
  // Its Inlet makes the days that callbacks are written into.
  await world.inlet('old')
  const owner = openDatabase(await world.superuser('old'), { connections: 1, hasNoStatementTimeout: true })
  try {
    await owner.script('set statement_timeout = 0; set synchronous_commit = off')
    const callbacks = Math.min(deposits / 5, 200_000)
    await fillDeposits({ database: { owner } }, world.shop.merchant, { deposits, callbacks, days: 365 })
    world.status('vacuum and checkpoint')
    await owner.script('vacuum analyze')
    await owner.script('checkpoint')
  } finally {
    await owner.close()
  }
}
