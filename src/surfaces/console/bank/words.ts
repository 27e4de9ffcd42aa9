/** The words of the test bank. */
import type { Two } from '../../../sections/section.ts'

export const bankWords = {
  title: ['Test bank', 'Тестовый банк'],
  text: [
    'Test transfers go through the same code as real ones: bank source, matching, confirmation, callback. No real money moves.',
    'Тестовые переводы идут через тот же код, что и настоящие: источник данных, сопоставление, подтверждение, колбэк. Настоящие деньги не участвуют.',
  ],
  needsDeveloper: [
    'To change this you need the role “Developer” or higher.',
    'Для изменения нужна роль «Разработчик» или выше.',
  ],
  pay: ['Pay a deposit', 'Оплатить депозит'],
  payThis: ['Pay', 'Оплатить'],
  payField: ['Deposit ID or order ID', 'ID депозита или номер заказа'],
  what: ['Scenario', 'Сценарий'],
  plays: {
    exact: ['Pay the exact amount', 'Оплатить точную сумму'],
    less: ['Pay half', 'Оплатить половину'],
    more: ['Overpay by 10%', 'Переплатить на 10 %'],
    late: ['Pay after the deadline', 'Оплатить после срока'],
    twice: ['Pay twice', 'Оплатить дважды'],
    reject: ['Reject the deposit', 'Отклонить депозит'],
  },
  go: ['Run scenario', 'Запустить сценарий'],
  recent: ['Latest deposits', 'Последние депозиты'],
  order: ['Order', 'Заказ'],
  amount: ['Amount', 'Сумма'],
  state: ['State', 'Состояние'],
  created: ['Created', 'Создан'],
  time: ['Move the test clock', 'Перевести тестовые часы'],
  timeText: [
    'Brings the deadlines of your open deposits closer by this many minutes. Other merchants are not affected.',
    'Приближает сроки ваших открытых депозитов на столько минут. Других мерчантов это не касается.',
  ],
  minutes: ['Minutes', 'Минут'],
  range: (most: number): Two => [`1 to ${most}.`, `От 1 до ${most}.`],
  moved: [
    'Test clock moved. Expired deposits close within a second.',
    'Тестовые часы переведены. Истёкшие депозиты закроются в течение секунды.',
  ],
  unknown: ['You have no deposit with this ID.', 'Депозита с таким ID нет.'],
  emptyTitle: ['No deposits to pay yet', 'Оплачивать пока нечего'],
  emptyText: ['Create one with your test key first:', 'Сначала создайте депозит тестовым ключом:'],
} as const
