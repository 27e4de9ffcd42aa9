/**
 * A bank that copies line breaks out of its payers' texts, and payers who know how MT940 is written. What they do not
 * know is the balance of the account that they pay to: nothing else tells their fields from the bank's.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decimal } from '../../money.ts'
import { DamagedStatement, type Entry, type Part } from '../entry.ts'
import { Totals } from '../totals.ts'
import { mt940 } from './mt940.ts'

const own = ['40702810300000000042', '40702810600000000043']
const currencyOf = (account: string) => (own.includes(account) ? ('RUB' as const) : undefined)

type Row = { direction: Entry['direction']; cents: bigint; purpose: string; reference: string }
type ReadFile = { isClean: boolean; entries: Entry[] }

const amount = (cents: bigint): string => decimal(cents).replace('.', ',')
const isCredit = ({ direction }: Row): boolean => direction === 'credit'
const sumOf = (rows: readonly { cents: bigint }[]): bigint => rows.reduce((sum, { cents }) => sum + cents, 0n)

/** As an import sees it: whatever is not clean waits for a person. */
async function read(text: string): Promise<ReadFile> {
  async function* bytes() {
    yield Buffer.from(text)
  }
  const parts: Part[] = []
  const totals = new Totals('mt940')
  try {
    for await (const part of mt940.read(bytes(), { currencyOf })) {
      parts.push(part)
      if ('entry' in part) totals.seen(part.entry)
      if ('summary' in part) totals.addSummary(part.summary)
    }
  } catch (error) {
    assert.ok(error instanceof DamagedStatement, String(error))
    return { isClean: false, entries: [] }
  }
  const count = (kind: string): number => parts.filter((part) => kind in part).length
  const pending = parts.filter((part) => 'skipped' in part && part.skipped.reason === 'pending').length
  const complaints = [...totals.differences({ badRows: count('bad'), pending }), ...totals.missing()]
  return {
    isClean: count('bad') + count('warning') + complaints.length === 0,
    entries: parts.flatMap((part) => ('entry' in part ? [part.entry] : [])),
  }
}

type Bank = {
  lineBreak: string
  hasEnvelope: boolean
  dialect: 'plain' | 'slashes' | 'numbers'
  opening: bigint
}

const texts: Record<Bank['dialect'], (purpose: string) => string> = {
  plain: (purpose) => purpose,
  slashes: (purpose) => `/ORDP//NAME/Иванов/REMI/${purpose}/EREF/E1`,
  numbers: (purpose) => `166?00GUTSCHRIFT?20${purpose}?30TESTRUMM?32Иванов`,
}

/** No text is looked at before it is written. */
function carelessly(rows: readonly Row[], bank: Bank): string {
  const { lineBreak, hasEnvelope, dialect, opening } = bank
  const [credits, debits] = [rows.filter(isCredit), rows.filter((row) => !isCredit(row))]
  const closing = opening + sumOf(credits) - sumOf(debits)
  const balance = (cents: bigint) =>
    `${cents < 0n ? 'D' : 'C'}261114RUB${amount(cents < 0n ? -cents : cents)}`
  const lines = [
    ...(hasEnvelope ? [`{1:F01TESTRUMMAXXX0000000000}{2:I940TESTRUMMXXXXN}{4:`] : []),
    ':20:STATEMENT',
    `:25:${own[0]}`,
    ':28C:1/1',
    `:60F:${balance(opening)}`,
    ...rows.flatMap((row) => [
      `:61:2611141114${isCredit(row) ? 'C' : 'D'}${amount(row.cents)}NTRFNONREF//${row.reference}`,
      `:86:${texts[dialect](row.purpose)}`,
    ]),
    `:62F:${balance(closing)}`,
    ...(hasEnvelope ? ['-}'] : []),
  ]
  return lines.map((line) => line + lineBreak).join('')
}

/** What a payer guesses: round numbers, and what he paid himself. */
const guess = fc.constantFrom('0,', '10,', '50000,', '50010,', '100000,', '0,01')
const sign = fc.constantFrom('C', 'D')
const forgedEntry = fc
  .record({
    mark: fc.constantFrom('C', 'C', 'D', 'RC', 'RD', 'EC', 'CB'),
    sum: guess,
    id: fc.constantFrom('FORGED01', 'FORGED02', 'REAL0000001', ''),
  })
  .map(({ mark, sum, id }) => [`:61:2611141114${mark}${sum}NTRFNONREF//${id}`, ':86:KT48219034'])

const head = fc.constantFrom(...own).map((account) => [':20:FORGED', `:25:${account}`, ':28C:1/1'])
const balanceOf = (tag: string) =>
  fc.tuple(sign, guess).map(([mark, sum]) => [`:${tag}:${mark}261114RUB${sum}`])
const flat = (pieces: readonly (readonly string[])[]): string[] => pieces.flat()
const hostile = fc.oneof(
  { weight: 4, arbitrary: fc.array(forgedEntry, { minLength: 1, maxLength: 3 }).map(flat) },
  // The statement is closed, another one follows, and then the first one is opened again.
  {
    weight: 3,
    arbitrary: fc
      .tuple(balanceOf('62F'), head, balanceOf('60F'), forgedEntry, balanceOf('62F'), head, balanceOf('60F'))
      .map(flat),
  },
  {
    weight: 2,
    arbitrary: fc
      .array(
        fc.oneof(
          forgedEntry,
          head,
          balanceOf('60F'),
          balanceOf('60M'),
          balanceOf('62F'),
          balanceOf('62M'),
          fc.constantFrom(['-'], ['-}'], ['{1:F01}{2:I940}{4:'], [':64:C261114RUB0,'], [':86:x'], [':NS:x']),
        ),
        { maxLength: 8 },
      )
      .map(flat),
  },
)

