/** Output: one status line on the terminal while the benchmark runs, a table at the end, and that of docs/performance.md. */
import { type Goal, type Measured, type Row, reaches } from './row.ts'

/** As it is in bench/results.json. */
export type Result = Measured & { row: string }

/** On a terminal one line that is overwritten; elsewhere a line for each step. */
export function createStatus(stream: NodeJS.WriteStream): { show(text: string): void; clear(): void } {
  const begin = performance.now()
  let shown = ''
  return {
    show(text) {
      const line = `${String(Math.round((performance.now() - begin) / 1000)).padStart(4)} s  ${text}`
      if (stream.isTTY) stream.write(`\r\x1b[2K${line.slice(0, (stream.columns || 80) - 1)}`)
      else if (text !== shown) stream.write(`${line}\n`)
      shown = text
    },
    clear() {
      if (stream.isTTY) stream.write('\r\x1b[2K')
    },
  }
}

export function tableOf(rows: readonly Row[], results: readonly Result[]): string {
  const head = ['row', 'value', 'unit', 'reference', 'ratio', 'must reach', 'aim', 'verdict', 'taken with']
  const lines = [head, ...pairs(rows, results).map(([row, result]) => cellsOf(row, result))]
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  const isFigure = (column: number) => [1, 3, 4].includes(column)
  return lines
    .map((line) =>
      line
        .map((cell, column) =>
          isFigure(column) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** `bounds`: by row, what bounds it. */
export function markdownOf(
  rows: readonly Row[],
  results: readonly Result[],
  bounds: ReadonlyMap<string, string>,
): string {
  const head = ['row', 'what is measured', 'value', 'reference', 'ratio', 'must', 'what bounds it']
  const lines = rows.map((row) => {
    const result = results.find((result) => result.row === row.name)
    const { value, unit, reference, ratio } = result ?? noFigures
    const figures = [withUnit(value, unit), withUnit(reference, unit), ratio === null ? '' : ratio.toFixed(2)]
    return [row.name, row.what, ...figures, goalText(row.must, unit, ratio), bounds.get(row.name) ?? '']
  })
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

const noFigures = { value: null, unit: '', reference: null, ratio: null }

const withUnit = (value: number | null, unit: string): string =>
  value === null ? '' : `${figure(value)}${unit.startsWith('1/') ? unit.slice(1) : ` ${unit}`}`

const pairs = (rows: readonly Row[], results: readonly Result[]): [Row, Result][] =>
  rows.flatMap((row) => results.filter((result) => result.row === row.name).map((result) => [row, result]))

const cellsOf = (row: Row, measured: Result): string[] => {
  const { value, unit, reference, ratio, note } = measured
  return [
    row.name,
    value === null ? '–' : figure(value),
    unit,
    reference === null ? '–' : figure(reference),
    ratio === null ? '–' : ratio.toFixed(2),
    goalText(row.must, unit, ratio),
    goalText(row.aim, unit, ratio),
    verdictOf(row, measured),
    note,
  ]
}

function verdictOf({ must, aim }: Row, measured: Measured): string {
  if (measured.value === null) return 'skipped'
  if (reaches(aim, measured)) return 'aim reached'
  return reaches(must, measured) ? 'reached' : 'FALLS SHORT'
}

function goalText(goal: Goal, unit: string, ratio: number | null): string {
  const sign = 'least' in goal ? '≥' : '≤'
  const number = 'least' in goal ? goal.least : goal.most
  return ratio === null ? `${sign} ${number} ${unit}`.trim() : `${sign} ${number}`
}

const figure = (number: number): string =>
  number >= 100 ? Math.round(number).toLocaleString('en') : number.toPrecision(3)
