/** Lines, their totals and the proof; and how they look in each form. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { differenceOf, maskedName, type ReportFormat, type ReportLine, surplusOf, Tally } from './report.ts'
import { csvFormat, jsonFormat, tableFormat } from './report-formats.ts'

const line = (changes: Partial<ReportLine> = {}): ReportLine => ({
  kind: 'transfer',
  bookedOn: '2026-11-15',
  currency: 'RUB',
  merchantId: 'm1',
  merchantName: 'Лавка',
  placeId: 'r1',
  requisite: 'account_ru •••• 0042',
  depositId: 'd1',
  orderId: 'order-1',
  depositState: 'confirmed',
  labels: [],
  askedCents: 1_000n,
  isFirst: true,
  transferId: 't1',
  isFurtherShare: false,
  bankReference: '77',
  documentNumber: '7',
  payer: 'Иванов И. 4081…0001',
  state: 'matched',
  rule: 'reference',
  decidedBy: 'matcher',
  cents: 1_000n,
  depositCents: 1_000n,
  refundCents: 0n,
  openCents: 0n,
  surplusCents: 0n,
  byHandCents: 0n,
  callback: { event: 'deposit.confirmed', state: 'delivered', deliveredAt: new Date('2026-11-15T10:00:00Z') },
  ...changes,
})

const unmatched = (cents: bigint) =>
  line({
    ...{ merchantId: null, merchantName: null, depositId: null, orderId: null, depositState: null },
    ...{ askedCents: null, isFirst: false, state: 'unmatched', rule: 'no_candidate', callback: null },
    ...{ cents, depositCents: 0n, openCents: cents },
  })

const apart = (state: 'duplicate' | 'revoked' | 'debit', cents: bigint) =>
  line({ state, cents, depositCents: 0n, isFirst: false, askedCents: null })

const tallied = (lines: readonly ReportLine[]) => {
  const tally = new Tally()
  for (const line of lines) tally.add(line)
  return tally
}

const day = [
  line(),
  line({
    transferId: 't2',
    isFirst: false,
    cents: 300n,
    depositCents: 200n,
    refundCents: 100n,
    surplusCents: 200n,
  }),
  unmatched(70n),
  apart('duplicate', 1_000n),
  apart('revoked', 11n),
  apart('debit', 13n),
  line({ currency: 'UZS', placeId: 'r2', requisite: 'card •••• 0007' }),
  line({
    kind: 'deposit',
    transferId: null,
    state: 'confirmed',
    cents: 0n,
    depositCents: 0n,
    byHandCents: 500n,
  }),
]
const control = [
  { currency: 'RUB', transfers: 6, cents: 2_394n },
  { currency: 'UZS', transfers: 1, cents: 1_000n },
] as const

test('totals are by merchant, currency and requisite; unmatched money comes last', () => {
  assert.deepEqual(
    tallied(day)
      .totals()
      .map((total) => [
        total.merchantName,
        total.currency,
        total.transfers,
        total.askedCents,
        total.receivedCents,
        total.depositCents,
        total.refundCents,
        total.openCents,
        total.surplusCents,
        total.byHandCents,
      ]),
    [
      ['Лавка', 'RUB', 5, 2_000n, 1_300n, 1_200n, 100n, 0n, 200n, 500n],
      [null, 'RUB', 1, 0n, 70n, 0n, 0n, 70n, 0n, 0n],
      ['Лавка', 'UZS', 1, 1_000n, 1_000n, 1_000n, 0n, 0n, 0n, 0n],
    ],
  )
})

test('the proof: received is the sum of its parts, and what does not count stands apart', () => {
  const [roubles, sums] = tallied(day).proofs(control)
  assert.partialDeepStrictEqual(roubles, {
    currency: 'RUB',
    receivedCents: 1_370n,
    depositCents: 1_200n,
    refundCents: 100n,
    openCents: 70n,
    differenceCents: 0n,
    unbalanced: 0,
    apart: {
      duplicate: { transfers: 1, cents: 1_000n },
      revoked: { transfers: 1, cents: 11n },
      debit: { transfers: 1, cents: 13n },
      reversal: { transfers: 0, cents: 0n },
    },
    byHandDeposits: 1,
    byHandCents: 500n,
    holds: true,
  })
  assert.partialDeepStrictEqual(sums, { currency: 'UZS', holds: true })
})

for (const [title, lines, controls] of [
  ['a coin is missing', [...day.slice(1), line({ depositCents: 999n })], control],
  [
    'two wrong transfers hide each other',
    [line({ depositCents: 999n }), line({ depositCents: 1_001n })],
    [{ currency: 'RUB', transfers: 2, cents: 2_000n }],
  ],
  ['a line is lost', day.slice(1), control],
  ['a line is doubled', [...day, unmatched(1n)], control],
  ['a currency is lost', day.filter(({ currency }) => currency === 'RUB'), control],
  ['the database has nothing', [line()], []],
] as [string, ReportLine[], typeof control][]) {
  test(`the proof fails where ${title}`, () => {
    assert.ok(
      tallied(lines)
        .proofs(controls)
        .some((proof) => !proof.holds),
    )
  })
}

test('a duplicate with a coin somewhere is found', () => {
  assert.equal(differenceOf({ ...apart('duplicate', 5n), openCents: 5n }), -5n)
})

test('the surplus of each transfer adds up to the surplus of the deposit, including manual entries', () => {
  const cents = fc.bigInt(1n, 1_000n)
  fc.assert(
    fc.property(cents, fc.bigInt(0n, 2_000n), fc.array(cents, { minLength: 1 }), (asked, noted, parts) => {
      let soFar = 0n
      let sum = 0n
      for (const part of parts) {
        soFar += part
        sum += surplusOf({ askedCents: asked, notedCents: noted, soFarCents: soFar, depositCents: part })
      }
      const over = noted + soFar - asked
      assert.equal(sum, over > 0n ? over : 0n)
    }),
  )
})

for (const [name, expected] of [
  ['Иванов Иван Петрович', 'Иванов И. П.'],
  ['ИВАНОВ', 'ИВАНОВ'],
  ['  Oʻktam   Gʻaniyev ', 'Oʻktam G.'],
  ['ООО "Ромашка"', 'ООО Р.'],
  ['=cmd|x', 'cmd x.'],
  ['', ''],
] as const) {
  test(`"${name}" is shown as "${expected}"`, () => assert.equal(maskedName(name), expected))
}

const head = {
  ...({ from: '2026-11-15', to: '2026-11-15', mode: 'live', merchantId: null, currency: null } as const),
  madeAt: new Date('2026-11-16T00:00:00Z'),
}
function written(format: ReportFormat, pages: ReportLine[][]): string {
  const tally = tallied(pages.flat())
  return (
    format.begin(head) +
    pages.map((lines) => format.lines(lines)).join('') +
    format.end(tally.totals(), tally.proofs(control))
  )
}

test('CSV: every row has the columns of the header, and says what it is', () => {
  const text = written(csvFormat(';'), [day.slice(0, 3), day.slice(3)])
  const rows = text.split('\r\n').slice(0, -1)
  const columns = rows.map((row) => row.split(';').length)
  assert.deepEqual(new Set(columns), new Set([columns[0]]))
  assert.match(
    rows[0]!,
    /^\ufeffline;booked_on;bank_zone;.*;"asked \(0,00\)";.*;callback_delivered_at \(UTC\)$/,
  )
  assert.deepEqual(
    rows.slice(1).map((row) => row.split(';')[0]),
    [
      ...day.map(({ kind }) => kind),
      ...['total', 'total', 'total'],
      ...['proof', 'apart', 'apart', 'apart', 'apart', 'control'],
      ...['proof', 'apart', 'apart', 'apart', 'apart', 'control'],
    ],
  )
  assert.match(rows[1]!, /;Europe\/Moscow;RUB;.*;10,00;10,00;10,00;.*;delivered;2026-11-15T10:00:00\.000Z$/)
  assert.match(written(csvFormat(','), [day]), /,10\.00,10\.00,10\.00,/)
})

test('CSV: what merchants and payers wrote runs nowhere', () => {
  const evil = '=HYPERLINK("http://evil.example")'
  const text = written(csvFormat(';'), [
    [line({ orderId: evil, payer: evil, bankReference: evil, documentNumber: evil, merchantName: evil })],
  ])
  assert.equal(text.split(`"'=HYPERLINK(`).length - 1, 6)
  assert.doesNotMatch(text, /(^|[;,"\n])=/)
})

test('JSON: one document, exact past 2^53', () => {
  const huge = 9_007_199_254_740_993n
  const text = written(jsonFormat(), [day, [], [line({ cents: huge, depositCents: huge })]])
  const { report, lines, totals, proof } = JSON.parse(text)
  assert.deepEqual([report.from, lines.length, totals.length, proof.length], ['2026-11-15', 9, 3, 12])
  assert.match(text, /"amount_cents":9007199254740993,/)
  assert.deepEqual(JSON.parse(written(jsonFormat(), [])).lines, [])
})

test('the table: nothing in it moves the terminal, and a wrong sum cries', () => {
  const text = written(tableFormat, [[line({ orderId: 'a\u001b[2Jb\u202e', payer: 'x'.repeat(100) })]])
  assert.doesNotMatch(text, /\p{Cf}|\u001b/u)
  assert.match(text, /THE BOOKS DO NOT BALANCE/)
  assert.match(
    written(tableFormat, [day]),
    /^proof +RUB +– +– +holds +6 +20\.00 +23\.94 +13\.70 +12\.00 +1\.00 +0\.70 +2\.00 +5\.00 +0\.00$/m,
  )
  assert.doesNotMatch(written(tableFormat, [day]), /DO NOT BALANCE/)
  assert.match(tableFormat.end([], []), /No money was seen/)
})
