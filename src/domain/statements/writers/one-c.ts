/**
 * A statement as 1CClientBankExchange 1.03, in windows-1251 with CRLF, as Russian banks export it. The format has
 * days and no times, and no id of the bank's own. What windows-1251 cannot write becomes a question mark.
 */
import { decimal } from '../../money.ts'
import { Tally } from '../totals.ts'
import { dottedDay, oneLine, type WrittenEntry, type WrittenStatement } from './statement.ts'

/** `madeAt`: ISO time in the bank's zone. */
export function writeOneC(statements: readonly WrittenStatement[], madeAt: string): Uint8Array {
  const days = statements.flatMap(({ from, to }) => [from, to]).sort()
  const lines = [
    '1CClientBankExchange',
    'ВерсияФормата=1.03',
    'Кодировка=Windows',
    'Отправитель=Тестовый банк Inlet',
    'Получатель=',
    `ДатаСоздания=${dottedDay(madeAt.slice(0, 10))}`,
    `ВремяСоздания=${madeAt.slice(11, 19)}`,
    `ДатаНачала=${dottedDay(days[0] ?? madeAt.slice(0, 10))}`,
    `ДатаКонца=${dottedDay(days.at(-1) ?? madeAt.slice(0, 10))}`,
    ...statements.map(({ account }) => `РасчСчет=${account}`),
    ...statements.flatMap(sectionOf),
    ...statements.flatMap((statement) => statement.entries.flatMap((entry) => documentOf(entry, statement))),
    'КонецФайла',
  ]
  return inWindows1251(lines)
}

/** The opening balance is unknown, so one is chosen that covers the debits. */
function sectionOf({ account, from, to, entries }: WrittenStatement): string[] {
  const { credit, debit } = Tally.of(entries)
  return [
    'СекцияРасчСчет',
    `ДатаНачала=${dottedDay(from)}`,
    `ДатаКонца=${dottedDay(to)}`,
    `РасчСчет=${account}`,
    `НачальныйОстаток=${decimal(debit.cents)}`,
    `ВсегоПоступило=${decimal(credit.cents)}`,
    `ВсегоСписано=${decimal(debit.cents)}`,
    `КонечныйОстаток=${decimal(credit.cents)}`,
    'КонецРасчСчет',
  ]
}

function documentOf(entry: WrittenEntry, { account, currency }: WrittenStatement): string[] {
  const isCredit = entry.direction === 'credit'
  const ordered = dottedDay(entry.paidOn ?? entry.bookedOn)
  return [
    'СекцияДокумент=Платежное поручение',
    `Номер=${oneLine(entry.documentNumber)}`,
    `Дата=${ordered}`,
    `Сумма=${decimal(entry.cents)}`,
    `Валюта=${currency}`,
    `ПлательщикСчет=${isCredit ? entry.payerAccount : account}`,
    ...(isCredit ? [] : [`ДатаСписано=${dottedDay(entry.bookedOn)}`]),
    `Плательщик1=${oneLine(entry.payerName)}`,
    `ПлательщикИНН=${oneLine(entry.payerTaxId)}`,
    `ПлательщикБанк1=${oneLine(entry.payerBank)}`,
    ...(isCredit ? [`ПолучательСчет=${account}`, `ДатаПоступило=${dottedDay(entry.bookedOn)}`] : []),
    'ВидОплаты=01',
    `НазначениеПлатежа=${oneLine(entry.purpose)}`,
    'КонецДокумента',
  ]
}

const bytes = new Map(
  [...new TextDecoder('windows-1251').decode(Uint8Array.from({ length: 256 }, (_, byte) => byte))].map(
    (letter, byte) => [letter, byte],
  ),
)

/** With CRLF. `likeness`: a letter for one that windows-1251 lacks; without it there is a question mark. */
export function inWindows1251(
  lines: readonly string[],
  likeness: (letter: string) => string | undefined = () => undefined,
): Buffer {
  const text = lines.map((line) => `${line}\r\n`).join('')
  const written = Buffer.allocUnsafe(text.length)
  let length = 0
  for (const letter of text)
    written[length++] = bytes.get(letter) ?? bytes.get(likeness(letter) ?? '') ?? 0x3f
  return written.subarray(0, length)
}
