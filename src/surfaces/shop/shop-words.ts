/** The demo shop's words, in the two languages that the consoles speak. */
import type { ConsoleLanguage } from '../../domain/people/person.ts'

const en = {
  testMode: 'Test mode: no money moves here',
  title: 'Demo shop',
  lead: 'This page plays a merchant: it asks Inlet for a deposit through the real API, sends you to the payment page, and shows the callback that comes back.',
  what: 'What would you like?',
  products: { notebook: 'Notebook, dotted', pen: 'Fountain pen' },
  quantity: 'How many',
  currency: 'Currency',
  payWith: 'Pay with',
  ways: {
    card: { name: 'Card', hint: 'Direct: the shop asks for a card' },
    phone: { name: 'Phone number', hint: 'Direct: a transfer by phone number' },
    account: { name: 'Bank account', hint: 'Direct: a transfer to an account, with a reference' },
    choose: {
      name: 'The customer chooses on the payment page',
      hint: 'Selection: the shop does not ask, the payment page does',
    },
  },
  buy: 'Buy',
  willHappen: 'What will happen',
  steps: [
    'The shop signs a request and gets a deposit with a link to its payment page.',
    'Your browser goes there. At the foot of the page you play the bank: the exact amount, too little, too late.',
    'Inlet calls the shop back, signed. The payment page brings you to your order.',
    'The order shows every callback as it came.',
  ],
  orders: 'Orders',
  noOrders: 'None yet.',
  turnedAway: (count: number) =>
    `Callbacks turned away because they did not hold: ${count}. Were the keys of the demo merchant changed from another machine?`,
  wayBack: 'Way back',
  order: 'Order',
  bought: 'Bought',
  amount: 'Amount',
  askedWith: 'Asked with',
  deposit: 'Deposit',
  paymentPage: 'Payment page',
  refresh: 'Refresh',
  callbacks: 'Callbacks',
  callbacksAre:
    'The truth about this order. One whose signature does not hold is answered with 400 and never gets here.',
  noCallbacks:
    'None yet. Inlet sends one when the deposit’s outcome changes: play the bank on the payment page, then refresh.',
  verified: 'Signature verified',
  notVerified: 'Signature does not hold',
  times: (count: number) => `came ${count} times`,
  returned: 'The browser’s return',
  returnIs:
    'A hint for what to show first, never proof of payment: the return is in the customer’s hands, the callback is the truth.',
  noReturn: 'Not yet. The payment page leads back here once the deposit is paid or rejected.',
  reference: 'API reference',
  /** Before and after the names of the two files. */
  footer: [
    'The shop keeps its orders in memory until Inlet stops. Its code is ',
    ', its keys are in ',
    ' of the data folder.',
  ],
  apiRefused: 'The API refused',
  didNotWork: 'This did not work',
  meaning: 'What it means',
  anotherQuantity:
    'In this demo each card and phone takes one open deposit of the same amount: another quantity helps.',
  /** What the shop itself refuses, by code. */
  problems: {
    invalid_value: 'Choose from what this page offers.',
    not_found: 'The shop knows no such order: it remembers the latest, and only until Inlet stops.',
    cross_site_request: 'Open the shop itself and use its form.',
  } as Record<string, string>,
  waiting: { head: 'Waiting', text: 'No callback has told of an outcome yet.' },
  outcomes: {
    created: {
      head: 'Not paid in full',
      text: 'Some money has arrived, the rest is awaited. Nothing goes out yet.',
    },
    confirmed: {
      head: 'Paid',
      text: 'A verified callback said so, for the amount of this order: the goods may go out.',
    },
    rejected: { head: 'Rejected', text: 'Nothing goes out.' },
    expired: {
      head: 'Expired',
      text: 'The customer’s time is over. Money that comes late may still confirm it.',
    },
    canceled: { head: 'Canceled', text: 'Nothing goes out.' },
    reversed: { head: 'Reversed', text: 'The bank took the money back.' },
  } as Record<string, { head: string; text: string }>,
}

export type ShopWords = typeof en

