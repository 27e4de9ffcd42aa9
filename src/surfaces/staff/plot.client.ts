/**
 * Draws the live metrics with uPlot from the table on the page, which is readable without scripts, and redraws them
 * when it changes.
 */
import type UPlot from 'uplot'

// Defined by uPlot itself, which comes first in the same file.
declare const uPlot: typeof UPlot

const figure = document.querySelector<HTMLElement>('[data-flow]')
const place = figure?.querySelector<HTMLElement>('[data-own]')
let plot: UPlot | undefined

/** Reads the table's columns: times in seconds, then one column per series; a dash means no value. */
function columnsOf(table: HTMLTableElement): UPlot.AlignedData {
  const rows = [...table.tBodies[0]!.rows]
  const times = rows.map((row) => Date.parse(row.querySelector('time')!.dateTime) / 1000)
  const series = [...(rows[0]?.cells ?? [])].slice(1).map((_, column) =>
    rows.map((row) => {
      const text = row.cells[column + 1]!.textContent!.trim()
      return /^\d+$/.test(text) ? Number(text) : null
    }),
  )
  return [times, ...series]
}

function options(
  [time, ...names]: string[],
  { timeZone, lines }: { timeZone: string; lines: Element[] },
): UPlot.Options {
  const styles = getComputedStyle(document.documentElement)
  const token = (name: string) => styles.getPropertyValue(name).trim()
  const clockOf = (timeStyle: 'short' | 'medium') => {
    const clock = new Intl.DateTimeFormat(document.documentElement.lang, {
      timeZone,
      timeStyle,
      hourCycle: 'h23',
    })
    return (seconds: number) => clock.format(seconds * 1000)
  }
  const [short, exact] = [clockOf('short'), clockOf('medium')]
  const axis = {
    stroke: token('--ink-2'),
    grid: { stroke: token('--line'), width: 1 },
    ticks: { stroke: token('--line') },
  }
  return {
    width: place!.clientWidth,
    height: 220,
    cursor: { drag: { x: false, y: false } },
    // The names are in the legend of the page, which has samples of the lines.
    legend: { markers: { show: false } },
    scales: { y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
    axes: [
      { ...axis, space: 60, values: (_, ticks) => ticks.map(short) },
      { ...axis, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000] },
    ],
    series: [
      { ...(time && { label: time }), value: (_, seconds) => (seconds ? exact(seconds) : '–') },
      ...names.map((label, number) => {
        // Takes colours and dashes from the drawing of the server, so that both look the same.
        const { stroke, strokeDasharray } = getComputedStyle(lines[number]!)
        const dash =
          strokeDasharray === 'none' ? undefined : strokeDasharray.split(/[ ,]+/).map(Number.parseFloat)
        return { label, stroke, width: 2, points: { show: false }, ...(dash && { dash }) }
      }),
    ],
  }
}

function draw(): void {
  const table = figure?.querySelector<HTMLTableElement>('details table')
  const lines = [...(figure?.querySelectorAll('svg path.line') ?? [])]
  if (!figure || !place || !table || lines.length === 0) return
  const data = columnsOf(table)
  if (plot) {
    plot.setData(data)
    return
  }
  const names = [...table.tHead!.rows[0]!.cells].map((cell) => cell.textContent!)
  place.hidden = false
  plot = new uPlot(options(names, { timeZone: figure.dataset.flow!, lines }), data, place)
  figure.querySelector<HTMLElement>('.plot')!.hidden = true
  new ResizeObserver(() => plot!.setSize({ width: place.clientWidth, height: 220 })).observe(place)
}

addEventListener('renewed', draw)
draw()
