/**
 * `inlet demo busy`: a busy day, after two quieter weeks, in the demo's own data. Everything is made by the same functions as
 * in production (creates, pushes, files, decisions of people, callbacks), one after the other, some in one transaction, while the clock of these
 * transactions goes from two weeks ago to now. It must never touch data that is not the demo's.
 */
import { bounds } from '../../../platform/bounds.ts'
import type { Db } from '../../../platform/db.ts'
import type { Log } from '../../../platform/log.ts'
import { OperatorProblem } from '../../../platform/operator-problem.ts'
import type { Vault } from '../../../platform/vault.ts'
import { keepCallbackPartitions } from '../../callbacks/keep-partitions.ts'
import { expireDeposits, freeExpiredSlots } from '../../deposits/expire-deposits.ts'
import { releaseMoneyOfExpired } from '../../transfers/end-deposit.ts'
import type { Demo } from '../demo-file.ts'
import { Agenda } from './agenda.ts'
import { openBusyBank } from './busy-bank.ts'
import { createBusyCallbacks } from './busy-callbacks.ts'
import { createBusyDeposits } from './busy-deposits.ts'
import { addUnplacedMoney } from './busy-money.ts'
import { endOfDay, openBusyOffice } from './busy-office.ts'
import { day, hour, minute, planDeposits, randomFrom } from './busy-plan.ts'
import { openBusyShops } from './busy-shops.ts'
import { databaseAt, listDemoAccounts, readObstacles } from './past-store.ts'

type BusyDay = {
  demo: Demo
  deposits: number
  publicUrl: string
  progress: (done: { done: number; total: number }) => void
}

const seed = 20_261_117
/** How far apart deposits are created on the days before the last one. */
const earlierMs = 3 * hour

/** Returns what it made. `owner`: may move the clock inside its own transactions. */
export async function fillBusyDay(
  { owner, vault, log }: { owner: Db; vault: Vault; log: Log },
  { demo, deposits, publicUrl, progress }: BusyDay,
): Promise<{ deposits: number; shops: number }> {
  const { foreign, isBusy, isRunning, now: end } = await readObstacles(owner)
  if (foreign)
    throw new OperatorProblem(
      'This database has merchants or accounts that are not the demo’s. A busy day is for a demo alone: use an empty data folder.',
    )
  if (isBusy) throw new OperatorProblem('The demo is busy already.')
  if (isRunning) throw new OperatorProblem('Inlet runs on this database. Stop it, and try again.')

  let now = new Date(end.getTime() - 14 * day)
  const db = databaseAt(owner, () => now)
  await keepCallbackPartitions(db)
  const random = randomFrom(seed)
  const context = { db, publicUrl, changed: () => {} }
  const accounts = await listDemoAccounts(db)
  const shops = await openBusyShops(db, { vault, demo, publicUrl, end })
  const office = await openBusyOffice(db, { vault, log })
  const bank = await openBusyBank(context, { accounts, random, end })
  const deliver = createBusyCallbacks(db, random, (sent) => shops.answer(sent, random))
  const agenda = new Agenda()
  const made = createBusyDeposits(context, { shops, bank, office, agenda, random })
  // Nobody looks at the minutes of earlier days: their deposits are created together.
  for (const planned of planDeposits(deposits, random)) {
    const ago = planned.ago > day ? Math.ceil(planned.ago / earlierMs) * earlierMs : planned.ago
    agenda.add({ at: end.getTime() - ago, create: planned })
  }
  addUnplacedMoney(agenda, {
    context,
    accounts,
    bank,
    office,
    random,
    end,
    count: deposits,
    make: made.create,
  })
  for (
    let at = end.getTime() - 13 * day;
    at < end.getTime();
    at += at >= end.getTime() - day ? 4 * hour : day
  )
    agenda.add({ at, run: () => bank.importFile(now, office.actor()) })
  for (let at = end.getTime() - 14 * day; at < end.getTime(); at += 3 * hour)
    agenda.add({
      at,
      async run() {
        await freeExpiredSlots(db)
        await releaseMoneyOfExpired(context)
      },
    })

  const stepAt = (at: number) => (at < end.getTime() - day ? 30 * minute : 10 * minute)
  for (let step = agenda.next(end.getTime(), stepAt); step; step = agenda.next(end.getTime(), stepAt)) {
    await db.inOne(async () => {
      now = new Date(step.at)
      await made.create(step.creates)
      for (const { at, run } of step.runs) {
        now = new Date(at)
        await run()
      }
      now = new Date(step.at)
      const entries = (await Promise.all(step.entries.map((make) => make(now)))).flat()
      if (entries.length > 0) await bank.push(entries.map((entry) => ({ entry, at: now })))
      await sweep()
    })
    await db.inOne(deliver)
    progress({ done: Math.min(made.count(), deposits), total: deposits })
  }
  now = new Date(end.getTime())
  await sweep()
  await db.inOne(deliver)
  await endOfDay(db, { office, shops, random })
  return { deposits: made.count(), shops: shops.all.length }

  async function sweep(): Promise<void> {
    while ((await expireDeposits(context)) === bounds.sweepGroup);
  }
}
