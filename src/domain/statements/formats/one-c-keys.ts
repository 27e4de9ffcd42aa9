/**
 * The keywords of 1CClientBankExchange, by which the encoding is detected. The header has a key for the encoding,
 * but banks fill it carelessly, so the keywords decide.
 */
import { message } from '../../messages/message.ts'
import { DamagedStatement } from '../entry.ts'
import { decodeHead, type Encoding, encodings } from './decode.ts'

export const firstLine = '1CClientBankExchange'

/** The encoding in which the first known word is found. UTF-8 goes first: it never fits by chance. */
export function encodingOf(head: Uint8Array): Encoding {
  const texts = encodings.map((encoding) => decodeHead(head, encoding).split(/\r\n?|\n/))
  const [first, ...others] = texts[0]!
  // The reader says what is wrong with such a file; it needs some encoding for that.
  if (first !== firstLine || others.every((line) => line.trim() === '')) return 'windows-1251'
  for (const at of texts[0]!.keys()) {
    const found = encodings.find((_, nth) => knownKeys.has(keyIn(texts[nth]![at] ?? '')))
    if (found) return found
  }
  throw new DamagedStatement(2, message('key_names_unreadable'))
}

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
