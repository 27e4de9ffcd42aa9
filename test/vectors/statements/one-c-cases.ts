/** 1CClientBankExchange: both dialects, every encoding, and the ways in which such files break. */
import { type Case, encoded } from './statement-case.ts'

const crlf = (lines: string[]): string => lines.map((line) => `${line}\r\n`).join('')

const header = (encoding = 'Windows', account = '40702810300000000042'): string[] => [
  '1CClientBankExchange',
  'ВерсияФормата=1.03',
  `Кодировка=${encoding}`,
  'Отправитель=Банк "Тест"',
  'Получатель=',
  'ДатаНачала=14.11.2026',
  'ДатаКонца=14.11.2026',
  `РасчСчет=${account}`,
]

const section = (credit: string, debit = '0.00', closing: string[] = []): string[] => [
  'СекцияРасчСчет',
  'ДатаНачала=14.11.2026',
  'ДатаКонца=14.11.2026',
  'РасчСчет=40702810300000000042',
  'НачальныйОстаток=0.00',
  `ВсегоПоступило=${credit}`,
  `ВсегоСписано=${debit}`,
  ...closing,
  'КонецРасчСчет',
]

/** A credit of ours; a field given as undefined is left out. */
export function credit(changes: Record<string, string | undefined> = {}): string[] {
  const fields: Record<string, string | undefined> = {
    Номер: '17',
    Дата: '13.11.2026',
    Сумма: '1500.00',
    ДатаСписано: '13.11.2026',
    Валюта: undefined,
    ПлательщикСчет: '40817810000000000001',
    ПлательщикРасчСчет: undefined,
    Плательщик1: undefined,
    Плательщик: 'ИНН 500100732259 Иванов Иван Иванович',
    ПлательщикИНН: '500100732259',
    ПлательщикБанк1: 'АО "Другой банк"',
    ПлательщикБИК: '044525999',
    ПолучательСчет: '40702810300000000042',
    ПолучательРасчСчет: undefined,
    ДатаПоступило: '14.11.2026',
    Получатель1: 'ООО "Пример"',
    ВидОплаты: '01',
    НазначениеПлатежа: 'Пополнение KT48219034',
    ...changes,
  }
  return [
    'СекцияДокумент=Платежное поручение',
    ...Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${value}`])),
    'КонецДокумента',
  ]
}

const plain = { НазначениеПлатежа: 'Оплата заказа' }

const inParts = {
  Номер: '18',
  Сумма: '1500.50',
  НазначениеПлатежа: undefined,
  НазначениеПлатежа1: 'Пополнение счета клиента по договору KT48',
  НазначениеПлатежа2: '219034, НДС не облагается',
}

const debit = credit({
  Номер: '5',
  Сумма: '300.00',
  ПлательщикСчет: '40702810300000000042',
  Плательщик: undefined,
  Плательщик1: 'ООО "Пример"',
  ПолучательСчет: '40702810900000002851',
  ДатаПоступило: undefined,
  ДатаСписано: '14.11.2026',
  НазначениеПлатежа: 'Комиссия банка',
})

const ru = (encoding = 'Windows', total = '6000.50'): string[] => [
  ...header(encoding),
  ...section(total, '300.00'),
  ...credit(plain),
  ...credit(plain),
  '',
  ...credit(inParts),
  ...credit({ Номер: '19', НазначениеПлатежа: 'Заказ a=b, c=d' }),
  ...debit,
]

const windows = (file: string, lines: string[]): Case => ({
  file,
  bytes: encoded(crlf(lines), 'windows-1251'),
})

/** A document with each change, in one file. */
const each = (changes: Record<string, string | undefined>[]): string[] => [
  ...header(),
  ...section('0.00'),
  ...changes.flatMap((change, index) => credit({ Номер: String(index + 1), ...change })),
  'КонецФайла',
]

const kzHeader = [
  '1CClientBankExchange',
  'ВерсияФормата=2.00',
  'Отправитель=АО "Банк"',
  'ДатаНачала=14.11.2026',
  'ДатаКонца=14.11.2026',
  'РасчСчет=KZ90999TEST000000001',
]

const kzSection = [
  'СЕКЦИЯРАСЧСЧЕТ',
  'ДатаНачала=14.11.2026',
  'ДатаКонца=14.11.2026',
  'РасчСчет=KZ90999TEST000000001',
  'ВсегоПоступило=512745.7',
  'ВсегоСписано=100',
  'КОНЕЦРАСЧСЧЕТ',
]

const kz = (changes: Record<string, string>, more: string[] = []): string[] => {
  const fields: Record<string, string> = {
    НомерДокумента: '901',
    ДатаДокумента: '14.11.2026',
    ДатаОперации: '14.11.2026 12:31:05',
    СуммаПриход: '7745.7',
    СуммаРасход: '',
    Сумма: '7745.7',
    Валюта: 'KZT',
    ПлательщикНаименование: 'Яна П.',
    ПлательщикБИН_ИИН: '971240001315',
    ПлательщикИИК: 'KZ86 125K ZT50 0410 0100',
    ПлательщикБанкБИК: '',
    ПолучательНаименование: 'ТОО "Пример"',
    ПолучательИИК: 'KZ90999TEST000000001',
    НазначениеПлатежа: 'Перевод с карты 4400-43**-****-1234',
    ...changes,
  }
  const lines = Object.entries(fields).map(([key, value]) => `${key}=${value}`)
  return ['СЕКЦИЯДОКУМЕНТ=ВЫПИСКА', ...lines, ...more, 'КодНазначенияПлатежа=119', 'КОНЕЦДОКУМЕНТА']
}

const kzFile = [
  ...kzHeader,
  ...kzSection,
  ...kz({}, ['пополнение кт 4821 9034', 'спасибо = всем']),
  ...kz({
    НомерДокумента: '902',
    СуммаПриход: '505000,00',
    Сумма: '505000,00',
    ПлательщикНаименование: 'АО "Банк"',
    НазначениеПлатежа: 'Возмещение по операциям эквайринга за 13.11.2026, 41 операция',
  }),
  ...kz({
    НомерДокумента: '903',
    СуммаПриход: '0.00',
    СуммаРасход: '100',
    Сумма: '100',
    ПлательщикИИК: 'KZ90999TEST000000001',
    ПолучательИИК: 'KZ86125KZT5004100100',
    НазначениеПлатежа: 'Комиссия',
  }),
  'КОНЕЦФАЙЛА',
]

export const oneCCases: Case[] = [
  windows('ru-windows-1251.txt', ru()),
  { file: 'ru-cp866.txt', bytes: encoded(crlf(ru('DOS')), 'ibm866') },
  { file: 'ru-utf-8-bom.txt', bytes: encoded(`\ufeff${crlf(ru('UTF-8'))}`, 'utf-8') },
  { file: 'ru-utf-8.txt', bytes: encoded(ru().join('\n'), 'utf-8') },
  { file: 'ru-cr-only.txt', bytes: encoded(ru().join('\r'), 'windows-1251') },
  windows('ru-wrong-total.txt', ru('Windows', '9999.99')),
  windows('ru-cut-last-document.txt', ru().slice(0, -4)),
  windows('ru-cut-in-the-middle.txt', [
    ...header(),
    ...section('3000.00'),
    ...credit().slice(0, -1),
    ...credit(),
    'КонецФайла',
  ]),
  // What the header says of the encoding is wrong, as some banks have it.
  windows('ru-says-dos.txt', [...header('DOS'), ...section('1500.00'), ...credit(), 'КонецФайла']),
  { file: 'ru-koi8.txt', bytes: encoded(crlf(ru()), 'koi8-r') },
  {
    file: 'ru-mixed-utf-8-first.txt',
    bytes: Buffer.concat([
      encoded(crlf([...header(), ...section('3000.00'), ...credit()]), 'utf-8'),
      encoded(crlf(credit()), 'windows-1251'),
    ]),
  },
  {
    file: 'ru-mixed-windows-first.txt',
    bytes: Buffer.concat([
      encoded(crlf([...header(), ...section('3000.00'), ...credit()]), 'windows-1251'),
      encoded(crlf(credit()), 'utf-8'),
    ]),
  },
  {
    file: 'ru-mixed-dos-first.txt',
    bytes: Buffer.concat([
      encoded(crlf([...header('DOS'), ...section('3000.00'), ...credit()]), 'ibm866'),
      encoded(crlf(credit()), 'windows-1251'),
    ]),
  },
  {
    file: 'ru-amounts.txt',
    bytes: encoded(
      crlf(
        each(
          [
            ...['1500', '1500.5', '1500,50', '1 234,56', '1\u00a0234.56', '1\u202f234,56', '1\u2009234,56'],
            ...['+7745.7', '0', '0.00', '-300.00', '1,234.56', '1.234,56', '1.005', '', 'сто', '1e3'],
            ...['8.850', '1500.0000', '8.8550', '8,850', '1500,000', '0,500'],
            ...['999999999999999.99', '9999999999999999', '9999999999999.99', '10000000000000', '12 34'],
          ].map((amount) => ({ Сумма: amount, НазначениеПлатежа: JSON.stringify(amount) })),
        ),
      ),
      'utf-8',
    ),
  },
  // The bank's time, where the file names no currency: the account's zone counts.
  windows('ru-times.txt', each([{ ДатаПоступило: '15.11.2026 10:15:00' }, { ДатаПоступило: '15.11.2026' }])),
  // What PostgreSQL would refuse, or a terminal obey.
  {
    file: 'ru-unstorable.txt',
    bytes: encoded(
      crlf(
        each([
          { Номер: '7'.repeat(64) },
          { Номер: '7'.repeat(65) },
          { Номер: '😀'.repeat(40) },
          { Номер: '1\t2\u0001\u001b[2J', Плательщик: 'Иванов\u0007\u009bИван', НазначениеПлатежа: '\u0001' },
          { НазначениеПлатежа: 'Карта 4111\u00011111\u00011111\u00011111, KT48\u007f219034' },
          { Валюта: '\u001b', ПолучательСчет: '4070\u000128103\u000100000000042' },
        ]),
      ),
      'utf-8',
    ),
  },
  windows('ru-balances.txt', [
    ...header(),
    ...section('1500.00', '0.00', ['КонечныйОстаток=1500.00']),
    ...section('0.00', '1600.00', ['КонечныйОстаток=-100.00']).map((line) =>
      line.replace('НачальныйОстаток=0.00', 'НачальныйОстаток=1500.00'),
    ),
    ...credit(),
    'КонецФайла',
  ]),
  windows(
    'ru-dates.txt',
    each([
      { ДатаПоступило: '31.02.2026' },
      { ДатаПоступило: '29.02.2028', ДатаСписано: '28.02.2028', Дата: '27.02.2028' },
      { ДатаПоступило: undefined, ДатаСписано: undefined },
      { ДатаПоступило: undefined, ДатаСписано: undefined, Дата: undefined },
      { ДатаПоступило: '2026-11-14' },
      { ДатаСписано: '00.11.2026' },
      { ДатаПоступило: '14.13.2026' },
    ]),
  ),
  windows(
    'ru-currencies.txt',
    each(['RUR', '810', '643', 'rub', 'USD', '840', 'KZT'].map((code) => ({ Валюта: code }))),
  ),
  windows(
    'ru-sides.txt',
    each([
      // Only the account for indirect payments is ours.
      { ПолучательСчет: '30101810600000000999', ПолучательРасчСчет: '40702810300000000042' },
      { ПолучательСчет: undefined },
      { ПолучательСчет: undefined, ДатаПоступило: undefined, ПлательщикСчет: undefined },
      { ПлательщикСчет: '40702810600000000043' },
      { ПлательщикСчет: '40702810300000000042', ПолучательСчет: '40702810600000000043' },
      { ПлательщикСчет: '40702810300000000042', ПолучательСчет: undefined },
      { ПлательщикРасчСчет: '4070 2810 6000 0000 0043', ПлательщикСчет: undefined },
    ]),
  ),
  windows(
    'ru-purposes.txt',
    each([
      { НазначениеПлатежа: 'KT48219034 и KT10000008' },
      { НазначениеПлатежа: 'a=b' },
      { НазначениеПлатежа: '==KT48219034==' },
      { НазначениеПлатежа: '', НазначениеПлатежа1: 'K', НазначениеПлатежа2: 'T48219034' },
      { НазначениеПлатежа: undefined },
      { НазначениеПлатежа: 'Карта 4111111111111111, счет 40702810300000000042' },
      { НазначениеПлатежа: 'Карта 4111 1111 1111 1111 2026 и 8600123412341234' },
      { НазначениеПлатежа: 'KT 4821 9034 2026 1115' },
      { НазначениеПлатежа: 'KT48219034 4111111111111111' },
      {
        НазначениеПлатежа: undefined,
        НазначениеПлатежа1: 'Карта 41111111',
        НазначениеПлатежа2: '11111111 да',
      },
      { Плательщик: undefined, Плательщик1: 'Петров карта 5555555555554444' },
      { ПлательщикСчет: '4111111111111111' },
    ]),
  ),
  // The payer's text has lines that look like the bank's.
  windows('ru-payer-writes-keys.txt', [
    ...header(),
    ...section('1500.00'),
    ...credit({ НазначениеПлатежа: 'KT48219034\r\nСумма=1500000.00' }),
    ...credit({ НазначениеПлатежа: 'KT48219034\r\nСуммаПриход=1500000.00' }),
    ...credit({ НазначениеПлатежа: 'KT48219034\r\nНеизвестныйКлюч=1' }),
    ...[
      // References that no key may hide.
      ['z=/REMI/KT10000008'],
      ['Очередность=KT10000008'],
      ['Очередность=5', 'KT10000008'],
      ['НазначениеПлатежа1=KT10000008'],
      // The bank's own, as it may follow a purpose.
      ['НазначениеПлатежа1=KT48 219034', 'ВидОплаты=01', 'Очередность=5', 'Код='],
    ].flatMap((lines) =>
      credit({
        ...{ Номер: undefined, Дата: '14.11.2026', ДатаПоступило: undefined, ДатаСписано: undefined },
        ...{ ПлательщикСчет: undefined, Плательщик: undefined, ПлательщикИНН: undefined },
        ...{ ПлательщикБанк1: undefined, ПлательщикБИК: undefined, ПолучательСчет: undefined },
        ...{ ДатаПоступило: '14.11.2026', НазначениеПлатежа: ['KT48219034', ...lines].join('\r\n') },
      }),
    ),
    'КонецФайла',
  ]),
  // Some writers put dates behind the purpose.
  windows('ru-dates-behind-purpose.txt', [
    ...header(),
    ...section('1500.00'),
    ...credit({
      ...{ Дата: undefined, ДатаПоступило: undefined, ДатаСписано: undefined },
      НазначениеПлатежа: 'KT48219034\r\nДата=13.11.2026\r\nДатаПоступило=14.11.2026',
    }),
    'КонецФайла',
  ]),
  // What a payer's text would have to be to change what is around it.
  windows('ru-section-behind-document.txt', [
    ...header(),
    ...section('10.00'),
    ...credit({
      Сумма: '10.00',
      НазначениеПлатежа: ['x', 'КонецДокумента', ...section('50000.00')].join('\r\n'),
    }),
  ]),
  windows('ru-section-in-document.txt', [
    ...header(),
    ...credit({ НазначениеПлатежа: ['x', 'КонецРасчСчет'].join('\r\n') }),
  ]),
  windows('ru-end-in-purpose.txt', [
    ...header(),
    ...section('1500.00'),
    ...credit({ НазначениеПлатежа: 'x\r\nКонецДокумента' }),
  ]),
  windows('ru-line-between-documents.txt', [
    ...header(),
    ...credit(),
    'РасчСчет=40702810600000000043',
    ...credit(),
  ]),
  windows('ru-second-header.txt', [...header(), ...credit(), ...header(), ...credit()]),
  windows('ru-lone-cr.txt', [
    ...header(),
    ...section('1500.00'),
    ...credit({ НазначениеПлатежа: 'a\rСумма=5' }),
  ]),
  windows('ru-lone-lf.txt', [
    ...header(),
    ...section('1500.00'),
    ...credit({ НазначениеПлатежа: 'a\nСумма=5' }),
  ]),
  { file: 'ru-cr-in-lf.txt', bytes: encoded([...header(), ...credit({ Номер: '1\r' })].join('\n'), 'utf-8') },
  { file: 'ru-lf-in-cr.txt', bytes: encoded([...header(), ...credit({ Номер: '1\n' })].join('\r'), 'utf-8') },
  {
    file: 'ru-other-breaks.txt',
    bytes: encoded(
      crlf([
        ...header(),
        ...section('1500.00'),
        ...credit({
          НазначениеПлатежа: ['KT48', '219034', 'Сумма=5', 'КонецДокумента', 'x'].join(
            '\u2028\u0085\u000b\u000c',
          ),
        }),
      ]),
      'utf-8',
    ),
  },
  windows('ru-foreign-account.txt', [...header('Windows', '40702810900000002851'), ...credit()]),
  windows('ru-foreign-document.txt', [
    ...header(),
    ...section('1500.00'),
    ...credit(),
    ...credit({ ПолучательСчет: '40702810900000002851' }),
  ]),
  windows('ru-foreign-documents-only.txt', [
    ...header().slice(0, -1),
    ...credit({ ПолучательСчет: '4070 2810 9000 0000 2851' }),
  ]),
  // One side is left out, and the other is not ours: nobody knows whose statement says so.
  windows('ru-one-side.txt', [
    ...header(),
    ...credit({ ПлательщикСчет: undefined, ПолучательСчет: '40702810900000002851' }),
    ...credit({ ПолучательСчет: undefined, ДатаПоступило: undefined }),
  ]),
  windows('ru-header-only.txt', header()),
  windows('ru-first-line-only.txt', ['1CClientBankExchange']),
  windows('ru-wrong-first-line.txt', ['1CClientBankExchange 1.03', ...header().slice(1), ...credit()]),
  windows('ru-no-movement.txt', [...header(), ...section('0.00'), 'КонецФайла']),
  windows('ru-cut-section.txt', [...header(), ...section('0.00').slice(0, 5)]),
  windows('ru-two-files-glued.txt', [...header(), ...credit(), 'КонецФайла', ...header(), ...credit()]),
  windows('ru-dos-end-mark.txt', [...header(), ...section('1500.00'), ...credit(), 'КонецФайла', '\u001a']),
  { file: 'ru-zero-byte.txt', bytes: encoded(crlf([...header(), ...credit({ Номер: '1\0' })]), 'utf-8') },
  windows('kz-upper-case.txt', kzFile),
  windows(
    'kz-quoted-section.txt',
    kzFile.map((line) => line.replace('СЕКЦИЯДОКУМЕНТ=ВЫПИСКА', ' СекцияДокумент="выписка"')),
  ),
  // The Russian names of what the bank has written in its own way.
  windows('kz-payer-writes-keys.txt', [
    ...kzHeader,
    ...kzSection,
    ...[
      ['ПлательщикСчет=KZ00125KZT9999990099'],
      ['ПлательщикИНН=900101300456'],
      ['плательщикинн=900101300456'],
      ['Плательщик1=Другой'],
      ['Номер=77001'],
      ['Дата=04.12.2026'],
      ['СуммаДоход=7745.8'],
      ['ПолучательСчет=KZ86125KZT5004100100'],
    ].flatMap((lines) => kz({}, lines)),
    'КОНЕЦФАЙЛА',
  ]),
  windows('kz-contradictions.txt', [
    ...kzHeader,
    ...kz({ СуммаРасход: '5' }),
    ...kz({ СуммаПриход: '0', СуммаРасход: '0', Сумма: '0' }),
    ...kz({ ПлательщикИИК: 'KZ90999TEST000000001', ПолучательИИК: 'KZ86125KZT5004100100' }),
    ...kz({ СуммаПриход: '-7745.7', Сумма: '' }),
    ...kz({ Сумма: '7745.8' }),
    ...kz({ Валюта: 'USD' }),
    'КонецФайла',
  ]),
]
