import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRegistry, joinMetrics, textOfMetrics } from './metrics.ts'

test('the text format: help, type, rows, in the order of their making', async () => {
  const registry = createRegistry()
  const seen = registry.counter('seen_total', 'What was seen.')
  registry.gauge('height_metres', 'How high\nit is, with a \\.').set(1.5)
  registry.gauge('unknown', 'Never set.')
  seen.add()
  seen.add(2, { kind: 'big', place: 'here' })
  seen.add(1, { kind: 'big', place: 'here' })
  assert.equal(
    textOfMetrics(await registry.collect()),
    [
      '# HELP seen_total What was seen.',
      '# TYPE seen_total counter',
      'seen_total 1',
      'seen_total{kind="big",place="here"} 3',
      '# HELP height_metres How high\\nit is, with a \\\\.',
      '# TYPE height_metres gauge',
      'height_metres 1.5',
      '# HELP unknown Never set.',
      '# TYPE unknown gauge',
      '',
    ].join('\n'),
  )
})

test('a label value cannot end its quotes or its line', async () => {
  const registry = createRegistry()
  registry.gauge('one', 'One.').set(1, { name: 'a"b\\c\nd' })
  assert.match(textOfMetrics(await registry.collect()), /^one\{name="a\\"b\\\\c\\nd"\} 1$/m)
})

test('a histogram adds its buckets up; a value on a bound belongs below it', async () => {
  const registry = createRegistry()
  const sizes = registry.histogram('size', 'Sizes.', [1, 10])
  for (const value of [0, 1, 1.5, 10, 11]) sizes.observe(value)
  sizes.observe(3, { kind: 'x' })
  const lines = textOfMetrics(await registry.collect())
    .trimEnd()
    .split('\n')
    .slice(2)
  assert.deepEqual(lines, [
    'size_bucket{le="1"} 2',
    'size_bucket{le="10"} 4',
    'size_bucket{le="+Inf"} 5',
    'size_sum 23.5',
    'size_count 5',
    'size_bucket{kind="x",le="1"} 0',
    'size_bucket{kind="x",le="10"} 1',
    'size_bucket{kind="x",le="+Inf"} 1',
    'size_sum{kind="x"} 3',
    'size_count{kind="x"} 1',
  ])
})

test('collectors are awaited, and a cleared gauge has no value', async () => {
  const registry = createRegistry()
  const age = registry.gauge('age', 'Age.')
  let known: number | undefined = 7
  registry.onCollect(async () => {
    await Promise.resolve()
    age.clear()
    if (known !== undefined) age.set(known)
  })
  assert.match(textOfMetrics(await registry.collect()), /^age 7$/m)
  known = undefined
  assert.doesNotMatch(textOfMetrics(await registry.collect()), /^age /m)
})

test('a wrong name, a name used twice and buckets that do not grow are bugs', () => {
  const registry = createRegistry()
  registry.counter('one_total', 'One.')
  assert.throws(() => registry.gauge('one_total', 'Again.'))
  assert.throws(() => registry.gauge('One-Two', 'Wrong.'))
  assert.throws(() => registry.histogram('sizes', 'Wrong.', [1, 1]))
})

test('the metrics of several processes become one: counters and histograms are added, gauges as each says', async () => {
  const processOf = async (count: number) => {
    const registry = createRegistry()
    registry.counter('done', 'Done.').add(count, { kind: `k${count}` })
    registry.counter('all', 'All.').add(count)
    registry.gauge('held', 'Held.').set(count)
    registry.gauge('delay', 'Delay.', 'max').set(count)
    registry.gauge('up', 'Up.', 'min').set(count)
    registry.histogram('size', 'Size.', [2]).observe(count)
    return registry.collect()
  }
  const joined = textOfMetrics(joinMetrics([await processOf(1), await processOf(3)]))
  assert.deepEqual(
    joined.split('\n').filter((line) => !line.startsWith('#')),
    [
      'done{kind="k1"} 1',
      'done{kind="k3"} 3',
      'all 4',
      'held 4',
      'delay 3',
      'up 1',
      'size_bucket{le="2"} 1',
      'size_bucket{le="+Inf"} 2',
      'size_sum 4',
      'size_count 2',
      '',
    ],
  )
})
