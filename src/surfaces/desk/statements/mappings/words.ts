/** The words of mappings: how a bank writes its CSV. */
import type { Two } from '../../../../sections/section.ts'

export const mappingWords = {
  account: ['Receiving account', 'Счёт для приёма'],
  editor: ['Describe the columns', 'Укажите, что означают столбцы'],
  otherwise: ['Change how the file is read', 'Изменить разбор файла'],
  editorText: [
    'The first rows of the file are shown. Compare what was recognised, and fill in what was not.',
    'Показаны первые строки файла. Сверьте распознанное и укажите остальное.',
  ],
  sample: ['First rows of the file', 'Первые строки файла'],
  again: [
    'The file was split into columns again. Check them, then check the file.',
    'Файл заново разбит на столбцы. Проверьте их, затем проверьте файл.',
  ],
  encoding: ['Encoding', 'Кодировка'],
  encodings: {
    'utf-8': ['UTF-8', 'UTF-8'],
    'windows-1251': ['Windows-1251', 'Windows-1251'],
  },
  separator: ['Column separator', 'Разделитель столбцов'],
  separators: {
    semicolon: ['Semicolon ;', 'Точка с запятой ;'],
    comma: ['Comma ,', 'Запятая ,'],
    tab: ['Tab', 'Табуляция'],
  },
  skipRows: ['Rows before the header', 'Строк до заголовка'],
  dateFormat: ['Date format', 'Формат даты'],
  accountHint: ['The account this file belongs to.', 'Счёт, к которому относится файл.'],
  noAccounts: [
    'None of your accounts has a number on statements. Set one on the account’s page.',
    'Ни у одного счёта не задан номер в выписках. Задайте его на странице счёта.',
  ],
  amountHint: [
    'One signed amount column, one unsigned column with a direction column, or separate columns for money in and out.',
    'Один столбец суммы со знаком, один без знака и столбец направления либо отдельные столбцы прихода и расхода.',
  ],
  purposeHint: [
    'Several purpose columns are joined in order.',
    'Несколько столбцов назначения соединяются по порядку.',
  ],
  notThere: ['Not in the file', 'Нет в файле'],
  needed: ['Please fill in', 'Укажите'],
  recognised: ['Recognised columns', 'Распознанные столбцы'],
  change: ['Change columns and format', 'Изменить столбцы и формат'],
  wordsHint: [
    'Needed only if a column holds the direction or status. Separate values with commas; case does not matter. A row with an unknown direction is unreadable; a row with another status is skipped and counted.',
    'Нужно, только если направление или статус указаны в столбце. Значения через запятую, регистр не важен. Строка с неизвестным направлением не читается; строка с другим статусом пропускается и учитывается.',
  ],
  directionsIn: ['Direction: money in', 'Направление: приход'],
  directionsOut: ['Direction: money out', 'Направление: расход'],
  booked: ['Status: booked', 'Статус: проведено'],
  bookedEmpty: ['Rows without a status are booked', 'Строки без статуса считаются проведёнными'],
  keep: ['Save this format', 'Сохранить формат'],
  keepAs: ['Format name', 'Название формата'],
  nameHint: [
    'Short bank name: lowercase Latin letters, digits, - and _.',
    'Короткое название банка: строчные латинские буквы, цифры, - и _.',
  ],
  look: ['Check file again', 'Проверить файл ещё раз'],
  wrong: {
    encoding: ['Choose an option.', 'Выберите из списка.'],
    separator: ['Choose an option.', 'Выберите из списка.'],
    skipRows: ['Enter a whole number from 0 to 1000.', 'Введите целое число от 0 до 1000.'],
    dateFormat: ['Choose an option.', 'Выберите из списка.'],
    account: ['Choose one of your accounts.', 'Выберите один из ваших счетов.'],
    header: [
      'No columns found. Check the number of rows before the header and the separator.',
      'Столбцы не найдены. Проверьте число строк до заголовка и разделитель.',
    ],
    date: ['Choose the date column.', 'Выберите столбец даты.'],
    amount: [
      'Choose either the amount column or both money in and money out.',
      'Выберите столбец суммы либо оба столбца: приход и расход.',
    ],
    direction: [
      'A direction column is used only with a single amount column.',
      'Столбец направления нужен только с одним столбцом суммы.',
    ],
    directions: [
      'Enter different values for money in and money out.',
      'Введите разные значения для прихода и расхода.',
    ],
    booked: [
      'Enter at least one status that means booked.',
      'Введите хотя бы один статус, который означает «проведено».',
    ],
    name: [
      'Enter a name: lowercase Latin letters, digits, - and _.',
      'Введите название: строчные латинские буквы, цифры, - и _.',
    ],
    taken: ['This name is already used by another format.', 'Это название уже занято другим форматом.'],
  },
  line: ['Line', 'Строка'],
} as const

/** What is wrong with a field, by its name. */
export const wrongWords: Readonly<Record<string, Two>> = mappingWords.wrong
