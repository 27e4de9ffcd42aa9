/**
 * The banks of the busy day: one pushes all day, and its files of one account tell the same once more, and count; another moved to a
 * new gateway with all accounts but one, and left the old gateway silent.
 */
import { newId } from '../../../platform/clock.ts'
import type { DepositContext } from '../../deposits/change-deposit.ts'
import type { Currency } from '../../money.ts'
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
import { hour, personName, type Random } from './busy-plan.ts'
import type { DemoAccount } from './past-store.ts'

/** How long the old gateway of Bank X has been silent at the end of the day. */
const silentMs = 31 * hour

export type BusyBank = Awaited<ReturnType<typeof openBusyBank>>

type Facts = Partial<Entry> & { accountId: string; cents: bigint; currency: Currency; at: Date }

export async function openBusyBank(
  context: DepositContext,
  { accounts, random, end }: { accounts: readonly DemoAccount[]; random: Random; end: Date },
) {
  const { db } = context
  const add = async (name: string, reportsOn: (account: DemoAccount) => boolean): Promise<Source> => {
    const accountIds = accounts.filter(reportsOn).map(({ accountId }) => accountId)
    const { id } = await addSource(db, {
      name,
      mode: 'test',
      accounts: accountIds,
      networks: ['203.0.113.0/24'],
    })
    return { id, name, mode: 'test', kind: 'push', channel: 'push' }
  }
  const testBank = await add('Test Bank', ({ bankCode }) => bankCode === null)
  const [left, ...moved] = accounts
    .filter(({ bankCode }) => bankCode !== null)
    .map(({ accountId }) => accountId)
  const bankX = await add('Bank X', ({ accountId }) => accountId === left)
  const newGateway = await add('Bank X, new gateway', ({ accountId }) => moved.includes(accountId))
  /** The account that was left with the old gateway hears nothing any more. */
  const sourceOf = (accountId: string, at: Date): Source | null => {
    if (moved.includes(accountId)) return newGateway
    if (accountId !== left) return testBank
    return at.getTime() > end.getTime() - silentMs ? null : bankX
  }
  const russian = accounts.find(({ kind }) => kind === 'account_ru')!
  /** Payments on the Russian account whose day no file has closed yet. */
  let unwritten: Entry[] = []
  let closedTo: string | null = null
  /** A file that comes first would be the account's early source too. */
  let isAnnounced = false
  const neverBooked = new Set<string>()
  let documents = 10_000

  /** An entry as a bank would report it; facts that are not given are invented. */
  function entryOf({ at, ...facts }: Facts): Entry {
    const purpose = facts.purpose ?? 'Перевод средств'
    documents++
    return {
      direction: 'credit',
      bookedOn: bankDay(at, facts.currency),
      bookedAt: at,
      paidOn: null,
      documentNumber: String(documents),
      payerName: personName(random).toUpperCase(),
      payerAccount: `40817810000000${String(100_000 + (documents % 900_000))}`,
      payerTaxId: '',
      payerBank: 'Банк "Тест"',
      purpose,
      purposeParts: [purpose],
      bankId: newId(),
      channel: 'push',
      version: 1n,
      line: null,
      isReversal: false,
      isInternal: false,
      ...facts,
    }
  }

  return {
    entryOf,
    /** The bank announces this payment, and its files never tell it. */
    neverBook: (bankId: string) => neverBooked.add(bankId),
    /** Only the next file tells this entry of the Russian account. */
    book: (entry: Entry) => unwritten.push(entry),
    /** Pushes entries. Three in ten payments on the Russian account, and its fees, are told by a file only. */
    async push(reported: readonly { entry: Entry; at: Date }[]): Promise<void> {
      const pushed = reported.filter(({ entry }) => {
        if (entry.accountId !== russian.accountId || entry.currency !== russian.currency) return true
        if (entry.isReversal) {
          unwritten = unwritten.filter(({ bankId }) => bankId !== entry.bankId)
          return true
        }
        if (neverBooked.has(entry.bankId!)) return true
        // What is announced after its day is in no other file.
        if (closedTo !== null && entry.bookedOn <= closedTo) return true
        unwritten.push(entry)
        return entry.direction === 'credit' && random.next() < 0.7
      })
      isAnnounced ||= pushed.some(({ entry }) => entry.accountId === russian.accountId)
      for (const [source, group] of Map.groupBy(pushed, ({ entry, at }) => sourceOf(entry.accountId, at))) {
        if (source === null) continue
        await takeTransfers(
          context,
          group.map(({ entry }) => withMaskedAccount(entry)),
          { source },
        )
        await noteSourceUse(db, source.id)
      }
    },
    /** Imports a file of the Russian account: the days since the last one, and today up to now. It closes all days but today. */
    async importFile(at: Date, by: string): Promise<void> {
      const today = bankDay(at, 'RUB')
      if (unwritten.length === 0 || !isAnnounced) return
      const [earliest] = unwritten.map(({ bookedOn }) => bookedOn).sort()
      const bytes = writeOneC(
        [
          {
            ...{
              account: russian.number,
              currency: 'RUB',
              from: closedTo ? daysAfter(closedTo, 1) : earliest!,
              to: today,
            },
            entries: unwritten,
          },
        ],
        bankTime(at, 'RUB'),
      )
      closedTo = daysAfter(today, -1)
      unwritten = unwritten.filter(({ bookedOn }) => bookedOn === today)
      await importStatement(context, {
        file: {
          name: `kl_to_1c-${today}-${bankTime(at, 'RUB').slice(11, 13)}h.txt`,
          async *open() {
            yield bytes
          },
        },
        ...{ mode: 'test', by, dryRun: false, anyway: false },
      })
    },
  }
}

/** The entry as transfers store it. */
const withMaskedAccount = (entry: Entry): Entry => ({
  ...entry,
  payerAccount: maskedAccount(entry.payerAccount),
})

/** One of the demo's accounts of this currency and kind, except those of Bank X. */
export const accountFor = (
  accounts: readonly DemoAccount[],
  currency: Currency,
  group: 'card' | 'account',
  random: Random,
): DemoAccount =>
  random.pick(
    accounts.filter(
      (account) =>
        account.currency === currency && account.bankCode === null && account.kind.split('_')[0] === group,
    ),
  )
