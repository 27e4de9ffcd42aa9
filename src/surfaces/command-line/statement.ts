/** `inlet statement …`: a bank's files. */

import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { modes } from '../../domain/merchants/merchant.ts'
import { placeOf } from '../../domain/statements/entry.ts'
import {
  type CsvMapping,
  isMappingName,
  mappingProblems,
} from '../../domain/statements/formats/csv-mapping.ts'
import { type ExplainedRow, type ImportReport, ImportStopped } from '../../domain/statements/import-report.ts'
import { importStatement, needsConfirmation } from '../../domain/statements/import-statement.ts'
import { findMapping, saveMapping } from '../../domain/statements/store.ts'
import { parseJson } from '../../platform/body.ts'
import type { Db } from '../../platform/db.ts'
import { foreignText } from '../../platform/foreign-text.ts'
import { OperatorProblem } from '../../platform/operator-problem.ts'
import { isRefusal } from '../../platform/refusals.ts'
import { countsOf } from '../../sections/statements.ts'
import type { Command, Output, Values } from './command.ts'
import { integer, oneOf, optional, table, UsageProblem } from './options.ts'
import { printImportProgress } from './progress.ts'

export const statementCommands: Record<string, Command> = {
  'statement import': {
    usage:
      'inlet statement import FILE [--dry-run] [--limit 1..100000] [--anyway] [--complete] [--only NUMBER] [--mapping NAME] [--mode live|test] [--by NAME]',
    summary: "import a bank's file: 1C exchange, camt.053/.054, MT940, CSV or XLSX",
    example: 'statement.txt --mode test --dry-run',
    words: 1,
    stopsInOrder: true,
    async run({ db }, values, [path], { publicUrl }, terminal, stop) {
      const asked = await askedFor(db, values, path)
      const isDryRun = values['dry-run'] === true
      try {
        const report = await importStatement(
          { db, publicUrl, changed: () => {} },
          {
            ...asked,
            by: `operator:${optional(values, 'by') ?? 'command line'}`,
            dryRun: isDryRun,
            previewed: integer(values, 'limit', 1, 100_000) ?? undefined,
            anyway: values.anyway === true,
            progress: printImportProgress(terminal.stderr),
            signal: stop,
          },
        )
        // A dry run ends as the import would.
        const wouldBeTaken = values.anyway === true || !needsConfirmation(report)
        return {
          json: report,
          text: textOf(report, { isDryRun, wouldBeTaken }),
          failed: !report.isTaken && !(isDryRun && wouldBeTaken),
        }
      } catch (error) {
        return endedEarly(error)
      }
    },
  },
  'statement mapping': {
    usage: 'inlet statement mapping NAME FILE.json',
    summary: "save how a bank writes its CSV or XLSX (the file's shape: docs/banks.md)",
    example: 'my-bank mapping.json',
    words: 2,
    async run({ db }, _values, [name, path]) {
      if (!name || !isMappingName(name) || !path) {
        throw new UsageProblem('Give a name, of letters, digits, - and _, and the file with the mapping.')
      }
      const mapping = mappingFrom(await readFile(path, 'utf8').catch(() => ''))
      await saveMapping(db, name, mapping)
      return { json: { name, mapping }, text: `${name} saved` }
    },
  },
}

/** The file and how it is read: the same for every command that reads one. */
async function askedFor(db: Db, values: Values, path: string | undefined) {
  if (!path) throw new UsageProblem('Name the file.')
  await readableFile(path)
  const name = optional(values, 'mapping')
  const mapping = name === null ? undefined : await findMapping(db, name)
  if (name !== null && !mapping) throw new OperatorProblem('There is no mapping with this name.')
  if (mapping) checkMapping(mapping, `The mapping ${name} must be saved again`)
  return {
    file: { name: basename(path), open: () => createReadStream(path) },
    mode: values.mode === undefined ? ('live' as const) : oneOf(values, 'mode', modes),
    mapping,
    mappingName: name ?? undefined,
    only: optional(values, 'only') ?? undefined,
    isComplete: values.complete === true,
  }
}

