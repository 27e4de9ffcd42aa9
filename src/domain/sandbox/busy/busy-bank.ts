/** The banks of the busy day: one pushes all day, one moved to a new gateway and left the old one silent, and files repeat what was pushed. */
import { newId } from '../../../platform/clock.ts'
import type { DepositContext } from '../../deposits/change-deposit.ts'
import type { Currency } from '../../money.ts'
import { maskedAccount } from '../../requisites/masked-account.ts'
import { importStatement } from '../../statements/import-statement.ts'
import { writeOneC } from '../../statements/writers/one-c.ts'
import type { IncomingEntry } from '../../transfers/bank-entries.ts'
import { addSource } from '../../transfers/bank-source.ts'
import { isWholeAccount } from '../../transfers/bank-text/account-number.ts'
import type { Source } from '../../transfers/source.ts'
import { noteSourceUse } from '../../transfers/source-store.ts'
import { sourceOfKind } from '../../transfers/store.ts'
import { takeTransfers } from '../../transfers/take-transfers.ts'
import { bankDay, bankTime } from '../bank-time.ts'
import { hour, personName, type Random } from './busy-plan.ts'
import type { DemoAccount } from './past-store.ts'

/** How long the old gateway of Bank X has been silent at the end of the day. */
const silentMs = 31 * hour

export type BusyBank = Awaited<ReturnType<typeof openBusyBank>>

type Facts = Partial<IncomingEntry> & { accountId: string; cents: bigint; currency: Currency; at: Date }

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
    return { id, name, mode: 'test', kind: 'push' }
  }
  const testBank = await add('Test Bank', ({ bankCode }) => bankCode === null)
  const isOfBankX = ({ bankCode }: DemoAccount) => bankCode !== null
  const bankX = await add('Bank X', isOfBankX)
  const newGateway = await add('Bank X, new gateway', isOfBankX)
  const files = await db.transaction((tx) => sourceOfKind(tx, 'statement', 'test', newId()))
  const ofBankX = new Set(accounts.filter(isOfBankX).map(({ accountId }) => accountId))
  const sourceOf = (accountId: string, at: Date): Source => {
    if (!ofBankX.has(accountId)) return testBank
    return at.getTime() > end.getTime() - silentMs ? newGateway : bankX
  }
  const russian = accounts.find(({ kind }) => kind === 'account_ru')!
  /** Payments on the Russian account that no file has reported yet. */
  let unwritten: { entry: IncomingEntry; at: Date }[] = []
  let documents = 10_000

  /** An entry as a bank would report it; facts that are not given are invented. */
  function entryOf({ at, ...facts }: Facts): IncomingEntry {
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
      bankEntry: null,
      channel: 'push',
      version: 1n,
      statementId: null,
      line: null,
      raw: '',
      occurrence: 1,
      isRevoked: false,
      ...facts,
    }
  }

  return {
    entryOf,
    /** Pushes entries. Three in ten payments on the Russian account are reported by a file only. */
    async push(reported: readonly { entry: IncomingEntry; at: Date }[]): Promise<void> {
      const pushed = reported.filter(({ entry, at }) => {
        if (entry.accountId !== russian.accountId || entry.isRevoked || entry.direction === 'debit')
          return true
        if (entry.currency !== russian.currency) return true
        unwritten.push({ entry, at })
        return random.next() < 0.7
      })
      for (const [source, group] of Map.groupBy(pushed, ({ entry, at }) => sourceOf(entry.accountId, at))) {
        await takeTransfers(
          context,
          group.map(({ entry }) => withMaskedAccount(entry)),
          { source },
        )
        await noteSourceUse(db, source.id)
      }
    },
    /** Reports an entry again, as a file would. It may be the same payment or another one: a person decides. */
    async repeat(entry: IncomingEntry): Promise<void> {
      const again: IncomingEntry = {
        ...withMaskedAccount(entry),
        bankId: newId(),
        documentNumber: '',
        channel: 'camt',
      }
      await takeTransfers(context, [again], { source: files })
    },
    /** Imports a file of the Russian account with everything since the last one. */
    async importFile(at: Date, by: string): Promise<void> {
      const reported = unwritten
      unwritten = []
      if (reported.length === 0) return
      const days = reported.map(({ entry }) => entry.bookedOn).sort()
      const bytes = writeOneC(
        [
          {
            ...{ account: russian.number, currency: 'RUB', from: days[0]!, to: days.at(-1)! },
            entries: reported.map(({ entry }) => ({
              ...entry,
              bookedAt: null,
              payer: {
                ...{ name: entry.payerName, account: entry.payerAccount },
                ...{ taxId: entry.payerTaxId, bank: entry.payerBank },
              },
            })),
          },
        ],
        bankTime(at, 'RUB'),
      )
      await importStatement(context, {
        file: {
          name: `kl_to_1c-${days.at(-1)}-${bankTime(at, 'RUB').slice(11, 13)}h.txt`,
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
const withMaskedAccount = (entry: IncomingEntry): IncomingEntry => ({
  ...entry,
  payerAccount: maskedAccount(entry.payerAccount),
  isPayerAccountWhole: isWholeAccount(entry.payerAccount),
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
