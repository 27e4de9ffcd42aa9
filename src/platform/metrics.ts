/**
 * Numbers for Prometheus, in its text format 0.0.4. Small on purpose: counters, gauges and histograms with fixed
 * buckets, kept in memory and written out when somebody asks.
 *
 * A set of labels is a row that is kept for as long as the process runs, so label values come from closed sets of
 * ours: never an id, an address or anything else that a client chooses.
 */

type Labels = Readonly<Record<string, string>>

type Counter = {
  add(count?: number, labels?: Labels): void
  /** For a total that is kept elsewhere and only grows. */
  set(total: number, labels?: Labels): void
}

type Gauge = {
  set(value: number, labels?: Labels): void
  /** Removes a value that is unknown: a stale number is worse than none. */
  clear(): void
}

type Histogram = { observe(value: number, labels?: Labels): void }

/** How the values of several processes become one: a counter's and a histogram's are added. */
type Joining = 'sum' | 'max' | 'min'

/** A metric with its rows, as processes hand it to each other: the text before each value, and the value. */
export type MetricFamily = {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  joining: Joining
  rows: [text: string, value: number][]
}

type Registry = {
  counter(name: string, help: string): Counter
  gauge(name: string, help: string, joining?: Joining): Gauge
  histogram(name: string, help: string, buckets: readonly number[]): Histogram
  /** Runs before every scrape, to set values that are only read on demand. */
  onCollect(look: () => void | Promise<void>): void
  collect(): Promise<MetricFamily[]>
}

export const contentType = 'text/plain; version=0.0.4; charset=utf-8'

type Metric = Omit<MetricFamily, 'rows'> & { rows: () => MetricFamily['rows'] }

export function createRegistry(): Registry {
  const metrics = new Map<string, Metric>()
  const collectors: (() => void | Promise<void>)[] = []

  const register = (metric: Metric) => {
    if (!/^[a-z][a-z0-9_]*$/.test(metric.name)) throw new Error(`"${metric.name}" is no name of a metric.`)
    if (metrics.has(metric.name)) throw new Error(`The metric ${metric.name} exists already.`)
    metrics.set(metric.name, metric)
  }

  return {
    counter(name, help) {
      const values = new Map<string, number>()
      register({ name, help, type: 'counter', joining: 'sum', rows: () => plainRows(name, values) })
      return {
        add(count = 1, labels = {}) {
          const key = textOf(labels)
          values.set(key, (values.get(key) ?? 0) + count)
        },
        set: (total, labels = {}) => void values.set(textOf(labels), total),
      }
    },
    gauge(name, help, joining = 'sum') {
      const values = new Map<string, number>()
      register({ name, help, type: 'gauge', joining, rows: () => plainRows(name, values) })
      return {
        set: (value, labels = {}) => void values.set(textOf(labels), value),
        clear: () => values.clear(),
      }
    },
    histogram(name, help, buckets) {
      if (buckets.some((bound, index) => index > 0 && bound <= buckets[index - 1]!)) {
        throw new Error(`The buckets of ${name} must grow.`)
      }
      const series = new Map<string, Series>()
      const rows = () => histogramRows(name, buckets, series)
      register({ name, help, type: 'histogram', joining: 'sum', rows })
      return {
        observe(value, labels = {}) {
          const key = textOf(labels)
          const histogram = series.get(key) ?? { counts: new Array(buckets.length + 1).fill(0), sum: 0 }
          series.set(key, histogram)
          const place = buckets.findIndex((bound) => value <= bound)
          histogram.counts[place === -1 ? buckets.length : place]! += 1
          histogram.sum += value
        },
      }
    },
    onCollect: (look) => void collectors.push(look),
    async collect() {
      for (const look of collectors) await look()
      return [...metrics.values()].map((metric) => ({ ...metric, rows: metric.rows() }))
    },
  }
}

export const textOfMetrics = (families: readonly MetricFamily[]): string =>
  families
    .flatMap(({ name, help, type, rows }) => [
      `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`,
      `# TYPE ${name} ${type}`,
      ...rows.map(([text, value]) => `${text} ${numberText(value)}`),
    ])
    .map((line) => `${line}\n`)
    .join('')

/** One answer for several processes. */
export function joinMetrics(processes: readonly (readonly MetricFamily[])[]): MetricFamily[] {
  const joined = new Map<string, { family: MetricFamily; rows: Map<string, number> }>()
  for (const family of processes.flat()) {
    const known = joined.get(family.name) ?? { family, rows: new Map<string, number>() }
    joined.set(family.name, known)
    for (const [text, value] of family.rows) {
      const before = known.rows.get(text)
      known.rows.set(text, before === undefined ? value : join[family.joining](before, value))
    }
  }
  return [...joined.values()].map(({ family, rows }) => ({ ...family, rows: [...rows] }))
}

const join: Record<Joining, (left: number, right: number) => number> = {
  sum: (left, right) => left + right,
  max: Math.max,
  min: Math.min,
}

/** How often each bucket, the last one without end, was hit. Prometheus wants them added up: see below. */
type Series = { counts: number[]; sum: number }

function histogramRows(
  name: string,
  buckets: readonly number[],
  series: Map<string, Series>,
): MetricFamily['rows'] {
  return [...series].flatMap(([labels, { counts, sum }]) => {
    let below = 0
    const rows = counts.map((count, place): [string, number] => {
      below += count
      const bound = `le="${place === buckets.length ? '+Inf' : buckets[place]}"`
      return [`${name}_bucket{${labels === '' ? bound : `${labels},${bound}`}}`, below]
    })
    return [...rows, [labelled(`${name}_sum`, labels), sum], [labelled(`${name}_count`, labels), below]]
  })
}

const plainRows = (name: string, values: Map<string, number>): MetricFamily['rows'] =>
  [...values].map(([labels, value]) => [labelled(name, labels), value])

const labelled = (name: string, labels: string) => `${name}${labels === '' ? '' : `{${labels}}`}`

const numberText = (value: number) =>
  value === Number.POSITIVE_INFINITY ? '+Inf' : value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value)

/** Labels as they are written out, which also tells one row from another. */
const textOf = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',')

const escaped = (value: string) =>
  /^\w*$/.test(value) ? value : value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
