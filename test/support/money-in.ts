/** Accounts with shops, deposits and banks of their own, for the tests of money in: what one tells concerns no other. */
import assert from 'node:assert/strict'
import type { DepositContext } from '../../src/domain/deposits/change-deposit.ts'
import type { Deposit } from '../../src/domain/deposits/deposit.ts'
import { findDeposit } from '../../src/domain/deposits/read-store.ts'
import { addAccount, addRequisite } from '../../src/domain/requisites/add-requisite.ts'
import { accountKey } from '../../src/domain/requisites/russian-account.ts'
import { demoCard } from '../../src/domain/sandbox/demo-data.ts'
import type { ImportReport, UndoCounts } from '../../src/domain/statements/import-report.ts'
import type { ImportStatement } from '../../src/domain/statements/import-statement.ts'
import { beginUndo, undoStatement } from '../../src/domain/statements/undo/undo-statement.ts'
import { writeOneC } from '../../src/domain/statements/writers/one-c.ts'
import type { WrittenEntry, WrittenStatement } from '../../src/domain/statements/writers/statement.ts'
import type { Entry } from '../../src/domain/transfers/entry.ts'
import type { Source } from '../../src/domain/transfers/source.ts'
import { listTransfers, readTransfer } from '../../src/domain/transfers/store.ts'
import { takeTransfers } from '../../src/domain/transfers/take-transfers.ts'
import type { Taken } from '../../src/domain/transfers/taken.ts'
import type { Transfer } from '../../src/domain/transfers/transfer.ts'
import { newId } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import { bankDay, depositContextOf, entryTo, importBytes, pushSource } from './bank.ts'
import { openShop, type Shop, startGateway, type TestGateway } from './gateway.ts'
import { writeCamt } from './writers/camt.ts'

export type MoneyIn = {
  gateway: TestGateway
  context: DepositContext
  /** A receiving account that only one new shop uses. */
  account(options?: { amounts?: 'by_kind' | 'always' | 'never' }): Promise<TestAccount>
}

/** A payment as a test states it: of this day, counted from today. */
export type PaidRow = {
  cents: bigint | number
  day?: number
  purpose?: string
  number?: string
  id?: string
  payer?: string
  payerAccount?: string
  taxId?: string
  isOut?: boolean
}

type FileOptions = {
  /** The days that the file tells, counted from today. */
  from?: number
  to?: number
  format?: '1c' | 'camt' | 'intraday'
  /** Whether it was made after its last day. */
  closes?: boolean
  /** Makes its bytes differ from another one with the same rows. */
  note?: string
} & Partial<Omit<ImportStatement, 'file'>>

export type TestAccount = {
  id: string
  number: string
  shop: Shop
  push: Source
  deposit(cents: number, fields?: Record<string, string>): Promise<Deposit>
  stored(deposit: Deposit): Promise<Deposit>
  /** Its state, and what was received for it. */
  standing(deposit: Deposit): Promise<[string, bigint]>
  /** What a bank pushes in one delivery. */
  tell(...rows: readonly PaidRow[]): Promise<Taken>
  entry(row: PaidRow, more?: Partial<Entry>): Entry
  take(...entries: readonly Entry[]): Promise<Taken>
  file(rows: readonly PaidRow[], options?: FileOptions): Promise<ImportReport>
  bytes(rows: readonly PaidRow[], options?: FileOptions): Uint8Array
  undo(statement: string): Promise<UndoCounts>
  /** All its transfers in the order in which they came; those that came together by amount. */
  transfers(): Promise<Transfer[]>
  states(cents?: bigint | number): Promise<string[]>
  rules(transferId: string): Promise<string[]>
}

export const naming = ({ shown }: Deposit): string => shown!.payment_reason!
export const by = { actor: 'operator:test', reason: 'looked at it' }
export const undoneBy = 'operator:test'

const bic = '044525999'
let accounts = 0

export async function openMoneyIn(options: Parameters<typeof startGateway>[0] = {}): Promise<MoneyIn> {
  const gateway = await startGateway({ demo: false, environment: { INLET_ROLES: 'api' }, ...options })
  const context = depositContextOf(gateway)
  return { gateway, context, account: (options) => newAccount(gateway, context, options) }
}

