/** Charts: drawn from zero, whatever there is to draw; also when there is nothing, or one point. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chart, niceTop, type Series } from './chart.ts'
import { render } from './html.ts'

const drawn = (series: readonly Series[], labels = ['1 Nov', '2 Nov', '3 Nov']) =>
  render(
    chart({
      description: 'What it shows',
      labels,
      series,
      write: String,
      nothing: 'No data',
      table: { title: 'As a table', body: 'table' },
    }),
  )

test('without a point it says so, and still has its table', () => {
  for (const points of [[], [null, null, null]]) {
    const text = drawn([{ name: 'a', kind: 'line', points }])
    assert.match(text, /No data/)
    assert.doesNotMatch(text, /<svg/)
    assert.match(text, /<details><summary>As a table<\/summary>table<\/details>/)
  }
})

test('a single point is a dot or a bar, and nothing is divided by nothing', () => {
  const dot = drawn([{ name: 'a', kind: 'line', points: [4] }], ['1 Nov'])
  assert.match(dot, /class="dots series-0" d="M50 20h0"/)
  const bar = drawn([{ name: 'a', kind: 'bars', points: [4] }], ['1 Nov'])
  assert.match(bar, /class="bars series-0" d="M12 100V20H88V100Z"/)
  const area = drawn([{ name: 'a', kind: 'area', points: [null, 4, null] }])
  assert.match(area, /class="dots series-0" d="M50 20h0"/)
  for (const text of [dot, bar, area]) assert.doesNotMatch(text, /NaN|Infinity|style=/)
})

test('bars and areas begin at zero, a gap stays a gap, and zeros alone are a scale of one', () => {
  const bars = drawn([{ name: 'a', kind: 'bars', points: [0, 5, null] }])
  assert.match(bars, /d="M37\.33 100V0H62\.67V100Z"/)
  const lines = drawn([{ name: 'a', kind: 'area', points: [1, 2, null, 2, 1] }])
  assert.equal(/class="line series-0" d="([^"]+)"/.exec(lines)![1]!.match(/M/g)!.length, 2)
  assert.match(/class="area series-0" d="([^"]+)"/.exec(lines)![1]!, /L\S+ 100L\S+ 100Z/)
  assert.match(drawn([{ name: 'a', kind: 'bars', points: [0] }]), /<li>1<\/li><li>0\.5<\/li><li>0<\/li>/)
})

test('two series have a legend, and what they are called stays text', () => {
  const text = drawn([
    { name: '<b>half</b>', kind: 'line', points: [1, 2] },
    { name: 'most', kind: 'line', points: [2, 4] },
  ])
  assert.match(text, /<li class="series-0">&lt;b&gt;half&lt;\/b&gt;<\/li><li class="series-1">most<\/li>/)
})

test('the top of a scale is a number that its half is easy to read of', () => {
  const cases: [most: number, top: number][] = [
    [0, 1],
    [1, 1],
    [1.2, 2],
    [2.1, 2.5],
    [3, 5],
    [7, 10],
    [99, 100],
    [12_345, 20_000],
    [0.03, 0.05],
  ]
  for (const [most, top] of cases) assert.equal(niceTop(most), top, String(most))
})
