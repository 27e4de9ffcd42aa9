/** `inlet statement …`: a bank's files. */
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { modes } from '../merchants/merchant.ts'
import { OperatorProblem } from '../platform/operator-problem.ts'
import { type CsvMapping, isMappingName, mappingProblems } from '../statements/formats/csv-mapping.ts'
import { type ImportReport, importStatement, type PreviewRow } from '../statements/import-statement.ts'
import { findMapping, listStatements, saveMapping } from '../statements/store.ts'
import { foreignText } from '../web/format.ts'
import type { Command } from './inlet.ts'
import { integer, oneOf, optional, table, UsageProblem } from './options.ts'

export const statementCommands: Record<string, Command> = {
  'statement import': {
    usage:
      'inlet statement import FILE [--dry-run] [--anyway] [--mapping NAME] [--mode live|test] [--by NAME]',
    summary: "take a bank's file: 1C exchange, camt.053/.054, MT940/942 or CSV",
    options: {
      'dry-run': { type: 'boolean' },
      anyway: { type: 'boolean' },
      mapping: { type: 'string' },
      mode: { type: 'string' },
      by: { type: 'string' },
    },
    words: 1,
    async run({ db }, values, [path], { publicUrl }) {
      if (!path) throw new UsageProblem('Name the file: inlet statement import FILE.')
      await readableFile(path)
      const name = optional(values, 'mapping')
      const mapping = name === null ? undefined : await findMapping(db, name)
      if (name !== null && !mapping) throw new UsageProblem('There is no mapping with this name.')
      if (mapping) checkMapping(mapping, `The mapping ${name} must be saved again`)
      const report = await importStatement(
        { db, publicUrl, changed: () => {} },
        {
          file: { name: basename(path), open: () => createReadStream(path) },
          mode: values.mode === undefined ? 'live' : oneOf(values, 'mode', modes),
          by: `operator:${optional(values, 'by') ?? 'command line'}`,
          mapping,
          dryRun: values['dry-run'] === true,
          anyway: values.anyway === true,
          progress: progressBar(),
        },
      )
      return { json: report, text: textOf(report), failed: !report.isTaken && values['dry-run'] !== true }
    },
  },
  'statement list': {
    usage: 'inlet statement list [--limit 1..200]',
    summary: 'the files that were taken, newest first',
    options: { limit: { type: 'string' } },
    async run({ db }, values) {
      const statements = await listStatements(db, integer(values, 'limit', 1, 200) ?? 50)
      return {
        json: { statements },
        text: table(
          ['id', 'mode', 'taken', 'format', 'file', 'rows', 'by'],
          statements.map((one) => [
            one.id,
            one.mode,
            one.finished_at?.toISOString() ?? 'not finished',
            one.format,
            one.file_name,
            (one.report as ImportReport | null)?.entries ?? null,
            one.taken_by,
          ]),
        ),
      }
    },
  },
  'statement mapping': {
    usage: 'inlet statement mapping NAME FILE.json',
    summary: "save how a bank writes its CSV (the file's shape: docs/csv-mapping.md)",
    options: {},
    words: 2,
    async run({ db }, _values, [name, path]) {
      if (!name || !isMappingName(name) || !path) {
        throw new UsageProblem('inlet statement mapping NAME FILE.json; a name has letters, digits, - and _.')
      }
      const mapping = mappingFrom(await readFile(path, 'utf8').catch(() => ''))
      await saveMapping(db, name, mapping)
      return { json: { name, mapping }, text: `${name} saved` }
    },
  },
}

async function readableFile(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (!found?.isFile()) throw new OperatorProblem(`${path} is not a file that can be read.`)
}

function mappingFrom(text: string): CsvMapping {
  const mapping = parsed(text)
  checkMapping(mapping, 'The file is not a mapping')
  return mapping
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function checkMapping(mapping: unknown, problem: string): asserts mapping is CsvMapping {
  const problems = mappingProblems(mapping)
  if (problems.length === 0) return
  throw new UsageProblem(
    [`${problem} (see docs/csv-mapping.md):`, ...problems.map(({ detail }) => detail)].join('\n- '),
  )
}

/** Only where somebody watches: a log needs no thousand lines of it. */
function progressBar(): (done: { rows: number; of: number | null }) => void {
  const { stderr } = process
  if (!stderr.isTTY) return () => {}
  return ({ rows, of }) => {
    const share = of ? rows / of : 0
    const bar = of
      ? `${'█'.repeat(Math.round(share * 30)).padEnd(30, '░')} ${Math.round(share * 100)} %`
      : 'reading'
    stderr.write(`\r${bar}  ${rows} rows${rows === of ? '\n' : ''}`)
  }
}

function textOf(report: ImportReport): string {
  const { taken } = report
  const head = report.isRepeated
    ? 'This very file was taken before. Nothing is new.'
    : report.isTaken
      ? `Taken: ${report.entries} rows of ${report.format}.`
      : `Nothing was taken. ${report.badRows > 0 || report.warnings.length > 0 ? 'Look at what is wrong below; --anyway takes the rest.' : 'This was a dry run.'}`
  return [
    head,
    table(
      ['new', 'seen before', 'matched', 'for people', 'unmatched', 'told twice', 'debits', 'taken back'],
      [
        [
          taken.taken,
          taken.seen,
          taken.matched,
          taken.ambiguous,
          taken.unmatched,
          taken.duplicate,
          taken.debit,
          taken.revoked,
        ],
      ],
    ),
    ...report.warnings.map((warning) => `Warning: ${warning}`),
    ...report.bad.map(({ line, detail }) => `Line ${line}: ${detail}`),
    ...(report.badRows > report.bad.length
      ? [`… and ${report.badRows - report.bad.length} more bad rows.`]
      : []),
    ...(report.isTaken || report.preview.length === 0 ? [] : ['', previewText(report.preview)]),
  ].join('\n')
}

const previewText = (rows: readonly PreviewRow[]): string =>
  [
    `The first ${rows.length} rows, as they were understood:`,
    table(
      ['line', 'day', 'direction', 'amount', 'payer', 'purpose'],
      rows.map((row) => [
        row.line,
        row.day,
        row.direction,
        `${row.amount} ${row.currency}`,
        foreignText(row.payer, 24) || null,
        foreignText(row.purpose, 60) || null,
      ]),
    ),
  ].join('\n')
