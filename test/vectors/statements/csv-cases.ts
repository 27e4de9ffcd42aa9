/** CSV by mapping: spaces in amounts, changed headers, quotes, broken rows. */
import type { CsvMapping } from '../../../src/domain/statements/formats/csv-mapping.ts'
import { type Case, encoded } from './statement-case.ts'

const signed: CsvMapping = {
  encoding: 'utf-8',
  separator: ';',
  skipRows: 2,
  header: ['Дата', 'Сумма', 'Валюта', 'Отправитель', 'Карта', 'Назначение', 'ID'],
  dateFormat: 'dd.mm.yyyy',
  account: 'KZ90999TEST000000001',
  columns: { date: 0, amount: 1, currency: 2, payerName: 3, payerAccount: 4, purpose: [5], bankId: 6 },
}

const pair: CsvMapping = {
  encoding: 'windows-1251',
  separator: ',',
  skipRows: 0,
  header: ['Date', 'Doc', 'Credit', 'Debit', 'Payer', 'INN', 'Purpose', 'More'],
  dateFormat: 'yyyy-mm-dd',
  account: '40702810300000000042',
  columns: { date: 0, documentNumber: 1, credit: 2, debit: 3, payerName: 4, payerTaxId: 5, purpose: [6, 7] },
}

const { currency, ...columns } = signed.columns
const amountLast: CsvMapping = {
  encoding: 'utf-8',
  separator: ';',
  skipRows: 0,
  header: ['Дата', 'Назначение', 'Сумма'],
  dateFormat: 'dd.mm.yyyy',
  account: 'KZ90999TEST000000001',
  columns: { date: 0, purpose: [1], amount: 2 },
}
const pairLast: CsvMapping = {
  ...amountLast,
  header: ['Дата', 'Назначение', 'Расход', 'Приход'],
  columns: { date: 0, purpose: [1], debit: 2, credit: 3 },
}

const top = ['Выписка по счету', 'Период: 14.11.2026']
const header = signed.header.join(';')

const file = (name: string, mapping: CsvMapping, lines: string[], end = '\r\n'): Case => ({
  file: name,
  bytes: encoded(lines.join(end), mapping.encoding),
  mapping,
})

const row = '14.11.2026 12:31:05;1 500,50;KZT;Яна П.;;Пополнение KT48219034;'

