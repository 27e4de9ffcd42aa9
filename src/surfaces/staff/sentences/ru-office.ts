/** Что говорят согласования, реквизиты, мерчанты, списки, люди, загрузки и адреса. */
export const officeRu: Record<string, string> = {
  'There is no proposal with this id.': 'Предложения с таким номером нет.',
  'This has been decided already.': 'Это уже решено.',
  'Only who asked for it can withdraw it.': 'Отозвать может только тот, кто предложил.',
  'Who asked for it cannot approve it: a second person does.':
    'Тот, кто предложил, согласовать не может: это делает второй человек.',
  'Whoever asked for it may ask for it no more: refuse it, and let somebody else ask.':
    'Тот, кто это предложил, больше не вправе предлагать: отклоните, и пусть предложит кто-то другой.',
  'Nobody else has ever decided here, so you can carry it out yourself: from {from} on.':
    'Никто другой здесь никогда не решал, поэтому вы сможете выполнить это сами: с {from}.',
  'One of you and whoever brought this file gave the other access less than a day ago. Somebody else can take it.':
    'Меньше суток назад один из вас (вы или тот, кто загрузил файл) дал доступ другому. Принять файл может кто-то ещё.',
  'This file, with those that you took today, tells of more than one person may confirm: another person takes it, an approver or an admin.':
    'По этому файлу и принятым вами за сутки пришло больше, чем может подтвердить один человек: принимает его другой, согласующий или администратор.',
  'One of you and whoever asked for it gave the other access here less than a day ago. You can approve it from {from} on; somebody else can now.':
    'Меньше суток назад один из вас — вы или тот, кто предложил, — дал другому доступ. Вы сможете согласовать с {from}; кто-то ещё может сейчас.',
  'This has changed since it was asked for.': 'С тех пор как это предложили, оно изменилось.',
  'The settings have changed since this was asked for.':
    'С тех пор как это предложили, настройки изменились.',
  'The bank source has changed since this was asked for.':
    'С тех пор как это предложили, банк-источник изменился.',
  'This person’s place at the desk has changed since this was asked for.':
    'С тех пор как это предложили, роль или доступ этого человека изменились.',
  'This person is of the desk already: give them another role.':
    'Этот человек уже на рабочем месте: дайте ему другую роль.',
  'This person is disabled: enable them first.': 'Этот человек отключён: сначала включите его.',
  'The address has changed since this was asked for.': 'С тех пор как это предложили, адрес изменился.',
  'The limits have changed since this was asked for.': 'С тех пор как это предложили, пределы изменились.',
  'The limits are these already.': 'Пределы уже такие.',
  'A reason has 1 to 500 characters.': 'В причине от 1 до 500 знаков.',
  'The same has been asked for and waits for a decision.': 'То же самое уже предложено и ждёт решения.',
  'It is on already.': 'Уже включено.',
  'Asked for in the merchant’s console': 'Запрошено в кабинете мерчанта',

  'There is no receiving account with this id.': 'Счёта для приёма с таким номером нет.',
  'There is no requisite with this id.': 'Реквизита с таким номером нет.',
  'An owner has a legal and a public name (up to 160 characters), a tax id (20) and an agreement (200).':
    'У владельца есть юридическое имя и имя для клиентов (до 160 знаков), ИНН (до 20) и договор (до 200).',
  'This requisite is already registered.': 'Такой реквизит уже есть.',
  'An account number has 4 to 34 digits or Latin letters.':
    'В номере счёта от 4 до 34 цифр или латинских букв.',
  'Limits are above zero, and the least is not above the most.':
    'Пределы больше нуля, и наименьшая сумма не больше наибольшей.',
  'Another receiving account has this number.': 'Этот номер уже у другого счёта для приёма.',
  'There is no bank source with this id.': 'Банка-источника с таким номером нет.',
  'A bank source has at most {} accounts.': 'У банка-источника не больше {} счетов.',
  'A bank source has at most {} networks.': 'У банка-источника не больше {} сетей.',
  'A network is written as 203.0.113.0/24 or 2001:db8::/32, or as one address.':
    'Сеть пишется как 203.0.113.0/24 или 2001:db8::/32 либо как один адрес.',
  'There is no such receiving account in this mode.': 'Такого счёта для приёма в этом режиме нет.',

  'There is no merchant with this id.': 'Мерчанта с таким номером нет.',
  'The merchant has no live key with this id.': 'Действующего ключа с таким номером у мерчанта нет.',
  'The merchant has no callback address.': 'У мерчанта нет адреса для колбэков.',
  'The merchant has no such person.': 'У мерчанта нет такого человека.',
  'A merchant keeps one owner at least.': 'У мерчанта остаётся хотя бы один владелец.',
  'There is no callback with this id.': 'Колбэка с таким номером нет.',
  'The operator paused this endpoint; only the operator resumes it.':
    'Этого получателя приостановил оператор; возобновить может только он.',
  'An address has at most {most} characters.': 'В адресе не больше {most} знаков.',
  'It must be an absolute http or https address.': 'Нужен полный адрес, с http или https.',
  'It must not carry a user name or a password.': 'В адресе не должно быть имени пользователя и пароля.',
  'A live merchant uses https.': 'У боевого мерчанта адрес только с https.',
  'A live merchant uses port 443 or 8443.': 'У боевого мерчанта порт только 443 или 8443.',
  'A live merchant uses a host name, not a number.':
    'У боевого мерчанта в адресе стоит имя сервера, а не его номер.',

  'A new payment type needs --group card, phone or account.':
    'Новому способу оплаты нужны реквизиты: карты, телефоны или счета.',
  'The group of a payment type cannot change.': 'Вид реквизитов у способа оплаты изменить нельзя.',
  'This invitation is over.': 'Это приглашение больше не действует.',
  'They have not joined yet: invite them again.': 'Этот человек ещё не принял приглашение: пригласите снова.',
  'Invite them: a place at the desk begins with a link.':
    'Пригласите этого человека: место за столом оператора начинается со ссылки.',
  'The bank of a payment type cannot change.': 'Банк у способа оплаты изменить нельзя.',
  'A new limit needs --min-cents and --max-cents.': 'Новому пределу нужны наименьшая и наибольшая сумма.',
  'min_cents must not be above max_cents.': 'Наименьшая сумма не может быть больше наибольшей.',
  'The merchant must exist, and the type must have a general limit in this currency first.':
    'Мерчант должен существовать, а у способа оплаты сначала должен быть общий предел в этой валюте.',

  'This value cannot be listed. {why}': 'Это значение нельзя внести в список. {why}',
  'A phone has seven digits or more.': 'В телефоне не меньше семи цифр.',
  'Nothing of it is left.': 'От него ничего не остаётся.',
  'This value is on this list already.': 'Это значение уже в этом списке.',
  'There is no entry in force with this id.': 'Действующей записи с таким номером нет.',
  'A reason has up to 500 characters, a name up to 100.': 'В причине до 500 знаков, в имени до 100.',
  'You have no such view.': 'Такого фильтра у вас нет.',

  'This is no e-mail address.': 'Это не адрес электронной почты.',
  'A name has 1 to 100 characters.': 'В имени от 1 до 100 знаков.',
  'There is no person with this address.': 'Человека с таким адресом нет.',
  'A password has {least} to {most} characters.': 'В пароле от {least} до {most} знаков.',
  'This form is too old. Begin again.': 'Эта форма устарела. Начните заново.',
  'Your role needs a second factor. Set up another one first.':
    'Вашей роли нужен второй фактор. Сначала настройте другой.',
  'Too many people are signing in right now.': 'Сейчас входит слишком много людей.',
  'Too many wrong tries from here.': 'Слишком много неверных попыток отсюда.',

  'The form has no file.': 'В форме нет файла.',
  'The form cannot be read.': 'Форму не удалось прочитать.',
  'A file has at most {most} MB.': 'Файл не больше {most} МБ.',
  'This file is not read now.': 'Сейчас этот файл прочитать заново нельзя.',
  'This file cannot be taken now.': 'Сейчас этот файл принять нельзя.',
  'Somebody has had it read in another way since. Look at it again.':
    'С тех пор его прочитали иначе. Посмотрите ещё раз.',
  'Something is wrong with it, and nobody has said yes to it.':
    'В файле не всё в порядке, и никто с этим не согласился.',
  'This file is being read.': 'Этот файл сейчас читается.',
  'There is a mapping with this name.': 'Разбор с таким названием уже есть.',
  'There is no mapping with this name.': 'Разбора с таким названием нет.',

  'Entry {place} is missing.': 'Записи {place} нет.',
  'Entry {place} does not follow the one before it.': 'Запись {place} не продолжает предыдущую.',
  'Entry {place} was altered.': 'Запись {place} изменена.',
  'Seal {number} is missing.': 'Печати {number} нет.',
  'Seal {number} was not made with the master key of this installation.':
    'Печать {number} поставлена не главным ключом этой установки.',
  'Entry {place} is missing: it was there when seal {number} was made.':
    'Записи {place} нет, а когда ставилась печать {number}, она была.',
  'The record was rewritten: entry {place} is not the one that seal {number} was made of.':
    'Журнал переписан: запись {place} — не та, на которой поставлена печать {number}.',
  'Entry {place} is missing: it was there when its head was logged.':
    'Записи {place} нет, а когда конец цепочки писался в лог, она была.',
  'The record was rewritten: entry {place} is not the one whose head was logged.':
    'Журнал переписан: запись {place} — не та, конец которой записан в логе.',
  'From {first} to {until} nothing was sealed that people did: no process with the role worker ran, or seals were removed.':
    'С {first} по {until} на действия людей не ставились печати: не работал процесс с ролью worker или печати удалили.',
  'Entry {place} is not the one that was written last.':
    'Запись {place} — не та, что была записана последней.',

  'There is no statement with this id.': 'Выписки с таким номером нет.',
  'The file has added more since this was looked at. Look at it again.':
    'С тех пор из файла добавилось ещё. Посмотрите на него снова.',
  'The import of this file has been undone.': 'Импорт этого файла уже отменён.',
  'The import of this file is being undone.': 'Импорт этого файла отменяется.',
  'The import of this file is not being undone.': 'Импорт этого файла сейчас не отменяется.',
  'Refunds of its transfers were paid. Settle these with the payers first:':
    'По её поступлениям уже сделаны возвраты. Сначала уладьте их с плательщиками:',
}