const ru: ShopWords = {
  testMode: 'Тестовый режим: деньги здесь не движутся',
  title: 'Демо-магазин',
  lead: 'Эта страница играет мерчанта: просит у Inlet депозит через настоящий API, отправляет вас на платёжную страницу и показывает колбэк, который пришёл в ответ.',
  what: 'Что вы хотите купить?',
  products: { notebook: 'Блокнот в точку', pen: 'Перьевая ручка' },
  quantity: 'Сколько',
  currency: 'Валюта',
  payWith: 'Как платить',
  ways: {
    card: { name: 'На карту', hint: 'Напрямую: магазин просит карту' },
    phone: { name: 'По номеру телефона', hint: 'Напрямую: перевод по номеру телефона' },
    account: { name: 'На банковский счёт', hint: 'Напрямую: перевод на счёт, с назначением платежа' },
    choose: {
      name: 'Покупатель выбирает на платёжной странице',
      hint: 'С выбором: спрашивает не магазин, а платёжная страница',
    },
  },
  buy: 'Купить',
  willHappen: 'Что произойдёт',
  steps: [
    'Магазин подпишет запрос и получит депозит со ссылкой на его платёжную страницу.',
    'Браузер откроет её. Внизу страницы вы играете банк: точная сумма, слишком мало, слишком поздно.',
    'Inlet отправит магазину подписанный колбэк. Платёжная страница вернёт вас к заказу.',
    'В заказе виден каждый колбэк — так, как он пришёл.',
  ],
  orders: 'Заказы',
  noOrders: 'Пока нет.',
  turnedAway: (count) =>
    `Отклонено колбэков с неверной подписью: ${count}. Ключи демо-мерчанта меняли с другой машины?`,
  wayBack: 'Назад',
  order: 'Заказ',
  bought: 'Куплено',
  amount: 'Сумма',
  askedWith: 'Запрос',
  deposit: 'Депозит',
  paymentPage: 'Платёжная страница',
  refresh: 'Обновить',
  callbacks: 'Колбэки',
  callbacksAre:
    'Правда об этом заказе. На колбэк с неверной подписью магазин отвечает 400, и сюда он не попадает.',
  noCallbacks:
    'Пока нет. Inlet отправляет колбэк, когда меняется исход депозита: сыграйте банк на платёжной странице и обновите эту.',
  verified: 'Подпись верна',
  notVerified: 'Подпись неверна',
  times: (count) => `раз пришёл: ${count}`,
  returned: 'Возврат браузера',
  returnIs:
    'Подсказка, что показать первым, но не доказательство оплаты: возврат в руках покупателя, правда — в колбэке.',
  noReturn: 'Ещё не было. Платёжная страница ведёт сюда, когда депозит оплачен или отклонён.',
  reference: 'Справочник API',
  footer: [
    'Магазин помнит заказы, пока Inlet не остановлен. Его код — ',
    ', его ключи — в ',
    ' папки данных.',
  ],
  apiRefused: 'API отказал',
  didNotWork: 'Не получилось',
  meaning: 'Что это значит',
  anotherQuantity:
    'В этом демо каждая карта и каждый телефон ведут один открытый депозит на одну и ту же сумму: поможет другое количество.',
  problems: {
    invalid_value: 'Выберите из того, что предлагает эта страница.',
    not_found: 'Магазин не знает такого заказа: он помнит последние, и только пока Inlet не остановлен.',
    cross_site_request: 'Откройте сам магазин и воспользуйтесь его формой.',
    rate_limited: 'Слишком много запросов с этого адреса: подождите немного.',
  },
  waiting: { head: 'Ожидание', text: 'Ни один колбэк ещё не сообщил об исходе.' },
  outcomes: {
    created: {
      head: 'Оплачено не полностью',
      text: 'Часть денег пришла, остаток ожидается. Товар пока не отправляем.',
    },
    confirmed: {
      head: 'Оплачено',
      text: 'Так сказал проверенный колбэк на сумму этого заказа: товар можно отправлять.',
    },
    rejected: { head: 'Отклонено', text: 'Товар не отправляем.' },
    expired: {
      head: 'Время вышло',
      text: 'Время покупателя прошло. Деньги, которые придут позже, ещё могут подтвердить депозит.',
    },
    canceled: { head: 'Отменено', text: 'Товар не отправляем.' },
    reversed: { head: 'Возвращено банком', text: 'Банк забрал деньги обратно.' },
  },
}

export const shopWords: Record<ConsoleLanguage, ShopWords> = { en, ru }
