/**
 * Payers write what they like, and a bank's program may or may not quote it. Whatever they write: a file that is accepted
 * without a warning yields no entry that the bank did not write, and no more money than its entries.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { many } from '../../../../test/support/attempts.ts'
import { numberCell, textCell, workbookOf } from '../../../../test/support/writers/xlsx.ts'
import { currencyOf } from '../../../../test/vectors/statements/statement-case.ts'
import { decimal } from '../../money.ts'
import type { Part } from '../entry.ts'
import { Totals } from '../totals.ts'
import { csv } from './csv.ts'
import type { CsvMapping } from './csv-mapping.ts'
import { xlsx } from './xlsx.ts'

const account = 'KZ90999TEST000000001'

type Written = { cents: bigint; payer: string; purpose: string }

/** What a payer could write to make a row of its own, to hide one, or to make a total look right. */
const hostile = fc
  .array(
    fc.constantFrom(
      ...[
        '"',
        '""',
        ';',
        ',',
        '\t',
        '\n',
        '\r',
        '\r\n',
        '\u2028',
        '\v',
        '=1+1',
        '@SUM(A1)',
        "'",
        ' ',
        'x',
        'KT48219034',
      ],
      ...[
        '14.11.2026;50000,00;51000,00;x;y',
        '14.11.2026;x;50000,00;51000,00;y',
        '"\r\n14.11.2026;50000;1;"',
      ],
      ...['\r\n14.11.2026;Иван;50000,00;1000,00;forged', '\n14.11.2026;Иван;50000,00;1000,00;forged'],
      ...['\r\nИтого;;50000;;', '\r\nИтого', '50000', '-', '+', '"x"', ';"'],
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(''))

/** Most payers mean no harm: a file of theirs is taken, so that there is something to compare. */
const plain = fc.constantFrom('Иванов Иван', 'Оплата заказа 7', 'KT48219034', '')

const entries = fc.array(
  fc.record({
    cents: fc.bigInt({ min: -9_999_999n, max: 9_999_999n }).filter((cents) => cents !== 0n),
    payer: fc.oneof(plain, hostile),
    purpose: fc.oneof(plain, hostile),
  }),
  { minLength: 1, maxLength: 6 },
)

/** Nobody but the bank knows what is on the account. */
const opening = fc.bigInt({ min: 1_000_000_000n, max: 99_999_999_999n })

const names = {
  date: 'Дата',
  payerName: 'Плательщик',
  amount: 'Сумма',
  balance: 'Остаток',
  purpose: 'Назначение',
}
const order = fc.shuffledSubarray(Object.keys(names) as (keyof typeof names)[], { minLength: 5 })

const mappingOf = (columns: (keyof typeof names)[]): CsvMapping => ({
  encoding: 'utf-8',
  separator: ';',
  skipRows: 0,
  header: columns.map((name) => names[name]),
  dateFormat: 'dd.mm.yyyy',
  account,
  columns: {
    ...(Object.fromEntries(columns.map((name, at) => [name, at])) as { date: number; amount: number }),
    purpose: [columns.indexOf('purpose')],
  },
})

const amount = (cents: bigint) => (cents < 0n ? `-${decimal(-cents)}` : decimal(cents))

function tableOf(columns: (keyof typeof names)[], all: readonly Written[], from: bigint): string[][] {
  let balance = from
  return all.map(({ cents, payer, purpose }) => {
    balance += cents
    const values = {
      date: '14.11.2026',
      payerName: payer,
      amount: amount(cents),
      balance: amount(balance),
      purpose,
    }
    return columns.map((name) => values[name])
  })
}

async function read(bytes: Uint8Array, mapping: CsvMapping, format = csv) {
  async function* given() {
    yield bytes
  }
  const parts: Part[] = []
  const totals = new Totals()
  try {
    for await (const part of format.read(given(), { currencyOf, mapping })) {
      parts.push(part)
      if ('entry' in part) totals.seen(part.entry)
      if ('summary' in part) totals.addSummary(part.summary)
    }
  } catch (error) {
    assert.equal((error as Error).name, 'DamagedStatement', String(error))
    return { isClean: false, moved: [] }
  }
  const isClean =
    parts.every((part) => 'entry' in part || 'summary' in part) &&
    totals.differences({ badRows: 0, pending: 0 }).length === 0
  const moved = parts.flatMap((part) =>
    'entry' in part ? [part.entry.direction === 'credit' ? part.entry.cents : -part.entry.cents] : [],
  )
  return { isClean, moved }
}

/** Each amount that was read is one that the bank wrote. */
function assertWritten(moved: readonly bigint[], all: readonly Written[]): void {
  const left = all.map(({ cents }) => cents)
  for (const cents of moved) {
    const at = left.indexOf(cents)
    assert.notEqual(at, -1, `${cents} was never written`)
    left.splice(at, 1)
  }
}

const file = (rows: readonly string[][], end: string) =>
  new TextEncoder().encode(rows.map((row) => row.join(';') + end).join(''))

test('CSV written as RFC 4180 says: every entry is read, whatever payers write, and a clean file is exact', async () => {
  await fc.assert(
    fc.asyncProperty(entries, order, opening, async (all, columns, from) => {
      const mapping = mappingOf(columns)
      const quoted = [mapping.header, ...tableOf(columns, all, from)].map((row) =>
        row.map((field) => `"${field.replaceAll('"', '""')}"`),
      )
      const { moved } = await read(file(quoted, '\r\n'), mapping)
      assert.deepEqual(
        moved,
        all.map(({ cents }) => cents),
      )
    }),
    { numRuns: many(1_000, 300) },
  )
})

test('CSV written without quotes: the running balance catches every row that a payer has made', async () => {
  const numRuns = many(5_000, 1_500)
  let accepted = 0
  await fc.assert(
    fc.asyncProperty(
      entries,
      order,
      opening,
      fc.constantFrom('\r\n', '\n', '\r'),
      async (all, columns, from, end) => {
        const mapping = mappingOf(columns)
        const rows = [mapping.header, ...tableOf(columns, all, from)]
        const { isClean, moved } = await read(file(rows, end), mapping)
        if (!isClean) return
        accepted++
        assertWritten(moved, all)
      },
    ),
    { numRuns },
  )
  assert.ok(accepted > numRuns / 50, `${accepted} were accepted`)
})

test('a workbook holds what payers write as text: no formula, no row, no cell of its own', async () => {
  await fc.assert(
    fc.asyncProperty(entries, order, opening, async (all, columns, from) => {
      const mapping = mappingOf(columns)
      const numbers = [columns.indexOf('amount'), columns.indexOf('balance')]
      const rows = tableOf(columns, all, from).map((row) =>
        row.map((field, at) => (numbers.includes(at) ? numberCell(field) : hostileCell(field))),
      )
      const bytes = workbookOf([mapping.header.map(textCell), ...rows])
      const { isClean, moved } = await read(bytes, mapping, xlsx)
      assert.deepEqual(
        moved,
        all.map(({ cents }) => cents),
      )
      assert.ok(isClean)
    }),
    { numRuns: many(300, 60) },
  )
})

/** With its line breaks, as a bank's program writes it. */
const hostileCell = (text: string) => ({
  type: 'inlineStr' as const,
  content: `<is><t xml:space="preserve">${text.replace(/[&<>\v]/g, (letter) => (letter === '\v' ? ' ' : `&#${letter.charCodeAt(0)};`))}</t></is>`,
})

test('a separator in a payer’s name moves no other text into the column of the amount', async () => {
  const columns: (keyof typeof names)[] = ['balance', 'date', 'payerName', 'amount', 'purpose']
  const rows = tableOf(columns, [{ cents: 1n, payer: ';50000', purpose: '' }], 1_000_000n)
  for (const tail of ['', ';']) {
    const mapping = mappingOf(columns)
    const lines = [mapping.header, ...rows].map((fields) => fields.join(';') + tail)
    const { isClean, moved } = await read(Buffer.from(lines.join('\n')), mapping)
    assert.deepEqual([isClean, moved], [false, []])
  }
  // Where the header ends with a separator too, the bank's program ends every line with one.
  const [honest] = tableOf(columns, [{ cents: 1n, payer: 'Иванов', purpose: '' }], 1_000_000n)
  const text = [mappingOf(columns).header, honest!].map((fields) => `${fields.join(';')};`).join('\n')
  assert.deepEqual(await read(Buffer.from(text), mappingOf(columns)), { isClean: true, moved: [1n] })
})

test('if a header ends with a separator and its rows do not, a row with one more gives a warning', async () => {
  const columns: (keyof typeof names)[] = ['date', 'payerName', 'amount', 'purpose']
  const mapping = mappingOf(columns)
  const written = [';50000', 'Иванов', 'Мы'].map((payer, at) => ({
    cents: [1n, 1n, -1n][at]!,
    payer,
    purpose: '',
  }))
  const rows = tableOf(columns, written, 0n).map((fields) => fields.join(';'))
  const [forged, honest, debit] = rows as [string, string, string]
  const isClean = async (rows: readonly string[]) => {
    const text = [`${mapping.header.join(';')};`, ...rows].join('\n')
    return (await read(Buffer.from(text), mapping)).isClean
  }
  assert.equal(await isClean([forged, honest, debit]), false)
  assert.equal(await isClean([honest, debit, forged]), false)
  assert.equal(await isClean([honest, debit]), true)
})
