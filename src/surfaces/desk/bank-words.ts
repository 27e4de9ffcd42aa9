import { deskWords } from './words.ts'

const en = {
  ...deskWords.en,
  upload: 'Upload statement',
  newFile: 'New file',
  uploadText:
    'A statement from your bank: 1C exchange, camt.053/.054, MT940, CSV or Excel (.xlsx). The file is checked first; nothing is imported without your confirmation.',
  fileHint: 'Up to 200 MB.',
  mapping: 'Table format',
  noMapping: 'None, or not saved yet',
  look: 'Check file',
  complete: 'This file has everything of its days',
  completeText:
    'Tick it for a table of days that are over. 1C, camt.053 and MT940 say it themselves. Never tick it for a file made during the day.',
  readAgain: 'Complete days, or one account',
  only: 'Only this account',
  onlyText: 'If the file has several accounts and one is counted from elsewhere.',
  allAccounts: 'All accounts of the file',
  underWay: 'Unfinished uploads',
  another: 'Upload another file',
  states: {
    reading: 'Reading',
    unmapped: 'Columns needed',
    previewed: 'Ready to import',
    taking: 'Importing',
    stopped: 'Stopped',
    taken: 'Imported',
    failed: 'Failed',
  },
  preview: 'Import preview',
  happened: 'Import result',
  happenedThen: 'Result of the first import',
  repeated: 'This file has already been imported, so nothing changes. The result of that import is below.',
  clean: 'All rows were read and the totals match.',
  totals: {
    agree: 'The file totals match its rows.',
    differ: 'The file totals do not match its rows.',
    none: 'The file has no totals to check its rows against.',
  },
  warnings: 'Warnings',
  badRows: 'Unreadable rows',
  badListed: (listed: number, all: number) =>
    `Showing the first ${listed} of ${all}. Download the file to see more.`,
  place: 'Element, key or column',
  column: 'column',
  understood: 'First rows as read',
  becomes: 'Result',
  day: 'Date',
  take: 'Import',
  takeText: (rows: number) =>
    `New transfers: ${rows}. Matched ones confirm their deposits, and merchants get callbacks.`,
  takeBySecond:
    'Together with your other imports today, this file exceeds the amount one person may confirm. Another approver or admin must import it.',
  takeByOther:
    'You cannot import this file yet: you or the person who uploaded it gave the other access less than a day ago, or one colleague gave it to both of you. Ask another colleague.',
  anyway: 'I have read the warnings. Import the rows that can be read.',
  drop: 'Discard',
  gone: 'Upload not found',
  goneText: 'It was imported or discarded, or Inlet was restarted. Upload the file again.',
  account: 'Receiving account',
  number: 'Account number on statements',
  kind: 'Kind',
}

type BankWords = typeof en

const ru: BankWords = {
  ...deskWords.ru,
  upload: 'Загрузить выписку',
  newFile: 'Новый файл',
  uploadText:
    'Выписка из банка: обмен с 1С, camt.053/.054, MT940, CSV или Excel (.xlsx). Сначала проверим файл. Без подтверждения ничего не загрузится.',
  fileHint: 'До 200 МБ.',
  mapping: 'Формат таблицы',
  noMapping: 'Нет или ещё не сохранён',
  look: 'Проверить файл',
  complete: 'В файле все операции его дней',
  completeText:
    'Отметьте для таблицы за прошедшие дни. 1С, camt.053 и MT940 говорят об этом сами. Не отмечайте для файла, сделанного в течение дня.',
  readAgain: 'Полные дни или один счёт',
  only: 'Только этот счёт',
  onlyText: 'Если в файле несколько счетов и один из них считается по другому источнику.',
  allAccounts: 'Все счета файла',
  underWay: 'Незавершённые загрузки',
  another: 'Загрузить другой файл',
  states: {
    reading: 'Чтение',
    unmapped: 'Нужны столбцы',
    previewed: 'Готова к загрузке',
    taking: 'Загружается',
    stopped: 'Остановлена',
    taken: 'Загружена',
    failed: 'Ошибка',
  },
  preview: 'Что изменится',
  happened: 'Результат загрузки',
  happenedThen: 'Результат первой загрузки',
  repeated: 'Этот файл уже загружали, поэтому ничего не изменится. Ниже — результат той загрузки.',
  clean: 'Все строки прочитаны, итоги сходятся.',
  totals: {
    agree: 'Итоги файла сходятся со строками.',
    differ: 'Итоги файла не сходятся со строками.',
    none: 'В файле нет итогов, с которыми можно сверить строки.',
  },
  warnings: 'Предупреждения',
  badRows: 'Непрочитанные строки',
  badListed: (listed, all) => `Показаны первые ${listed} из ${all}. Скачайте файл, чтобы увидеть больше.`,
  place: 'Элемент, ключ или столбец',
  column: 'столбец',
  understood: 'Первые строки, как они прочитаны',
  becomes: 'Результат',
  day: 'Дата',
  take: 'Загрузить выписку',
  takeText: (rows) =>
    `Новых поступлений: ${rows}. Сопоставленные подтвердят депозиты, мерчанты получат колбэки.`,
  takeBySecond:
    'Вместе с вашими загрузками за сутки сумма файла больше той, которую вправе подтвердить один сотрудник. Загрузить его должен другой согласующий или администратор.',
  takeByOther:
    'Пока вы не можете загрузить этот файл: один из вас дал другому доступ меньше суток назад, или его дал вам обоим один сотрудник. Обратитесь к другому коллеге.',
  anyway: 'Предупреждения прочитаны. Загрузить строки, которые удалось прочитать.',
  drop: 'Удалить файл',
  gone: 'Загрузка не найдена',
  goneText: 'Файл уже загружен или удалён, либо Inlet перезапущен. Загрузите файл ещё раз.',
  account: 'Счёт для приёма',
  number: 'Номер счёта в выписках',
  kind: 'Вид',
}

export const bankWords = { en, ru } as const
