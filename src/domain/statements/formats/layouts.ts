/**
 * Known layouts of banks' tables: column names, their meaning, and the words for booked money.
 * Each comes from a public source, listed in docs/banks.md; nothing is guessed.
 */

import type { ColumnName, DateFormat } from './csv-mapping.ts'

export type Layout = {
  /** Short, as a person reads it in a report. */
  name: string
  format: 'csv' | 'xlsx'
  /** Where they are not those of most banks. */
  dateFormats?: readonly DateFormat[]
  columns: { readonly [Name in ColumnName | 'purpose']?: readonly string[] }
  optional?: readonly ColumnName[]
  /** Names of its other columns that look as if they changed the meaning of a row, and do not. */
  others?: readonly string[]
  booked?: readonly string[]
  held?: readonly string[]
}

/** The report on one account that banks of Kazakhstan give out under one order, with small differences. */
const kazakhSides = {
  payerName: ['Наименование/ФИО плательщика', 'Плательщик Наименование/ФИО'],
  payerTaxId: ['ИИН/БИН плательщика', 'Плательщик ИИН/БИН'],
  payerBank: ['Банк плательщика', 'Плательщик Банк'],
  payerAccount: ['Номер счета плательщика', 'Плательщик Номер счета'],
} as const

export const layouts: readonly Layout[] = [
  {
    name: 'tbank',
    format: 'csv',
    columns: {
      date: ['Дата операции'],
      status: ['Статус'],
      amount: ['Сумма платежа'],
      currency: ['Валюта платежа'],
      purpose: ['Описание'],
      // Named so that no other table of the kind is taken for this one.
      paidOn: ['Дата платежа'],
    },
    booked: ['OK'],
  },
  {
    name: 'alfabank',
    format: 'csv',
    dateFormats: ['dd.mm.yy', 'dd.mm.yyyy'],
    columns: {
      date: ['Дата операции'],
      ownAccount: ['Номер счета'],
      currency: ['Валюта'],
      // A hold has this word in place of a reference: the money has not moved.
      status: ['Референс проводки'],
      credit: ['Приход'],
      debit: ['Расход'],
      purpose: ['Описание операции'],
    },
    held: ['HOLD'],
  },
  {
    name: 'vtb',
    format: 'csv',
    dateFormats: ['yyyy-mm-dd'],
    columns: {
      date: ['Дата обработки'],
      paidOn: ['Дата операции'],
      status: ['Статус'],
      amount: ['Сумма пересчитанная в валюту счета'],
      currency: ['Валюта счета'],
      purpose: ['Основание'],
    },
    booked: ['Исполнено'],
  },
  {
    name: 'sberbank-card',
    format: 'csv',
    columns: {
      date: ['Дата обработки операции'],
      paidOn: ['Дата совершения операции'],
      amount: ['Сумма в валюте счета'],
      purpose: ['Описание'],
    },
    others: ['Тип операции'],
  },
  {
    name: 'sberbusiness',
    format: 'xlsx',
    columns: {
      date: ['Дата проводки'],
      payerBlock: ['Счет Дебет'],
      debit: ['Сумма по дебету'],
      credit: ['Сумма по кредиту'],
      documentNumber: ['№ документа'],
      payerBank: ['Банк (БИК и наименование)'],
      purpose: ['Назначение платежа'],
    },
  },
  {
    name: 'raiffeisen',
    format: 'csv',
    columns: {
      date: ['Дата транзакции'],
      amount: ['Сумма в валюте счета'],
      currency: ['Валюта счета'],
      purpose: ['Описание'],
    },
  },
  {
    name: 'halyk',
    format: 'xlsx',
    columns: {
      ...kazakhSides,
      date: ['Дата и время операции'],
      currency: ['Валюта операции'],
      credit: ['Сумма в валюте ее проведения по кредиту'],
      debit: ['Сумма в валюте ее проведения по дебету'],
      purpose: ['Назначение платежа'],
    },
  },
  {
    name: 'kaspi',
    format: 'xlsx',
    columns: {
      ...kazakhSides,
      date: ['Дата и время операции'],
      currency: ['Валюта операции'],
      // Without a sign: which side is ours tells the direction.
      amount: ['Сумма', 'Сумма в валюте ее проведения'],
      payeeAccount: ['Номер счета получателя', 'Получатель Номер счета'],
      purpose: ['Назначение платежа'],
    },
  },
  {
    name: 'bcc',
    format: 'xlsx',
    columns: {
      date: ['Күні / Дата'],
      documentNumber: ['Құжат № /№ Документа'],
      currency: ['Валютасы /Валюта'],
      payerAccount: ['Корресп. Есепшоты / Счет-корреспондент'],
      payerTaxId: ['ИИН/БИН контрагента'],
      payerName: ['Контрагент. атауы / Наименование контрагента'],
      debit: ['Дебет айналымы / Дебетовый оборот'],
      credit: ['Кредит айналымы / Кредитовый оборот'],
      purpose: ['Төлем мақсаты / Назначение платежа'],
    },
    optional: ['payerTaxId'],
  },
  {
    name: 'eurasian',
    format: 'xlsx',
    columns: {
      date: ['Дата проводки'],
      documentNumber: ['Номер документа клиента', 'Номер документа'],
      payerName: ['Наименование Бенефициара/Отправителя'],
      payerTaxId: ['ИИН/БИН Бенефициара/отправителя'],
      payerAccount: ['ИИК бенефициара/Отправителя денег'],
      payerBank: ['Наименование банка Бенефициара/Отправителя'],
      debit: ['Дебет'],
      credit: ['Кредит'],
      balance: ['Остаток'],
      purpose: ['Назначение платежа'],
    },
  },
  {
    name: 'uz-account-report',
    format: 'xlsx',
    columns: {
      date: ['Дата'],
      payerAccount: ['Счет'],
      payerTaxId: ['ИНН'],
      payerName: ['Наименование'],
      documentNumber: ['№ док-та'],
      debit: ['Оборот дебет'],
      credit: ['Оборот кредит'],
      purpose: ['Назначение платежа'],
    },
  },
  {
    name: 'uz-postings',
    format: 'xlsx',
    columns: {
      date: ['Дата проводки'],
      documentNumber: ['Номер документа'],
      payerAccount: ['Счет корреспондента'],
      payerName: ['Наименование корресп.', 'Наименование корреспондента'],
      payerTaxId: ['ИНН', 'ИНН корреспондента'],
      debit: ['Дебет', 'Сумма дебета'],
      credit: ['Кредит', 'Сумма кредита'],
      purpose: ['Детали', 'Назначение платежа'],
    },
  },
]
