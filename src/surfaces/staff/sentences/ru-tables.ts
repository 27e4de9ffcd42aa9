/** То же о таблицах: CSV и книгах Excel. */
export const tablesRu: Record<string, string> = {
  'The row ends with another line break than the header does: a text was written without quotes.':
    'Строка кончается другим переводом строки, чем названия столбцов: какой-то текст записан без кавычек.',
  'A text in quotes holds line breaks and as many separators as a row, in line {lines}: rows may be missing there.':
    'Текст в кавычках содержит переводы строк и столько разделителей, сколько целая строка, в строке {lines}: там могут пропасть строки.',
  'The running balance breaks at line {lines}: a row is missing before it, or there is one too many.':
    'Остаток не сходится в строке {lines}: перед ней не хватает строки или есть лишняя.',
  'The running balance is missing in line {lines}.': 'Нет остатка в строке {lines}.',
  'None of {count} rows has a status that counts as booked: look at the words that it may have.':
    'Ни у одной из строк (всего {count}) статус не значит, что деньги проведены: проверьте его слова.',
  'All {count} rows are read as money that came in: no amount has a sign, and no column tells the direction.':
    'Все строки (всего {count}) прочитаны как приход: у сумм нет знака, и ни один столбец не говорит о направлении.',
  '{field} is below zero, and the direction says that the money came in.':
    'В поле {field} сумма меньше нуля, а направление говорит, что деньги пришли.',
  '{field} is {text}: that is neither a word for money in nor one for money out.':
    'В поле {field} стоит {text}: это слово не значит ни приход, ни расход.',
  'The row must name our account as the payer or as the receiver, and not as both: its direction is not known.':
    'Наш счёт должен стоять в строке плательщиком или получателем, но не обоими: направление неизвестно.',
  'The header is of no layout that is known here: say which column means what, and keep it as a mapping.':
    'Такие названия столбцов нам не знакомы: укажите, что означают столбцы, и сохраните как разбор.',
  'The header fits more than one layout ({names}): say which column means what, and keep it as a mapping.':
    'Названия столбцов подходят нескольким банкам ({names}): укажите, что означают столбцы, и сохраните как разбор.',
  'The file names the account {named}, and was said to be of {said}.':
    'В файле назван счёт {named}, а сказано, что он о счёте {said}.',
  'The file has the layout {name} and does not name one account of ours: say which account it is of.':
    'Столбцы файла знакомы ({name}), но один наш счёт в нём не назван: укажите, о каком он счёте.',

  'This is a workbook with a password: save it without one and upload that.':
    'Это книга Excel с паролем: сохраните её без пароля и загрузите.',
  'This is no Excel workbook: upload the statement as .xlsx.':
    'Это не книга Excel: загрузите выписку в виде .xlsx.',
  'This is a binary workbook (.xlsb): save it as .xlsx and upload that.':
    'Это двоичная книга Excel (.xlsb): сохраните её как .xlsx и загрузите.',
  'The workbook holds macros: save it without them (.xlsx) and upload that.':
    'В книге Excel есть макросы: сохраните её без них (.xlsx) и загрузите.',
  'The workbook takes values from other files: save it without links and upload that.':
    'Книга Excel берёт значения из других файлов: сохраните её без ссылок и загрузите.',
  'The workbook holds other files inside it: save it without them and upload that.':
    'Внутри книги Excel есть другие файлы: сохраните её без них и загрузите.',
  'The workbook is encrypted: save it without a password and upload that.':
    'Книга Excel зашифрована: сохраните её без пароля и загрузите.',
  'The workbook is a zip bomb: it unpacks to far more than a statement can hold.':
    'Книга Excel — zip-бомба: распаковывается в гораздо большее, чем бывает в выписке.',
  'The workbook is packed in a way that workbooks are not: it is damaged or made to harm.':
    'Книга Excel упакована не так, как бывает: она повреждена или сделана во вред.',
  'The workbook holds two files of one name: it is made to harm.':
    'В книге Excel два файла с одним именем: она сделана во вред.',
  'The workbook is cut off or damaged.': 'Книга Excel обрезана или повреждена.',
  'A part of the workbook is damaged: its checksum is wrong.':
    'Часть книги Excel повреждена: не сходится контрольная сумма.',
  'The workbook lacks a part that it speaks of: it is damaged.':
    'В книге Excel нет части, на которую она ссылается: она повреждена.',
  'The workbook is larger than 50 MB: export a shorter period.':
    'Книга Excel больше 50 МБ: выгрузите более короткий период.',
  'The workbook holds more than 1,000 files: it is no statement.':
    'В книге Excel больше 1000 файлов: это не выписка.',
  'The workbook has more than 100 sheets: it is no statement.':
    'В книге Excel больше 100 листов: это не выписка.',
  'The workbook holds more text than a statement can.': 'В книге Excel больше текста, чем бывает в выписке.',
  'The workbook has more styles than Excel allows: it is damaged.':
    'В книге больше стилей, чем допускает Excel: она повреждена.',
  'The rows of the sheet are not in their order: it is damaged.':
    'Строки листа стоят не по порядку: он повреждён.',
  'A cell stands in another row than it says: the sheet is damaged.':
    'Ячейка стоит не в той строке, которую называет: лист повреждён.',
  'The cell {cell} holds more than 64 KB of text.': 'В ячейке {cell} больше 64 КБ текста.',
  'The cell {cell} stands twice in the sheet: it is damaged.':
    'Ячейка {cell} стоит на листе дважды: он повреждён.',
  'The cell {cell} names a text that the workbook does not have.':
    'Ячейка {cell} ссылается на текст, которого нет в книге.',
  'The sheet has more than 500 columns: it is no statement.': 'На листе больше 500 столбцов: это не выписка.',
  'No sheet of the workbook has the header of the mapping in its first 100 rows. Check the mapping and save it again.':
    'Ни на одном листе в первых 100 строках нет столбцов этого разбора. Проверьте разбор и сохраните его заново.',
  'More than one sheet holds such a table ({names}): save each as a workbook of its own.':
    'Такая таблица есть на нескольких листах ({names}): сохраните каждый отдельной книгой.',
  'Cells hold formulas ({cells}; {count} in all): their values were computed by some program, not written by the bank.':
    'В ячейках формулы ({cells}; всего {count}): их значения посчитала какая-то программа, а не записал банк.',
}
