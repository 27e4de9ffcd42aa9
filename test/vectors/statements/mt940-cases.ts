/**
 * MT940 as banks write them: the fields by SWIFT's description of category 9, the texts by what banks
 * publish of theirs. All names, numbers and amounts are invented.
 */
import { type Case, encoded } from './statement-case.ts'

const own = '40702810300000000042'
const iban = 'KZ90999TEST000000001'

type Message = {
  reference?: string
  account?: string
  number?: string
  opening?: string
  closing?: string
  /** What stands between the number and the opening balance, and after the closing one. */
  head?: string[]
  tail?: string[]
}

/** The fields of one message. The balances are those of one credit of 1 500,50 where nothing else is said. */
const message = (entries: readonly string[], given: Message = {}): string[] => [
  `:20:${given.reference ?? 'STMT261114'}`,
  `:25:${given.account ?? own}`,
  `:28C:${given.number ?? '318/1'}`,
  ...(given.head ?? []),
  given.opening ?? ':60F:C261113RUB10000,00',
  ...entries,
  given.closing ?? ':62F:C261114RUB11500,50',
  ...(given.tail ?? []),
]

const enveloped = (lines: readonly string[], type = 'O9401200261114TESTRUMMAXXX00000000002611141200N') => [
  `{1:F01TESTRUMMAXXX0000000000}{2:${type}}{4:`,
  ...lines,
  '-}',
]

const credit = ':61:2611141114CB1500,50NTRF17//B261114000017'
const debit = ':61:2611141114D300,00NTRF18//B261114000018'

const text = [
  ':86:/ORDP//NAME/ИВАНОВ ИВАН/ACCW/40817810000000000001,TESTRUMM/ID/500100',
  '732259/REMI/Пополнение по договору "Пример" KT48',
  '219034/EREF/E2E-17',
]

const crlf = (lines: readonly string[]): string => lines.map((line) => `${line}\r\n`).join('')
const file = (name: string, lines: readonly string[]): Case => ({
  file: name,
  bytes: encoded(crlf(lines), 'utf-8'),
})

const plain = message([credit, ...text])

/** Entries that stand one after another with a plain text each, and balances that agree with them. */
const rows = (lines: readonly string[], closing: string): string[] =>
  message(
    lines.flatMap((line, place) => [line, `:86:row ${place + 1}`]),
    { closing },
  )

const german = (entries: readonly string[], closing: string): string[] =>
  message(entries, { account: `10020030/${iban}`, opening: ':60F:C261113KZT0,', closing })

