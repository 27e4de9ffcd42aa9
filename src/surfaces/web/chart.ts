/**
 * Bars as SVG, drawn on the server from zero: a whole and its part, one before the other. The drawing stretches to its place; what
 * has to be read stands beside it as text, and the numbers are in a table below.
 */
import { html, type Markup, type Value } from './html.ts'

type Chart = {
  /** The description for screen readers. */
  description: string
  bars: readonly { label: string; whole: number; part: number }[]
  wholeName: string
  partName: string
  /** A number as the scale prints it. */
  write: (value: number) => string
  /** The title of the table, and the table. */
  table: { title: string; body: Value }
}

export function chart({ description, bars, wholeName, partName, write, table }: Chart): Markup {
  const top = niceTop(Math.max(0, ...bars.map(({ whole }) => whole)))
  const width = 100 / Math.max(bars.length, 1)
  const path = (name: 'whole' | 'part') =>
    bars
      .map((bar, index) => {
        const [left, right] = [round(width * (index + 0.15)), round(width * (index + 0.85))]
        return bar[name] > 0 ? `M${left} 100V${round(100 - (100 * bar[name]) / top)}H${right}V100Z` : ''
      })
      .join('')
  return html`<figure class="chart">
<div class="plot">
<ul class="scale" aria-hidden="true"><li>${write(top)}</li><li>${write(top / 2)}</li><li>${write(0)}</li></ul>
<svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label="${description}">
<path class="lines" d="M0 0H100M0 50H100M0 100H100"></path>
<path class="whole" d="${path('whole')}"></path>
<path class="part" d="${path('part')}"></path>
</svg>
<ul class="span" aria-hidden="true"><li>${bars[0]?.label}</li><li>${bars.at(-1)?.label}</li></ul>
</div>
<ul class="legend"><li class="whole">${wholeName}</li><li class="part">${partName}</li></ul>
<details><summary>${table.title}</summary>${table.body}</details>
</figure>`
}

/** The next of 1, 2, 2.5, 5 and their multiples by powers of ten, half of which is still easy to read. */
export function niceTop(most: number): number {
  if (most <= 0) return 1
  const unit = 10 ** Math.floor(Math.log10(most))
  return [1, 2, 2.5, 5, 10].map((step) => step * unit).find((step) => step >= most)!
}

const round = (value: number): number => Math.round(value * 100) / 100
