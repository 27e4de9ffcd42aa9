/**
 * The banks of the busy day. Test Bank announces payments all day, and its daily files of the Russian account tell the same once
 * more, and count. The gateway of Bank X has been silent since yesterday.
 */
import { newId } from '../../../platform/clock.ts'
import type { DepositContext } from '../../deposits/change-deposit.ts'
import { type Currency, currencies } from '../../money.ts'
import { changeAccount } from '../../requisites/add-requisite.ts'
import { maskedAccount } from '../../requisites/masked-account.ts'
import { importStatement } from '../../statements/import-statement.ts'
import { writeOneC } from '../../statements/writers/one-c.ts'
import { addSource } from '../../transfers/bank-source.ts'
import { daysAfter } from '../../transfers/bank-text/days.ts'
import type { Entry } from '../../transfers/entry.ts'
import type { Source } from '../../transfers/source.ts'
import { noteSourceUse } from '../../transfers/source-store.ts'
import { takeTransfers } from '../../transfers/take-transfers.ts'
import { bankDay, bankTime } from '../bank-time.ts'
import { day, hour, minute, personName, type Random } from './busy-plan.ts'
import type { DemoAccount } from './past-store.ts'

/** How long the gateway of Bank X has been silent at the end of the day. */
const silentMs = 31 * hour
/** The payer on the watch list, whose money always waits for a person. */
export const listedPayer = 'Подозрительный Образец'

type Facts = Partial<Entry> & { accountId: string; cents: bigint; currency: Currency }
/** What tells an entry: the bank at once and the next file, or only one of the two. */
type Told = 'both' | 'early' | 'file'
export type Report = { entry: Entry; told: Told }

export type BusyBank = Awaited<ReturnType<typeof openBusyBank>>

export async function openBusyBank(
  context: DepositContext,
  { accounts, random, end }: { accounts: readonly DemoAccount[]; random: Random; end: Date },
) {
  const ofBankX = new Set(accounts.flatMap(({ bankCode, accountId }) => (bankCode ? [accountId] : [])))
  const add = async (name: string, isReported: (accountId: string) => boolean): Promise<Source> => {
    const { id } = await addSource(context.db, {
      ...{ name, mode: 'test', networks: ['203.0.113.0/24'] },
      accounts: accounts.map(({ accountId }) => accountId).filter(isReported),
    })
    return { id, name, mode: 'test', kind: 'push', channel: 'push' }
  }
  const testBank = await add('Test Bank', (id) => !ofBankX.has(id))
  const bankX = await add('Bank X', (id) => ofBankX.has(id))
  for (const id of ofBankX) await changeAccount(context.db, id, { silentHours: 24 })
  const russian = accounts.find(({ kind }) => kind === 'account_ru')!
  /** Entries of the Russian account that no file has told yet, and the last day that a file has closed. */
  let unwritten: Entry[] = []
  let closedTo: string | null = null
  let documents = 10_000

  return {
    /** An entry as a bank would report it; facts that are not given are invented. */
    entryOf(now: Date, facts: Facts): Entry {
      const purpose = facts.purpose ?? 'Перевод средств'
      documents++
      return {
        ...{ direction: 'credit', bookedOn: bankDay(now, facts.currency), bookedAt: now, paidOn: null },
        documentNumber: String(documents),
        payerName: personName(random).toUpperCase(),
        payerAccount: maskedAccount(`40817810000000${100_000 + documents}`),
        ...{ payerTaxId: '', payerBank: 'Банк "Тест"', purpose, purposeParts: [purpose] },
        ...{ bankId: newId(), channel: 'push', version: 1n, line: null },
        ...{ isReversal: false, isInternal: false },
        ...facts,
      }
    },
    async report(reports: readonly Report[], now: Date): Promise<void> {
      const isSilent = end.getTime() - now.getTime() < silentMs
      for (const { entry, told } of reports) {
        if (entry.isReversal) unwritten = unwritten.filter(({ bankId }) => bankId !== entry.bankId)
        // What is announced after its day is in no file.
        else if (
          entry.accountId === russian.accountId &&
          told !== 'early' &&
          entry.bookedOn > (closedTo ?? '')
        )
          unwritten.push(entry)
      }
      const early = reports.filter(({ told }) => told !== 'file').map(({ entry }) => entry)
      for (const [source, entries] of [
        [testBank, early.filter(({ accountId }) => !ofBankX.has(accountId))],
        [bankX, early.filter(({ accountId }) => ofBankX.has(accountId) && !isSilent)],
      ] as const) {
        if (entries.length === 0) continue
        await takeTransfers(context, entries, { source })
        await noteSourceUse(context.db, source.id)
      }
    },
    /** Imports a file of the Russian account: the days since the last one, and today up to now. It closes all days but today. */
    async importFile(now: Date, by: string): Promise<void> {
      const to = bankDay(now, 'RUB')
      const [earliest] = unwritten.map(({ bookedOn }) => bookedOn).sort()
      if (!earliest) return
      const from = closedTo ? daysAfter(closedTo, 1) : earliest
      const statement = { account: russian.number, currency: 'RUB', from, to, entries: unwritten } as const
      const bytes = writeOneC([statement], bankTime(now, 'RUB'))
      closedTo = daysAfter(to, -1)
      unwritten = unwritten.filter(({ bookedOn }) => bookedOn === to)
      await importStatement(context, {
        file: {
          name: `kl_to_1c-${to}.txt`,
          async *open() {
            yield bytes
          },
        },
        ...{ mode: 'test', by, dryRun: false, anyway: false },
      })
    },
  }
}