export const mt940Cases: Case[] = [
  // One message in every dress: with and without envelope, control characters, blank lines, endings, encodings.
  file('mt940-plain.sta', plain),
  file('mt940-card.sta', message([credit, ':86:/REMI/card 4111111111111111'])),
  file('mt940-envelope.sta', enveloped(plain)),
  file('mt940-wrapped.sta', [
    '',
    ...enveloped(plain).with(0, '\u0001{1:F01TESTRUMMAXXX0000000000}{2:I940}{4:'),
    '\u0003',
  ]),
  file('mt940-blank-lines.sta', ['', '  ', ...plain.toSpliced(3, 0, ''), '', '-', '']),
  { file: 'mt940-lf.sta', bytes: encoded(plain.join('\n'), 'utf-8') },
  { file: 'mt940-cr.sta', bytes: encoded(`${plain.join('\r')}\r`, 'utf-8') },
  { file: 'mt940-windows-1251.sta', bytes: encoded(crlf(plain), 'windows-1251') },
  { file: 'mt940-cp866.sta', bytes: encoded(crlf(plain), 'ibm866') },
  { file: 'mt940-bom.sta', bytes: encoded(`\ufeff${crlf(plain)}`, 'utf-8') },
  file('mt940-dos-end-mark.sta', [...plain, '\u001a']),
  file(
    'mt940-old-tags.sta',
    plain.map((line) => line.replace(':28C:', ':28:')),
  ),
  file('mt940-available.sta', [
    ...plain,
    ':64:C261114RUB11500,50',
    ':65:C261115RUB11500,50',
    ':65:C261116RUB11500,50',
    ':86:Курс ЦБ на день',
    'второй строкой',
  ]),

  // Accounts.
  ...[
    ['bic', `TESTRUMM/${own}`],
    ['currency', `${own} RUB`],
    ['currency-behind', `${own}RUR`],
    ['three-parts', `TESTRUMM/${own}/RUB`],
    ['spaces', '40702 810 3 0000 0000042'],
  ].map(([name, account]) =>
    file(`mt940-account-${name}.sta`, message([credit, ...text], { account: account! })),
  ),
  file('mt940-foreign-account.sta', message([credit], { account: 'TESTRUMM/40702810300000000099' })),
  file('mt940-no-account.sta', message([credit], { account: '' })),

  // Amounts, marks, days, references.
  file(
    'mt940-amounts.sta',
    rows(
      [
        ':61:2611141114C1500,NTRFA1//BANK0000001',
        ':61:2611141114C0,5NTRFA2//BANK0000002',
        ':61:2611141114CB000000000012,34NTRFA3//BANK0000003',
        ':61:2611141114C100.25NTRFA5//BANK0000005',
        ':61:2611141114C0,00NTRFA6//BANK0000006',
        ':61:2611141114C1.500,00NTRFA7//BANK0000007',
        ':61:2611141114C-5,00NTRFA8//BANK0000008',
        ':61:2611141114C5,001NTRFA9//BANK0000009',
        ':61:2611141114C99999999999999,99NTRFA10//BANK0000010',
        ':61:2611141114X5,00NTRFA11//BANK0000011',
        ':61:2611141114C5,00',
      ],
      ':62F:C261114RUB000011613,09',
    ),
  ),
  file(
    'mt940-marks.sta',
    rows(
      [
        ':61:2611141114C10,NTRFNONREF//BANK0000001',
        ':61:2611141114RC10,NTRFNONREF//BANK0000002',
        ':61:2611141114RD20,NTRFNONREF//BANK0000003',
        ':61:2611141114D20,NTRFNONREF//BANK0000004',
        ':61:2611141114DR5,NTRFNONREF//BANK0000005',
        ':61:2611141114RCB5,NTRFNONREF//BANK0000006',
      ],
      ':62F:C261114RUB9990,',
    ),
  ),
  file(
    'mt940-days.sta',
    rows(
      [
        ':61:261231C1,NTRFNONREF//BANK0000001',
        // Booked on the last day of the year, valued on the first, and the other way round.
        ':61:2701011231C1,NTRFNONREF//BANK0000002',
        ':61:2612310102C1,NTRFNONREF//BANK0000003',
        ':61:2402280229C1,NTRFNONREF//BANK0000005',
        ':61:2602300302C1,NTRFNONREF//BANK0000006',
        ':61:260230C1,NTRFNONREF//BANK0000007',
        ':61:2602270229C1,NTRFNONREF//BANK0000008',
        ':61:2613011301C1,NTRFNONREF//BANK0000009',
        ':61:2702280229C1,NTRFNONREF//BANK0000010',
      ],
      ':62F:C270102RUB10006,',
    ),
  ),
  file(
    'mt940-references.sta',
    rows(
      [
        ':61:2611141114C1,NTRFNONREF',
        ':61:2611141114C1,NTRFNONREF//',
        ':61:2611141114C1,NTRF //4468',
        ':61:2611141114C1,NMSC341241773/1ABC//O/341241774',
        ':61:2611141114C1,FMSC01916//NONREF',
        ':61:2611141114C1,NTRFEREF            ',
        ':61:2611141114C1,NTRFX//FORGED0001//B261114000019',
        ':61:2611141114C1,NTRFBIPI-dvT1FzfMqvzF5HaU4oetlH7SGRkonU//2026111416391534000',
        ':61:2611141114C1,S051',
        `:61:2611141114C1,NTRF${'7'.repeat(65)}`,
        `:61:2611141114C1,NTRF1//${'7'.repeat(129)}`,
        ':61:2611141114C1,NTRF000000//0000000000',
      ],
      ':62F:C261114RUB10010,',
    ),
  ),
  file(
    'mt940-supplement.sta',
    message(
      [
        ':61:2611141114C1,NTRFNONREF//BANK0000001',
        'second line',
        ':86:/ORDP//NAME/J. DOE/REMI/one',
        ':61:2611141114C1,NOVBX1',
        'j. doe',
        ':86:NL70ABNA0987654321 j. doe',
        ' '.repeat(65),
        'KT48219034                       ',
        ':61:2611141114C1,NTRFNONREF//BANK0000002',
        '911-TRANSFER',
        ':61:2611141114C1,NTRFNONREF//BANK0000003',
        '911-TRANSFER',
        ':86:the text counts',
        ':61:2611141114C1,NTRFNONREF//BANK0000004',
      ],
      { closing: ':62F:C261114RUB10005,' },
    ),
  ),

  // Texts.
  file(
    'mt940-german.sta',
    german(
      [
        ':61:2611141114CT1500,50N166NONREF//B261114000020',
        ':86:166?00GUTSCHRIFT?109310?20EREF+E2E-2026-11-14-0001?21KREF+K1?22SVWZ',
        '+Zahlung KT48?23219034 und mehr?30TESTDEFF?31DE02120300000000202051?32',
        'Erika Beispiel?33und Soehne?34997',
        // A payer who writes codes of the bank's.
        ':61:2611141114CT1,00N166NONREF//B261114000021',
        ':86:166?00GUTSCHRIFT?20Text ?32Somebody else?30TESTDEFF?32Erika Beispiel',
        ':61:2611141114CT1,00N166NONREF//B261114000022',
        ':86:166?00GUTSCHRIFT?20nur?21Text?60und?61weiter?32Finanzamt Beispiel Abteilun?33g 2',
      ],
      ':62F:C261114KZT1502,50',
    ),
  ),
  {
    file: 'mt940-russian-numbers.sta',
    bytes: encoded(
      crlf(
        message([
          ':61:261114CB1500,50NTRF //92245',
          ':86:~01ООО "ПРИМЕР"//ИВАНОВ ИВАН//~025001007322~0340817810000000000001~0',
          '4044525999~05ЗАПАДНЫЙ БАНК~06ЗА 14/11/2026;Оплата по сч',
          'ету KT48219034~1130101810900000000603~1320261114~1801',
        ]),
      ),
      'windows-1251',
    ),
  },
  file(
    'mt940-slashes.sta',
    message(
      [
        // Banks of Europe, and of Russia.
        ':61:2611141114C1,N541EREF//BANK0000001',
        ':86:/EREF/08-11-2026 12:00 0030000987654321/ORDP//NAME/CONTRA ACCOUN',
        'T HOLDER/ADDR/Street 1/REMI//ISDT/2026-11-14',
        ':61:2611141114C1,NTRFNONREF//BANK0000002',
        ':86:/TRTP/SEPA OVERBOEKING/IBAN/NL70ABNA0987654321/BIC/ABNANL2A/NAME/J. ',
        'DOE/REMI/KT48219034 order/EREF/NOTPROVIDED',
        ':61:2611141114C1,NCMI18//18',
        ':86:/ORDP/INN 7700000009 KPP 770001001 OOO "ROMASHKA"',
        '/BENM/OOO "PRIMER"',
        '/REMI/Oplata po schetu 18',
        // A payer who writes codes behind his text.
        ':61:2611141114C1,NTRFNONREF//BANK0000005',
        ':86:/ORDP//NAME/Иванов/REMI/text/ORDP//NAME/Петров/IBAN/NL70ABNA0987654321',
        ':61:2611141114C1,NTRFNONREF//BANK0000007',
        ':86:/ORDP//NAME/Иванов/BENM//NAME/ООО',
        'no code for the purpose',
        // Both sides are ours.
        ':61:2611141114C1,NTRFNONREF//BANK0000008',
        `:86:/ORDP//NAME/ООО/ACCT/${own}/REMI/own`,
      ],
      { closing: ':62F:C261114RUB10006,' },
    ),
  ),
  file(
    'mt940-debits.sta',
    message(
      [
        debit,
        ':86:/BENM//NAME/ООО "ПОСТАВЩИК"/ACCT/40702810000000000001/REMI/За товар',
        ':61:2611141114D1,NTRFNONREF//BANK0000009',
        `:86:/ORDP//NAME/ООО "ПРИМЕР"/ACCT/${own}/BENM//NAME/ООО/ACCT/40702810600000000043/REMI/own`,
      ],
      { closing: ':62F:C261114RUB9699,' },
    ),
  ),
  file(
    'mt940-texts.sta',
    message(
      [
        credit,
        ':86:Перевод в 12:30:45, карта 4111 1111 1111 11',
        '11, конец',
        ':44:45 is no field of ours',
        '-',
        '{1: neither',
        `a line that is longer than the 65 characters which the standard has ${'x'.repeat(40)}`,
      ],
      {},
    ),
  ),

  // Several messages.
  file('mt940-pages.sta', [
    ...message([credit, ...text], { number: '318/1', closing: ':62M:C261114RUB11500,50' }),
    '-',
    ...message([':61:2611141114C1,NTRFNONREF//BANK0000001'], {
      number: '318/2',
      opening: ':60M:C261114RUB11500,50',
      closing: ':62F:C261114RUB11501,50',
    }),
    '-',
  ]),
  file('mt940-days-in-a-row.sta', [
    ...enveloped(plain),
    ...enveloped(
      message([':61:2611151115C1,NTRFNONREF//BANK0000001'], {
        number: '319/1',
        opening: ':60F:C261114RUB11500,50',
        closing: ':62F:C261115RUB11501,50',
      }),
    ),
    ...enveloped(
      message([':61:2611141114CT1,NTRFNONREF//BANK0000001'], {
        account: iban,
        opening: ':60F:D261113KZT5,',
        closing: ':62F:D261114KZT4,',
      }),
    ),
  ]),
  file('mt940-page-missing.sta', message([credit, ...text], { closing: ':62M:C261114RUB11500,50' })),
  file(
    'mt940-page-alone.sta',
    message([credit, ...text], { number: '318/2', opening: ':60M:C261113RUB10000,00' }),
  ),
  // Wrong one by one, right together.
  file('mt940-shifted.sta', [
    ...message([credit, ...text], { closing: ':62F:C261114RUB0,' }),
    ...message([], { number: '319/1', opening: ':60F:C261114RUB0,', closing: ':62F:C261115RUB11500,50' }),
  ]),
  file('mt940-wrong-balance.sta', message([credit, ...text], { closing: ':62F:C261114RUB11500,51' })),
  file('mt940-no-movement.sta', message([], { closing: ':62F:C261114RUB10000,00' })),
  file('mt940-zero-dates.sta', message([credit, ...text], { opening: ':60F:C000000RUR10000,' })),
  // Damage.
  file('mt940-cut.sta', plain.slice(0, -1)),
  file('mt940-cut-in-the-head.sta', plain.slice(0, 3)),
  file('mt940-entry-after-closing.sta', [...plain, credit]),
  file('mt940-second-opening.sta', plain.toSpliced(5, 0, ':60F:C261113RUB10000,00')),
  file(
    'mt940-forged-message.sta',
    plain.toSpliced(6, 0, ':20:FORGED', `:25:${own}`, ':28C:1/1', ':60F:C261114RUB0,'),
  ),
  file('mt940-text-twice.sta', plain.toSpliced(8, 0, ':86:more')),
  file('mt940-no-opening.sta', plain.toSpliced(3, 1)),
  file('mt940-no-reference.sta', enveloped(plain.slice(1))),
  file('mt940-two-currencies.sta', message([credit], { closing: ':62F:C261114KZT11500,50' })),
  file('mt940-euro.sta', message([credit], { opening: ':60F:C261113EUR10000,00' })),
  file('mt940-bad-balance.sta', message([credit], { opening: ':60F:C261113RUB10.000,00' })),
  file('mt940-stray-line.sta', plain.toSpliced(4, 0, 'What is this?')),
  file('mt940-text-between.sta', [...plain, '-', 'What is this?']),
  {
    file: 'mt940-mixed-endings.sta',
    bytes: encoded(
      crlf(message([credit, ':86:purpose\n:61:2611141114C50000,00NTRFNONREF//FORGED0001\n:86:KT48219034'])),
      'utf-8',
    ),
  },
  file('mt940-envelope-only.sta', ['{1:F01TESTRUMMAXXX0000000000}{2:I940TESTRUMMXXXXN}{4:', '-}']),
  file('mt942.sta', enveloped(plain, 'I942TESTRUMMXXXXN')),
  file('mt950.sta', enveloped(plain, 'O9501200261114TESTRUMMAXXX00000000002611141200N')),
]
