/**
 * Whatever payers write, a file that is read without a complaint holds nothing that its bank did not write: no entry, no
 * money. The bank of the 1C files passes every character on; the bank of camt escapes as XML asks.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { many } from '../../../../test/support/attempts.ts'
import { hostileText } from '../../../../test/support/hostile-text.ts'
import { currencyOf } from '../../../../test/vectors/statements/statement-case.ts'
import { decimal } from '../../money.ts'
import { DamagedStatement, type Entry } from '../entry.ts'
import { Totals } from '../totals.ts'
import { formatOf, statementFormats } from './detect.ts'

const account = '40702810300000000042'
const other = '40702810600000000043'

type Paid = { account: string; direction: Entry['direction']; cents: bigint; number: string; texts: Texts }
type Texts = { purpose: string; name: string }

const paid = fc.record({
  account: fc.constantFrom(account, account, other),
  direction: fc.constantFrom('credit' as const, 'credit' as const, 'credit' as const, 'debit' as const),
  cents: fc.constantFrom(1n, 1_000n, 1_000n, 5_000_000n, 123_456n),
  number: fc.constantFrom('1', '2', '17'),
  texts: fc.record({
    purpose: hostileText(account),
    name: fc.oneof({ weight: 3, arbitrary: fc.constant('Иванов') }, hostileText(account)),
  }),
})

type Clean = { entries: Entry[] } | undefined

/** What an import would take without asking anybody; undefined where it would refuse, or ask. */
async function cleanlyRead(text: string): Promise<Clean> {
  async function* bytes() {
    yield Buffer.from(text.toWellFormed())
  }
  const format = formatOf(Buffer.from(text.slice(0, 500)))!
  const totals = new Totals(format)
  const entries: Entry[] = []
  try {
    for await (const part of statementFormats[format].read(bytes(), { currencyOf })) {
      if ('bad' in part || 'warning' in part) return undefined
      if ('summary' in part) totals.addSummary(part.summary)
      if (!('entry' in part)) continue
      totals.seen(part.entry)
      entries.push(part.entry)
    }
  } catch (error) {
    if (!(error instanceof DamagedStatement)) throw error
    return undefined
  }
  const complaints = [...totals.differences({ badRows: 0, pending: 0 }), ...totals.missing()]
  return complaints.length > 0 ? undefined : { entries }
}

const keyOf = (one: { account: string; direction: string; cents: bigint }, number: string) =>
  `${one.account} ${one.direction} ${one.cents} ${number}`

/** Each entry is one that the bank wrote, and none is there twice that was written once. */
function assertWritten(entries: readonly Entry[], written: readonly Paid[]): void {
  const left = written.map((payment) => keyOf(payment, payment.number))
  for (const entry of entries) {
    const at = left.indexOf(keyOf(entry, entry.documentNumber))
    assert.notEqual(at, -1, `${keyOf(entry, entry.documentNumber)} was never written`)
    left.splice(at, 1)
  }
  const came = (all: readonly { direction: string; cents: bigint }[]) =>
    all.reduce((sum, { direction, cents }) => (direction === 'credit' ? sum + cents : sum), 0n)
  assert.ok(came(entries) <= came(written))
}

const totalOf = (all: readonly Paid[], own: string, direction: string): bigint =>
  all.reduce(
    (sum, payment) =>
      payment.account === own && payment.direction === direction ? sum + payment.cents : sum,
    0n,
  )

/** Which figures a bank gives: some give none. */
type Figures = 'sums' | 'balances' | 'none'