async function readableFile(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (!found?.isFile()) throw new OperatorProblem(`${path} is not a file that can be read.`)
}

function mappingFrom(text: string): CsvMapping {
  let mapping: unknown
  try {
    mapping = parseJson(Buffer.from(text))
  } catch (error) {
    const [twice] = isRefusal(error, 'duplicate_field') ? error.details.errors! : []
    if (twice)
      throw new OperatorProblem(`The file is not a mapping: ${twice.pointer} stands in it more than once.`)
  }
  checkMapping(mapping, 'The file is not a mapping')
  return mapping
}

function checkMapping(mapping: unknown, problem: string): asserts mapping is CsvMapping {
  const problems = mappingProblems(mapping)
  if (problems.length === 0) return
  throw new OperatorProblem(
    [`${problem} (see docs/banks.md):`, ...problems.map(({ detail }) => detail)].join('\n- '),
  )
}

/** The output of an import that was stopped or refused. */
function endedEarly(error: unknown): Output {
  if (error instanceof ImportStopped) return stoppedOutput(error)
  throw error
}

/** What was done before the stop, and how to continue. */
function stoppedOutput({ done }: ImportStopped): Output {
  if (!done) return { json: { stopped: true }, text: 'Stopped. Nothing was imported.', failed: true }
  const { statement, rows, total, taken } = done
  return {
    json: { stopped: true, ...done },
    text: [
      `Stopped: ${rows} of ${total} rows imported, ${taken.matched} of them matched.`,
      'To continue, import the same file again: nothing is imported twice.',
      `To undo what was imported: inlet statement undo ${statement} --by EMAIL --reason TEXT`,
    ].join('\n'),
    failed: true,
  }
}

const badShown = 100

function textOf(report: ImportReport, how: { isDryRun: boolean; wouldBeTaken: boolean }): string {
  return [
    ...headOf(report, how),
    ...countsOf(report).map(([[what], count]) => `${what}: ${count}`),
    totalsText[report.totals],
    ...report.warnings.map((warning) => `Warning: ${warning}`),
    ...report.bad.slice(0, badShown).map((row) => `${placeOf(row)}: ${row.detail}`),
    ...(report.badRows > badShown ? [`… and ${report.badRows - badShown} more bad rows.`] : []),
    ...(report.isTaken || report.preview.length === 0 ? [] : ['', previewText(report.preview)]),
  ].join('\n')
}

function headOf(
  report: ImportReport,
  { isDryRun, wouldBeTaken }: { isDryRun: boolean; wouldBeTaken: boolean },
): string[] {
  if (report.isRepeated)
    return ['This file has already been imported, so nothing changes.', 'Result of the first import:']
  if (report.isTaken) return [`Taken: ${report.entries} rows of ${report.format}.`]
  if (isDryRun && wouldBeTaken) return ['This was a dry run. Nothing was imported.']
  const help = 'Look at what is wrong below; --anyway takes the rest.'
  return isDryRun
    ? [`This was a dry run. Nothing was imported, and the import would be refused. ${help}`]
    : [`Nothing was imported. ${help}`]
}

const totalsText: Record<ImportReport['totals'], string> = {
  agree: 'The totals in the file match its rows.',
  differ: 'The totals in the file do not match its rows.',
  none: 'The file has no totals to compare its rows with.',
}

const previewText = (rows: readonly ExplainedRow[]): string => {
  const list = table(
    ['line', 'day', 'amount', 'payer', 'purpose', 'becomes', 'because'],
    rows.map((row) => [
      row.line,
      row.day,
      `${row.direction === 'debit' ? '-' : ''}${row.amount} ${row.currency}`,
      foreignText(row.payer, 24) || null,
      foreignText(row.purpose, 40) || null,
      row.becomes,
      [row.reason, ...row.deposits, ...row.sameAs].filter(Boolean).join(' '),
    ]),
  )
  return `The first ${rows.length} rows, as they were understood (--limit shows more):\n${list}`
}
