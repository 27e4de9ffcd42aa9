/** A gateway, a shop, the sources that report money, and its deposits: for the tests of money in. */
import assert from 'node:assert/strict'
import type { Deposit } from '../../src/domain/deposits/deposit.ts'
import { findDeposit } from '../../src/domain/deposits/read-store.ts'
import type { Currency } from '../../src/domain/money.ts'
import type { IncomingEntry } from '../../src/domain/transfers/bank-entries.ts'
import { takeTransfers } from '../../src/domain/transfers/take-transfers.ts'
import { sql } from '../../src/platform/db.ts'
import { accountOf, type BankSources, bankSources, depositContextOf, entryTo } from './bank.ts'
import { openShop, type Shop, startGateway, type TestGateway } from './gateway.ts'
import { newStatement } from './reported-payments.ts'

export type MoneyIn = {
  gateway: TestGateway
  shop: Shop
  sources: BankSources
  /** A new deposit to a bank account. Others may wait for the same amount. */
  depositOf(cents: number, currency?: Currency): Promise<Deposit>
  stored(id: string): Promise<Deposit>
  /** Its state, and what was received for it. */
  standing(deposit: Deposit): Promise<[string, bigint]>
  /** Leaves one bank account that deposits are paid to, and returns it. */
  keepOneAccount(): Promise<string>
  matchAmounts(when: 'by_kind' | 'always' | 'never'): Promise<unknown>
}

export async function openMoneyIn(): Promise<MoneyIn> {
  const gateway = await startGateway({ environment: { INLET_ROLES: 'api' } })
  const shop = await openShop(gateway)
  const { owner } = gateway.database
  const stored = async (id: string) =>
    (await findDeposit(gateway.db, { merchantId: shop.merchant, id }))!.deposit
  const depositOf = async (cents: number, currency: Currency = 'RUB') => {
    await owner.query(sql`delete from deposit_slots where amount_cents = ${cents}`)
    const { status, body } = await shop.create({ payment_type: 'account_number', cents, currency })
    assert.equal(status, 201, JSON.stringify(body))
    return stored(body.id)
  }
  return {
    gateway,
    shop,
    sources: await bankSources(gateway),
    stored,
    depositOf,
    async keepOneAccount() {
      const accountId = await accountOf(gateway, (await depositOf(9_000_000)).id)
      await owner.query(sql`update requisites set enabled = false where account_id <> ${accountId}`)
      return accountId
    },
    async standing({ id }) {
      const { state, receivedCents } = await stored(id)
      return [state, receivedCents]
    },
    matchAmounts: (when) => owner.query(sql`update receiving_accounts set amount_matching = ${when}`),
  }
}

export type ReportedFacts = Partial<IncomingEntry> & { cents: bigint }

export const text = (purpose: string) => ({ purpose, purposeParts: [purpose] })
export const named = ({ shown }: Deposit) => text(shown!.payment_reason!)

export type Reports = ReturnType<typeof reportsOf>

/** What a bank reports of one account: a push, a file of a format, and a camt message of one of its kinds. */
export function reportsOf({ gateway, sources }: MoneyIn, accountId: string) {
  const fileOf =
    (numberedBy?: string) =>
    async (channel: '1c' | 'csv' | 'xlsx' | 'camt', ...rows: ReportedFacts[]) => {
      const statementId = await newStatement(gateway, { format: channel, ...(numberedBy && { numberedBy }) })
      const entries = rows.map((facts, place) =>
        entryTo(accountId, { bankId: null, channel, statementId, line: place + 1, ...facts }),
      )
      return takeTransfers(depositContextOf(gateway), entries, { source: sources.file })
    }
  return {
    push: (facts: ReportedFacts) =>
      takeTransfers(depositContextOf(gateway), [entryTo(accountId, { channel: 'push', ...facts })], {
        source: sources.one,
      }),
    file: fileOf(),
    camt: (kind: string, ...rows: ReportedFacts[]) => fileOf(kind)('camt', ...rows),
    async statesOf(cents: bigint) {
      const rows = await gateway.db.query<{ state: string }>(
        sql`select state from transfers where account_id = ${accountId} and cents = ${cents} order by id`,
      )
      return rows.map(({ state }) => state)
    },
  }
}
