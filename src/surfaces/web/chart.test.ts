/** Charts: drawn from zero, whatever there is to draw; also when there is nothing, or one bar. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chart, niceTop } from './chart.ts'
import { render } from './html.ts'

const drawn = (...bars: [whole: number, part: number][]) =>
  render(
    chart({
      description: 'What it shows',
      bars: bars.map(([whole, part], index) => ({ label: `${index + 1} Nov`, whole, part })),
      wholeName: '<b>all</b>',
      partName: 'some',
      write: String,
      table: { title: 'As a table', body: 'table' },
    }),
  )

test('bars begin at zero, nothing is divided by nothing, and names stay text', () => {
  const one = drawn([4, 2])
  assert.match(one, /class="whole" d="M15 100V20H85V100Z"/)
  assert.match(one, /class="part" d="M15 100V60H85V100Z"/)
  assert.match(one, /<li class="whole">&lt;b&gt;all&lt;\/b&gt;<\/li>/)
  for (const text of [one, drawn(), drawn([0, 0], [5, 0])]) {
    assert.doesNotMatch(text, /NaN|Infinity|style=/)
    assert.match(text, /<details><summary>As a table<\/summary>table<\/details>/)
  }
  assert.match(drawn([0, 0]), /<li>1<\/li><li>0\.5<\/li><li>0<\/li>/)
})

test('the top of a scale is a number that its half is easy to read of', () => {
  const cases: [most: number, top: number][] = [
    [0, 1],
    [1.2, 2],
    [2.1, 2.5],
    [3, 5],
    [7, 10],
    [12_345, 20_000],
    [0.03, 0.05],
  ]
  for (const [most, top] of cases) assert.equal(niceTop(most), top, String(most))
})
