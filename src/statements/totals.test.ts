import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Count, Entry, Summary } from './entry.ts'
import { Totals } from './totals.ts'

const [a, b] = ['40702810300000000042', '40702810600000000043'] as const
const own = [a, b] as string[]

const says = (changes: Partial<Summary>, account: string = a): { summary: Summary } => ({
  summary: {
    ...{ account, from: null, to: null, creditCents: null, debitCents: null },
    ...{ openingCents: null, closingCents: null, counts: [] },
    ...changes,
  },
})
const row = (direction: Entry['direction'], cents: bigint, account: string = a, from = '') => ({
  entry: { account, direction, cents, isInternal: own.includes(from), payer: { account: from } } as Entry,
})
const count = (of: Count['of'], told: number, least: number, most = least): Count => ({
  of,
  told,
  least,
  most,
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
    ['Account …0042: the file says 5.01 came in, its rows add up to 5.00.'],
  ],
  [
    'debits that differ',
    [says({ debitCents: 200n }), row('credit', 500n)],
    {},
    ['Account …0042: the file says 2.00 went out, its rows add up to 0.00.'],
  ],
  [
    'balances that do not fit the totals',
    [says({ creditCents: 500n, debitCents: 0n, openingCents: 100n, closingCents: -5n }), row('credit', 500n)],
    {},
    ['Account …0042: its balances change by -1.05, but what came in less what went out is 5.00.'],
  ],
  [
    'balances that do not fit the rows, where no totals are told',
    [row('credit', 500n), row('debit', 1n), says({ openingCents: 0n, closingCents: 500n })],
    {},
    ['Account …0042: its balances change by 5.00, but what came in less what went out is 4.99.'],
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
    ['Account …0042: the file says 5.00 came in, its rows add up to 5.01.'],
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
    ['Account …0042: its balances change by 5.00, but what came in less what went out is 3.00.'],
  ],
  [
    'numbers of entries',
    [
      says({ counts: [count('entries', 3, 2, 3), count('credits', 2, 2), count('debits', 1, 0)] }),
      says({ counts: [count('entries', 1, 2)] }),
    ],
    {},
    ['Account …0042: the file says it has 1 debits, and 0 are in it.'],
  ],
  [
    'numbers of entries, of which some may not count',
    [says({ counts: [count('entries', 5, 2, 3)] })],
    {},
    ['Account …0042: the file says it has 5 entries, and 2 to 3 are in it.'],
  ],
  [
    'two accounts are kept apart',
    [says({ creditCents: 500n }), says({ creditCents: 1n }, b), row('credit', 500n), row('credit', 2n, b)],
    {},
    ['Account …0043: the file says 0.01 came in, its rows add up to 0.02.'],
  ],
  ...[1, 2].map(
    (times): Case => [
      `money between two accounts of one file, written ${times === 1 ? 'once' : 'twice'}`,
      [
        says({ creditCents: 0n, debitCents: 500n, openingCents: 500n, closingCents: 0n }),
        says({ creditCents: 500n, debitCents: 0n, openingCents: 0n, closingCents: 500n }, b),
        ...Array.from({ length: times }, () => row('credit', 500n, b, a)),
      ],
      {},
      [],
    ],
  ),
  [
    'money from an account of ours that the file is not about counts as any other',
    [says({ creditCents: 400n }, b), row('credit', 500n, b, a)],
    {},
    ['Account …0043: the file says 4.00 came in, its rows add up to 5.00.'],
  ],
]

for (const [what, parts, { badRows = 0, pending = 0 }, differences] of cases)
  test(`totals: ${what}`, () => {
    const totals = new Totals((account) => own.includes(account))
    for (const part of parts) {
      if ('summary' in part) totals.told(part.summary)
      else totals.seen(part.entry)
    }
    assert.deepEqual(totals.differences({ badRows, pending }), differences)
  })
