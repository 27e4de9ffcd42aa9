/** The demo shop's words, in the two languages that the consoles speak. */
import type { ConsoleLanguage } from '../../domain/people/person.ts'

const en = {
  testMode: 'Test mode: no real money',
  title: 'Demo shop',
  lead: 'This page is a sample merchant: it creates a deposit through the real API, sends you to the payment page and shows the callback.',
  what: 'Choose a product',
  products: { notebook: 'Notebook, dotted', pen: 'Fountain pen' },
  quantity: 'Quantity',
  currency: 'Currency',
  payWith: 'Payment method',
  ways: {
    card: { name: 'Card', hint: 'Direct: a transfer to a card' },
    phone: { name: 'Phone number', hint: 'Direct: a transfer by phone number' },
    account: { name: 'Bank account', hint: 'Direct: a transfer to an account, with a reference' },
    choose: {
      name: 'The customer chooses on the payment page',
      hint: 'Selection: you choose on the payment page',
    },
  },
  buy: 'Buy',
  willHappen: 'What will happen',
  steps: [
    'The shop signs a request and gets a deposit with a link to its payment page.',
    'Your browser opens it. At the bottom of the page you simulate the bank: the exact amount, too little, late.',
    'Inlet sends the shop a signed callback. The payment page returns you to your order.',
    'The order shows every callback as it arrived.',
  ],
  orders: 'Orders',
  noOrders: 'None yet.',
  turnedAway: (count: number) =>
    `Refused callbacks (invalid signature or wrong amount): ${count}. Were the keys of the demo merchant changed on another machine?`,
  wayBack: 'Back',
  order: 'Order',
  bought: 'Ordered',
  amount: 'Amount',
  askedWith: 'Request',
  deposit: 'Deposit',
  paymentPage: 'Payment page',
  refresh: 'Refresh',
  callbacks: 'Callbacks',
  callbacksAre:
    'The source of truth for this order. A callback with an invalid signature is answered with 400 and not shown here.',
  noCallbacks:
    'None yet. Inlet sends one when the deposit’s state changes: simulate the bank on the payment page, then refresh.',
  verified: 'Signature valid',
  notVerified: 'Signature invalid',
  times: (count: number) => `received ${count} times`,
  returned: 'Customer’s return',
  returnIs:
    'A hint for what to show first, never proof of payment: the customer controls the return, only the callback counts.',
  noReturn: 'Not yet. The payment page returns here once the deposit is paid or rejected.',
  reference: 'API reference',
  /** Before and after the names of the two files. */
  footer: [
    'The shop keeps its orders in memory until Inlet stops. Its code is ',
    ', its keys are in ',
    ' of the data folder.',
  ],
  apiRefused: 'The API refused the request',
  didNotWork: 'Something went wrong',
  meaning: 'What it means',
  anotherQuantity:
    'In this demo each card and phone accepts one open deposit per amount: try another quantity.',
  /** What the shop itself refuses, by code. */
  problems: {
    invalid_value: 'Choose one of the options on this page.',
    not_found: 'Order not found. The demo shop keeps the latest orders and forgets them when Inlet stops.',
    cross_site_request: 'Open the shop and use its form.',
  } as Record<string, string>,
  waiting: { head: 'Waiting', text: 'No callback with a result yet.' },
  outcomes: {
    created: {
      head: 'Not paid in full',
      text: 'Part of the money has arrived. Do not ship yet.',
    },
    confirmed: {
      head: 'Paid',
      text: 'A valid callback for the amount of this order has arrived: ship the goods.',
    },
    rejected: { head: 'Rejected', text: 'Do not ship.' },
    expired: {
      head: 'Expired',
      text: 'The time to pay has expired. A late payment may still confirm it.',
    },
    canceled: { head: 'Canceled', text: 'Do not ship.' },
    reversed: { head: 'Reversed', text: 'The bank took the money back.' },
  } as Record<string, { head: string; text: string }>,
}

export type ShopWords = typeof en

