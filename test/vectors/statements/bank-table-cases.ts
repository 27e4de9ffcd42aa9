/** Tables in the columns of four banks, each with the mapping that a person makes of it. The payments are invented. */
import type { CsvMapping } from '../../../src/domain/statements/formats/csv-mapping.ts'
import { csvMappingOf } from '../../support/writers/csv.ts'
import { numberCell, partsOf, textCell, type WrittenCell, zipOf } from '../../support/writers/xlsx.ts'
import type { Case } from './statement-case.ts'

const kzt = 'KZ90999TEST000000001'
const uzs = '20208000100000000001'

/** A number is written as a number, everything else as text. */
type Cell = string | number | WrittenCell | null
const cellOf = (cell: Cell): WrittenCell | null =>
  cell === null || cell === ''
    ? null
    : typeof cell === 'string'
      ? textCell(cell)
      : typeof cell === 'number'
        ? numberCell(String(cell))
        : cell
/** Not compressed, so that the bytes are the same on every machine. */
export const workbook = (rows: Cell[][]): Uint8Array =>
  zipOf(partsOf(rows.map((row) => row.map(cellOf))), { isStored: true })

/** The columns by their names. */
function mapped(
  account: string,
  header: string[],
  { purpose, ...names }: Record<string, string> & { purpose: string },
): CsvMapping {
  const { encoding, separator, skipRows } = csvMappingOf({ account })
  const columns = Object.fromEntries(
    Object.entries(names).map(([name, text]) => [name, header.indexOf(text)]),
  )
  return {
    ...{ encoding, separator, skipRows, account, header, dateFormat: 'dd.mm.yyyy' },
    columns: { ...columns, purpose: [header.indexOf(purpose)] } as unknown as CsvMapping['columns'],
  }
}

const kazakh = [
  ...['Наименование/ФИО плательщика', 'ИИН/БИН плательщика', 'Резидентство плательщика', 'Банк плательщика'],
  ...['Номер счета плательщика', 'Наименование/ФИО получателя', 'ИИН/БИН получателя'],
  ...['Резидентство получателя', 'Банк получателя', 'Номер счета получателя', 'Код назначения платежа'],
  'Назначение платежа',
]
const payer = ['Яна П.', '850101300012', 'Да', 'АО Банк', 'KZ86125KZT5004100100']
const ourCompany = ['ТОО Пример', '971240001315', 'Да', 'АО Банк', kzt]
const columnNumbers = (count: number): string[] => Array.from({ length: count }, (_, at) => String(at + 1))

const kazakhPayer = {
  payerName: 'Наименование/ФИО плательщика',
  payerTaxId: 'ИИН/БИН плательщика',
  payerAccount: 'Номер счета плательщика',
  currency: 'Валюта операции',
  purpose: 'Назначение платежа',
}

const halyk = [
  ...['Дата и время операции', 'Валюта операции', 'Виды операции (категория документа)'],
  ...['Наименование СДП (при наличии)', 'Сумма в валюте ее проведения по кредиту'],
  ...['Сумма в валюте ее проведения по дебету', 'Сумма в тенге', ...kazakh],
]
const kaspi = [
  ...['Дата и время операции', 'Валюта операции', 'Виды операции (категория документа)', 'Сумма'],
  ...kazakh,
]
const eurasian = [
  ...['Дата проводки', 'Вид операции', 'Номер документа клиента', 'Наименование Бенефициара/Отправителя'],
  ...['ИИН/БИН Бенефициара/отправителя', 'ИИК бенефициара/Отправителя денег'],
  ...['Назначение платежа', 'Дебет', 'Кредит', 'Остаток'],
]
const uzbek = [
  ...['Дата', 'Счет', 'ИНН', 'Наименование', '№ док-та', 'Оп', 'МФО', 'Оборот дебет', 'Оборот кредит'],
  'Назначение платежа',
]

