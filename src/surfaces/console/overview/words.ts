/** The words of a merchant's overview. */
import type { Two } from '../../../sections/section.ts'

export const overviewWords = {
  merchantId: ['Merchant ID', 'ID мерчанта'],
  open: ['Awaiting payment', 'Ожидают оплаты'],
  choosing: ['Choosing a method', 'Выбор способа'],
  waiting: ['Pending callbacks', 'Колбэки ожидают'],
  failed: ['Failed callbacks', 'Колбэки не доставлены'],
  latest: ['Latest deposits', 'Последние депозиты'],
  all: ['All deposits', 'Все депозиты'],
  lanePaused: (where: string): Two => [
    `Callbacks to ${where} are paused`,
    `Отправка колбэков на ${where} приостановлена`,
  ],
  laneFailing: (where: string): Two => [
    `Callbacks to ${where} are failing`,
    `Колбэки на ${where} не доставляются`,
  ],
  since: (time: string): Two => [`since ${time}`, `с ${time}`],
  ownAddress: ['your URL', 'ваш адрес'],
  noAddress: ['No callback URL set', 'Адрес колбэков не задан'],
  noAddressText: ['Callbacks are kept until you set one.', 'Колбэки сохраняются, пока вы его не зададите.'],
  givenUp: ['Some callbacks failed', 'Часть колбэков не доставлена'],
  givenUpText: [
    'Fix the endpoint, then resend them.',
    'Исправьте ошибку на своём сервере и отправьте их снова.',
  ],
  review: (order: string): Two => [`Order ${order} is under review`, `Заказ ${order} на проверке`],
  reviewText: ['The operator is reviewing the money.', 'Деньги проверяет оператор.'],
  keyEnds: {
    request: ['A signing key expires soon', 'Скоро истечёт ключ подписи'],
    callback: ['A callback secret expires soon', 'Скоро истечёт секрет колбэков'],
  },
  steps: {
    key: {
      text: ['Create a signing key', 'Создайте ключ подписи'],
      hint: [
        'Your server signs every API request with it.',
        'Ваш сервер подписывает им каждый запрос к API.',
      ],
    },
    address: {
      text: ['Set the callback URL', 'Задайте адрес колбэков'],
      hint: ['We notify your server there when money arrives.', 'Туда придёт колбэк, когда поступят деньги.'],
    },
    deposit: {
      text: ['Create a deposit', 'Создайте депозит'],
      hint: [
        'One signed request; the reference has it in six languages.',
        'Один подписанный запрос; примеры есть на шести языках.',
      ],
    },
    bank: {
      text: ['Pay it with the test bank', 'Оплатите его в тестовом банке'],
      hint: [
        'No real money: you simulate the bank, and the deposit is confirmed.',
        'Деньги не настоящие: вы играете за банк, и депозит подтверждается.',
      ],
    },
    guide: {
      text: ['Read the guide', 'Прочитайте руководство'],
      hint: [
        'How orders, callbacks and late payments work together.',
        'Как связаны заказы, колбэки и опоздавшие платежи.',
      ],
    },
  },
} as const
