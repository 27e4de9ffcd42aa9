/** Money as a bank reports it, for tests of what people do about it. */
import type { DepositContext } from '../../src/domain/deposits/change-deposit.ts'
import type { Deposit } from '../../src/domain/deposits/deposit.ts'
import type { Currency } from '../../src/domain/money.ts'
import { bankDay as dayAt } from '../../src/domain/sandbox/bank-time.ts'
import { type ImportStatement, importStatement } from '../../src/domain/statements/import-statement.ts'
import { addSource } from '../../src/domain/transfers/bank-source.ts'
import type { Entry } from '../../src/domain/transfers/entry.ts'
import { findSource, sourceOf } from '../../src/domain/transfers/source-store.ts'
import { takeTransfers } from '../../src/domain/transfers/take-transfers.ts'
import { newId } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import type { TestGateway } from './gateway.ts'

export const depositContextOf = (gateway: TestGateway): DepositContext => ({
  db: gateway.db,
  publicUrl: gateway.url,
  changed: () => {},
})

export async function accountOf(gateway: TestGateway, depositId: string): Promise<string> {
  const [row] = await gateway.database.owner.query<{ account_id: string }>(
    sql`select account_id from deposits where id = ${depositId}`,
  )
  return row!.account_id
}

export async function requisiteOf(gateway: TestGateway, depositId: string): Promise<string> {
  const [row] = await gateway.database.owner.query<{ requisite_id: string }>(
    sql`select requisite_id from deposits where id = ${depositId}`,
  )
  return row!.requisite_id
}

/** Imports a statement in one piece; facts that a test does not give are always the same. */
export const importBytes = (
  context: DepositContext,
  bytes: Uint8Array,
  { name = 'statement.txt', ...changes }: Partial<ImportStatement> & { name?: string } = {},
) =>
  importStatement(context, {
    file: {
      name,
      async *open() {
        yield bytes
      },
    },
    ...{ mode: 'test', by: 'test', dryRun: false, anyway: false, ...changes },
  })

/** For the database's clock: so many bank days on, at noon in Moscow, when it is one day for all of our banks. */
export const atNoon = (days: number): string =>
  `${Date.parse(`${bankDay(days)}T12:00:00+03:00`) - Date.now()} milliseconds`

/** The bank day of a currency, plus a number of days: in the evening it differs between Almaty, Moscow and UTC. */
export const bankDay = (ahead: number, currency: Currency = 'RUB'): string =>
  dayAt(new Date(Date.now() + ahead * 86_400_000), currency)

export const today = (currency?: Currency): string => bankDay(0, currency)

/** As banks write it in 1C files and tables: 15.11.2026. */
export const dotted = (day: string): string => day.split('-').reverse().join('.')

let documents = 5_000_000

/** An entry that a bank could write; whatever a test does not say is the same each time. */
export const entryTo = (accountId: string, facts: Partial<Entry> & { cents: bigint }): Entry => {
  const purpose = facts.purpose ?? 'Перевод'
  documents++
  return {
    accountId,
    direction: 'credit',
    currency: 'RUB',
    bookedOn: today(facts.currency),
    bookedAt: null,
    paidOn: null,
    documentNumber: String(documents),
    payerName: 'Иванова Анна',
    payerAccount: `4081…${String(documents).slice(-4)}`,
    payerTaxId: '',
    payerBank: '',
    purpose,
    purposeParts: [purpose],
    bankId: newId(),
    channel: 'sandbox',
    version: 1n,
    line: null,
    isReversal: false,
    isInternal: false,
    ...facts,
  }
}

/** What the bank would write about the payment that a deposit asks for. */
export async function paymentOf(
  gateway: TestGateway,
  deposit: Deposit,
  changes: Partial<Entry> = {},
): Promise<Entry> {
  const { amountCents: cents, currency, shown } = deposit
  const purpose = shown!.payment_reason ?? 'Перевод'
  return entryTo(await accountOf(gateway, deposit.id), { cents, currency, purpose, ...changes })
}

/** A transfer that came in; returns its id. */
export async function transferTo(
  gateway: TestGateway,
  accountId: string,
  facts: Partial<Entry> & { cents: bigint },
): Promise<string> {
  const source = await gateway.db.transaction((tx) =>
    sourceOf(tx, { mode: 'test', kind: 'sandbox', channel: 'sandbox' }),
  )
  const entry = entryTo(accountId, facts)
  await takeTransfers(depositContextOf(gateway), [entry], { source })
  const [row] = await gateway.database.owner.query<{ id: string }>(
    sql`select id from transfers where bank_id = ${entry.bankId}`,
  )
  return row!.id
}

/** A bank that pushes. */
export const pushSource = async ({ db }: Pick<TestGateway, 'db'>, name = 'bank') =>
  (await findSource(db, (await addSource(db, { name, mode: 'test' })).id))!

/** No account has a source or any money: the next file or push is the first. */
export const forgetMoneyIn = ({ database }: Pick<TestGateway, 'database'>) =>
  database.owner.script(
    `truncate transfers, account_voices, account_days cascade;
    update receiving_accounts set import_statement_id = null, import_run_id = null where import_run_id is not null`,
  )
