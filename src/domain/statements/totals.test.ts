import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry, Summary } from './entry.ts'
import { Totals } from './totals.ts'

const [a, b] = ['40702810300000000042', '40702810600000000043'] as const

const says = (changes: Partial<Summary>, account: string = a): { summary: Summary } => ({
  summary: {
    ...{
      account,
      from: null,
      to: null,
      completeTo: null,
      role: 'booked' as const,
      creditCents: null,
      debitCents: null,
    },
    ...{ openingCents: null, closingCents: null },
    ...changes,
  },
})
const row = (direction: Entry['direction'], cents: bigint, account: string = a, from = '') => ({
  entry: { account, direction, cents, payerAccount: from } as Entry,
})
type Case = [
  what: string,
  parts: ({ summary: Summary } | { entry: Entry })[],
  lost: { badRows?: number; pending?: number },
  differences: string[],
]

const cases: Case[] = [
  [
    'sums and balances that hold',
    [
      says({ creditCents: 500n, debitCents: 200n, openingCents: -100n, closingCents: 200n }),
      row('credit', 500n),
      row('debit', 200n),
    ],
    {},
    [],
  ],
  [
    'credits that differ',
    [says({ creditCents: 501n }), row('credit', 500n)],
    {},
    ['Account …0042: the file states 5.01 incoming, but its rows add up to 5.00.'],
  ],
  [
    'debits that differ',
    [says({ debitCents: 200n }), row('credit', 500n)],
    {},
    ['Account …0042: the file states 2.00 outgoing, but its rows add up to 0.00.'],
  ],
  [
    'balances that do not fit the totals',
    [says({ creditCents: 500n, debitCents: 0n, openingCents: 100n, closingCents: -5n }), row('credit', 500n)],
    {},
    ['Account …0042: its balances change by -1.05, but incoming minus outgoing is 5.00.'],
  ],
  [
    'balances that do not fit the rows, where no totals are stated',
    [row('credit', 500n), row('debit', 1n), says({ openingCents: 0n, closingCents: 500n })],
    {},
    ['Account …0042: its balances change by 5.00, but incoming minus outgoing is 4.99.'],
  ],
  ['a balance alone', [says({ openingCents: 100n }), row('credit', 500n)], {}, []],
  ['no figures at all', [says({}), row('credit', 500n)], {}, []],
  ['rows without any summary', [row('credit', 500n)], {}, []],
  [
    'several days',
    [
      says({ creditCents: 500n, openingCents: 0n, closingCents: 500n }),
      says({ creditCents: 700n, openingCents: 500n, closingCents: 1_000n, debitCents: null }),
      row('credit', 1_200n),
      row('debit', 200n),
    ],
    {},
    [],
  ],
  [
    'several days, one of which has no total: nothing is compared',
    [says({ creditCents: 500n }), says({}), row('credit', 1_200n)],
    {},
    [],
  ],
  [
    'a bad row may be what is missing',
    [
      says({ creditCents: 500n, debitCents: 100n, openingCents: 0n, closingCents: 400n }),
      row('credit', 300n),
    ],
    { badRows: 1 },
    [],
  ],
  [
    'a bad row does not explain a row too many',
    [says({ creditCents: 500n }), row('credit', 501n)],
    { badRows: 1 },
    ['Account …0042: the file states 5.00 incoming, but its rows add up to 5.01.'],
  ],
  [
    'balances are not compared with rows of which one is bad',
    [row('credit', 300n), says({ openingCents: 0n, closingCents: 400n })],
    { badRows: 1 },
    [],
  ],
  [
    'totals may hold what is not booked yet, balances never do',
    [row('credit', 300n), says({ creditCents: 500n, openingCents: 0n, closingCents: 300n })],
    { pending: 1 },
    [],
  ],
  [
    'balances are compared with what is booked',
    [row('credit', 300n), says({ creditCents: 500n, openingCents: 0n, closingCents: 500n })],
    { pending: 1 },
    ['Account …0042: its balances change by 5.00, but incoming minus outgoing is 3.00.'],
  ],
  [
    'two accounts are kept apart',
    [says({ creditCents: 500n }), says({ creditCents: 1n }, b), row('credit', 500n), row('credit', 2n, b)],
    {},
    ['Account …0043: the file states 0.01 incoming, but its rows add up to 0.02.'],
  ],
  ...[1, 2].map(
    (times): Case => [
      `money between two accounts of one file, written ${times === 1 ? 'once' : 'once for either side'}`,
      [
        says({ creditCents: 0n, debitCents: 500n, openingCents: 500n, closingCents: 0n }),
        says({ creditCents: 500n, debitCents: 0n, openingCents: 0n, closingCents: 500n }, b),
        ...Array.from({ length: times }, () => row('credit', 500n, b, a)),
      ],
      {},
      times === 1
        ? []
        : [
            'Account …0042: the file states 5.00 outgoing, but its rows add up to 10.00.',
            'Account …0043: the file states 5.00 incoming, but its rows add up to 10.00.',
          ],
    ],
  ),
  [
    'money from an account of ours that the file is not about counts as any other',
    [says({ creditCents: 400n }, b), row('credit', 500n, b, a)],
    {},
    ['Account …0043: the file states 4.00 incoming, but its rows add up to 5.00.'],
  ],
]

const [day, next, later] = ['2026-11-14', '2026-11-15', '2026-11-16'] as const
const daily = (
  from: string | null,
  to: string | null,
  openingCents: bigint | null,
  closingCents: bigint,
) => ({
  summary: { ...says({ from, to, openingCents, closingCents }).summary },
})