const ru: ShopWords = {
  testMode: 'Тестовый режим: деньги не настоящие',
  title: 'Демо-магазин',
  lead: 'Эта страница играет роль мерчанта: создаёт депозит через настоящий API, отправляет вас на платёжную страницу и показывает колбэк.',
  what: 'Выберите товар',
  products: { notebook: 'Блокнот в точку', pen: 'Перьевая ручка' },
  quantity: 'Количество',
  currency: 'Валюта',
  payWith: 'Способ оплаты',
  ways: {
    card: { name: 'На карту', hint: 'Напрямую: перевод на карту' },
    phone: { name: 'По номеру телефона', hint: 'Напрямую: перевод по номеру телефона' },
    account: { name: 'На банковский счёт', hint: 'Напрямую: перевод на счёт, с назначением платежа' },
    choose: {
      name: 'Покупатель выбирает на платёжной странице',
      hint: 'С выбором: вы выбираете на платёжной странице',
    },
  },
  buy: 'Купить',
  willHappen: 'Что произойдёт',
  steps: [
    'Магазин подпишет запрос и получит депозит со ссылкой на его платёжную страницу.',
    'Браузер откроет её. Внизу страницы — тестовый банк: точная сумма, меньше, с опозданием.',
    'Inlet отправит магазину подписанный колбэк. Платёжная страница вернёт вас к заказу.',
    'В заказе виден каждый колбэк — так, как он пришёл.',
  ],
  orders: 'Заказы',
  noOrders: 'Пока нет.',
  turnedAway: (count) =>
    `Отклонено колбэков (неверная подпись или сумма): ${count}. Возможно, ключи демо-мерчанта сменили на другой машине.`,
  wayBack: 'Назад',
  order: 'Заказ',
  bought: 'Заказано',
  amount: 'Сумма',
  askedWith: 'Запрос',
  deposit: 'Депозит',
  paymentPage: 'Платёжная страница',
  refresh: 'Обновить',
  callbacks: 'Колбэки',
  callbacksAre:
    'Главный источник данных о заказе. На колбэк с неверной подписью магазин отвечает 400 и не показывает его.',
  noCallbacks:
    'Пока нет. Inlet отправит колбэк, когда изменится состояние депозита: оплатите заказ через тестовый банк на платёжной странице и обновите эту.',
  verified: 'Подпись верна',
  notVerified: 'Подпись неверна',
  times: (count) => `получен раз: ${count}`,
  returned: 'Возвращение покупателя',
  returnIs:
    'Подсказка, что показать сначала, но не доказательство оплаты: эту ссылку может открыть кто угодно. Верьте только колбэку.',
  noReturn: 'Ещё не было. Платёжная страница вернёт сюда, когда депозит будет оплачен или отклонён.',
  reference: 'Справочник API',
  footer: [
    'Магазин помнит заказы, пока Inlet не остановлен. Его код — ',
    ', его ключи — в ',
    ' папки данных.',
  ],
  apiRefused: 'API отклонил запрос',
  didNotWork: 'Не получилось',
  meaning: 'Что это значит',
  anotherQuantity:
    'В этом демо каждая карта и каждый телефон принимают один открытый депозит на одну сумму: попробуйте другое количество.',
  problems: {
    invalid_value: 'Выберите один из вариантов на этой странице.',
    not_found:
      'Заказ не найден. Демо-магазин хранит последние заказы и забывает их, когда Inlet останавливается.',
    cross_site_request: 'Откройте магазин и используйте его форму.',
    rate_limited: 'Слишком много запросов с этого адреса: подождите немного.',
  },
  waiting: { head: 'Ожидание', text: 'Колбэка с результатом ещё нет.' },
  outcomes: {
    created: {
      head: 'Оплачено не полностью',
      text: 'Поступила часть денег. Товар пока не отправляем.',
    },
    confirmed: {
      head: 'Оплачено',
      text: 'Пришёл подписанный колбэк на сумму этого заказа: товар можно отправлять.',
    },
    rejected: { head: 'Отклонено', text: 'Товар не отправляем.' },
    expired: {
      head: 'Истёк',
      text: 'Время на оплату истекло. Опоздавший платёж ещё может подтвердить депозит.',
    },
    canceled: { head: 'Отменено', text: 'Товар не отправляем.' },
    reversed: { head: 'Возвращено банком', text: 'Банк забрал деньги обратно.' },
  },
}

export const shopWords: Record<ConsoleLanguage, ShopWords> = { en, ru }