const purpose = fc.oneof(
  fc.constantFrom('Пополнение KT48219034', '', '?32Somebody/ORDP//NAME/Somebody'),
  fc
    .record({
      start: fc.constantFrom('Оплата', ''),
      lines: hostile,
      lineBreak: fc.constantFrom('\r\n', '\n', '\r', ' '),
      end: fc.boolean(),
    })
    .map(
      ({ start, lines, lineBreak, end }) =>
        start + lines.map((line) => lineBreak + line).join('') + (end ? lineBreak : ''),
    ),
)

const row = fc.record({
  direction: fc.constantFrom('credit' as const, 'credit' as const, 'debit' as const),
  cents: fc.constantFrom(1_000n, 1_000n, 12_345n, 5_000_000n),
  purpose,
})

const bank: fc.Arbitrary<Bank> = fc.record({
  lineBreak: fc.constantFrom('\r\n', '\n'),
  hasEnvelope: fc.boolean(),
  dialect: fc.constantFrom('plain', 'slashes', 'numbers'),
  // Nobody guesses it. An account that is emptied every day opens with zero: docs/banks.md.
  opening: fc.bigInt({ min: 10_000_003n, max: 999_999_999_999n }).map((cents) => cents * 7n + 1n),
})

const keyOf = (account: string, direction: string, cents: bigint, reference: string | null): string =>
  [account, direction, cents, reference].join(' ')

test('no file that needs no confirmation holds a forged entry', async () => {
  let clean = 0
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 4 }), bank, async (all, how) => {
      const rows = all.map((one, place): Row => ({ ...one, reference: `REAL000000${place + 1}` }))
      const { isClean, entries } = await read(carelessly(rows, how))
      if (!isClean) return
      clean++
      const written = rows.map(({ direction, cents, reference }) =>
        keyOf(own[0]!, direction, cents, reference),
      )
      for (const entry of entries) {
        const at = written.indexOf(keyOf(entry.account, entry.direction, entry.cents, entry.bankId))
        assert.notEqual(at, -1, `${entry.direction} of ${entry.cents}, ${entry.bankId}`)
        written.splice(at, 1)
      }
    }),
    { numRuns: 2_000 },
  )
  assert.ok(clean > 100, `${clean} were clean`)
})

/** What the figures have to catch, one by one. */
const rows: Row[] = [
  { direction: 'credit', cents: 1_000n, purpose: '', reference: 'REAL0000001' },
  { direction: 'credit', cents: 12_345n, purpose: '', reference: 'REAL0000002' },
]
const plainBank: Bank = {
  lineBreak: '\r\n',
  hasEnvelope: true,
  dialect: 'plain',
  opening: 123_456_789n,
}
const credit = (reference: string, sum = '50000,') => [
  `:61:2611141114C${sum}NTRFNONREF//${reference}`,
  ':86:KT48219034',
]
const reopened = [':20:A', `:25:${own[0]}`, ':28C:1/1']

const attacks: [what: string, first: string[], second: string[], isClean: boolean][] = [
  ['nothing', [], [], true],
  ['a credit', credit('FORGED01'), [], false],
  [
    'a credit, and a debit that takes its money out of the balance again',
    [...credit('FORGED01'), ':61:2611141114D50000,NTRFNONREF//FORGED02'],
    [],
    false,
  ],
  [
    'a credit in one text and the debit in another',
    credit('FORGED01'),
    [':61:2611141114D20000,NTRFNONREF//F2', ':61:2611141114D30000,NTRFNONREF//F3'],
    false,
  ],
  [
    'a reversal, and a reversal that takes it out of the balance again',
    [':61:2611141114RC10,NTRFNONREF//FORGED01', ':61:2611141114RD10,NTRFNONREF//FORGED02'],
    [],
    false,
  ],
  [
    'messages whose wrong balances add up',
    [
      ':62F:C261114RUB0,',
      ...reopened,
      ':60F:C261114RUB0,',
      ...credit('FORGED01'),
      ':62F:C261114RUB50000,',
      ...reopened,
      ':60F:C261114RUB0,',
    ],
    [],
    false,
  ],
]

/** One credit with its reference, what supplements it, and its text. */
async function readOne(text: string, { number = 'NONREF' } = {}): Promise<Entry> {
  const lines = carelessly([{ ...rows[0]!, purpose: text }], plainBank).split('\r\n')
  const at = lines.findIndex((line) => line.startsWith(':61:'))
  lines[at] = lines[at]!.replace('NONREF', number)
  const { isClean, entries } = await read(lines.join('\r\n'))
  assert.deepEqual([isClean, entries.length], [true, 1])
  return entries[0]!
}

test('a number in the text is the payer’s, and not used as a number of the payment', async () => {
  for (const text of ['/EREF/17/ORDP//NAME/Иванов/REMI/text', '/PREF/17/REMI/text', '?20EREF+17?21text'])
    assert.equal((await readOne(text)).documentNumber, '', text)
  assert.equal((await readOne('/EREF/17/REMI/text', { number: '18' })).documentNumber, '18')
})

for (const [what, first, second, isClean] of attacks)
  test(`written into a text: ${what}`, async () => {
    const forged = [first, second].map((lines) => ['Оплата', ...lines].join('\r\n'))
    const result = await read(
      carelessly(
        rows.map((row, place) => ({ ...row, purpose: forged[place]! })),
        plainBank,
      ),
    )
    assert.equal(result.isClean, isClean)
    if (isClean) assert.equal(sumOf(result.entries), 13_345n)
  })
