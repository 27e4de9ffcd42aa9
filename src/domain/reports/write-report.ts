/**
 * Writes a report as it is read: one snapshot, a page at a time, so that a month of a million lines needs no more
 * memory than a day of ten.
 */
import { bounds } from '../../platform/bounds.ts'
import type { Db, Tx } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import type { Mode } from '../merchants/merchant.ts'
import { message } from '../messages/message.ts'
import { bankZone, type Currency } from '../money.ts'
import { creditPages, listCreditAccounts } from './credit-store.ts'
import type { Separator } from './csv.ts'
import { depositPages, transferPages } from './line-store.ts'
import { type OneCAccount, oneCDocuments, oneCEnd, oneCHead } from './one-c-export.ts'
import { type Period, type Proof, type ReportFormat, type ReportLine, Tally, type Total } from './report.ts'
import { csvFormat } from './report-csv.ts'
import { jsonFormat } from './report-json.ts'
import { tableFormat } from './report-table.ts'
import {
  findReportMode,
  listReportAccounts,
  openSnapshot,
  type ReportScope,
  readControls,
  reportBounds,
} from './store.ts'

export const reportFormats = ['table', 'csv', '1c', 'json'] as const
export type FormatName = (typeof reportFormats)[number]

export type ReportAsk = {
  period: Period
  merchantId: string | null
  accountId?: string | null
  currency: Currency | null
  /** Null: the merchant's mode; without a merchant, live if any merchant is live. */
  mode: Mode | null
}

/** Writes the next piece; the report waits for it (backpressure). */
export type Write = (piece: string | Uint8Array) => Promise<void>

type Written = { mode: Mode; totals: Total[]; proofs: Proof[]; holds: boolean }

export const writeReport = (db: Db, ask: ReportAsk, format: ReportFormat, write: Write): Promise<Written> =>
  inSnapshot(db, ask, async (tx, scope, now) => {
    const tally = new Tally()
    const callbacksKeptSince = callbacksSince(now)
    const add = (lines: readonly ReportLine[]) => {
      for (const line of lines) tally.add(line)
      return write(format.lines(lines))
    }
    await write(format.begin({ ...scope, madeAt: now }))
    for (const account of await listReportAccounts(tx, scope)) {
      for await (const lines of transferPages(tx, account, scope, callbacksKeptSince)) await add(lines)
    }
    for await (const lines of depositPages(tx, scope, callbacksKeptSince)) await add(lines)
    const totals = tally.totals()
    const proofs = tally.proofs(await readControls(tx, scope))
    await write(format.end(totals, proofs))
    return { mode: scope.mode, totals, proofs, holds: proofs.every((proof) => proof.holds) }
  })

/** The day on which a partition is dropped is not certain, so what is this old is not looked for. */
export const callbacksSince = (now: Date): Date =>
  new Date(now.getTime() - (bounds.callbackKeepDays - 1) * 86_400_000)

type Exported = {
  mode: Mode
  credits: number
  /** Accounts that no statement could name: their credits are left out. */
  nameless: { label: string; credits: number }[]
}

/** The credits that settled deposits, for 1C. */
export const exportCredits = (db: Db, ask: ReportAsk, write: Write): Promise<Exported> =>
  inSnapshot(db, ask, async (tx, scope, now) => {
    const accounts = await listCreditAccounts(tx, scope)
    const named = accounts.filter(
      (account): account is typeof account & OneCAccount => account.number !== null,
    )
    await write(oneCHead(named, scope, localTime(now, scope.currency ?? 'RUB')))
    for (const account of named) {
      for await (const credits of creditPages(tx, account.id, scope))
        await write(oneCDocuments(credits, account))
    }
    await write(oneCEnd())
    return {
      mode: scope.mode,
      credits: named.reduce((sum, { count }) => sum + count, 0),
      nameless: accounts
        .filter(({ number }) => number === null)
        .map(({ label, count }) => ({ label, credits: count })),
    }
  })

export const formatOf = (name: Exclude<FormatName, '1c'>, separator: Separator): ReportFormat =>
  ({ table: tableFormat, csv: csvFormat(separator), json: jsonFormat() })[name]

export const inSnapshot = <Result>(
  db: Db,
  { period, merchantId, accountId = null, currency, mode }: ReportAsk,
  work: (tx: Tx, scope: ReportScope, now: Date) => Promise<Result>,
): Promise<Result> =>
  db.transaction(async (tx) => {
    const { now } = await openSnapshot(tx)
    const own = await findReportMode(tx, merchantId)
    if (!own) throw new Refusal('not_found', { detail: message('no_merchant_with_id') })
    return work(tx, { ...period, merchantId, accountId, currency, mode: mode ?? own }, now)
  }, reportBounds)

/** `2026-11-15 14:35:00` by the clocks of the banks of this currency. */
const localTime = (at: Date, currency: Currency): string =>
  new Intl.DateTimeFormat('sv-SE', {
    timeZone: bankZone[currency],
    dateStyle: 'short',
    timeStyle: 'medium',
  }).format(at)
