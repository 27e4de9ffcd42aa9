/** The words of the metrics. */
import { deskWords } from '../words.ts'

const en = {
  ...deskWords.en,
  funnel: 'Deposits created today, by their state now',
  funnelText:
    'Deposits confirmed by hand are among the confirmed ones. Deposits that were created earlier and confirmed today are not counted here.',
  sample: (count: number) => `Based on the latest ${count} deposits.`,
  made: 'Created',
  withMoney: 'Money received',
  toConfirm: 'Time to confirmation',
  median: 'Time to confirmation, median',
  p95: 'Time to confirmation, 95th percentile',
  queueAge: 'Oldest queue item',
  callbacks: 'Callbacks delivered',
  ofCallbacks: (acked: number, all: number) => `${acked} of ${all}`,
  byMethod: 'By payment type',
  byRequisite: 'By requisite',
  noRequisite: 'No requisite yet',
  share: 'Confirmed',
  nothingYet: 'No deposits today yet',
  nothingYetText: 'The numbers appear with the first deposit of the day.',
  today: (day: string) => `Since midnight, ${day}, live and test deposits together.`,
  flow: 'Last 15 minutes, every 15 seconds',
  table: 'Data table',
  time: 'Time',
}

type RecordWords = typeof en

const ru: RecordWords = {
  ...deskWords.ru,
  funnel: 'Созданы сегодня: состояние сейчас',
  funnelText:
    'Среди подтверждённых есть и подтверждённые вручную. Депозиты, которые созданы раньше и подтверждены сегодня, здесь не учтены.',
  sample: (count) => `По последним депозитам: ${count}.`,
  made: 'Создано',
  withMoney: 'Деньги получены',
  toConfirm: 'Время до подтверждения',
  median: 'Время до подтверждения, медиана',
  p95: 'Время до подтверждения, 95-й процентиль',
  queueAge: 'Самая старая задача',
  callbacks: 'Колбэки доставлены',
  ofCallbacks: (acked, all) => `${acked} из ${all}`,
  byMethod: 'По способам оплаты',
  byRequisite: 'По реквизитам',
  noRequisite: 'Реквизит ещё не выдан',
  share: 'Подтверждено',
  nothingYet: 'Сегодня депозитов ещё нет',
  nothingYetText: 'Показатели появятся с первым депозитом.',
  today: (day) => `С полуночи, ${day}, боевые и тестовые депозиты вместе.`,
  flow: 'Последние 15 минут, каждые 15 секунд',
  table: 'Таблица данных',
  time: 'Время',
}

export const recordWords = { en, ru } as const