export const bankTableCases: Case[] = [
  {
    file: 'kz-halyk.xlsx',
    mapping: mapped(kzt, halyk, {
      ...kazakhPayer,
      date: 'Дата и время операции',
      credit: 'Сумма в валюте ее проведения по кредиту',
      debit: 'Сумма в валюте ее проведения по дебету',
    }),
    bytes: workbook([
      ['ТОО Пример', '971240001315'],
      ['Contract', kzt, 'Валюта контракта', 'KZT'],
      ['Период выписки', '14.11.2026', '15.11.2026'],
      halyk,
      columnNumbers(19),
      [
        ...['14.11.2026 12:31:05', 'KZT', 'Перевод', '', '1 500,50', '', '1 500,50', ...payer, ...ourCompany],
        ...['190', 'Пополнение KT48219034'],
      ],
      [
        ...['15.11.2026 09:00:00', 'KZT', 'Перевод', '', '', '300,00', '300,00', ...ourCompany, ...payer],
        ...['190', 'Возврат'],
      ],
      ['Итого', '', '', '', '1 500,50', '300,00'],
    ]),
  },
  // Its amounts have no sign: who pays tells the direction.
  {
    file: 'kz-kaspi.xlsx',
    mapping: mapped(kzt, kaspi, { ...kazakhPayer, date: 'Дата и время операции', amount: 'Сумма' }),
    bytes: workbook([
      ['АО «Kaspi Bank»'],
      [`Выписка по счету ${kzt} за 14.11.2026`],
      kaspi,
      [
        ...[numberCell('46340.5216435185', 2), 'KZT', 'Перевод', 1500.5, ...payer, ...ourCompany],
        ...['190', 'Пополнение KT48219034'],
      ],
      [numberCell('46340.75', 2), 'KZT', 'Перевод', 300, ...ourCompany, ...payer, '190', 'Возврат'],
    ]),
  },
  {
    file: 'kz-eurasian.xlsx',
    mapping: mapped(kzt, eurasian, {
      date: 'Дата проводки',
      documentNumber: 'Номер документа клиента',
      payerName: 'Наименование Бенефициара/Отправителя',
      payerTaxId: 'ИИН/БИН Бенефициара/отправителя',
      payerAccount: 'ИИК бенефициара/Отправителя денег',
      debit: 'Дебет',
      credit: 'Кредит',
      balance: 'Остаток',
      purpose: 'Назначение платежа',
    }),
    bytes: workbook([
      ['EURIKZKA'],
      ['ИИК', kzt],
      eurasian,
      [
        ...['14.11.2026', 'Перевод', '17', 'Яна П.', '850101300012', 'KZ86125KZT5004100100'],
        ...['Пополнение KT48219034', '', 1500.5, 2500.5],
      ],
      [
        ...['14.11.2026', 'Перевод', '18', 'ТОО Аренда', '971240001315', 'KZ86125KZT5004100100'],
        ...['Аренда', 300, '', 2200.5],
      ],
      ['Итого', '', '', '', '', '', '', 300, 1500.5, ''],
    ]),
  },
  {
    file: 'uz-account-report.xlsx',
    mapping: mapped(uzs, uzbek, {
      date: 'Дата',
      documentNumber: '№ док-та',
      payerName: 'Наименование',
      payerTaxId: 'ИНН',
      payerAccount: 'Счет',
      debit: 'Оборот дебет',
      credit: 'Оборот кредит',
      purpose: 'Назначение платежа',
    }),
    bytes: workbook([
      [`Сведения о работе счета ${uzs}`],
      uzbek,
      [
        ...['14.11.2026', '20218000900000000002', '301234567', 'YANA P', '17', '1', '00083', '0,00'],
        ...['1 500 000,50', 'Пополнение KT48219034'],
      ],
      [
        ...['14.11.2026', '20208000500000000003', '207180749', 'IJARA MCHJ', '18', '1', '00083'],
        ...['300 000,00', '0,00', 'Ижара'],
      ],
      ['Итоговый оборот', '', '', '', '', '', '', '300 000,00', '1 500 000,50'],
      ['Обороты по дебету: кол-во 1'],
      ['Главный бухгалтер'],
    ]),
  },
]
