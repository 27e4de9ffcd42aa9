/** A Russian statement of the demo account in 1C's format, whose own totals fit. */
import { dotted, today } from './bank.ts'

export const demoAccount = '40702810300000000042'

export type StatementRow = { cents: bigint; purpose: string; number?: string; out?: boolean }

const money = (cents: bigint) => `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`
const sum = (rows: readonly StatementRow[]) => rows.reduce((all, row) => all + row.cents, 0n)

/** `note` makes its bytes differ from another one with the same rows. */
export function oneCOf(rows: readonly StatementRow[], note = ''): Buffer {
  const [credits, debits] = [rows.filter((row) => !row.out), rows.filter((row) => row.out)]
  const party = 'Счет=40817810000000000001'
  const lines = [
    '1CClientBankExchange',
    'ВерсияФормата=1.03',
    'Кодировка=Windows',
    `Отправитель=${note}`,
    `РасчСчет=${demoAccount}`,
    'СекцияРасчСчет',
    `ДатаНачала=${dotted(today())}`,
    `ДатаКонца=${dotted(today())}`,
    `РасчСчет=${demoAccount}`,
    'НачальныйОстаток=1000000.00',
    `ВсегоПоступило=${money(sum(credits))}`,
    `ВсегоСписано=${money(sum(debits))}`,
    `КонечныйОстаток=${money(100_000_000n + sum(credits) - sum(debits))}`,
    'КонецРасчСчет',
    ...rows.flatMap((row) => [
      'СекцияДокумент=Платежное поручение',
      `Номер=${row.number ?? row.cents}`,
      `Дата=${dotted(today())}`,
      `Сумма=${money(row.cents)}`,
      ...(row.out
        ? [`ПлательщикСчет=${demoAccount}`, `Получатель${party}`, 'Получатель1=Иванов Иван']
        : [`Плательщик${party}`, 'Плательщик1=Иванов Иван', `ПолучательСчет=${demoAccount}`]),
      `${row.out ? 'ДатаСписано' : 'ДатаПоступило'}=${dotted(today())}`,
      `НазначениеПлатежа=${row.purpose}`,
      'КонецДокумента',
    ]),
    'КонецФайла',
  ]
  return Buffer.from(lines.join('\r\n'))
}

/** Rows that are for nobody, each of its own. */
export const strangers = (count: number, from: number): StatementRow[] =>
  Array.from({ length: count }, (_, place) => ({
    ...{ cents: BigInt(from + place), purpose: 'Перевод', number: String(from + place) },
  }))
