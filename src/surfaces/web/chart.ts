/**
 * Charts as SVG, drawn on the server: bars and areas from zero, lines that differ by dash as well as by colour. The
 * drawing stretches to its place; what has to be read stands beside it as text. The numbers are in a table below.
 */
import { html, type Markup, type Value } from './html.ts'

export type Series = {
  name: string
  kind: 'bars' | 'area' | 'line'
  /** One for each label; null where there is nothing to draw. */
  points: readonly (number | null)[]
}

type Chart = {
  /** The description for screen readers. */
  description: string
  /** The labels of the points, in order: the first, the middle one and the last are printed. */
  labels: readonly string[]
  series: readonly Series[]
  /** A number as the scale prints it. */
  write: (value: number) => string
  /** The top of the scale, if it is fixed; otherwise it depends on the data. */
  most?: number
  /** The text if there is no point at all. */
  nothing: string
  /** The title of the table, and the table. */
  table: { title: string; body: Value }
}

export function chart(options: Chart): Markup {
  const { labels, series } = options
  const values = series.flatMap((line) => line.points.filter((point) => point !== null))
  const top = options.most ?? niceTop(Math.max(0, ...values))
  return html`<figure class="chart">
${
  values.length === 0
    ? html`<p class="quiet">${options.nothing}</p>`
    : html`<div class="plot">
<ul class="scale" aria-hidden="true"><li>${options.write(top)}</li><li>${options.write(top / 2)}</li><li>${options.write(0)}</li></ul>
<svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label="${options.description}">
<path class="grid" d="M0 0H100M0 50H100M0 100H100"></path>
${series.map((line, index) => drawn(line, top, index))}
</svg>
<ul class="span" aria-hidden="true">${marksOf(labels).map((label) => html`<li>${label}</li>`)}</ul>
</div>
${series.length > 1 && html`<ul class="legend">${series.map((line, index) => html`<li class="${`series-${index}`}">${line.name}</li>`)}</ul>`}`
}
<details><summary>${options.table.title}</summary>${options.table.body}</details>
</figure>`
}

/** The printed labels. With an even number of points there is no middle one. */
const marksOf = (labels: readonly string[]): readonly (string | undefined)[] =>
  labels.length < 3 || labels.length % 2 === 0
    ? [labels[0], ...(labels.length > 1 ? [labels.at(-1)] : [])]
    : [labels[0], labels[(labels.length - 1) / 2], labels.at(-1)]

/** The next of 1, 2, 2.5, 5 and their multiples by powers of ten, half of which is still easy to read. */
export function niceTop(most: number): number {
  if (most <= 0) return 1
  const unit = 10 ** Math.floor(Math.log10(most))
  return [1, 2, 2.5, 5, 10].map((step) => step * unit).find((step) => step >= most)!
}

function drawn({ kind, points }: Series, top: number, index: number): Markup {
  const name = `series-${index}`
  const width = 100 / Math.max(points.length, 1)
  const height = (value: number) => round(100 - (100 * Math.min(value, top)) / top)
  const middle = (index: number) => round(width * (index + 0.5))
  if (kind === 'bars') {
    const bars = points.map((value, index) =>
      value === null || value <= 0
        ? ''
        : `M${round(width * (index + 0.12))} 100V${height(value)}H${round(width * (index + 0.88))}V100Z`,
    )
    return html`<path class="bars ${name}" d="${bars.join('')}"></path>`
  }
  const runs = runsOf(points)
  const line = runs.map((run) =>
    run.map(({ index, value }, at) => `${at === 0 ? 'M' : 'L'}${middle(index)} ${height(value)}`).join(''),
  )
  const area = runs.map(
    (run, at) => `${line[at]}L${middle(run.at(-1)!.index)} 100L${middle(run[0]!.index)} 100Z`,
  )
  // A line of no length with round ends is a dot, however the drawing is stretched.
  const dots = runs
    .filter((run) => run.length === 1)
    .map(([only]) => `M${middle(only!.index)} ${height(only!.value)}h0`)
  return html`${kind === 'area' && html`<path class="area ${name}" d="${area.join('')}"></path>`}
<path class="line ${name}" d="${line.join('')}"></path>
<path class="dots ${name}" d="${dots.join('')}"></path>`
}

/** Divides the points into runs without a gap. */
function runsOf(points: readonly (number | null)[]): { index: number; value: number }[][] {
  const runs: { index: number; value: number }[][] = [[]]
  for (const [index, value] of points.entries()) {
    if (value === null) runs.push([])
    else runs.at(-1)!.push({ index, value })
  }
  return runs.filter((run) => run.length > 0)
}

const round = (value: number): number => Math.round(value * 100) / 100
