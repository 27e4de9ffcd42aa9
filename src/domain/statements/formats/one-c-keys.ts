/**
 * The keywords of 1CClientBankExchange, by which the encoding is detected. The header has a key for the encoding,
 * but banks fill it carelessly, so the keywords decide.
 */
import { lazy } from '../../../platform/remembered.ts'
import { message } from '../../messages/message.ts'
import { DamagedStatement } from '../entry.ts'
import { decodeHead, type Encoding, encodings } from './decode.ts'

export const firstLine = '1CClientBankExchange'

/** The encoding in which the first known word is found. UTF-8 goes first: it never fits by chance. */
export function encodingOf(head: Uint8Array): Encoding {
  const seen = encodings.map((encoding) => {
    const lines = decodeHead(head, encoding).split(/\r\n?|\n/)
    return { encoding, lines, at: lines.findIndex((line) => knownKeys.has(keyIn(line))) }
  })
  const [first = '', ...others] = seen[0]!.lines
  // The reader says what is wrong with such a file; it needs some encoding for that.
  if (first !== firstLine || others.every((line) => line.trim() === '')) return 'windows-1251'
  const readable = seen.filter(({ at }) => at !== -1)
  const best = readable.reduce<(typeof seen)[number] | undefined>(
    (first, next) => (first && first.at <= next.at ? first : next),
    undefined,
  )
  if (!best) throw new DamagedStatement(2, message('key_names_unreadable'))
  return best.encoding
}

/** The key of a line in lower case, or the whole line where it has no value. */
export function keyIn(line: string): string {
  const sign = line.indexOf('=')
  const written = (sign === -1 ? line : line.slice(0, sign)).trim()
  return knownSpellings.get(written) ?? written.toLowerCase()
}

/** The key that stands for all that mean the same: Kazakhstan has names of its own. */
export const meaningOf = (key: string): string => meanings.get(key) ?? key

const meanings: ReadonlyMap<string, string> = new Map([
  ['номердокумента', 'номер'],
  ['датадокумента', 'дата'],
  ['суммадоход', 'суммаприход'],
  ['плательщикиик', 'плательщиксчет'],
  ['получательиик', 'получательсчет'],
  ['плательщикбин_иин', 'плательщикинн'],
  ['плательщикнаименование', 'плательщик1'],
  ['плательщикбанкнаименование', 'плательщикбанк1'],
  ['плательщикбанкбик', 'плательщикбик'],
])

/** The encoding in which an unknown key would be a known one: two files were joined. */
export const encodingMeant = (key: string): Encoding | undefined => garbled().get(key)

const sides = ['Плательщик', 'Получатель'].flatMap((side) =>
  ['', '1', 'Счет', 'РасчСчет', 'ИНН', 'БИК', 'Банк1', 'ИИК', 'Наименование', 'БИН_ИИН', 'БанкБИК'].map(
    (detail) => side + detail,
  ),
)

const words = [
  ...['ВерсияФормата', 'Кодировка', 'Отправитель', 'ДатаСоздания', 'ВремяСоздания', 'Документ'],
  ...['ДатаНачала', 'ДатаКонца', 'РасчСчет', 'НачальныйОстаток', 'КонечныйОстаток'],
  ...['ВсегоПоступило', 'ВсегоСписано', 'СекцияРасчСчет', 'КонецРасчСчет', 'СекцияДокумент'],
  ...['КонецДокумента', 'КонецФайла', 'Номер', 'Дата', 'Сумма', 'ДатаСписано', 'ДатаПоступило'],
  ...['НомерДокумента', 'ДатаДокумента', 'ДатаОперации', 'СуммаПриход', 'СуммаРасход', 'Валюта'],
  ...['НазначениеПлатежа', 'НазначениеПлатежа1', 'НазначениеПлатежа2'],
  ...sides,
]

export const knownKeys: ReadonlySet<string> = new Set(words.map((word) => word.toLowerCase()))

/** As nearly every file spells them: to lower the case of every line took a quarter of the time. */
const knownSpellings = new Map(words.map((word) => [word, word.toLowerCase()]))

/** Every word in each encoding, read in each other one. */
const garbled = lazy(
  () =>
    new Map(
      encodings.flatMap((written) =>
        encodings
          .filter((read) => read !== written && read !== 'utf-8')
          .flatMap((read) =>
            [...words, ...words.map((word) => word.toUpperCase())].map((word): [string, Encoding] => [
              new TextDecoder(read).decode(encoded(word, written)).trim().toLowerCase(),
              written,
            ]),
          ),
      ),
    ),
)

function encoded(word: string, encoding: Encoding): Uint8Array {
  if (encoding === 'utf-8') return new TextEncoder().encode(word)
  const table = new TextDecoder(encoding).decode(Uint8Array.from({ length: 256 }, (_, byte) => byte))
  return Uint8Array.from(word, (letter) => table.indexOf(letter))
}
