/**
 * The credits that settled deposits, as 1CClientBankExchange 1.03 in windows-1251, for the operator's bookkeeping.
 * Unlike a bank's statement (src/domain/statements/writers/one-c.ts) it is written as it is read, names the receiver, and
 * has no balances: it holds only a part of the account's entries.
 */

import { type Cents, type Currency, decimal } from '../money.ts'
import { inWindows1251 } from '../statements/writers/one-c.ts'
import { dottedDay, oneLine } from '../statements/writers/statement.ts'
import type { Payment } from '../transfers/transfer.ts'
import type { Period } from './report.ts'

export type OneCAccount = {
  number: string
  currency: Currency
  owner: string
  taxId: string
  bankName: string
  bic: string
  corrAccount: string
  kpp: string
  /** The total of the account's documents, which is written before them. */
  cents: Cents
}

export type OneCCredit = Omit<Payment, 'direction' | 'currency' | 'bookedAt'>

/** `madeAt`: ISO time in the zone that the reader lives in. */
export const oneCHead = (accounts: readonly OneCAccount[], { from, to }: Period, madeAt: string): Buffer =>
  written([
    '1CClientBankExchange',
    'ВерсияФормата=1.03',
    'Кодировка=Windows',
    'Отправитель=Inlet',
    'Получатель=',
    `ДатаСоздания=${dottedDay(madeAt.slice(0, 10))}`,
    `ВремяСоздания=${madeAt.slice(11, 19)}`,
    `ДатаНачала=${dottedDay(from)}`,
    `ДатаКонца=${dottedDay(to)}`,
    ...accounts.map(({ number }) => `РасчСчет=${number}`),
    ...accounts.flatMap(({ number, cents }) => [
      'СекцияРасчСчет',
      `ДатаНачала=${dottedDay(from)}`,
      `ДатаКонца=${dottedDay(to)}`,
      `РасчСчет=${number}`,
      `ВсегоПоступило=${decimal(cents)}`,
      'КонецРасчСчет',
    ]),
  ])

export const oneCDocuments = (credits: readonly OneCCredit[], account: OneCAccount): Buffer =>
  written(credits.flatMap((credit) => documentOf(credit, account)))

export const oneCEnd = (): Buffer => written(['КонецФайла'])

const documentOf = (credit: OneCCredit, account: OneCAccount): string[] => [
  'СекцияДокумент=Платежное поручение',
  `Номер=${oneLine(credit.documentNumber)}`,
  `Дата=${dottedDay(credit.paidOn ?? credit.bookedOn)}`,
  `Сумма=${decimal(credit.cents)}`,
  // Roubles are the default, and Russian 1C does not know the key.
  ...(account.currency === 'RUB' ? [] : [`Валюта=${account.currency}`]),
  `ПлательщикСчет=${oneLine(credit.payerAccount)}`,
  `Плательщик=${oneLine([credit.payerTaxId && `ИНН ${credit.payerTaxId}`, credit.payerName].filter(Boolean).join(' '))}`,
  `ПлательщикИНН=${oneLine(credit.payerTaxId)}`,
  `Плательщик1=${oneLine(credit.payerName)}`,
  `ПлательщикБанк1=${oneLine(credit.payerBank)}`,
  `ПолучательСчет=${account.number}`,
  `ДатаПоступило=${dottedDay(credit.bookedOn)}`,
  `Получатель=${oneLine(`ИНН ${account.taxId} ${account.owner}`)}`,
  `ПолучательИНН=${oneLine(account.taxId)}`,
  `ПолучательКПП=${oneLine(account.kpp)}`,
  `Получатель1=${oneLine(account.owner)}`,
  `ПолучательРасчСчет=${account.number}`,
  `ПолучательБанк1=${oneLine(account.bankName)}`,
  `ПолучательБИК=${account.bic}`,
  `ПолучательКорсчет=${account.corrAccount}`,
  'ВидОплаты=01',
  `НазначениеПлатежа=${oneLine(credit.purpose)}`,
  'КонецДокумента',
]

/** Letters of Kazakh, Tajik and Uzbek names that windows-1251 lacks, by the Russian ones that banks write for them. */
const lookAlikes = new Map(
  ['ӘА', 'ҒГ', 'ҚК', 'ҢН', 'ӨО', 'ҰУ', 'ҮУ', 'ҺХ', 'ӢИ', 'ӮУ', 'ҲХ', 'ҶЧ']
    .flatMap((pair) => [pair, pair.toLowerCase()])
    .concat(["ʻ'", "ʼ'"])
    .map((pair) => [...pair] as [string, string]),
)

const written = (lines: readonly string[]): Buffer => inWindows1251(lines, (letter) => lookAlikes.get(letter))