cases.push(
  [
    'days that follow each other, in any order',
    [daily(next, next, 5n, 9n), daily(later, later, 9n, 9n), daily(day, day, 0n, 5n), row('credit', 9n)],
    {},
    [],
  ],
  [
    'a balance that is another one on the next day',
    [daily(day, day, 0n, 5n), daily(next, next, 6n, 10n), row('credit', 9n)],
    {},
    [
      'Account …0042: the section that ends on 2026-11-14 closes with 0.05, and the next one opens with 0.06.',
    ],
  ],
  [
    'sections without days are taken as they stand',
    [daily(null, null, 0n, 5n), daily(null, null, 6n, 10n), row('credit', 9n)],
    {},
    ['Account …0042: the section that ends on ? closes with 0.05, and the next one opens with 0.06.'],
  ],
)

for (const [what, parts, { badRows = 0, pending = 0 }, differences] of cases)
  test(`totals: ${what}`, () => {
    const totals = new Totals(pending > 0 ? 'camt' : '1c')
    for (const part of parts) {
      if ('summary' in part) totals.addSummary(part.summary)
      else totals.seen(part.entry)
    }
    assert.deepEqual(totals.differences({ badRows, pending }).map(String), differences)
  })

test('totals: in 1C no day is in two sections of one account', () => {
  const sentencesOf = (format: '1c' | 'camt', ...summaries: { summary: Summary }[]) => {
    const totals = new Totals(format)
    for (const { summary } of summaries) totals.addSummary(summary)
    return totals.differences({ badRows: 0, pending: 0 }).map(String)
  }
  const month = daily(day, later, 0n, 0n)
  const twice = [month, daily(next, next, 0n, 0n)]
  assert.deepEqual(sentencesOf('1c', ...twice), [
    'Account …0042: the file contains 2026-11-15 in two sections.',
  ])
  assert.deepEqual(sentencesOf('1c', daily(day, day, 0n, 0n), daily(next, later, 0n, 0n)), [])
  // Reports of camt.052 repeat one day several times.
  assert.deepEqual(sentencesOf('camt', ...twice), [])
  assert.throws(() => sentencesOf('1c', ...Array.from({ length: 10_001 }, () => month)), /more than 10,000/)
})

const nothing = 'no total of incoming payments'
for (const [what, format, parts, state, missing] of [
  ['no summary', 'csv', [row('credit', 5n)], 'none', 1],
  ['a summary without figures', '1c', [says({}), row('credit', 5n)], 'none', 1],
  ['a sum', '1c', [says({ creditCents: 5n }), row('credit', 5n)], 'agree', 0],
  ['a sum that differs', '1c', [says({ creditCents: 6n }), row('credit', 5n)], 'differ', 0],
  ['a sum of one day of two', '1c', [says({ creditCents: 5n }), says({}), row('credit', 5n)], 'none', 1],
  ['a sum of debits alone', '1c', [says({ debitCents: 0n }), row('credit', 5n)], 'none', 1],
  ['a sum of debits of rows that are debits', '1c', [says({ debitCents: 5n }), row('debit', 5n)], 'agree', 0],
  [
    'balances in camt',
    'camt',
    [says({ openingCents: 0n, closingCents: 4n }), row('credit', 5n), row('debit', 1n)],
    'agree',
    0,
  ],
  ['balances in 1C', '1c', [says({ openingCents: 0n, closingCents: 5n }), row('credit', 5n)], 'agree', 0],
  [
    'balances in 1C, and debits',
    '1c',
    [says({ openingCents: 0n, closingCents: 4n }), row('credit', 5n), row('debit', 1n)],
    'none',
    1,
  ],
  [
    'balances and the sum of debits in 1C',
    '1c',
    [says({ openingCents: 0n, closingCents: 4n, debitCents: 1n }), row('credit', 5n), row('debit', 1n)],
    'agree',
    0,
  ],
  ['one balance of two', 'camt', [says({ openingCents: 0n }), row('credit', 5n)], 'none', 1],
  [
    'balances of accounts with money between them in 1C, which has it once for both',
    '1c',
    [
      says({ openingCents: 5n, closingCents: 0n }),
      says({ openingCents: 0n, closingCents: 5n }, b),
      row('credit', 5n, b, a),
    ],
    'agree',
    0,
  ],
  [
    'balances in MT940, and debits',
    'mt940',
    [says({ openingCents: 0n, closingCents: 4n }), row('credit', 5n), row('debit', 1n)],
    'none',
    1,
  ],
  [
    'balances of accounts with money between them in camt, where each has a row of its own',
    'camt',
    [
      says({ openingCents: 5n, closingCents: 0n }),
      says({ openingCents: 0n, closingCents: 5n }, b),
      row('debit', 5n),
      row('credit', 5n, b, a),
    ],
    'agree',
    0,
  ],
  [
    'two accounts, one without',
    '1c',
    [says({ creditCents: 5n }), row('credit', 5n), row('credit', 5n, b)],
    'none',
    1,
  ],
  ['a day without payments', '1c', [says({ creditCents: 0n })], 'agree', 0],
  ['nothing at all', '1c', [says({})], 'none', 0],
] as [string, '1c' | 'camt' | 'csv' | 'mt940', Case[1], string, number][])
  test(`totals: what a file is worth that has ${what}`, () => {
    const totals = new Totals(format)
    for (const part of parts) {
      if ('summary' in part) totals.addSummary(part.summary)
      else totals.seen(part.entry)
    }
    assert.equal(totals.state(totals.differences({ badRows: 0, pending: 0 })), state)
    assert.equal(totals.missing().filter((sentence) => sentence.text.includes(nothing)).length, missing)
  })