/** Money that no rule can place: for how many in 1,000 deposits, when, where to, and what the bank says. */
export type OddMoney = {
  share: number
  /** Milliseconds before the end of the busy day, between these. */
  ago: readonly [number, number]
  to: readonly [Currency, 'card' | 'account']
  cents: bigint
  facts?: Partial<Entry>
  told?: Told
  /** The bank reports more later. */
  again?: { after: number; facts: (first: Entry) => Partial<Entry>; told?: Told }
}

const today = [5 * minute, 26 * hour] as const
const before = [2 * day, 12 * day] as const
const strangers: Record<Currency, bigint> = { RUB: 123_457n, UZS: 31_415_900n, KZT: 777_700n, TJS: 14_300n }

export const oddMoney: readonly OddMoney[] = [
  ...currencies.flatMap((currency): OddMoney[] => [
    { share: 3, ago: today, to: [currency, 'card'], cents: strangers[currency] },
    { share: 3, ago: before, to: [currency, 'card'], cents: strangers[currency] },
  ]),
  // A reference that no deposit has.
  {
    ...{ share: 2, ago: today, to: ['KZT', 'account'], cents: 910_000n },
    facts: { purpose: 'Оплата по счёту KT10000001' },
  },
  // A payment in tenge on an account in roubles.
  { share: 1, ago: today, to: ['RUB', 'account'], cents: 1_250_000n, facts: { currency: 'KZT' } },
  {
    ...{ share: 1, ago: today, to: ['UZS', 'card'], cents: 9_900_000n },
    facts: { payerName: listedPayer.toUpperCase() },
  },
  // The bank takes money back and does not say which payment it was.
  {
    ...{ share: 2, ago: today, to: ['KZT', 'card'], cents: 640_000n },
    facts: { direction: 'debit', isReversal: true },
  },
  {
    ...{ share: 3, ago: before, to: ['RUB', 'account'], cents: 49_000n, told: 'file' },
    facts: { direction: 'debit', purpose: 'Комиссия банка за ведение счёта' },
  },
  // One bank id is reported twice, with different amounts.
  {
    ...{ share: 1, ago: [65 * minute, 27 * hour], to: ['TJS', 'card'], cents: 14_311n },
    again: { after: 30 * minute, facts: ({ bankId, cents }) => ({ bankId, cents: cents + 600n }) },
  },
  // The day's last file tells it, and the bank has not announced it.
  { share: 1, ago: [12 * minute, 20 * minute], to: ['RUB', 'account'], cents: 271_800n, told: 'file' },
  // Announced, and never booked: the files of its day do not have it.
  { share: 1, ago: [2 * day, 5 * day], to: ['RUB', 'account'], cents: 987_654_300n, told: 'early' },
  // Announced, and booked a day later: nothing but the amount says that it is one payment.
  {
    ...{ share: 1, ago: [5 * day, 8 * day], to: ['RUB', 'account'], cents: 3_141_592n, told: 'early' },
    again: { after: day, facts: ({ payerName }) => ({ payerName }), told: 'file' },
  },
]
