import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dayAt } from '../../transfers/bank-text/days.ts'
import type { DateFormat } from './csv-mapping.ts'
import { dateOf, earliest, isoDate } from './dates.ts'

const written: [text: string, format: DateFormat, day: string | undefined, time?: string | null][] = [
  ['14.11.2026', 'dd.mm.yyyy', '2026-11-14', null],
  [' 14.11.2026 12:31 ', 'dd.mm.yyyy', '2026-11-14', '12:31:00'],
  ['14.11.2026 12:31:05', 'dd.mm.yyyy', '2026-11-14', '12:31:05'],
  ['2026-11-14T23:59:59', 'yyyy-mm-dd', '2026-11-14', '23:59:59'],
  ['14/11/2026', 'dd/mm/yyyy', '2026-11-14', null],
  ['14-11-2026', 'dd-mm-yyyy', '2026-11-14', null],
  ['2026.11.14', 'yyyy.mm.dd', '2026-11-14', null],
  ['14.11.26', 'dd.mm.yy', '2026-11-14', null],
  ['29.02.2028', 'dd.mm.yyyy', '2028-02-29', null],
  ['29.02.2026', 'dd.mm.yyyy', undefined],
  ['31.02.2026', 'dd.mm.yyyy', undefined],
  ['31.04.2026', 'dd.mm.yyyy', undefined],
  ['00.01.2026', 'dd.mm.yyyy', undefined],
  ['01.00.2026', 'dd.mm.yyyy', undefined],
  ['01.13.2026', 'dd.mm.yyyy', undefined],
  ['01.01.0001', 'dd.mm.yyyy', undefined], // how 1C writes no date
  ['31.12.2999', 'dd.mm.yyyy', '2999-12-31', null],
  ['01.01.3000', 'dd.mm.yyyy', undefined],
  ['1.1.2026', 'dd.mm.yyyy', undefined],
  ['14x11x2026', 'dd.mm.yyyy', undefined],
  ['14.11.2026 25:00', 'dd.mm.yyyy', undefined],
  ['2026-11-14', 'dd.mm.yyyy', undefined],
  ['', 'dd.mm.yyyy', undefined],
]

test('a day is read as the format says, and a day that no calendar has is none', () => {
  for (const [text, format, day, time] of written)
    assert.deepEqual(
      dateOf(text, format),
      day === undefined ? undefined : { day, time },
      `${text} as ${format}`,
    )
})

test('a time with an offset is booked on the bank’s day, one without is the bank’s own', () => {
  const cases: [text: string, currency: 'RUB' | 'KZT', day: string, at: string | null][] = [
    ['2026-11-14', 'RUB', '2026-11-14', null],
    ['2026-11-14+03:00', 'RUB', '2026-11-14', null],
    ['2026-11-13T20:59:59Z', 'RUB', '2026-11-13', '2026-11-13T20:59:59Z'],
    ['2026-11-13T21:00:00Z', 'RUB', '2026-11-14', '2026-11-13T21:00:00Z'],
    ['2026-11-14T00:30:00+05:00', 'RUB', '2026-11-13', '2026-11-14T00:30:00+05:00'],
    ['2026-11-14T00:30:00', 'KZT', '2026-11-14', '2026-11-14T00:30:00+05:00'],
    ['2026-11-14T00:30:00.5', 'RUB', '2026-11-14', '2026-11-14T00:30:00.5+03:00'],
  ]
  for (const [text, currency, day, at] of cases)
    assert.deepEqual(isoDate('BookgDt', text, currency), { day, at: at && new Date(at) }, text)
  for (const text of ['2026-02-31', '14.11.2026', '', '2026-11-14T24:00:00', '9999-12-31T23:59:59-14:00'])
    assert.throws(() => isoDate('BookgDt', text, 'RUB'), /BookgDt/)
})

test('the day of a moment counts the sign and the minutes of the offset', () => {
  for (const [moment, offset, day] of [
    ['2026-11-13T20:59:59Z', '+03:00', '2026-11-13'],
    ['2026-11-13T21:00:00Z', '+03:00', '2026-11-14'],
    ['2026-11-13T18:29:59Z', '+05:30', '2026-11-13'],
    ['2026-11-13T18:30:00Z', '+05:30', '2026-11-14'],
    ['2026-11-14T02:59:59Z', '-03:00', '2026-11-13'],
    ['2026-11-14T03:00:00Z', '-03:00', '2026-11-14'],
    ['2026-11-14T03:29:59Z', '-03:30', '2026-11-13'],
    ['2026-11-14T00:30:00+05:00', '+00:00', '2026-11-13'],
    ['2026-11-14T00:30:00+05:00', 'Z', '2026-11-13'],
  ] as const)
    assert.equal(dayAt(new Date(moment), offset), day, `${moment} at ${offset}`)
})

test('the earliest of the known days counts', () => {
  assert.equal(earliest(['2026-11-14', undefined, '2026-11-13']), '2026-11-13')
  assert.equal(earliest([undefined]), null)
})
