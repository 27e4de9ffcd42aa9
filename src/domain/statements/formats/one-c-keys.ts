/** The keywords of 1CClientBankExchange. */
export const firstLine = '1CClientBankExchange'

/**
 * The key of a line, or the whole line where it has no value: known ones in one spelling, and one name for all that mean the
 * same, others in lower case.
 */
export function keyIn(line: string): string {
  const sign = line.indexOf('=')
  const written = (sign === -1 ? line : line.slice(0, sign)).trim()
  // Nearly every file spells them so: to lower the case of every line took a quarter of the time.
  return spellings.get(written) ?? spellings.get(written.toLowerCase()) ?? written.toLowerCase()
}

const words = [
  ...['ВерсияФормата', 'Кодировка', 'Отправитель', 'ДатаСоздания', 'ВремяСоздания', 'Документ'],
  ...['ДатаНачала', 'ДатаКонца', 'РасчСчет', 'НачальныйОстаток', 'КонечныйОстаток'],
  ...['ВсегоПоступило', 'ВсегоСписано', 'СекцияРасчСчет', 'КонецРасчСчет', 'СекцияДокумент'],
  ...['КонецДокумента', 'КонецФайла', 'Номер', 'Дата', 'Сумма', 'ДатаСписано', 'ДатаПоступило'],
  ...['ДатаОперации', 'ДатаВалютирования', 'СуммаПриход', 'СуммаРасход', 'Валюта', 'НазначениеПлатежа'],
  ...['НазначениеПлатежа1', 'НазначениеПлатежа2'],
]
const ofSide = ['', '1', 'Счет', 'РасчСчет', 'ИНН', 'БИК', 'Банк1']

/** Kazakhstan has names of its own. */
const kazakhWords = { НомерДокумента: 'Номер', ДатаДокумента: 'Дата', СуммаДоход: 'СуммаПриход' }
const kazakhOfSide = {
  ИИК: 'Счет',
  Наименование: '1',
  БИН_ИИН: 'ИНН',
  БанкНаименование: 'Банк1',
  БанкБИК: 'БИК',
}

const meanings = [
  ...words.map((word) => [word, word]),
  ...Object.entries(kazakhWords),
  ...['Плательщик', 'Получатель'].flatMap((side) => [
    ...ofSide.map((detail) => [side + detail, side + detail]),
    ...Object.entries(kazakhOfSide).map(([word, detail]) => [side + word, side + detail]),
  ]),
] as [word: string, meaning: string][]

export const knownKeys: ReadonlySet<string> = new Set(meanings.map(([, meaning]) => meaning))
const spellings = new Map(
  meanings.flatMap(([word, meaning]) => [
    [word, meaning],
    [word.toLowerCase(), meaning],
  ]),
)
