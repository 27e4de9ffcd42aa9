/** Money that no rule can match: payments of strangers, wrong references, other currencies, reversals. */
import { newId } from '../../../platform/clock.ts'
import type { DepositContext } from '../../deposits/change-deposit.ts'
import type { Deposit } from '../../deposits/deposit.ts'
import { type Currency, currencies } from '../../money.ts'
import { payBack } from '../../refunds/pay-back.ts'
import { setAside } from '../../transfers/decide-transfer.ts'
import type { Entry } from '../../transfers/entry.ts'
import { samePayment } from '../../transfers/same-payment.ts'
import type { Agenda } from './agenda.ts'
import { accountFor, type BusyBank } from './busy-bank.ts'
import { type BusyOffice, listedPayer } from './busy-office.ts'
import { day, hour, minute, type PlannedDeposit, type Random, written } from './busy-plan.ts'
import { type DemoAccount, listOpenTransfers } from './past-store.ts'

type Parts = {
  context: DepositContext
  accounts: readonly DemoAccount[]
  bank: BusyBank
  office: BusyOffice
  random: Random
  end: Date
  /** How many deposits are planned. */
  count: number
  make(planned: readonly PlannedDeposit[]): Promise<Deposit[]>
}

type Payment = {
  /** For each deposit that is planned, and how many at least. */
  share: number
  least: number
  /** How long before the end of the busy day, between these. */
  ago: readonly [number, number]
  to: readonly [Currency, 'card' | 'account']
  /** Up to `spread` is added. */
  cents: bigint
  spread?: number
  facts?: Partial<Entry>
  /** The bank announces it, and its files never tell it. */
  isNeverBooked?: true
  again?: {
    after: number
    /** Only a file tells it. */
    isBooked?: true
    /** `another` is a payment of the same amount at that time. */
    as(first: Entry, another: Entry): Entry
  }
}

const today = [5 * minute, 26 * hour] as const
const before = [2 * day, 12 * day] as const
const strangers: Record<Currency, bigint> = { RUB: 123_457n, UZS: 31_415_900n, KZT: 777_700n, TJS: 14_300n }

const payments: readonly Payment[] = [
  ...currencies.flatMap((currency): Payment[] => {
    const ofStranger = { least: 1, cents: strangers[currency], spread: 9_999 }
    const purpose = `Оплата по счёту KT1000000${currencies.indexOf(currency)}`
    return [
      { ...ofStranger, share: 0.003, ago: today, to: [currency, 'card'] },
      { ...ofStranger, share: 0.003, ago: before, to: [currency, 'card'] },
      { ...ofStranger, share: 0.001, ago: today, to: [currency, 'account'], spread: 0, facts: { purpose } },
    ]
  }),
  {
    ...{ share: 0.001, least: 2, ago: today, to: ['RUB', 'account'], cents: 4_512_300n, spread: 999 },
    facts: {
      purpose: 'Возмещение по договору эквайринга за вычетом комиссии',
      payerName: 'БАНК "ТЕСТ"',
    },
  },
  // A payment in tenge on an account in roubles.
  {
    ...{ share: 0.001, least: 2, ago: today, to: ['RUB', 'account'], cents: 1_250_000n },
    facts: { currency: 'KZT' },
  },
  {
    ...{ share: 0.001, least: 2, ago: today, to: ['UZS', 'card'], cents: 9_900_000n, spread: 999 },
    facts: { payerName: listedPayer.toUpperCase() },
  },
  // The bank takes money back and does not say which payment it was.
  {
    ...{ share: 0.001, least: 3, ago: today, to: ['KZT', 'card'], cents: 640_000n, spread: 999 },
    facts: { direction: 'debit', isReversal: true },
  },
  {
    ...{ share: 0.003, least: 3, ago: before, to: ['RUB', 'account'], cents: 49_000n },
    facts: { direction: 'debit', purpose: 'Комиссия банка за ведение счёта' },
  },
  // One bank id is reported twice, with different amounts.
  {
    ...{ share: 0.001, least: 2, ago: [65 * minute, 27 * hour], to: ['TJS', 'card'], cents: 14_311n },
    again: {
      after: 30 * minute,
      as: ({ bankId, cents }, another) => ({ ...another, bankId, cents: cents + 600n }),
    },
  },
  // Announced, and never booked: the files of its day do not have it.
  {
    ...{ share: 0.001, least: 2, ago: [2 * day, 5 * day], to: ['RUB', 'account'], cents: 987_654_300n },
    ...{ spread: 9_999_999, isNeverBooked: true },
  },
  // Announced, and booked a day later: nothing but the amount says that it is one payment.
  {
    ...{ share: 0.001, least: 2, ago: [5 * day, 8 * day], to: ['RUB', 'account'], cents: 3_141_592n },
    ...{ spread: 999_900, isNeverBooked: true },
    again: { after: day, isBooked: true, as: ({ payerName }, another) => ({ ...another, payerName }) },
  },
  // Announced again under another id, after a file has closed its day.
  {
    ...{ share: 0.001, least: 2, ago: [3 * day, 6 * day], to: ['RUB', 'account'], cents: 1_717_100n },
    spread: 99,
    again: { after: 40 * hour, as: (first) => ({ ...first, bankId: newId() }) },
  },
]

