/** Money that no rule can match: payments of strangers, wrong references, other currencies, reversals. */
import { newId } from '../../../platform/clock.ts'
import type { DepositContext } from '../../deposits/change-deposit.ts'
import type { Deposit } from '../../deposits/deposit.ts'
import type { Currency } from '../../money.ts'
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

const strangers: Record<Currency, bigint> = { RUB: 123_457n, UZS: 31_415_900n, KZT: 777_700n, TJS: 14_300n }

export function addUnplacedMoney(
  agenda: Agenda,
  { context, accounts, bank, office, random, end, count, make }: Parts,
) {
  const currencies = Object.keys(strangers) as Currency[]
  /** A random time in the last 26 hours; `before`: on an earlier day. */
  const today = () => end.getTime() - random.between(5, 26 * 60) * minute
  const before = () => end.getTime() - 2 * day - random.between(0, 10 * 24 * 60) * minute
  const times = (share: number, least: number) =>
    Array.from({ length: Math.max(least, Math.round(count * share)) })

  const stranger = (at: number) => {
    const currency = random.pick(currencies)
    const { accountId } = accountFor(accounts, currency, 'card', random)
    const cents = strangers[currency] + BigInt(random.between(1, 9_999))
    agenda.report(at, async (now) => [bank.entryOf({ accountId, cents, currency, at: now })])
  }
  for (const _ of times(0.012, 4)) stranger(today())
  for (const _ of times(0.012, 4)) stranger(before())

  for (const [place] of times(0.004, 3).entries()) {
    const currency = currencies[place % currencies.length]!
    const { accountId } = accountFor(accounts, currency, 'account', random)
    const cents = strangers[currency] * 3n
    const purpose = `Оплата по счёту KT1000000${place % 10}`
    agenda.report(today(), async (now) => [bank.entryOf({ accountId, cents, currency, at: now, purpose })])
  }
  for (const _ of times(0.001, 2)) {
    const { accountId } = accountFor(accounts, 'RUB', 'account', random)
    const purpose = 'Возмещение по договору эквайринга за вычетом комиссии'
    const cents = 4_512_300n + BigInt(random.between(1, 999))
    agenda.report(today(), async (now) => [
      bank.entryOf({ accountId, cents, currency: 'RUB', at: now, purpose, payerName: 'БАНК "ТЕСТ"' }),
    ])
  }
  // A payment in tenge on an account in roubles.
  for (const _ of times(0.001, 2)) {
    const { accountId } = accountFor(accounts, 'RUB', 'account', random)
    agenda.report(today(), async (now) => [
      bank.entryOf({ accountId, cents: 1_250_000n, currency: 'KZT', at: now }),
    ])
  }
  for (const _ of times(0.001, 2)) {
    const { accountId } = accountFor(accounts, 'UZS', 'card', random)
    const cents = 9_900_000n + BigInt(random.between(1, 999))
    agenda.report(today(), async (now) => [
      bank.entryOf({ accountId, cents, currency: 'UZS', at: now, payerName: listedPayer.toUpperCase() }),
    ])
  }
  // The bank takes money back and does not say which payment it was.
  for (const _ of times(0.001, 3)) {
    const { accountId } = accountFor(accounts, 'KZT', 'card', random)
    const cents = 640_000n + BigInt(random.between(1, 999))
    agenda.report(today(), async (now) => [
      bank.entryOf({ accountId, cents, currency: 'KZT', at: now, direction: 'debit', isReversal: true }),
    ])
  }
  for (const _ of times(0.003, 3)) {
    const { accountId } = accountFor(accounts, 'RUB', 'account', random)
    const purpose = 'Комиссия банка за ведение счёта'
    agenda.report(before(), async (now) => [
      bank.entryOf({ accountId, cents: 49_000n, currency: 'RUB', at: now, direction: 'debit', purpose }),
    ])
  }
  // One bank id is reported twice, with different amounts.
  for (const _ of times(0.001, 2)) {
    const { accountId } = accountFor(accounts, 'TJS', 'card', random)
    const bankId = `TB-${random.between(10_000_000, 99_999_999)}`
    const at = today() - hour
    const report = (when: number, cents: bigint) =>
      agenda.report(when, async (now) => [
        bank.entryOf({ accountId, cents, currency: 'TJS', at: now, bankId }),
      ])
    report(at, 14_311n)
    report(at + 30 * minute, 14_911n)
  }
  const russian = accounts.find(({ kind }) => kind === 'account_ru')!
  const onRussian = (now: Date, cents: bigint) =>
    bank.entryOf({ accountId: russian.accountId, cents, currency: 'RUB', at: now })
  // Announced, and never booked: the files of its day do not have it.
  for (const _ of times(0.001, 2)) {
    const cents = 987_654_300n + BigInt(random.between(1, 9_999_999))
    agenda.report(end.getTime() - random.between(2, 5) * day, async (now) => {
      const entry = onRussian(now, cents)
      bank.neverBook(entry.bankId!)
      return [entry]
    })
  }
  // Announced, and booked a day later: nothing but the amount says that it is one payment.
  for (const _ of times(0.001, 2)) {
    const at = end.getTime() - random.between(5, 8) * day
    const cents = 3_141_592n + BigInt(random.between(1, 9_999)) * 100n
    let first: Entry
    agenda.report(at, async (now) => {
      first = onRussian(now, cents)
      bank.neverBook(first.bankId!)
      return [first]
    })
    agenda.report(at + day, async (now) => {
      bank.book({ ...onRussian(now, cents), payerName: first.payerName })
      return []
    })
  }
  // Announced again under another id, after a file has closed its day.
  for (const _ of times(0.001, 2)) {
    const at = end.getTime() - random.between(3, 6) * day
    const cents = 1_717_100n + BigInt(random.between(1, 99))
    let first: Entry
    agenda.report(at, async (now) => {
      first = onRussian(now, cents)
      return [first]
    })
    agenda.report(at + 40 * hour, async () => [{ ...first, bankId: newId() }])
  }
  for (const [place] of times(0.002, 3).entries()) addEqualDeposits(place, today() - hour)
  handlePastDays()

  /** Two customers have to pay the same amount to one account, and one payment arrives without a reference. */
  function addEqualDeposits(place: number, at: number): void {
    const cents = 2_222_200n + BigInt(place) * 100n
    agenda.run(at, async () => {
      const draft = (number: number): PlannedDeposit => ({
        ...{ ago: 0, shop: 1, currency: 'KZT', paymentType: 'account_number', cents, phone: null },
        ...{ orderId: `TEA-TWIN-${place}-${number}`, customer: `customer-${place}${number}` },
        ...{ scenario: 'expired', delay: 0 },
      })
      await make([draft(1), draft(2)])
    })
    const { accountId } = accountFor(accounts, 'KZT', 'account', random)
    agenda.report(at + 9 * minute, async (now) => [
      bank.entryOf({ accountId, cents, currency: 'KZT', at: now, purpose: 'Оплата заказа' }),
    ])
  }

  /**
   * On past days people have decided: money without a deposit was set aside, and a part of it refunded; what was booked
   * a day later is one payment.
   */
  function handlePastDays(): void {
    for (let back = 10; back >= 2; back--) {
      const at = end.getTime() - back * day + 5 * hour
      agenda.run(at, async () => {
        for (const { id, isOwed, sameAs } of await listOpenTransfers(
          context.db,
          new Date(at - 3 * hour),
          50,
        )) {
          const act = { transferId: id, actor: office.actor() }
          if (sameAs) {
            await samePayment(context, {
              ...act,
              sameAs,
              reason: written.bookedLater,
              despiteReference: true,
            })
            continue
          }
          await setAside(context, { ...act, reason: written.nobodyKnows })
          if (isOwed && random.next() < 0.6)
            await payBack(context, { ...act, cents: null, reason: written.returned })
        }
      })
    }
  }
}
