/** Что говорит чтение выписки: почему не принят файл, почему не читается строка, где не сходятся итоги. */
import { tablesRu } from './ru-tables.ts'

export const statementsRu: Record<string, string> = {
  ...tablesRu,
  'Line {line}: {why} Nothing was taken.': 'Строка {line}: {why} Ничего не принято.',
  '{why} Lines {from} to {to} were read as one row.': '{why} Строки с {from} по {to} прочитаны как одна.',

  'This is no statement that we can read: 1C exchange, camt.053, MT940, CSV or an Excel workbook.':
    'Это не выписка, которую мы умеем читать: обмен с 1С, camt.053, MT940, CSV или книга Excel.',
  'The file is empty.': 'Файл пуст.',
  'This is not a text file. {ask}': 'Это не текстовый файл. {ask}',
  'This is a PDF, made to be looked at. {ask}': 'Это PDF, он сделан для просмотра. {ask}',
  'Ask the bank for the statement as 1C exchange, camt.053, MT940 or CSV.':
    'Попросите у банка выписку в виде обмена с 1С, camt.053, MT940 или CSV.',
  'This is an archive: unpack it and upload the statement itself.':
    'Это архив: распакуйте его и загрузите саму выписку.',
  'This is an old Excel or Word file: save it as CSV and upload that.':
    'Это старый файл Excel или Word: сохраните его как CSV и загрузите.',
  'This is UTF-16 text (Excel calls it Unicode): save it as UTF-8 and upload that.':
    'Это текст в UTF-16 (в Excel — «Юникод»): сохраните его в UTF-8 и загрузите.',
  'This is a web page, perhaps of a bank session that had ended: export the statement again.':
    'Это веб-страница, возможно, сеанс в банке уже закончился: выгрузите выписку заново.',
  'This line cannot be read as {encoding}: the file has another encoding than it began with, or than was set.':
    'Эта строка не читается как {encoding}: кодировка файла не та, с которой он начинался или которая задана.',
  'This line holds a zero byte: the file is not a text, or it was damaged on its way.':
    'В этой строке нулевой байт: файл не текстовый или испорчен по дороге.',
  'This line is longer than 64 KB: the file is not a statement, or its line breaks were lost.':
    'Эта строка длиннее 64 КБ: файл не выписка, или в нём потеряны переводы строк.',
  "This line holds a line break of another kind than the file's own: a payer's text may be made to look like the bank's.":
    'В этой строке перевод строки другого вида, чем в остальном файле: текст плательщика мог быть подделан под банковский.',
  'The account {account} is not one of ours in this mode: give a receiving account this number, or export without it.':
    'Счёт {account} не наш в этом режиме: задайте этот номер счёту для приёма или выгрузите без него.',
  'The account {account} is one of ours in test mode, and the file was brought as live: choose test mode.':
    'Счёт {account} наш в тестовом режиме, а файл загружен как боевой: выберите тестовый режим.',
  'The account {account} is one of ours in live mode, and the file was brought as a test: choose live mode.':
    'Счёт {account} наш в боевом режиме, а файл загружен как тестовый: выберите боевой режим.',
  'This file reads otherwise than when it was looked at. Nothing was taken: bring it again.':
    'Файл читается не так, как при просмотре. Ничего не принято: загрузите его снова.',
  'This very file was taken before, read in another way: rows that read differently now count as new payments.':
    'Этот же файл уже принимали, прочитав иначе: строки, которые теперь читаются по-другому, станут новыми платежами.',

  'Account …{account}: {why}': 'Счёт …{account}: {why}',
  'the file has no total of what came in, so nothing shows that its rows are all there and all real.':
    'в файле нет итога поступлений, поэтому нельзя проверить, что все строки на месте и все настоящие.',
  'the file tells of {day} in two sections.': 'день {day} попал в две секции файла.',
  'the section that ends on {day} closes with {closing}, and the next one opens with {opening}.':
    'секция, которая кончается {day}, закрывается с остатком {closing}, а следующая открывается с {opening}.',
  'the file says {told} moved in all, its rows add up to {seen}.':
    'по словам файла оборот {told}, а строки дают {seen}.',
  'The file has more than 10,000 account sections or statements.':
    'В файле больше 10 000 секций счетов или выписок.',
  'the file says {told} came in, its rows add up to {seen}.':
    'по словам файла поступило {told}, а строки дают {seen}.',
  'the file says {told} went out, its rows add up to {seen}.':
    'по словам файла списано {told}, а строки дают {seen}.',
  'the file says it has {told} entries, and {least} to {most} are in it.':
    'по словам файла записей {told}, а в нём их от {least} до {most}.',
  'the file says it has {told} entries, and {seen} are in it.':
    'по словам файла записей {told}, а в нём их {seen}.',
  'the file says it has {told} credits, and {least} to {most} are in it.':
    'по словам файла поступлений {told}, а в нём их от {least} до {most}.',
  'the file says it has {told} credits, and {seen} are in it.':
    'по словам файла поступлений {told}, а в нём их {seen}.',
  'the file says it has {told} debits, and {least} to {most} are in it.':
    'по словам файла списаний {told}, а в нём их от {least} до {most}.',
  'the file says it has {told} debits, and {seen} are in it.':
    'по словам файла списаний {told}, а в нём их {seen}.',
  'its balances change by {told}, but what came in less what went out is {moved}.':
    'остатки изменились на {told}, а поступления за вычетом списаний дают {moved}.',

  '{field} is empty.': 'Поле {field} пустое.',
  '{field} is zero.': 'В поле {field} ноль.',
  '{field} is {text}: that is {other}, and the row is {currency}.':
    'В поле {field} стоит {text}: это {other}, а строка в {currency}.',
  '{field} is {text}: an amount above zero is expected here.':
    'В поле {field} стоит {text}: здесь нужна сумма больше нуля.',
  '{field} is {text}: digits are expected, with at most two decimals and no thousands mark.':
    'В поле {field} стоит {text}: нужны цифры, не больше двух знаков после запятой и без разделителя тысяч.',
  '{field} is {text}: no amount is above {most}.':
    'В поле {field} стоит {text}: сумма не бывает больше {most}.',
  '{field} is {text}: RUB, UZS, KZT or TJS is expected.':
    'В поле {field} стоит {text}: нужна валюта RUB, UZS, KZT или TJS.',
  '{field} is {text}: a day written as {format} is expected.':
    'В поле {field} стоит {text}: нужен день в виде {format}.',
  '{field} is {text}: an ISO 8601 day or time is expected.':
    'В поле {field} стоит {text}: нужны день или время по ISO 8601.',
  '{field} is longer than {most} characters: it begins with {text}.':
    'Поле {field} длиннее {most} знаков, начинается с {text}.',

  'This is MT{type}, which is not read: ask the bank for MT940 or MT942.':
    'Это MT{type}, его мы не читаем: попросите у банка MT940 или MT942.',
  'The file holds no statement: none begins with :20:.': 'В файле нет выписки: ничто не начинается с :20:.',
  'This line belongs to no statement: each begins with :20:.':
    'Эта строка не относится ни к одной выписке: каждая начинается с :20:.',
  'This line belongs to no field.': 'Эта строка не относится ни к одному полю.',
  'This line ends in another way than those before it: the file was put together from others, or a text in it holds a line break.':
    'Эта строка кончается иначе, чем строки до неё: файл собран из других, или в тексте стоит перевод строки.',
  'This field cannot stand here: another one is missing before it, or it is part of a text that is written to look like a field.':
    'Этого поля здесь быть не может: перед ним нет другого, или это часть текста, написанного под вид поля.',
  'The statement that starts here has no closing balance (:62F:): it is cut off.':
    'У выписки, которая здесь начинается, нет конечного остатка (:62F:): она обрезана.',
  'The entry that starts here is longer than 256 KB.': 'Запись, которая здесь начинается, длиннее 256 КБ.',
  'The entry that starts here has more than 1,000 lines.':
    'В записи, которая здесь начинается, больше 1000 строк.',
  'The balances of the statement are in two currencies.': 'Остатки выписки в двух валютах.',
  'The balance is {text}: C or D, a day, a currency and an amount are expected.':
    'Остаток записан как {text}: нужны C или D, день, валюта и сумма.',
  'The turnover is {text}: a number, a currency and an amount are expected.':
    'Оборот записан как {text}: нужны число записей, валюта и сумма.',
  'The line is {text}: a value date, C or D, an amount and a type of four signs are expected.':
    'В строке стоит {text}: нужны дата валютирования, C или D, сумма и вид операции из четырёх знаков.',
  'The line is {text}: it does not begin with days that a calendar has.':
    'В строке стоит {text}: в начале нет дней, которые есть в календаре.',
  'The statement that starts in line {line} is proved by its balances only, and it has debits that could hide a credit which a payer wrote into a text: compare its credits with the bank.':
    'Выписка, которая начинается в строке {line}, подтверждается только остатками, и её списания могли бы скрыть поступление, вписанное плательщиком в текст: сверьте поступления с банком.',
  "Besides the interim report (MT942) that starts in line {line} the file holds other messages, and nothing ties them together: a payer's text can be written to look like one.":
    'Кроме промежуточного отчёта (MT942), который начинается в строке {line}, в файле есть другие сообщения, и ничто их не связывает: текст плательщика можно написать под вид сообщения.',
  "The interim report (MT942) that starts in line {line} does not tell its turnover: nothing shows that its entries are all of them, and the bank's.":
    'Промежуточный отчёт (MT942), который начинается в строке {line}, не называет оборотов: ничто не показывает, что записи в нём все и что они банковские.',
  'The message that starts in line {line} does not agree with its own balances or turnover.':
    'Сообщение, которое начинается в строке {line}, не сходится со своими остатками или оборотами.',
  'The message that starts in line {line} does not open with the balance that the one before it closed with.':
    'Начальный остаток сообщения, которое начинается в строке {line}, не равен конечному остатку предыдущего.',
  'The statement that starts in line {line} goes on in a message that does not follow in this file.':
    'Выписка, которая начинается в строке {line}, продолжается в сообщении, которого в этом файле дальше нет.',
  'The statement of which a further message starts in line {line} does not begin in this file.':
    'Выписка, продолжение которой начинается в строке {line}, начинается не в этом файле.',

  'The row that starts here is longer than 64 KB: a quote is not closed.':
    'Строка, которая здесь начинается, длиннее 64 КБ: кавычка не закрыта.',
  'Text follows a closing quote in this row.': 'В этой строке после закрывающей кавычки идёт текст.',
  "A line break of another kind than the file's own stands outside of quotes in this row.":
    'В этой строке вне кавычек стоит перевод строки другого вида, чем в остальном файле.',
  'The file ends before its header, expected in line {line}.':
    'Файл кончается раньше названий столбцов, которые должны быть в строке {line}.',
  'A quote opens in this row and is never closed.': 'В этой строке кавычка открыта и нигде не закрыта.',
  'The row that starts here is cut off inside a quoted field.':
    'Строка, которая здесь начинается, обрывается внутри кавычек.',
  'The file holds a header and no rows.': 'В файле только названия столбцов, строк нет.',
  'The header has changed: column {place} is new: {is}. Check the mapping and save it again.':
    'Столбцы изменились: столбец {place} новый, {is}. Проверьте разбор и сохраните его заново.',
  'The header has changed: column {place} was {was} and is now {is}. Check the mapping and save it again.':
    'Столбцы изменились: столбец {place} был {was}, а теперь {is}. Проверьте разбор и сохраните его заново.',
  'The row has {fields} fields, the header {columns}.':
    'В строке полей: {fields}, а названий столбцов: {columns}.',
  'The file ends in {field}, without a line end: the amount may be cut off. If it is whole, end the line.':
    'Файл кончается полем {field} без перевода строки: сумма может быть обрезана. Если она целая, завершите строку.',
  'One of {credit} and {debit} is expected to be above zero, and only one.':
    'Больше нуля должно быть одно из полей {credit} и {debit}, и только одно.',

  'The key names cannot be read as UTF-8, windows-1251 or DOS: export the statement again as Windows text.':
    'Названия полей не читаются ни как UTF-8, ни как windows-1251, ни как DOS: выгрузите выписку заново, текстом Windows.',
  'The file holds a header only: no account section, no document.':
    'В файле только заголовок: ни секции счёта, ни документов.',
  'The first line is not exactly {first}: this is no 1C statement.':
    'Первая строка не равна {first}: это не выписка 1С.',
  'A second statement begins here: two files were put together.':
    'Здесь начинается вторая выписка: два файла склеены в один.',
  "An account section stands behind a document: a bank writes them all before the first one, and a payer's text may hold one.":
    'Секция счёта стоит после документа: банк пишет их все до первого документа, а в тексте плательщика может оказаться такая.',
  "A document ends here that never began: a payer's text may hold the end of one.":
    'Здесь кончается документ, который не начинался: в тексте плательщика может быть конец документа.',
  "This line stands between two documents: a payer's text may hold the end of one.":
    'Эта строка стоит между документами: в тексте плательщика может быть конец документа.',
  'More text follows after КонецФайла.': 'После КонецФайла идёт ещё текст.',
  'This line is written in {encoding}, unlike the file up to here: its encodings are mixed.':
    'Эта строка в кодировке {encoding}, а файл до неё — в другой: кодировки перемешаны.',
  'The document that starts here is longer than 256 KB.':
    'Документ, который здесь начинается, длиннее 256 КБ.',
  'The file names more than 1,000 accounts.': 'В файле больше 1000 счетов.',
  'The account section names no account.': 'В секции счёта не назван счёт.',
  'The document that starts here has no {end}: it is cut off.':
    'У документа, который здесь начинается, нет {end}: он обрывается.',
  'The account section that starts here has no {end}: it is cut off.':
    'У секции счёта, которая здесь начинается, нет {end}: она обрывается.',
  'The document has {field} twice, with different values.':
    'В документе поле {field} стоит дважды, с разными значениями.',
  'The document is a credit by its amounts, but our account is on the other side.':
    'По суммам документ — приход, но наш счёт стоит на другой стороне.',
  'The document is a debit by its amounts, but our account is on the other side.':
    'По суммам документ — расход, но наш счёт стоит на другой стороне.',
  'The document does not say which account of ours it is for.':
    'Документ не говорит, к какому нашему счёту относится.',
  'СуммаПриход and СуммаРасход are both filled.': 'Заполнены и СуммаПриход, и СуммаРасход.',
  'Сумма differs from СуммаПриход or СуммаРасход, which it repeats.':
    'Сумма не равна СуммаПриход или СуммаРасход, которую повторяет.',
  'The document has no date.': 'В документе нет даты.',

  'The XML holds no statement: camt.053, camt.054 or camt.052 is expected.':
    'В этом XML нет выписки: нужен camt.053, camt.054 или camt.052.',
  'The statement does not name its account.': 'В выписке не назван её счёт.',
  'The entry that starts here repeats its values more than 200 times.':
    'Запись, которая здесь начинается, повторяет свои значения больше 200 раз.',
  'The entry that starts here has more than 10,000 transactions.':
    'В записи, которая здесь начинается, больше 10 000 операций.',
  'The entry that starts here is too large.': 'Запись, которая здесь начинается, слишком велика.',
  'Ntry/Sts is missing.': 'Нет поля Ntry/Sts.',
  'Entries of this camt.053 do not say whether they are booked (Ntry/Sts is missing): a camt.053 holds booked entries by definition, so they are read as booked.':
    'Записи этого camt.053 не говорят, проведены ли они (нет поля Ntry/Sts): в camt.053 по определению только проведённые, так они и прочитаны.',
  'Ntry/Sts is not BOOK, PDNG, INFO or FUTR.': 'В поле Ntry/Sts не BOOK, PDNG, INFO или FUTR.',
  'CdtDbtInd is neither CRDT nor DBIT.': 'В поле CdtDbtInd ни CRDT, ни DBIT.',
  'The entry has no date.': 'В записи нет даты.',
  'A transaction of the entry is in another currency than the entry.':
    'Операция внутри записи в другой валюте, чем сама запись.',
  'A transaction of the entry goes the other way than the entry.':
    'Операция внутри записи идёт в другую сторону, чем сама запись.',
  'The transactions of the entry do not add up to its amount.':
    'Операции внутри записи не дают в сумме её величину.',
  'The XML is declared in an encoding other than UTF-8 and windows-1251.':
    'В XML объявлена кодировка, отличная от UTF-8 и windows-1251.',
  'The XML has a document type or an entity declaration: such files are refused.':
    'В XML есть описание типа документа или сущностей: такие файлы не принимаются.',
  'The XML has a processing instruction: such files are refused.':
    'В XML есть инструкция обработки: такие файлы не принимаются.',
  'The file ends inside <{tag}>: it is cut off.': 'Файл обрывается внутри <{tag}>.',
  '</{tag}> closes another element than was opened.':
    '</{tag}> закрывает не тот элемент, который был открыт.',
  'A tag is not closed before the next one starts.': 'Тег не закрыт, а уже начинается следующий.',
  'There is text outside the XML element.': 'Есть текст вне элемента XML.',
  'The text holds a control character, which XML does not allow.':
    'В тексте управляющий знак, XML этого не допускает.',
  'A second XML element follows the first.': 'За первым элементом XML идёт второй.',
  'The XML is nested deeper than 64 levels.': 'Вложенность XML больше 64 уровней.',
  'An XML name is too long.': 'Слишком длинное имя в XML.',
  'A tag has no proper name: the XML is not well-formed.': 'У тега неверное имя: XML построен неправильно.',
  'An attribute stands twice in a tag.': 'В теге дважды стоит один атрибут.',
  'A tag has more than 64 attributes.': 'В теге больше 64 атрибутов.',
  'A tag has an attribute that is not well-formed.': 'В теге неправильно записан атрибут.',
  'A tag or a text is longer than 64 KB.': 'Тег или текст длиннее 64 КБ.',
  'The XML uses an entity or a character other than XML itself allows.':
    'В XML сущность или знак, которых сам XML не допускает.',

  'The import of this file is being undone.': 'Импорт этого файла отменяется.',
}
