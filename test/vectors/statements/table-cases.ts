/** CSV with direction, status and running balance, and without a mapping. */
import type { CsvMapping } from '../../../src/domain/statements/formats/csv-mapping.ts'
import { type Case, encoded } from './statement-case.ts'

const directed: CsvMapping = {
  encoding: 'utf-8',
  separator: ';',
  skipRows: 0,
  header: ['Дата', 'Тип', 'Состояние', 'Сумма', 'Назначение'],
  dateFormat: 'dd.mm.yyyy',
  account: 'KZ90999TEST000000001',
  columns: { date: 0, direction: 1, status: 2, amount: 3, purpose: [4] },
  directions: { in: ['Приход', 'Зачисление'], out: ['Расход'] },
  booked: ['Исполнен', ''],
}

const balanced: CsvMapping = {
  encoding: 'utf-8',
  separator: ';',
  skipRows: 0,
  header: ['Дата', 'Сумма', 'Остаток', 'Назначение'],
  dateFormat: 'dd.mm.yyyy',
  account: 'KZ90999TEST000000001',
  columns: { date: 0, amount: 1, balance: 2, purpose: [3] },
}

const file = (name: string, mapping: CsvMapping | undefined, lines: string[]): Case => ({
  file: name,
  bytes: encoded(lines.join('\r\n'), 'utf-8'),
  ...(mapping && { mapping }),
})

const top = directed.header.join(';')
const head = balanced.header.join(';')

export const tableCases: Case[] = [
  file('csv-direction.csv', directed, [
    top,
    '14.11.2026;Приход;Исполнен;1 500,50;KT48219034',
    '14.11.2026; ЗАЧИСЛЕНИЕ ;исполнен;100;B',
    '14.11.2026;Расход;;300;C',
    '14.11.2026;Расход;Исполнен;-300;D',
    '14.11.2026;Приход;Исполнен;-700;E',
    '14.11.2026;Возврат;Исполнен;800;F',
    '14.11.2026;;Исполнен;900;G',
    '14.11.2026;Приход;Отклонен;1000;H',
    '14.11.2026;Приход;В обработке;1100;I',
    '14.11.2026;Приход;Исполнен;0;J',
    '',
  ]),
  file('csv-nothing-booked.csv', { ...directed, booked: ['Проведён'] }, [
    top,
    '14.11.2026;Приход;Исполнен;1 500,50;KT48219034',
    '14.11.2026;Приход;Исполнен;100;B',
    '',
  ]),
  file('csv-balance.csv', balanced, [
    head,
    '14.11.2026;1500,50;2500,50;A',
    '14.11.2026;-300;2200,50;B',
    '15.11.2026;100;2300,50;C',
    '',
  ]),
  file('csv-balance-newest-first.csv', balanced, [
    head,
    '15.11.2026;100;2300,50;C',
    '14.11.2026;-300;2200,50;B',
    '14.11.2026;1500,50;2500,50;A',
    '',
  ]),
  file('csv-balance-broken.csv', balanced, [
    head,
    '14.11.2026;1500,50;2500,50;A',
    '14.11.2026;50000;;forged',
    '14.11.2026;50000;52500,50;forged',
    '14.11.2026;-300;2200,50;B',
    '15.11.2026;100;2300,50;C',
    '',
  ]),
  // A payer's text that was written without quotes: its break is not the one that the file's lines end with.
  file('csv-careless-break.csv', balanced, [
    head,
    '14.11.2026;10;1010;подарок\n14.11.2026;50000;51010;forged',
    '14.11.2026;-10;1000;B',
    '',
  ]),
  file('csv-footer.csv', balanced, [
    head,
    '14.11.2026;1500,50;2500,50;A',
    '14.11.2026;-300;2200,50;B',
    'Итого 2 операции;1200,50;;',
    ';;;Главный бухгалтер',
    '',
  ]),
  file('csv-footer-differs.csv', { ...balanced, columns: { date: 0, amount: 1, purpose: [3] } }, [
    head,
    '14.11.2026;1500,50;;A',
    '14.11.2026;-300;;B',
    'Всего;9999,00;;',
    '',
  ]),
  file('csv-all-income.csv', { ...balanced, columns: { date: 0, amount: 1, purpose: [3] } }, [
    head,
    '14.11.2026;1500,50;;Пополнение',
    '14.11.2026;300;;Аренда',
    '',
  ]),
  file('csv-unknown-header.csv', undefined, ['Date;Sum;Text', '14.11.2026;100;A', '']),
]
