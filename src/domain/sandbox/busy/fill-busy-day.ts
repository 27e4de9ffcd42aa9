/**
 * `inlet demo busy`: a busy day, after two quieter weeks, in the demo's own data. Everything is made by the same functions as
 * in production (creates, pushes, files, decisions of people, callbacks), one after the other, while the clock of their
 * transactions goes from two weeks ago to now. It must never touch data that is not the demo's.
 */
import { bounds } from '../../../platform/bounds.ts'
import type { Db } from '../../../platform/db.ts'
import type { Log } from '../../../platform/log.ts'
import { OperatorProblem } from '../../../platform/operator-problem.ts'
import type { Vault } from '../../../platform/vault.ts'
import { keepCallbackPartitions } from '../../callbacks/keep-partitions.ts'
import { expireDeposits, freeExpiredSlots } from '../../deposits/expire-deposits.ts'
import { payBack } from '../../refunds/pay-back.ts'
import { setAside } from '../../transfers/decide-transfer.ts'
import { releaseMoneyOfExpired } from '../../transfers/end-deposit.ts'
import type { Entry } from '../../transfers/entry.ts'
import { samePayment } from '../../transfers/same-payment.ts'
import type { Demo } from '../demo-file.ts'
import { type OddMoney, oddMoney, openBusyBank } from './busy-bank.ts'
import { createBusyCallbacks } from './busy-callbacks.ts'
import { createBusyDeposits, type Happening, openShops } from './busy-deposits.ts'
import { endOfDay, openBusyOffice, written } from './busy-office.ts'
import { day, hour, minute, planDeposits, randomFrom, shops } from './busy-plan.ts'
import { databaseAt, listDemoAccounts, listOpenTransfers, readObstacles } from './past-store.ts'

type BusyDay = {
  demo: Demo
  deposits: number
  publicUrl: string
  progress: (done: { done: number; total: number }) => void
}

const seed = 20_261_117

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
  const opened = await openShops(db, { vault, demo, publicUrl })
  const office = await openBusyOffice(db, { vault, log })
  const bank = await openBusyBank(context, { accounts, random, end })
  const deliver = createBusyCallbacks(db, random, ({ merchantId, sequence, at }) => {
    const { answer } = shops[opened.findIndex(({ merchant }) => merchant.id === merchantId)]!
    const ms = random.between(40, 380)
    return { ms, ...(answer?.({ ago: end.getTime() - at, sequence }) || { status: 200, answer: 'ok' }) }
  })
  let happenings: Happening[] = []
  const schedule = (happening: Happening) => happenings.push(happening)
  const made = await createBusyDeposits(context, { opened, bank, office, schedule })

  for (const planned of planDeposits(deposits, random)) {
    // Nobody looks at the minutes of earlier days: their deposits are created together.
    const ago = planned.ago > day ? Math.ceil(planned.ago / (3 * hour)) * 3 * hour : planned.ago
    schedule({ at: end.getTime() - ago, create: planned })
  }
  for (const odd of oddMoney)
    for (let left = Math.max(2, Math.round((deposits * odd.share) / 1_000)); left > 0; left--) addOdd(odd)
  for (let pair = 1; pair <= 3; pair++) addEqualDeposits(pair)
  for (let ago = 14 * day; ago >= 0; ago -= 3 * hour)
    schedule({
      at: end.getTime() - ago,
      async run() {
        await freeExpiredSlots(db)
        await releaseMoneyOfExpired(context)
        if (ago % day > 0) return
        await bank.importFile(now, office.actor())
        if (ago >= 2 * day) await decideOld(new Date(now.getTime() - 3 * hour))
      },
    })

  for (let stretch = takeStretch(); stretch.length > 0; stretch = takeStretch()) {
    const last = stretch.at(-1)!.at
    await db.inOne(async () => {
      now = new Date(last)
      await made.create(stretch.flatMap((one) => ('create' in one ? one.create : [])))
      for (const one of stretch) {
        if (!('run' in one)) continue
        now = new Date(one.at)
        await one.run()
      }
      now = new Date(last)
      const reports = stretch.map((one) => ('report' in one ? [one.report(now)] : []))
      await bank.report(await Promise.all(reports.flat()), now)
      while ((await expireDeposits(context)) === bounds.sweepGroup);
    })
    await db.inOne(deliver)
    progress({ done: Math.min(made.count(), deposits), total: deposits })
  }
  await endOfDay(db, { office, shop: opened[2]!.merchant, random })
  return { deposits: made.count(), shops: opened.length }

  /** What happens until half an hour after the first of all, on the last day until ten minutes after it. */
  function takeStretch(): Happening[] {
    happenings.sort((one, other) => one.at - other.at)
    const first = happenings[0]?.at ?? 0
    const until = Math.min(end.getTime(), first + (first < end.getTime() - day ? 30 : 10) * minute)
    const taken = happenings.filter(({ at }) => at <= until)
    happenings = happenings.slice(taken.length)
    return taken
  }

  function addOdd({ ago: [least, most], to, cents, facts, told = 'both', again }: OddMoney): void {
    const [currency, kind] = to
    const at = end.getTime() - random.between(least, most)
    const { accountId } = random.pick(
      accounts.filter((one) => one.currency === currency && !one.bankCode && one.kind.startsWith(kind)),
    )
    let first: Entry
    // Each a little more: equal amounts would be one payment.
    const basic = { accountId, currency, cents: cents + BigInt(random.between(0, 99)) }
    schedule({
      at,
      async report(now) {
        first = bank.entryOf(now, { ...basic, ...facts })
        return { entry: first, told }
      },
    })
    if (again)
      schedule({
        at: at + again.after,
        report: async (now) => ({
          entry: bank.entryOf(now, { ...basic, ...again.facts(first) }),
          told: again.told ?? 'both',
        }),
      })
  }

  /** Two customers have to pay the same amount to one account, and one payment arrives without a reference. */
  function addEqualDeposits(pair: number): void {
    const cents = 2_222_200n + BigInt(pair) * 100n
    const at = end.getTime() - random.between(2, 26) * hour
    const orders = [1, 2].map((number) => `TEA-TWIN-${pair}-${number}`)
    for (const orderId of orders)
      schedule({
        at,
        create: {
          ...{ ago: 0, shop: 1, currency: 'KZT', paymentType: 'account_number', cents },
          ...{ orderId, customer: orderId, steps: [], isChosen: true, delay: 0 },
        },
      })
    const { accountId } = accounts.find(({ kind }) => kind === 'account_kz')!
    schedule({
      at: at + 15 * minute,
      report: async (now) => ({
        entry: bank.entryOf(now, { accountId, cents, currency: 'KZT', purpose: 'Оплата заказа' }),
        told: 'early',
      }),
    })
  }

  /** On past days people have decided: money without a deposit was set aside or paid back; what was booked a day later is one payment. */
  async function decideOld(takenBefore: Date): Promise<void> {
    for (const { id, isOwed, sameAs } of await listOpenTransfers(db, takenBefore, 50)) {
      const act = { transferId: id, actor: office.actor() }
      if (sameAs) {
        const reason = written.bookedLater
        await samePayment(context, { ...act, sameAs, reason, despiteReference: true })
        continue
      }
      await setAside(context, { ...act, reason: written.nobodyKnows })
      if (isOwed && random.next() < 0.6)
        await payBack(context, { ...act, cents: null, reason: written.returned })
    }
  }
}
