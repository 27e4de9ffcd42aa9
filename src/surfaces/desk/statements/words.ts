/** The words of an imported statement, of the progress of an import, and of its undo. */
import { deskWords } from '../words.ts'

const en = {
  ...deskWords.en,
  taken: 'Imported',
  unfinished: 'Incomplete',
  undoing: 'Undoing',
  undone: 'Undone',
  statement: 'File',
  begun: 'Imported',
  finished: 'Finished',
  unfinishedText:
    'The import was interrupted. Rows imported so far count. Upload the same file again to continue (nothing is imported twice), or undo the import.',
  unfinishedRows: (rows: string) => `Rows imported so far: ${rows}.`,
  report: 'Import report',
  now: 'Current state of the rows',
  sum: 'Total',
  transfers: 'Transfers',
  noTransfers: 'No new transfers',
  noTransfersText: 'All rows were already imported or belong to other accounts.',
  next: 'Next rows',
  firstRows: 'First rows',
  undo: 'Undo import',
  undoText:
    'Everything this file added is revoked. Deposits it confirmed become reversed, and merchants get callbacks. Payments that another file also tells are kept; those that a bank told early are early again. You can import the file again later.',
  /** `sum` is empty if no row counts as incoming money: all are outgoing or held. */
  undoSum: (rows: string, sum: string) =>
    `Rows to revoke: ${rows}. ${sum ? `Incoming money among them: ${sum}.` : 'None of them counts as incoming money.'}`,
  incoming: 'Incoming money',
  undoAlone: 'It starts immediately.',
  undoSecond: 'A second person must approve it.',
  undoNothing: 'There is nothing left to undo.',
  undoneBy: (who: string) => `Import undone by ${who}`,
  undoingText: (who: string) => `${who} started undoing this import. It is in progress.`,
  undoStopped:
    'The undo was interrupted by a restart or a database outage. Until it is finished, the remaining transfers cannot be matched or refunded.',
  goOn: 'Continue',
  undoCounts: {
    rows: 'Rows that tell nothing now',
    transfers: 'Revoked',
    early: 'Told early, not booked any more',
    reversed: 'Deposits reversed',
  },
  told: 'Row',
  outcomes: { new: 'New', paired: 'Was told early', known: 'Was known', held: 'On hold' },
  parkedRows: (rows: string) => `Parked rows: ${rows}, of`,
  parkedText:
    'This file does not close their days. They count once a file that does tells them, or a person takes them.',
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
  taken: 'Загружена',
  unfinished: 'Не завершена',
  undoing: 'Отменяется',
  undone: 'Отменена',
  statement: 'Файл',
  begun: 'Загружена',
  finished: 'Завершена',
  unfinishedText:
    'Загрузка прервалась. Загруженные строки учтены. Загрузите тот же файл ещё раз, чтобы продолжить (ничего не загрузится дважды), или отмените загрузку.',
  unfinishedRows: (rows) => `Загружено строк: ${rows}.`,
  report: 'Отчёт о загрузке',
  now: 'Текущее состояние строк',
  sum: 'Сумма',
  transfers: 'Операции',
  noTransfers: 'Новых операций нет',
  noTransfersText: 'Все строки уже были загружены или относятся к другим счетам.',
  next: 'Следующие строки',
  firstRows: 'Первые строки',
  undo: 'Отменить загрузку',
  undoText:
    'Всё, что добавил файл, будет отозвано. Подтверждённые им депозиты станут «Возвращён банком», мерчанты получат колбэки. Платежи, которые есть и в другом файле, сохранятся; о которых банк сообщил заранее, снова станут предварительными. Файл можно загрузить снова.',
  undoSum: (rows, sum) =>
    `Будет отозвано строк: ${rows}. ${sum ? `Поступления среди них: ${sum}.` : 'Учтённых поступлений среди них нет.'}`,
  incoming: 'Поступления',
  undoAlone: 'Начнётся сразу.',
  undoSecond: 'Потребуется согласование вторым сотрудником.',
  undoNothing: 'Отменять нечего.',
  undoneBy: (who) => `Загрузку отменил ${who}`,
  undoingText: (who) => `${who} отменяет загрузку. Отмена выполняется.`,
  undoStopped:
    'Отмена прервалась из-за перезапуска или недоступной базы. Пока она не завершена, оставшиеся поступления нельзя сопоставить или вернуть.',
  goOn: 'Продолжить',
  undoCounts: {
    rows: 'Строк, которые больше не учитываются',
    transfers: 'Отозвано',
    early: 'Сообщены заранее, больше не проведены',
    reversed: 'Возвращено депозитов',
  },
  told: 'Строка',
  outcomes: { new: 'Новая', paired: 'Сообщалась заранее', known: 'Была известна', held: 'Удержана' },
  parkedRows: (rows) => `Строк в ожидании: ${rows}, за`,
  parkedText:
    'Файл не закрывает их дни. Они будут учтены, когда о них сообщит файл, который закрывает день, или когда их примет сотрудник.',
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
