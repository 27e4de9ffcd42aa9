/** Which days a file closes, by its own word: those that were over when it was made. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Summary } from '../entry.ts'
import { formatOf, statementFormats } from './detect.ts'

const account = '40702810300000000042'

/** The last one. */
async function summaryOf(text: string): Promise<Summary> {
  async function* bytes() {
    yield Buffer.from(text)
  }
  const summaries: Summary[] = []
  const context = { currencyOf: (number: string) => (number === account ? ('RUB' as const) : undefined) }
  for await (const part of statementFormats[formatOf(Buffer.from(text))!].read(bytes(), context))
    if ('summary' in part) summaries.push(part.summary)
  return summaries.at(-1)!
}

const oneC = (madeOn: string) =>
  [
    ...['1CClientBankExchange', madeOn && `ДатаСоздания=${madeOn}`, 'СекцияРасчСчет', `РасчСчет=${account}`],
    ...['ДатаНачала=12.11.2026', 'ДатаКонца=14.11.2026', 'КонецРасчСчет', 'КонецФайла'],
  ].join('\n')

const camt = (
  madeAt: string,
  { until = '2026-11-14T23:59:59', closed = '', container = 'BkToCstmrStmt', page = '' } = {},
) => {
  const name = { BkToCstmrStmt: 'Stmt', BkToCstmrAcctRpt: 'Rpt', BkToCstmrDbtCdtNtfctn: 'Ntfctn' }[container]
  const balance =
    closed &&
    `<Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt>1.00</Amt><Dt><Dt>${closed}</Dt></Dt></Bal>`
  const period = until && `<FrToDt><FrDtTm>2026-11-12T00:00:00</FrDtTm><ToDtTm>${until}</ToDtTm></FrToDt>`
  const head = `<GrpHdr>${madeAt && `<CreDtTm>${madeAt}</CreDtTm>`}${page}</GrpHdr>`
  return `<Document><${container}>${head}<${name}>${period}<Acct><Id><Othr><Id>${account}</Id></Othr></Id></Acct>${balance}</${name}></${container}></Document>`
}

const mt940 = (opening: string, closing: string, { kind = 'F', number = 1 } = {}) =>
  [
    ':20:1',
    `:25:${account}`,
    `:28C:1/${number}`,
    `:60${kind}:C${opening}RUB1,`,
    `:62${closing}RUB1,`,
    '-',
  ].join('\n')

const cases: [what: string, file: string, closes: Partial<Summary>][] = [
  ['1C made on the day after', oneC('15.11.2026'), { from: '2026-11-12', completeTo: '2026-11-14' }],
  ['1C made on its last day', oneC('14.11.2026'), { completeTo: '2026-11-13', role: 'booked' }],
  ['1C made on its first day', oneC('12.11.2026'), { completeTo: null }],
  ['1C that does not say when', oneC(''), { completeTo: null }],
  [
    '1C that says it behind its sections',
    `${oneC('').replace('КонецФайла', '')}ДатаСоздания=15.11.2026`,
    { completeTo: null },
  ],
  ['camt.053 made after', camt('2026-11-15T01:00:00+03:00'), { completeTo: '2026-11-14', role: 'booked' }],
  [
    'camt.053 made after in UTC, and before in Moscow',
    camt('2026-11-14T20:00:00Z'),
    { completeTo: '2026-11-13' },
  ],
  [
    'camt.053 of today, with a closing balance',
    camt('2026-11-14T12:00:00', { closed: '2026-11-14' }),
    { completeTo: '2026-11-13' },
  ],
  [
    'camt.053 with a closing balance alone',
    camt('', { until: '', closed: '2026-11-14' }),
    { from: null, to: '2026-11-14', completeTo: '2026-11-14' },
  ],
  [
    'camt.053 until midnight',
    camt('2026-11-16T00:00:00', { until: '2026-11-15T00:00:00' }),
    { to: '2026-11-14', completeTo: '2026-11-14' },
  ],
  [
    'one page of camt.053',
    camt('2026-11-16T00:00:00', { page: '<MsgPgntn><PgNb>2</PgNb></MsgPgntn>' }),
    { completeTo: null },
  ],
  [
    'camt.052',
    camt('2026-11-16T00:00:00', { container: 'BkToCstmrAcctRpt' }),
    { completeTo: null, role: 'early' },
  ],
  [
    'camt.054',
    camt('2026-11-16T00:00:00', { container: 'BkToCstmrDbtCdtNtfctn' }),
    { completeTo: null, role: 'early' },
  ],
  ['MT940', mt940('261113', 'F:C261114'), { from: '2026-11-14', completeTo: '2026-11-14', role: 'booked' }],
  ['MT940 over a weekend', mt940('261113', 'F:C261116'), { from: '2026-11-14', completeTo: '2026-11-16' }],
  [
    'MT940 without a movement',
    mt940('261114', 'F:C261114'),
    { from: '2026-11-14', completeTo: '2026-11-14' },
  ],
  ['one message of several', mt940('261113', 'M:C261114'), { completeTo: null }],
  [
    'all messages of a statement',
    `${mt940('261109', 'M:C261112')}\n${mt940('261112', 'F:C261114', { kind: 'M', number: 2 })}`,
    { from: '2026-11-10', completeTo: '2026-11-14' },
  ],
  [
    'the last message of a statement alone',
    mt940('261112', 'F:C261114', { kind: 'M', number: 2 }),
    { from: null, completeTo: null },
  ],
]

for (const [what, file, closes] of cases)
  test(`what a file closes: ${what}`, async () =>
    assert.partialDeepStrictEqual(await summaryOf(file), closes))
