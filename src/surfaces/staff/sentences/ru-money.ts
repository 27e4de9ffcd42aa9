/** Что говорят депозиты, поступления, возвраты, сопоставление и тестовый банк. */
import { stateWords } from '../state-words.ts'

export const moneyRu: Record<string, string> = {
  'A deposit that is {state} cannot be given a method.':
    'Состояние депозита — «{state}»: выбрать способ нельзя.',
  'A deposit that is {state} cannot be claimed.': 'Состояние депозита — «{state}»: заявить об оплате нельзя.',
  'A deposit that is {state} cannot be paid.': 'Состояние депозита — «{state}»: денег он не принимает.',
  'A deposit that is {state} cannot be confirmed.': 'Состояние депозита — «{state}»: подтвердить его нельзя.',
  'A deposit that is {state} cannot be rejected.': 'Состояние депозита — «{state}»: отклонить его нельзя.',
  'A deposit that is {state} cannot be canceled.': 'Состояние депозита — «{state}»: отменить его нельзя.',
  'A deposit that is {state} cannot be expired.':
    'Состояние депозита — «{state}»: закончить его по сроку нельзя.',
  'A deposit that is {state} cannot be reversed.':
    'Состояние депозита — «{state}»: отметить возврат банком нельзя.',
  'The time for late money is over.': 'Время для поздних денег прошло.',
  'The time to choose a method is over.': 'Время на выбор способа вышло.',
  'Money for this deposit has been seen.': 'Деньги за этот депозит уже замечены.',
  'A payment that is on its way cannot be given up.': 'От платежа, который уже в пути, отказаться нельзя.',
  'What is received may not be zero, nor fall below nothing.':
    'Полученная сумма не может быть нулём и не может стать меньше нуля.',
  'The time to pay is over.': 'Время на оплату вышло.',
  'The customer gave up on the payment page': 'Клиент отказался от оплаты на платёжной странице',
  'The money arrived': 'Деньги пришли',
  'The money arrived, {labels}': 'Деньги пришли: {labels}',
  'There is no deposit with this id.': 'Депозита с таким номером нет.',

  'A transfer that is {state} cannot be matched.':
    'Состояние поступления — «{state}»: сопоставить его нельзя.',
  'A transfer that is {state} cannot be set aside.':
    'Состояние поступления — «{state}»: отложить его нельзя.',
  'A transfer that is {state} cannot be told from a repetition.':
    'Состояние поступления — «{state}»: считать его отдельным платежом незачем.',
  'A transfer that is {state} cannot be taken back.':
    'Состояние поступления — «{state}»: отозвать его нельзя.',
  'A transfer that is {state} cannot be given back.':
    'Состояние поступления — «{state}»: отметить его возврат нельзя.',
  'A transfer that is {state} cannot be the same as another.':
    'Состояние поступления — «{state}»: отметить его повтором нельзя.',
  'The import of its file is being undone, or has been.': 'Импорт её файла отменяется или уже отменён.',
  'The import of its file was undone: {reason}': 'Импорт её файла отменён: {reason}',
  'The import of its file was undone, and the bank tells of it again.':
    'Импорт её файла был отменён, и банк сообщает о ней снова.',
  'The import of the file that told of its money was undone.':
    'Импорт файла, который сообщил о деньгах, отменён.',
  'The import that told of this payment first was undone.':
    'Импорт, который первым сообщил об этом платеже, отменён.',
  'The import of the file that took this payment back was undone.':
    'Импорт файла, который отозвал этот платёж, отменён.',
  'There is no other payment with this id on this account.':
    'Другого поступления с таким номером на этом счёте нет.',
  'The other payment has another amount: only what the bank wrote anew can be the same.':
    'У другого платежа другая сумма: тем же самым может быть только то, что банк записал заново.',
  'The other payment is {state}: name the one that counts.':
    'Состояние другого поступления — «{state}»: укажите то, которое учтено.',
  'There is no transfer with this id.': 'Поступления с таким номером нет.',
  'There is no deposit with this id that this account serves.':
    'Депозита с таким номером, который обслуживает этот счёт, нет.',
  'The deposit is in another currency.': 'У депозита другая валюта.',
  'A part of this transfer has been given back.': 'Часть этого поступления уже возвращена.',
  'No row of this file repeats this transfer, or it was taken.':
    'Ни одна строка этого файла не повторяет это поступление, или её уже приняли.',
  'At most what is left of the transfer can be given back.':
    'Вернуть можно не больше того, что осталось от поступления.',
  'What is left would no longer pay the deposit. Give back less, or say that it is to be reversed.':
    'Остатка не хватит на оплату депозита. Верните меньше или отметьте, что депозит возвращён.',
  'At most what is owed can be paid back.': 'Вернуть можно не больше того, что мы должны.',
  'Nothing of this transfer is owed to anybody.': 'По этому поступлению никто никому не должен.',

  'The transfer is not in the currency of its account.': 'Валюта поступления не та, что у счёта.',
  'The purpose has a reference that no deposit has.':
    'В назначении номер, которого нет ни у одного депозита.',
  'The purpose names more than one deposit.': 'Назначение называет больше одного депозита.',
  'The purpose names a deposit that waits on another account.':
    'Назначение называет депозит, который ждёт на другом счёте.',
  'The purpose names a deposit that is {state} and takes no money any more.':
    'Назначение называет депозит, который денег больше не принимает: он {state}.',
  'The purpose names a deposit that did not exist when the money was sent.':
    'Назначение называет депозит, которого ещё не было, когда отправили деньги.',
  'The deposit has received this amount of this day already: this may be the same payment.':
    'Депозит уже получил такую сумму за этот день: возможно, это тот же платёж.',
  'The purpose names this deposit.': 'Назначение называет этот депозит.',
  'This looks like one sum for many payments.': 'Похоже на одну сумму за много платежей.',
  'The money was sent before the deposit existed.': 'Деньги отправили раньше, чем появился депозит.',
  'No deposit of this account waits for this amount.': 'На этом счёте никто не ждёт такой суммы.',
  'More deposits wait for this amount than can be looked at.':
    'Такую сумму ждёт больше депозитов, чем можно просмотреть.',
  'A payment of this amount and day was told already: this may be the same one.':
    'О платеже на эту сумму за этот день уже сообщали: возможно, это он же.',
  'The amount fits one deposit, but its customer has another phone number.':
    'Сумма подходит одному депозиту, но у его клиента другой телефон.',
  'Deposits that wait for this amount have references, and the purpose has none.':
    'У депозитов, которые ждут такую сумму, есть номера, а в назначении номера нет.',
  '{count} deposits may be meant.': 'Депозитов, которым это может предназначаться: {count}.',
  'This payer has begun to pay, and this is not the rest.':
    'Этот плательщик начал платить, но здесь не та сумма, что осталась.',
  'The payer of the first part sends the rest.': 'Плательщик первой части прислал остаток.',
  'Only this deposit waits for this amount.': 'Такую сумму ждёт только этот депозит.',
  'Of those that wait for this amount, only this names the payer.':
    'Из тех, кто ждёт такую сумму, плательщика называет только этот.',
  '{count} deposits wait for this amount.': 'Депозитов, которые ждут такую сумму: {count}.',
  'The {kind} is on the {list} list: {why} Otherwise: {rest}':
    'В списке «{list}» — {kind}: {why} Если бы не это: {rest}',
  'The {kind} is on the {list} list: {why}': 'В списке «{list}» — {kind}: {why}',

  'This payment is known already.': 'Этот платёж уже известен.',
  'Another source has told of this payment.': 'Об этом платеже сообщил другой источник.',
  'The bank told of it and of its end at once.': 'Банк сразу сообщил и о платеже, и о его отзыве.',
  'Our own money, moved between our accounts.': 'Наши собственные деньги, перевод между нашими счетами.',
  'Money that left the account.': 'Деньги, ушедшие со счёта.',
  'The bank has told of another payment under this very id.':
    'Под этим же номером банк уже сообщал о другом платеже.',
  'The bank wrote this entry anew, with another amount.': 'Банк переписал эту запись, сумма теперь другая.',
  'This looks like a payment that the bank has taken back.': 'Похоже на платёж, который банк отозвал.',
  'The bank takes money back, and it is not clear which payment it means.':
    'Банк забирает деньги, но неясно, за какой платёж.',
  'This corrects a payment that is known: the same document of the same payer, written otherwise.':
    'Это исправление известного платежа: тот же документ того же плательщика, но записан иначе.',
  'The bank has told of this entry before, with other amounts.':
    'Банк уже сообщал об этой записи, но с другими суммами.',
  'The bank tells of this entry payment by payment now.':
    'Теперь банк сообщает об этой записи по отдельным платежам.',
  'The bank brought this entry back.': 'Банк восстановил эту запись.',
  'The bank wrote this entry anew.': 'Банк переписал эту запись.',
  'The bank took this entry back.': 'Банк отозвал эту запись.',
  'The bank took the money back.': 'Банк забрал деньги обратно.',
  'The deposit that it was for is {state}.': 'Депозит, которому оно предназначалось, {state}.',

  'There is no test-mode deposit with this id.': 'Тестового депозита с таким номером нет.',
  'In production the clock of test mode cannot be moved.':
    'В рабочей установке тестовые часы переводить нельзя.',
  'There is no test-mode merchant with this id.': 'Тестового мерчанта с таким номером нет.',
  'The deposit has no requisites yet: choose a method on its page first.':
    'У депозита ещё нет реквизитов: сначала выберите способ на его странице.',
  'This money would settle a deposit of another test merchant: choose another amount or purpose.':
    'Эти деньги оплатили бы депозит другого тестового мерчанта: выберите другую сумму или назначение.',
  'The test bank is late.': 'Тестовый банк опоздал.',
  'Rejected by the test bank': 'Отклонено тестовым банком',
  'The test bank says which deposit it is for.': 'Тестовый банк говорит, какому депозиту эти деньги.',
}

/** Слова внутри этих предложений: состояния, метки, списки. */
export const moneyWordsRu: Record<string, string> = {
  ...stateWords.ru.depositStates,
  ...stateWords.ru.transferStates,
  ...stateWords.ru.labels,
  block: 'блокировка',
  watch: 'наблюдение',
  customer: 'клиент',
  "customer's phone": 'телефон клиента',
  payer: 'плательщик',
}

/** Кто это сделал, если не человек по имени. */
export const actorsRu: Record<string, string> = {
  clock: 'часы',
  matcher: 'сопоставление',
  customer: 'клиент',
  merchant: 'мерчант',
  sandbox: 'тестовый банк',
  'command line': 'командная строка',
  'operator:{who}': 'оператор {who}',
  'merchant:{who}': 'мерчант {who}',
  'bank:{who}': 'банк {who}',
}