export const csvCases: Case[] = [
  file('csv-signed.csv', signed, [
    ...top,
    header,
    '14.11.2026 12:31:05;1\u202f234,56;KZT;Яна П.;;Пополнение KT48219034;A1',
    '14.11.2026;1\u00a0234.5;398;Иван И.;4111111111111111;"со знаком ; и ""кавычками""',
    'во второй строке";A2',
    '14.11.2026;-300;KZT;;;Перевод;A3',
    '14.11.2026;+ 300,00;KZT;ООО "Ромашка";40702810300000000042;Свои;A4',
    '',
  ]),
  // The bank's time, where nothing names a currency: the account's zone counts.
  file('csv-times.csv', { ...signed, columns }, [...top, header, row, row.replace(' 12:31:05', ''), '']),
  file('csv-signs.csv', signed, [
    ...top,
    header,
    ...['5 000 ₸', '5 000,00 KZT', '-300 тг.', '₸ 500', '5 000 ₽', '1 000 руб.', '1 000 $', '12 34'].map(
      (amount) => row.replace('1 500,50', amount),
    ),
    row.replace('1 500,50', '500 ₽').replace('KZT', 'RUB'),
    '',
  ]),
  file('csv-unstorable.csv', signed, [
    ...top,
    header,
    row.replace('1 500,50', '10000000000000'),
    `${row}${'A'.repeat(128)}`,
    `${row}${'A'.repeat(129)}`,
    row.replace('Яна П.', '"Яна\nП.\u001b[2J"').replace('KT', '4111\t1111\u00011111\u009b1111 KT'),
    '',
  ]),
  // A file that ends in an amount may have been cut there: 400 may have been 40000.12.
  file('csv-cut-amount.csv', amountLast, ['Дата;Назначение;Сумма', '14.11.2026;A;1', '14.11.2026;B;400']),
  file('csv-cut-group.csv', amountLast, ['Дата;Назначение;Сумма', '14.11.2026;B;1 400 ']),
  file('csv-cut-credit.csv', pairLast, ['Дата;Назначение;Расход;Приход', '14.11.2026;B;;400']),
  // Whole, although nothing ends the line: a quote, a sign, a separator or another column stands behind the amount.
  file('csv-whole-quoted.csv', amountLast, ['Дата;Назначение;Сумма', '14.11.2026;B;"400"']),
  file('csv-whole-sign.csv', amountLast, ['Дата;Назначение;Сумма', '14.11.2026;B;400 ₸']),
  file('csv-whole-separator.csv', amountLast, ['Дата;Назначение;Сумма;', '14.11.2026;B;400;']),
  file('csv-whole-debit.csv', pairLast, ['Дата;Назначение;Расход;Приход', '14.11.2026;B;400;']),
  file('csv-whole-cr.csv', amountLast, ['Дата;Назначение;Сумма', '14.11.2026;B;400', ''], '\r'),
  file('csv-bad-rows.csv', signed, [
    ...top,
    header,
    '31.02.2026;100;KZT;;;;1',
    '14.11.2026;0,00;KZT;;;;2',
    '14.11.2026;1,234.56;KZT;;;;3',
    '14.11.2026;100;EUR;;;;4',
    '14.11.2026;100;KZT;;;',
    '14.11.2026;100;KZT;;;;7;лишнее',
    '14.11.2026;100;KZT;"Я" П.;;;8',
    ';;;;;;',
    'Итого;100',
    '14.11.2026;100;KZT;;;;9;;',
    '14.11.2026;"100;KZT;;;;10',
  ]),
  file('csv-pair.csv', pair, [
    pair.header.join(','),
    '2026-11-14,7,"1500,50",,Иванов,123456789,KT48,219034',
    '2026-11-14,8,0,300.00,Мы,,Возврат,',
    '2026-11-14,9,100,100,,,,',
    '2026-11-14,10,,,,,,',
    '2026-11-14,11,-5,,,,,',
  ]),
  // In a file of CRLF another break ends no row: in quotes it is text, outside of them the row cannot be trusted.
  file('csv-other-breaks.csv', signed, [
    ...top,
    header,
    row.replace('Пополнение', '"Две\nстроки"').replace(' KT48219034', ''),
    row.replace('KT48219034', `KT48219034\n${row}`),
    row.replace('KT48219034', `KT48219034\r${row}`),
    row,
    '',
  ]),
  file('csv-equal-rows.csv', signed, [...top, header, row, row, row, '']),
  file('csv-bom-lf.csv', signed, ['\ufeffВыписка', '', header, row], '\n'),
  file('csv-header-renamed.csv', signed, [...top, header.replace('Сумма', 'Сумма операции'), row]),
  file('csv-header-column-added.csv', signed, [...top, `${header};Комиссия`, `${row};0`]),
  file('csv-header-column-lost.csv', signed, [...top, header.replace(';ID', ''), row.slice(0, -1)]),
  file('csv-stray-quote.csv', signed, [
    ...top,
    header,
    row.replace('Яна', '"Яна'),
    row.replace('Пополнение', '"П'),
    row,
  ]),
  file('csv-open-quote.csv', signed, [...top, header, row, row.replace('Яна', '"Яна'), row, row]),
  file('csv-header-only.csv', signed, [...top, header]),
  file('csv-no-header.csv', signed, ['a;b']),
  file('csv-foreign-account.csv', { ...signed, account: 'KZ86125KZT5004100100' }, [...top, header, row]),
  {
    file: 'csv-wrong-encoding.csv',
    bytes: encoded([...top, header, row].join('\r\n'), 'windows-1251'),
    mapping: signed,
  },
]
