/** The words of the queue. */
import type { Two } from '../../../sections/section.ts'
import { transferStateWords } from '../../../sections/states.ts'
import type { QueueKind } from './queue.ts'

export const kindWords: Record<QueueKind, Two> = {
  ambiguous: transferStateWords.ambiguous[0],
  unmatched: transferStateWords.unmatched[0],
  held: transferStateWords.held[0],
  reversal: ['Reversal', 'Сторно'],
  unbooked: ['Told early, never booked', 'Сообщено, но не проведено'],
  parked: ['Parked rows', 'Строки в ожидании'],
  claimed: ['Reported paid', 'Оплата заявлена'],
  review: ['Under review', 'На проверке'],
  proposal: ['Pending approval', 'На согласовании'],
}

export const queueWords = {
  title: ['Queue', 'Очередь'],
  all: ['All', 'Все'],
  next: ['Next item', 'Следующая задача'],
  payer: ['Payer', 'Плательщик'],
  payerHint: ['Payer’s name', 'Часть имени'],
  amount: ['Amount', 'Сумма'],
  amountHint: ['150 or 100–200', '150 или 100–200'],
  amountWrong: [
    'Enter an amount such as 1500.50, or a range such as 1000–2000.',
    'Введите сумму, например 1500,50, или диапазон 1000–2000.',
  ],
  account: ['Account', 'Счёт'],
  anyAccount: ['All accounts', 'Все счета'],
  merchant: ['Merchant', 'Мерчант'],
  anyMerchant: ['All merchants', 'Все мерчанты'],
  olderThan: ['Waiting longer than', 'Ждёт дольше'],
  anyAge: ['Any time', 'Любое время'],
  nothingFits: ['No items match the filter', 'Нет задач под этот фильтр'],
  nothingFitsText: ['Remove a filter or clear them all.', 'Уберите часть фильтров или сбросьте все.'],
  empty: ['The queue is empty', 'Очередь пуста'],
  emptyText: [
    'Unmatched, ambiguous and held transfers, payments reported by customers and changes that need approval appear here.',
    'Здесь появляются несопоставленные, неоднозначные и удержанные поступления, заявленные покупателями оплаты и изменения на согласование.',
  ],
  parkedList: ['Look at the parked rows, and take them', 'Посмотреть строки в ожидании и принять их'],
  heldDays: ['Pair whole days', 'Соединить целые дни'],
  choose: [
    'Choose an item. Opening it changes nothing.',
    'Выберите задачу. Открыть её — ничего не изменить.',
  ],
  mine: ['You', 'Вы'],
  whole: ['The whole page', 'Вся страница'],
  candidates: ['Possible deposits', 'Возможные депозиты'],
  noCandidates: [
    'No deposit on this account is awaiting this amount, and the purpose contains no deposit reference.',
    'На этом счёте нет депозита, ожидающего такую сумму, и в назначении нет номера депозита.',
  ],
  namesOther: [
    'The purpose contains the reference of a deposit:',
    'В назначении платежа указан номер депозита:',
  ],
  despite: [
    'For another deposit than the one in its purpose',
    'За другой депозит, чем указан в назначении платежа',
  ],
  find: ['Find another deposit', 'Найти другой депозит'],
  findHint: ['Order, customer, amount, KT… or ID', 'Заказ, покупатель, сумма, KT… или ID'],
  notFound: [
    'Nothing found that this transfer may be for.',
    'Не найден депозит, за который может быть это поступление.',
  ],
  match: ['Match', 'Сопоставить'],
  reason: ['Reason', 'Причина'],
} as const satisfies Record<string, Two>

export const cutWords = (count: string): Two => [
  `There are more than ${count} items of one kind. Only the oldest ${count} of each were searched.`,
  `Задач одного вида больше ${count}. Поиск прошёл по ${count} самым старым каждого вида.`,
]
export const moreWords = (shown: string): Two => [
  `Showing the oldest ${shown}. Resolve them or narrow the filter.`,
  `Показаны самые старые: ${shown}. Решите их или сузьте фильтр.`,
]
export const rowsWords = (rows: string): Two => [`rows: ${rows}`, `строк: ${rows}`]
