/** `inlet report …`: a day's or a month's books, written as they are read. */

import { once } from 'node:events'
import { open, rename, rm } from 'node:fs/promises'
import { modes } from '../../domain/merchants/merchant.ts'
import type { Separator } from '../../domain/reports/csv.ts'
import type { ReportAsk } from '../../domain/reports/read-report.ts'
import type { Period } from '../../domain/reports/report.ts'
import { readBankDay } from '../../domain/reports/store.ts'
import {
  exportCredits,
  type FormatName,
  formatOf,
  reportFormats,
  type Write,
  writeReport,
} from '../../domain/reports/write-report.ts'
import { isDay } from '../../domain/transfers/bank-text/days.ts'
import type { Foundation } from '../../platform/foundation.ts'
import { OperatorProblem, reasonOf } from '../../platform/operator-problem.ts'
import type { Command, Output, Terminal, Values } from './command.ts'
import { currencyOf, oneOf, optional, UsageProblem, uuid } from './options.ts'

const report = (
  word: 'day' | 'month',
  asked: string,
  summary: string,
  periodOf: (
    foundation: Foundation,
    word: string | undefined,
    ask: Omit<ReportAsk, 'period'>,
  ) => Promise<Period>,
): Command => ({
  usage: `inlet report ${word} ${asked} [--merchant ID] [--currency CUR] [--mode live|test] [--format ${reportFormats.join('|')}] [--separator ';'|','] [--out FILE]`,
  summary,
  example: `${word === 'day' ? '2026-11-15' : '2026-11'} --format csv --out report.csv`,
  words: 1,
  async run(foundation, values, [day], _config, terminal) {
    const merchant = optional(values, 'merchant')
    const ask = {
      merchantId: merchant && uuid(merchant, '--merchant'),
      currency: values.currency === undefined ? null : currencyOf(values),
      mode: values.mode === undefined ? null : oneOf(values, 'mode', modes),
    }
    const format = formatFrom(values)
    const separator = values.separator === undefined ? ';' : oneOf<Separator>(values, 'separator', [';', ','])
    const period = await periodOf(foundation, day, ask)
    const out = optional(values, 'out')
    const work = (write: Write) => written(foundation, { ...ask, period }, format, separator, write, terminal)
    return out === null ? work(toTerminal(terminal)) : intoFile(out, work)
  },
})

export const reportCommands: Record<string, Command> = {
  'report day': report(
    'day',
    '[YYYY-MM-DD]',
    "one day's transfers, deposits and callbacks, with totals and their proof",
    async ({ db }, day, { currency }) => {
      // Of our zones Moscow is the last to begin a day: what is today there has begun everywhere.
      const reportDay = day ?? (await readBankDay(db, currency ?? 'RUB'))
      if (!isDay(reportDay)) throw new UsageProblem('The day must be a date such as 2026-11-15.')
      return { from: reportDay, to: reportDay }
    },
  ),
  'report month': report('month', 'YYYY-MM', "one month's, the same way", async (_foundation, month = '') => {
    const from = `${month}-01`
    if (!isDay(from)) throw new UsageProblem('The month must be a date such as 2026-11.')
    const [year, number] = month.split('-').map(Number)
    const days = new Date(Date.UTC(year!, number!, 0)).getUTCDate()
    return { from, to: `${month}-${days}` }
  }),
}

function formatFrom(values: Values): FormatName {
  const format = values.format === undefined ? null : oneOf(values, 'format', reportFormats)
  if (!values.json) return format ?? 'table'
  if (format !== null && format !== 'json')
    throw new UsageProblem('--json and --format contradict each other.')
  return 'json'
}

/** The report itself goes to standard output; notes about it go to standard error. */
async function written(
  { db }: Foundation,
  ask: ReportAsk,
  format: FormatName,
  separator: Separator,
  write: Write,
  { stderr }: Terminal,
): Promise<Output> {
  if (format !== '1c') {
    const { holds, mode } = await writeReport(db, ask, formatOf(format, separator), write)
    if (!holds) stderr.write('The books do not balance: see the proof at the end of the report.\n')
    return { json: { mode, holds }, text: null, failed: !holds }
  }
  const { nameless, ...json } = await exportCredits(db, ask, write)
  for (const { label, credits } of nameless) {
    stderr.write(
      `${credits} credits of "${label}" are left out: the account has no number that 1C could know.\n`,
    )
  }
  return { json, text: null, failed: false }
}

/** Never faster than the terminal, or the program behind the pipe, takes it. */
function toTerminal({ stdout }: Terminal): Write {
  let gone: Error | undefined
  stdout.on?.('error', (error) => {
    gone = error
  })
  return async (piece) => {
    if (gone) throw noReader(gone)
    if (stdout.write(piece)) return
    await once(stdout, 'drain').catch((error) => {
      throw noReader(error)
    })
  }
}

const noReader = (error: unknown) => new OperatorProblem(`The report was not finished: ${reasonOf(error)}.`)

/** The file gets its name when it is complete. It names payers, so only its owner may read it. */
async function intoFile(path: string, work: (write: Write) => Promise<Output>): Promise<Output> {
  const part = `${path}.part`
  const file = await open(part, 'w', 0o600).catch((error) => {
    throw new OperatorProblem(`${path} cannot be written: ${reasonOf(error)}.`)
  })
  try {
    const output = await work(async (piece) => {
      await file.writeFile(piece)
    }).finally(() => file.close())
    await rename(part, path)
    return { ...output, text: `written to ${path}`, json: { file: path } }
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}
