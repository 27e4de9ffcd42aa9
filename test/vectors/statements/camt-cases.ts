/** camt of three versions, batches, reversals, and XML that must not be read. */
import { type Case, encoded } from './statement-case.ts'

type Message = {
  version?: string
  container?: [string, string]
  account?: string
  encoding?: string
  summary?: string
  page?: string
}

function message(entries: string, given: Message = {}): string {
  const { version = 'camt.053.001.08', container = ['BkToCstmrStmt', 'Stmt'], encoding = 'UTF-8' } = given
  const { account = '<IBAN>KZ90999TEST000000001</IBAN>', page = '' } = given
  const { summary = total('TtlCdtNtries', 1, '1500.50') } = given
  const [outer, inner] = container
  return `<?xml version="1.0" encoding="${encoding}"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${version}">
  <${outer}>
    <GrpHdr><MsgId>1</MsgId><CreDtTm>2026-11-14T20:00:00+05:00</CreDtTm>${page}</GrpHdr>
    <${inner}>
      <Id>S1</Id>
      <FrToDt><FrDtTm>2026-11-14T00:00:00</FrDtTm><ToDtTm>2026-11-14T23:59:59</ToDtTm></FrToDt>
      <Acct><Id>${account}</Id><Ccy>KZT</Ccy></Acct>
      <TxsSummry>${summary}</TxsSummry>
${entries}
    </${inner}>
  </${outer}>
</Document>
`
}

const total = (name: string, entries: number, sum: string): string =>
  `<${name}><NbOfNtries>${entries}</NbOfNtries><Sum>${sum}</Sum></${name}>`

const balance = (code: string, amount: string, indicator = 'CRDT', day = ''): string =>
  `      <Bal><Tp><CdOrPrtry>${code}</CdOrPrtry></Tp><Amt Ccy="KZT">${amount}</Amt><CdtDbtInd>${indicator}</CdtDbtInd>${day && `<Dt><Dt>${day}</Dt></Dt>`}</Bal>\n`

/** Version .01: its own containers and accounts, and no element around the transactions. */
const first = (text: string): string =>
  text
    .replaceAll(/BkToCstmr\w+/g, '$&V01')
    .replaceAll(/<\/?NtryDtls>|<\/?CdOrPrtry>/g, '')
    .replaceAll('Othr>', 'PrtryAcct>')
    .replaceAll(/<Refs>.*<\/Refs>/g, '')

const newParty =
  '<Dbtr><Pty><Nm>Иванов Иван</Nm><Id><PrvtId><Othr><Id>971240001315</Id></Othr></PrvtId></Id></Pty></Dbtr>'
const oldParty = '<Dbtr><Nm>Иванов Иван</Nm><Id><OrgId><Othr><Id>971240001315</Id></Othr></OrgId></Id></Dbtr>'
const behind =
  '<UltmtDbtr><Nm>Other</Nm><Id><OrgId><Othr><Id>900101300456</Id></Othr></OrgId></Id></UltmtDbtr><UltmtDbtr><Pty><Nm>Other</Nm></Pty></UltmtDbtr>'

const details = (party: string, bank: string, amount = '', ref = 'T1'): string => `<TxDtls>
            <Refs><AcctSvcrRef>${ref}</AcctSvcrRef><EndToEndId>NOTPROVIDED</EndToEndId><TxId>42</TxId></Refs>${amount}
            <RltdPties>${party}<DbtrAcct><Id><IBAN>KZ86125KZT5004100100</IBAN></Id></DbtrAcct></RltdPties>
            <RltdAgts><DbtrAgt><FinInstnId>${bank}</FinInstnId></DbtrAgt></RltdAgts>
            <RmtInf><Ustrd>Пополнение &quot;Пример&quot; KT48</Ustrd><Ustrd>219034</Ustrd></RmtInf>
          </TxDtls>`

type Written = {
  amount?: string
  currency?: string
  indicator?: string
  status?: string
  reversed?: boolean
  date?: string
  inside?: string
  ref?: string
}

