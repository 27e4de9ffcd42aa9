/**
 * Writes a report as it is read: one snapshot, a page at a time, so that a month of a million lines needs no more
 * memory than a day of ten.
 */
import type { Db } from '../../platform/db.ts'
import type { Mode } from '../merchants/merchant.ts'
import { bankZone, type Currency } from '../money.ts'
import { creditPages, listCreditAccounts } from './credit-store.ts'
import type { Separator } from './csv.ts'
import { type OneCAccount, oneCDocuments, oneCEnd, oneCHead } from './one-c-export.ts'
import { inSnapshot, linePages, type ReportAsk } from './read-report.ts'
import { type Proof, type ReportFormat, type ReportLine, Tally, type Total } from './report.ts'
import { csvFormat, jsonFormat, tableFormat } from './report-formats.ts'
import { sumBooks } from './store.ts'

export const reportFormats = ['table', 'csv', '1c', 'json'] as const
export type FormatName = (typeof reportFormats)[number]

/** Writes the next piece; the report waits for it (backpressure). */
export type Write = (piece: string | Uint8Array) => Promise<void>

type Written = { mode: Mode; totals: Total[]; proofs: Proof[]; holds: boolean }

export const writeReport = (db: Db, ask: ReportAsk, format: ReportFormat, write: Write): Promise<Written> =>
  inSnapshot(db, ask, async (tx, scope, now) => {
    const tally = new Tally()
    const add = (lines: readonly ReportLine[]) => {
      for (const line of lines) tally.add(line)
      return write(format.lines(lines))
    }
    await write(format.begin({ ...scope, madeAt: now }))
    for await (const lines of linePages(tx, scope, now)) await add(lines)
    const totals = tally.totals()
    const proofs = tally.proofs(await sumBooks(tx, scope))
    await write(format.end(totals, proofs))
    return { mode: scope.mode, totals, proofs, holds: proofs.every((proof) => proof.holds) }
  })

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

/** `2026-11-15 14:35:00` by the clocks of the banks of this currency. */
const localTime = (at: Date, currency: Currency): string =>
  new Intl.DateTimeFormat('sv-SE', {
    timeZone: bankZone[currency],
    dateStyle: 'short',
    timeStyle: 'medium',
  }).format(at)