async function newAccount(
  gateway: TestGateway,
  context: DepositContext,
  { amounts = 'by_kind' }: { amounts?: 'by_kind' | 'always' | 'never' } = {},
): Promise<TestAccount> {
  const { db } = gateway
  const shop = await openShop(gateway)
  const place = ++accounts
  const { id } = await addAccount(db, {
    ...{ mode: 'test', currency: 'RUB', merchantId: shop.merchant, label: `Account ${place}` },
    ...{ ownerLegalName: 'ООО "Пример"', ownerPublicName: 'ООО "Пример"', ownerTaxId: '7700000009' },
    ...{ ownerAgreement: 'none', addedBy: 'test' },
  })
  const plain = `4070281000000${String(place).padStart(7, '0')}`
  const number = plain.slice(0, 8) + accountKey(bic, plain) + plain.slice(9)
  const limits = { minCents: null, maxCents: null, dailyCents: null, openDeposits: null }
  const holder = { holder: 'ООО "Пример"', bankName: 'Банк "Тест"' }
  const requisite = { accountId: id, bankCode: null, limits, confirmed: true }
  const details = { bic, corrAccount: '30101810600000000999', taxId: '7700000009' }
  await addRequisite(db, { ...requisite, draft: { kind: 'account_ru', number, ...holder, ...details } })
  await addRequisite(db, { ...requisite, draft: { kind: 'card', number: demoCard('RUB', place), ...holder } })
  await gateway.database.owner.query(
    sql`update receiving_accounts set amount_matching = ${amounts} where id = ${id}`,
  )
  const push = await pushSource(gateway, `Bank ${place}`)
  const stored = async (deposit: Pick<Deposit, 'id'>) =>
    (await findDeposit(db, { merchantId: shop.merchant, id: deposit.id }))!.deposit
  const take = (...entries: readonly Entry[]) => takeTransfers(context, entries, { source: push })
  const transfers = async () => {
    const filter = { state: null, accountId: id, depositId: null, before: null, limit: 1_000 }
    const orderOf = ({ takenAt, cents }: Transfer) => BigInt(takenAt.getTime()) * 1_000_000_000_000n + cents
    return (await listTransfers(db, filter)).sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
  }
  const entry = ({ cents, day = 0, purpose = 'Перевод', ...row }: PaidRow, more: Partial<Entry> = {}) =>
    entryTo(id, {
      ...{ cents: BigInt(cents), bookedOn: bankDay(day), purpose, purposeParts: [purpose] },
      ...{ documentNumber: row.number ?? '', payerName: row.payer ?? '', payerTaxId: row.taxId ?? '' },
      ...{ payerAccount: row.payerAccount ?? '', bankId: row.id ?? newId(), channel: 'push' },
      ...(row.isOut && { direction: 'debit' }),
      ...more,
    })
  const bytes = (rows: readonly PaidRow[], options: FileOptions = {}) => bytesOf([{ number, rows }], options)
  return {
    ...{ id, number, shop, push, stored, take, transfers, entry, bytes },
    async deposit(cents, fields = {}) {
      const { status, body } = await shop.create({ payment_type: 'account_number', cents, ...fields })
      assert.equal(status, 201, JSON.stringify(body))
      return stored(body)
    },
    async standing(deposit) {
      const { state, receivedCents } = await stored(deposit)
      return [state, receivedCents]
    },
    tell: (...rows) => take(...rows.map((row) => entry(row))),
    file: (rows, options = {}) => importFile(context, bytes(rows, options), options),
    undo: (statement) => undoFile(context, statement),
    async states(cents) {
      const own = await transfers()
      return own.filter((one) => cents === undefined || one.cents === BigInt(cents)).map(({ state }) => state)
    },
    rules: async (transferId) => (await readTransfer(db, transferId))!.decisions.map(({ rule }) => rule),
  }
}

export const importFile = (
  context: DepositContext,
  bytes: Uint8Array,
  { from: _from, to: _to, format: _format, closes: _closes, note: _note, ...options }: FileOptions = {},
): Promise<ImportReport> => importBytes(context, bytes, { anyway: true, ...options })

async function undoFile(context: DepositContext, statement: string): Promise<UndoCounts> {
  await context.db.transaction((tx) =>
    beginUndo(tx, { statementId: statement, reason: 'wrong file', by: undoneBy }),
  )
  return undoStatement(context, { statementId: statement })
}

/** A file of one account or several. */
export function bytesOf(
  accounts: readonly { number: string; rows: readonly PaidRow[] }[],
  { from, to, format = '1c', closes = true, note = '' }: FileOptions = {},
): Uint8Array {
  const days = accounts.flatMap(({ rows }) => rows.map(({ day = 0 }) => day))
  const [first, last] = [
    from ?? Math.min(...days, to ?? Infinity),
    to ?? Math.max(...days, from ?? -Infinity),
  ]
  const madeAt = `${bankDay(closes ? last + 1 : last)}T12:00:00`
  const statements = accounts.map(
    ({ number, rows }): WrittenStatement => ({
      account: number,
      currency: 'RUB',
      from: bankDay(first),
      to: bankDay(last),
      entries: rows.map((row) => writtenOf(row, format)),
    }),
  )
  if (format === '1c') {
    const text = Buffer.from(writeOneC(statements, madeAt)).toString('latin1')
    return Buffer.from(text.replace('\r\n', `\r\nNote=${note}\r\n`), 'latin1')
  }
  const camt = Buffer.from(writeCamt(statements, madeAt, note || newId().slice(0, 30))).toString()
  if (format === 'camt') return Buffer.from(camt)
  return Buffer.from(
    camt
      .replace('camt.053', 'camt.052')
      .replaceAll('BkToCstmrStmt>', 'BkToCstmrAcctRpt>')
      .replaceAll('Stmt>', 'Rpt>')
      .replace(/<Bal>.*?<\/Bal>/g, ''),
  )
}

const writtenOf = (row: PaidRow, format: string): WrittenEntry => ({
  direction: row.isOut ? 'debit' : 'credit',
  cents: BigInt(row.cents),
  bookedOn: bankDay(row.day ?? 0),
  bookedAt: null,
  paidOn: null,
  documentNumber: row.number ?? '',
  payerName: row.payer ?? '',
  payerAccount: row.payerAccount ?? '',
  payerTaxId: row.taxId ?? '',
  payerBank: '',
  purpose: row.purpose ?? 'Перевод',
  bankId: format === '1c' ? null : (row.id ?? null),
})
