/** The words of merchants, payment types, people and settings. */
import { deskWords } from './words.ts'

const en = {
  ...deskWords.en,
  start: 'Turn on merchant',
  typesText: 'Payment types available to merchants, and their limits.',
  code: 'Code',
  serves: 'Requisites',
  typeLimits: 'Limits of a deposit',
  startType: 'Turn on',
  least: 'Minimum',
  most: 'Maximum',
  newType: 'Add or change payment type',
  group: 'Requisites',
  groups: { card: 'Cards', phone: 'Phones', account: 'Accounts', select: 'Customer’s choice' },
  bankCode: 'Bank code',
  limitHint: 'For example, 1500.50. Without a currency, only the name changes.',
  noCurrency: 'Keep limits',
  language: 'Payment page language',
}

type OfficeWords = typeof en

const ru: OfficeWords = {
  ...deskWords.ru,
  // A merchant, a payment type and a second factor are masculine.
  on: 'Включён',
  off: 'Выключен',
  start: 'Включить мерчанта',
  typesText: 'Способы оплаты, доступные мерчантам, и их лимиты.',
  code: 'Код',
  serves: 'Реквизиты',
  typeLimits: 'Лимиты депозита',
  startType: 'Включить',
  least: 'Минимум',
  most: 'Максимум',
  newType: 'Добавить или изменить способ оплаты',
  group: 'Реквизиты',
  groups: { card: 'Карты', phone: 'Телефоны', account: 'Счета', select: 'Выбор покупателя' },
  bankCode: 'Код банка',
  limitHint: 'Например, 1500,50. Без валюты меняется только название.',
  noCurrency: 'Не менять лимиты',
  language: 'Язык платёжной страницы',
}

export const officeWords = { en, ru } as const
