/** The words of the progress of an import. */
import { deskWords } from '../words.ts'

const en = {
  ...deskWords.en,
  goOn: 'Continue',
  underWay: { reading: 'Reading the file.', taking: 'Importing the file.' },
  phases: { reading: 'Rows read', matching: 'Rows matched against deposits' },
  progressOf: (rows: string, total: string) => `${rows} of ${total}`,
  matched: 'Matched',
  left: 'Time left for this step',
  stopUpload: 'Stop import',
  stopping: 'Stopping after the current rows.',
  stopReading:
    'Nothing is imported while the file is being read; you confirm the import afterwards. If you stop now, the upload is discarded.',
  stopTaking: 'Imported rows stay. You can continue later or undo the import.',
  stopped: 'Stopped. Nothing was imported.',
  stoppedTaking: (rows: string, total: string) => `Stopped: ${rows} of ${total} rows imported.`,
  goOnText: (rows: string) => `Rows left: ${rows}. Nothing is imported twice.`,
  openStatement: 'Open the import report',
}

type StatementWords = typeof en

const ru: StatementWords = {
  ...deskWords.ru,
  goOn: 'Продолжить',
  underWay: { reading: 'Файл читается.', taking: 'Файл загружается.' },
  phases: { reading: 'Прочитано строк', matching: 'Сверено с депозитами строк' },
  progressOf: (rows, total) => `${rows} из ${total}`,
  matched: 'Сопоставлено',
  left: 'До конца шага',
  stopUpload: 'Остановить загрузку',
  stopping: 'Остановится после текущих строк.',
  stopReading:
    'Пока файл читается, ничего не загружается: загрузку вы подтвердите позже. Если остановить сейчас, файл будет удалён.',
  stopTaking: 'Загруженные строки останутся. Позже можно продолжить или отменить загрузку.',
  stopped: 'Остановлено, ничего не загружено.',
  stoppedTaking: (rows, total) => `Остановлено: загружено строк ${rows} из ${total}.`,
  goOnText: (rows) => `Осталось строк: ${rows}. Ничего не загрузится дважды.`,
  openStatement: 'Открыть отчёт о загрузке',
}

export const statementWords = { en, ru } as const