export function addUnplacedMoney(
  agenda: Agenda,
  { context, accounts, bank, office, random, end, count, make }: Parts,
) {
  const timeOf = ([least, most]: Payment['ago']) =>
    end.getTime() - random.between(least / minute, most / minute) * minute
  for (const payment of payments)
    for (let left = Math.max(payment.least, Math.round(count * payment.share)); left > 0; left--) add(payment)
  for (let pair = Math.max(3, Math.round(count * 0.002)); pair > 0; pair--) addEqualDeposits(pair)
  for (let back = 10; back >= 2; back--) {
    const at = end.getTime() - back * day + 5 * hour
    agenda.add({ at, run: () => decideOld(new Date(at - 3 * hour)) })
  }

  function add({ ago, to: [currency, group], spread = 0, facts, isNeverBooked, again, ...payment }: Payment) {
    const at = timeOf(ago)
    const { accountId } = accountFor(accounts, currency, group, random)
    const cents = payment.cents + BigInt(random.between(0, spread))
    let first: Entry
    agenda.add({
      at,
      async entries(now) {
        first = bank.entryOf({ accountId, cents, currency, at: now, ...facts })
        if (isNeverBooked) bank.neverBook(first.bankId!)
        return [first]
      },
    })
    if (!again) return
    agenda.add({
      at: at + again.after,
      async entries(now) {
        const entry = again.as(first, bank.entryOf({ accountId, cents, currency, at: now }))
        if (!again.isBooked) return [entry]
        bank.book(entry)
        return []
      },
    })
  }

  /** Two customers have to pay the same amount to one account, and one payment arrives without a reference. */
  function addEqualDeposits(place: number): void {
    const at = timeOf(today) - hour
    const cents = 2_222_200n + BigInt(place) * 100n
    const draft = (number: number): PlannedDeposit => ({
      ...{ ago: 0, shop: 1, currency: 'KZT', paymentType: 'account_number', cents, phone: null },
      ...{ orderId: `TEA-TWIN-${place}-${number}`, customer: `customer-${place}${number}` },
      ...{ scenario: 'expired', delay: 0 },
    })
    agenda.add({ at, run: () => make([draft(1), draft(2)]) })
    const { accountId } = accountFor(accounts, 'KZT', 'account', random)
    const facts = { accountId, cents, currency: 'KZT' as const, purpose: 'Оплата заказа' }
    agenda.add({ at: at + 9 * minute, entries: async (now) => [bank.entryOf({ ...facts, at: now })] })
  }

  /**
   * On past days people have decided: money without a deposit was set aside, and a part of it refunded; what was booked
   * a day later is one payment.
   */
  async function decideOld(takenBefore: Date): Promise<void> {
    for (const { id, isOwed, sameAs } of await listOpenTransfers(context.db, takenBefore, 50)) {
      const act = { transferId: id, actor: office.actor() }
      if (sameAs) {
        await samePayment(context, { ...act, sameAs, reason: written.bookedLater, despiteReference: true })
        continue
      }
      await setAside(context, { ...act, reason: written.nobodyKnows })
      if (isOwed && random.next() < 0.6)
        await payBack(context, { ...act, cents: null, reason: written.returned })
    }
  }
}