function entry(written: Written = {}): string {
  const { amount = '1500.50', currency = 'KZT', indicator = 'CRDT', status = '<Cd>BOOK</Cd>' } = written
  const { date = '<DtTm>2026-11-14T12:31:05+05:00</DtTm>', reversed, ref = 'E1' } = written
  const { inside = details(newParty, '<BICFI>TESTKZKA</BICFI>') } = written
  return `      <Ntry>
        <Amt Ccy="${currency}">${amount}</Amt>
        <CdtDbtInd>${indicator}</CdtDbtInd>${reversed ? '\n        <RvslInd>true</RvslInd>' : ''}
        ${status === '' ? '' : `<Sts>${status}</Sts>`}
        <BookgDt>${date}</BookgDt>
        <ValDt><Dt>2026-11-13</Dt></ValDt>
        <AcctSvcrRef>${ref}</AcctSvcrRef>
        <NtryDtls>
          ${inside}
        </NtryDtls>
      </Ntry>`
}

const money = (amount: string, currency = 'KZT'): string => `<Amt Ccy="${currency}">${amount}</Amt>`
const both = (first: string, second: string, secondRef = 'T2'): string =>
  details(newParty, '', first) + details(newParty, '', second, secondRef)

const batch = (count: string): string => `<Btch><MsgId>1</MsgId>${count}</Btch>`

const xml = (file: string, text: string): Case => ({ file, bytes: encoded(text, 'utf-8') })

const billion = `<?xml version="1.0"?>
<!DOCTYPE lolz [
 <!ENTITY lol "lol">
 <!ENTITY lol2 "&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;">
]>
<Document>&lol2;</Document>
`