/** In the order of the standard, or with the purpose first, as a bank may. */
function oneC(all: readonly Paid[], ending: string, figures: Figures, isPurposeFirst: boolean): string {
  const section = (own: string): string[] => {
    const [came, went] = [totalOf(all, own, 'credit'), totalOf(all, own, 'debit')]
    const entries = {
      none: [],
      sums: [`ВсегоПоступило=${decimal(came)}`, `ВсегоСписано=${decimal(went)}`],
      balances: [`НачальныйОстаток=${decimal(went)}`, `КонечныйОстаток=${decimal(came)}`],
    }[figures]
    return ['СекцияРасчСчет', `РасчСчет=${own}`, ...entries, 'КонецРасчСчет']
  }
  const document = ({ account: own, direction, cents, number, texts }: Paid): string[] => {
    const isCredit = direction === 'credit'
    const purpose = `НазначениеПлатежа=${texts.purpose}`
    const keys = [
      ...[`Номер=${number}`, 'Дата=14.11.2026', `Сумма=${decimal(cents)}`],
      `ПлательщикСчет=${isCredit ? '40817810000000000001' : own}`,
      `Плательщик1=${texts.name}`,
      `ПолучательСчет=${isCredit ? own : '40817810000000000001'}`,
      `${isCredit ? 'ДатаПоступило' : 'ДатаСписано'}=14.11.2026`,
    ]
    const body = isPurposeFirst ? [purpose, ...keys] : [...keys, purpose]
    return ['СекцияДокумент=Платежное поручение', ...body, 'КонецДокумента']
  }
  return [
    ...['1CClientBankExchange', 'ВерсияФормата=1.03', 'Кодировка=UTF-8'],
    ...[account, other].map((own) => `РасчСчет=${own}`),
    ...[account, other].flatMap(section),
    ...all.flatMap(document),
    ...['КонецФайла', ''],
  ].join(ending)
}

test('1C: no text of a payer becomes an entry of a file that is taken without a question', async () => {
  let clean = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(paid, { maxLength: 4 }),
      fc.constantFrom('\r\n', '\r\n', '\n', '\r'),
      fc.constantFrom<Figures>('sums', 'sums', 'sums', 'balances', 'none'),
      fc.boolean(),
      async (all, ending, figures, isPurposeFirst) => {
        const read = await cleanlyRead(oneC(all, ending, figures, isPurposeFirst))
        if (!read) return
        clean++
        assertWritten(read.entries, all)
      },
    ),
    { numRuns: many(4_000, 2_000) },
  )
  assert.ok(clean > 500, `only ${clean} files were taken: the property says little`)
})

/** What XML cannot hold at all, no bank can write. */
const inXml = (text: string): string =>
  text.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')

const escapers: ((text: string) => string)[] = [
  (text) => inXml(text).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`),
  (text) => inXml(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  (text) => `<![CDATA[${inXml(text).replaceAll(']]>', ']]]]><![CDATA[>')}]]>`,
]

function camt(all: readonly Paid[], escaped: (text: string) => string, figures: Figures): string {
  const statement = (own: string): string => {
    const [came, went] = [totalOf(all, own, 'credit'), totalOf(all, own, 'debit')]
    const balance = (code: string, cents: bigint) =>
      `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="RUB">${decimal(cents)}</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>`
    const text = {
      none: '',
      sums: `<TxsSummry><TtlCdtNtries><Sum>${decimal(came)}</Sum></TtlCdtNtries><TtlDbtNtries><Sum>${decimal(went)}</Sum></TtlDbtNtries></TxsSummry>`,
      balances: balance('OPBD', went) + balance('CLBD', came),
    }[figures]
    const entries = all
      .filter((payment) => payment.account === own)
      .map(
        ({ direction, cents, number, texts }) => `<Ntry><Amt Ccy="RUB">${decimal(cents)}</Amt>
<CdtDbtInd>${direction === 'credit' ? 'CRDT' : 'DBIT'}</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-11-14</Dt></BookgDt>
<NtryDtls><TxDtls><Refs><TxId>${number}</TxId></Refs><RltdPties><Dbtr><Nm>${escaped(texts.name)}</Nm></Dbtr></RltdPties>
<RmtInf><Ustrd>${escaped(texts.purpose)}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>`,
      )
    return `<Stmt><Acct><Id><Othr><Id>${own}</Id></Othr></Id></Acct>${text}${entries.join('')}</Stmt>`
  }
  return `<Document><BkToCstmrStmt>${[account, other].map(statement).join('')}</BkToCstmrStmt></Document>`
}

test('camt: escaped text is read back exactly, and every entry once', async () => {
  const numRuns = many(1_500, 500)
  let clean = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(paid, { maxLength: 4 }),
      fc.constantFrom(...escapers),
      fc.constantFrom<Figures>('sums', 'balances', 'none'),
      async (all, escaped, figures) => {
        const read = await cleanlyRead(camt(all, escaped, figures))
        // Here nothing can go wrong: only a file without figures is asked about.
        assert.equal(read === undefined, figures === 'none' && all.length > 0)
        if (!read) return
        clean++
        assertWritten(read.entries, all)
        assert.equal(read.entries.length, all.length)
      },
    ),
    { numRuns },
  )
  assert.ok(clean > numRuns / 3)
})
