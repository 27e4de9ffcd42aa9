/** Output on the terminal: one status line while the benchmark runs, and a table at the end. */
import { type Goal, type Measured, type Row, reaches } from './row.ts'

export type Result = { row: Row; measured: Measured }

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

export function tableOf(results: readonly Result[]): string {
  const head = ['row', 'value', 'unit', 'reference', 'ratio', 'must reach', 'aim', 'verdict', 'taken with']
  const lines = [head, ...results.map(cellsOf)]
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

/** The shape of bench/results.json. */
export const jsonOf = (results: readonly Result[]) => ({
  rows: results.map(({ row, measured: { value, unit, reference, ratio, note } }) => ({
    row: row.name,
    value: rounded(value),
    unit,
    reference: reference === null ? null : rounded(reference),
    ratio: ratio === null ? null : rounded(ratio),
    note,
  })),
})

function cellsOf({ row, measured }: Result): string[] {
  const { value, unit, reference, ratio, note } = measured
  return [
    row.name,
    figure(value),
    unit,
    reference === null ? '–' : figure(reference),
    ratio === null ? '–' : `${ratio.toFixed(2)}×`,
    goalText(row.must, measured),
    goalText(row.aim, measured),
    verdictOf(row, measured),
    note,
  ]
}

function verdictOf({ must, aim }: Row, measured: Measured): string {
  if (!must || !aim) return '–'
  if (reaches(aim, measured)) return 'aim reached'
  return reaches(must, measured) ? 'reached' : 'FALLS SHORT'
}

function goalText(goal: Goal | null, { ratio, unit }: Measured): string {
  if (!goal) return '–'
  const sign = 'least' in goal ? '≥' : '≤'
  const number = 'least' in goal ? goal.least : goal.most
  return ratio === null ? `${sign} ${number} ${unit}` : `${sign} ${number}×`
}

const rounded = (number: number) => Number(number.toPrecision(4))

const figure = (number: number): string =>
  number >= 100 ? Math.round(number).toLocaleString('en') : number.toPrecision(3)