export const camtCases: Case[] = [
  xml('camt-card.xml', message(entry()).replace('219034', '219034 card 4111111111111111')),
  xml(
    'camt-053-02.xml',
    message(entry({ status: 'BOOK', inside: details(oldParty, '<BIC>TESTKZKA</BIC>') }), {
      version: 'camt.053.001.02',
    }),
  ),
  xml(
    'camt-053-05-othr.xml',
    message(
      entry({
        status: 'BOOK',
        currency: 'RUR',
        date: '<Dt>2026-11-14</Dt>',
        inside: details(oldParty, '<ClrSysMmbId><MmbId>044525999</MmbId></ClrSysMmbId>'),
      }),
      { version: 'camt.053.001.05', account: '<Othr><Id>40702810300000000042</Id></Othr>' },
    ),
  ),
  xml('camt-053-08.xml', message(entry())),
  xml('camt-054.xml', message(entry(), { container: ['BkToCstmrDbtCdtNtfctn', 'Ntfctn'] })),
  xml('camt-052.xml', message(entry(), { container: ['BkToCstmrAcctRpt', 'Rpt'] })),
  xml(
    'camt-prefixed.xml',
    message(entry())
      .replaceAll(/<(\/?)(?=[A-Z])/g, '<$1n:')
      .replace('xmlns', 'xmlns:n'),
  ),
  {
    file: 'camt-windows-1251.xml',
    bytes: encoded(message(entry(), { encoding: 'windows-1251' }), 'windows-1251'),
  },
  { file: 'camt-wrong-encoding.xml', bytes: encoded(message(entry()), 'windows-1251') },
  xml('camt-koi8.xml', message(entry(), { encoding: 'koi8-r' })),
  xml(
    'camt-batches.xml',
    message(
      [
        entry({ inside: both(money('1000.50'), money('500')) }),
        // The bank repeats one number in both.
        entry({ ref: 'E2', inside: both(money('1000.50'), money('500'), 'T1') }),
        entry({ inside: both(money('1000.50'), money('500.01')) }),
        entry({ inside: both(money('1000.50'), '') }),
        entry({ inside: both(money('1000.50'), money('500', 'RUB')) }),
        entry({ inside: both(money('1000.50'), `${money('500')}<CdtDbtInd>DBIT</CdtDbtInd>`) }),
        entry({
          inside: both(
            `<AmtDtls><TxAmt>${money('1000.50')}</TxAmt></AmtDtls>`,
            `<AmtDtls><TxAmt>${money('500.00')}</TxAmt></AmtDtls>`,
          ),
        }),
        entry({
          inside: both(
            `<AmtDtls><TxAmt>${money('1000.50')}</TxAmt></AmtDtls>`,
            `<AmtDtls><TxAmt>${money('500.00', 'RUB')}</TxAmt></AmtDtls>`,
          ),
        }),
      ].join('\n'),
    ),
  ),
  // A sum for several payments that are not all named.
  xml(
    'camt-batch-counts.xml',
    message(
      [
        batch('<NbOfTxs>2</NbOfTxs>'),
        batch('<NbOfTxs>1</NbOfTxs>'),
        batch(''),
        batch('<NbOfTxs>many</NbOfTxs>'),
        batch('<NbOfTxs>1</NbOfTxs>') + batch('<NbOfTxs>1</NbOfTxs>'),
        batch('<NbOfTxs>2</NbOfTxs>') + details(newParty, ''),
        batch('<NbOfTxs>2</NbOfTxs>') + both(money('1000.50'), money('500')),
      ]
        .map((inside) => entry({ inside }))
        .join('\n'),
    ),
  ),
  // The person behind the payer is named by the payer.
  xml(
    'camt-ultimate-debtor.xml',
    message(
      [newParty, oldParty, '<Dbtr/>', '<Dbtr><Nm>Иванов Иван</Nm></Dbtr>']
        .map((party) => entry({ inside: details(party + behind, '') }))
        .join('\n'),
    ),
  ),
  xml(
    'camt-states.xml',
    message(
      [
        entry({ status: '<Cd>PDNG</Cd>' }),
        entry({ status: '<Cd>WHAT</Cd>' }),
        entry({ indicator: 'DBIT', reversed: true }),
        entry({ indicator: 'CRDT', reversed: true }),
        entry({ indicator: 'DBIT' }),
        entry({ indicator: 'BOTH' }),
      ].join('\n'),
    ),
  ),
  xml(
    'camt-values.xml',
    message(
      [
        entry({ currency: 'USD' }),
        entry({ amount: '0' }),
        entry({ amount: '-5' }),
        entry({ amount: '1,234.56' }),
        entry({ date: '<Dt>2026-02-31</Dt>' }),
        // Late in the evening of UTC it is the next day at the bank.
        entry({ date: '<DtTm>2026-11-13T22:30:00Z</DtTm>' }),
        entry({ date: '<DtTm>2026-11-14T12:31:05.123</DtTm>' }),
        entry({ ref: 'NOTPROVIDED', inside: '' }),
        entry({
          inside:
            '<TxDtls><RmtInf><Ustrd><![CDATA[a<b & c]]> &#1050;&#x422;48219034</Ustrd></RmtInf><!-- x --></TxDtls>',
        }),
        entry({
          inside: `<TxDtls><RltdPties><DbtrAcct><Id><Othr><Id>40702810300000000042</Id></Othr></Id></DbtrAcct>
            </RltdPties><RmtInf><Strd><CdtrRefInf><Ref>KT48219034</Ref></CdtrRefInf></Strd></RmtInf></TxDtls>`,
        }),
      ].join('\n'),
    ),
  ),
  xml(
    'camt-052-01.xml',
    first(
      message(
        balance('<Cd>OPBD</Cd>', '1.00') +
          balance('<Cd>CLBD</Cd>', '1501.50') +
          entry({
            status: 'BOOK',
            currency: 'RUB',
            inside: details(
              '<Dbtr><Nm>Иванов Иван</Nm><Id><OrgId><TaxIdNb>971240001315</TaxIdNb></OrgId></Id></Dbtr>',
              '<BIC>TESTKZKA</BIC>',
            ),
          }),
        {
          version: 'camt.052.001.01',
          container: ['BkToCstmrAcctRpt', 'Rpt'],
          account: '<Othr><Id>40702810300000000042</Id></Othr>',
        },
      ),
    ),
  ),
  // Says nothing of its status: booked in a camt.053 by definition, unknown in the others.
  xml('camt-053-no-status.xml', message([entry({ status: '' }), entry({ status: '' })].join('\n'))),
  xml(
    'camt-052-no-status.xml',
    message([entry({ status: '' }), entry()].join('\n'), { container: ['BkToCstmrAcctRpt', 'Rpt'] }),
  ),
  xml('camt-own-status.xml', message(entry({ status: '<Prtry>WAITING</Prtry>' }))),
  xml(
    'camt-daily-balances.xml',
    message(
      balance('<Cd>OPBD</Cd>', '1.00', 'CRDT', '2026-11-14') +
        balance('<Cd>CLBD</Cd>', '2.00', 'CRDT', '2026-11-14') +
        balance('<Cd>CLBD</Cd>', '1502.50', 'CRDT', '2026-11-15') +
        balance('<Cd>OPBD</Cd>', '2.00', 'CRDT', '2026-11-15') +
        entry(),
      { summary: '' },
    ),
  ),
  // All in one line: only a path says where.
  xml(
    'camt-one-line.xml',
    message(
      [
        entry({ amount: '8.850' }),
        entry({ amount: '8.855' }),
        entry({ indicator: 'BOTH' }),
        entry({ inside: both(money('1500'), money('x')) }),
      ].join(''),
    ).replaceAll(/\n\s*/g, ''),
  ),
  xml(
    'camt-one-line-damaged.xml',
    message(entry() + entry().replace('</Amt>', '</Ant>')).replaceAll(/\n\s*/g, ''),
  ),
  xml('camt-no-entries.xml', message('')),
  // Batches are one entry each; what is not booked, or cannot be read, may count or not.
  xml(
    'camt-figures.xml',
    message(
      balance('<Cd>PRCD</Cd>', '1.00') +
        balance('<Cd>OPBD</Cd>', '20.00', 'DBIT') +
        balance('<Cd>ITBD</Cd>', '5.00') +
        balance('<Prtry>CLBD</Prtry>', '6.00') +
        balance('<Cd>CLBD</Cd>', '1480.50') +
        [
          entry({ inside: both(money('1000.50'), money('500')) }),
          entry({ indicator: 'DBIT', status: '<Cd>PDNG</Cd>' }),
          entry({ indicator: 'BOTH' }),
          entry({ indicator: 'DBIT', amount: '0' }),
        ].join('\n'),
      {
        summary:
          total('TtlNtries', 4, '4501.50') +
          total('TtlCdtNtries', 1, '1500.50') +
          total('TtlDbtNtries', 2, '3001.00'),
      },
    ),
  ),
  // One balance per day says nothing of all of them, and an interim one nothing of the end.
  xml(
    'camt-interim-balances.xml',
    message(
      balance('<Cd>PRCD</Cd>', '1.00') +
        balance('<Cd>OPBD</Cd>', '1.00') +
        balance('<Cd>OPBD</Cd>', '2.00') +
        balance('<Cd>ITBD</Cd>', '5.00') +
        entry(),
      { container: ['BkToCstmrAcctRpt', 'Rpt'], summary: '' },
    ),
  ),
  // The figures are those of all pages.
  xml(
    'camt-page.xml',
    message(balance('<Cd>OPBD</Cd>', '1.00') + balance('<Cd>CLBD</Cd>', '2.00') + entry(), {
      page: '<MsgPgntn><PgNb>1</PgNb><LastPgInd>false</LastPgInd></MsgPgntn>',
    }),
  ),
  xml(
    'camt-only-page.xml',
    message(balance('<Cd>PRCD</Cd>', '0.00') + balance('<Cd>CLBD</Cd>', '1500.50') + entry(), {
      page: '<MsgPgntn><PgNb>1</PgNb><LastPgInd>true</LastPgInd></MsgPgntn>',
    }),
  ),
  xml(
    'camt-unstorable.xml',
    message(
      [
        entry({ amount: '10000000000000.00' }),
        entry({ ref: 'R'.repeat(128), inside: '' }),
        entry({ ref: 'R'.repeat(129), inside: '' }),
        entry({ inside: details(newParty, '', '', 'R'.repeat(129)) }),
        entry({ inside: details(newParty, '').replace('<TxId>42', `<TxId>${'4'.repeat(65)}`) }),
        entry({ inside: details(newParty, '').replace('KT48', '4111&#9;1111&#10;1111&#x9b;1111 KT48') }),
      ].join('\n'),
    ),
  ),
  xml('camt-foreign-account.xml', message(entry(), { account: '<IBAN>KZ86125KZT5004100100</IBAN>' })),
  xml('camt-no-account.xml', message(entry(), { account: '' })),
  xml('camt-cut.xml', message(`${entry()}\n${entry()}`).slice(0, -400)),
  xml(
    'camt-doctype.xml',
    message(entry()).replace('?>', '?>\n<!DOCTYPE Document SYSTEM "http://example.com/a.dtd">'),
  ),
  xml('camt-billion-laughs.xml', billion),
  xml('camt-unknown-entity.xml', message(entry()).replace('&quot;', '&nbsp;')),
  xml('camt-bare-ampersand.xml', message(entry()).replace('&quot;', '& ')),
  xml(
    'camt-instruction.xml',
    message(entry()).replace('<GrpHdr>', '<?xml-stylesheet href="a.xsl"?><GrpHdr>'),
  ),
  xml('camt-wrong-nesting.xml', message(entry()).replace('</Acct>', '</Stmt>')),
  xml('camt-deep.xml', `<Document>${'<a>'.repeat(100)}`),
  xml('camt-control-character.xml', message(entry()).replace('&quot;', '&#0;')),
  xml('pain-001.xml', '<?xml version="1.0"?>\n<Document><CstmrCdtTrfInitn/></Document>\n'),
]
