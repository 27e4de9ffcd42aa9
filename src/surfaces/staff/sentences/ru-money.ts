/** Что говорят депозиты, поступления, возвраты, сопоставление и тестовый банк. */
import type { moneyEn } from '../../../domain/messages/money.ts'

export const moneyRu: Record<keyof typeof moneyEn, string> = {
  deposit_cannot_be_given_method: 'Состояние депозита — «{state}»: выбрать способ нельзя.',
  deposit_cannot_be_claimed: 'Состояние депозита — «{state}»: сообщить об оплате нельзя.',
  deposit_cannot_be_paid: 'Состояние депозита — «{state}»: деньги он не принимает.',
  deposit_cannot_be_confirmed: 'Состояние депозита — «{state}»: подтвердить его нельзя.',
  deposit_cannot_be_rejected: 'Состояние депозита — «{state}»: отклонить его нельзя.',
  deposit_cannot_be_canceled: 'Состояние депозита — «{state}»: отменить его нельзя.',
  deposit_cannot_be_expired: 'Состояние депозита — «{state}»: завершить его по сроку нельзя.',
  deposit_cannot_be_reversed: 'Состояние депозита — «{state}»: отметить возврат банком нельзя.',
  time_for_late_money_is_over: 'Опоздавшие платежи больше не принимаются.',
  time_to_choose_method_is_over: 'Время на выбор способа оплаты истекло.',
  money_for_deposit_has_been_seen: 'Деньги за этот депозит уже поступили.',
  payment_on_its_way_cannot_be_given_up: 'Отправленный платёж отменить нельзя.',
  received_sum_must_stay_above_zero: 'Полученная сумма не может быть нулевой или отрицательной.',
  time_to_pay_is_over: 'Время на оплату истекло.',
  customer_gave_up_on_payment_page: 'Покупатель отказался от оплаты на платёжной странице',
  money_arrived: 'Деньги поступили',
  money_arrived_labeled: 'Деньги поступили: {labels}',
  no_deposit_with_id: 'Депозита с таким ID нет.',

  shares_must_add_up:
    'Доли должны относиться хотя бы к двум заявкам, быть больше нуля и в сумме давать сумму перевода.',
  too_many_transfers: 'Укажите поступления, от одного до {most}.',
  shares_are_of_one_merchant: 'Разделить перевод можно только между заявками одного мерчанта.',
  decision_cannot_be_undone:
    'Последнее решение по этому переводу отменить нельзя: его принял не человек, или с тех пор что-то сделал банк.',
  nothing_to_pair:
    'Ни один задержанный перевод этого дня не совпадает по сумме с тем, о котором сообщили заранее и который не проведён.',
  pairs_have_changed: 'Пары этого дня изменились с тех пор, как вы смотрели: посмотрите ещё раз.',
  no_parked_rows: 'Таких отложенных строк нет: их день мог закрыть файл, или их взял коллега.',
  only_files_are_booked: 'Считать можно только по файлам: уведомления и тестовый банк лишь сообщают заранее.',
  voice_begins_later:
    'У этого счёта есть более позднее изменение, с {day}: выберите этот день или более поздний.',
  money_is_known_as: 'Эти деньги уже известны как перевод {transfer}.',
  money_noted_by_hand: 'Эти деньги отметил человек.',
  one_of_its_doubts_is_resolved: 'Один из платежей, которым он может быть, выяснен; остались другие.',
  account_counted_from:
    'Платежи по счёту {account} считаются по источнику {source}. Смените его источник с какого-либо дня — на странице счёта или командой «inlet account voice» — или не загружайте этот файл.',
  account_told_early_by:
    'Заранее о платежах по счёту {account} сообщает {source}. Смените это с какого-либо дня — на странице счёта или командой «inlet account voice» — или ничего не присылайте заранее.',
  may_be_known_payment: 'Возможно, этот платёж уже известен: решает человек.',
  told_alone:
    'Сообщено после того, как день закрыт, или около смены источника этого счёта, и больше об этом никто не сообщил.',
  another_file_is_importing:
    'В счёт {account} загружается другой файл, {file}: завершите его загрузку или отмените её.',
  another_run_imports_file: 'Загрузку этого файла продолжает другой процесс.',
  day_is_not_closed: 'Файл не закрывает этот день: строка ждёт файла, который его закроет.',
  early_report_is_never_complete: 'Этот файл сообщает заранее и не закрывает ни одного дня: снимите отметку.',
  no_bank_source_named:
    'Такого источника в режиме этого счёта нет: укажите ID или название источника либо вид файлов, например 1c, camt, mt940 или csv:ИМЯ сохранённого формата.',
  several_sources_have_name: 'С таким названием несколько источников: укажите ID.',

  transfer_cannot_be_matched: 'Состояние поступления — «{state}»: сопоставить его нельзя.',
  transfer_cannot_be_set_aside: 'Состояние поступления — «{state}»: отложить его нельзя.',
  transfer_cannot_be_told_from_repetition:
    'Состояние поступления — «{state}»: отметить его отдельным платежом нельзя.',
  transfer_cannot_be_taken_back: 'Состояние поступления — «{state}»: отозвать его нельзя.',
  transfer_cannot_be_given_back: 'Состояние поступления — «{state}»: отметить его возврат нельзя.',
  transfer_cannot_be_same_as_another: 'Состояние поступления — «{state}»: отметить его дубликатом нельзя.',
  import_of_its_file_ended: 'Загрузка его файла отменяется или уже отменена.',
  import_of_its_file_undone: 'Загрузка его файла отменена: {reason}',
  import_with_its_money_undone: 'Загрузка выписки с этими деньгами отменена.',
  no_other_payment_on_account: 'Другого поступления с таким ID на этом счёте нет.',
  other_payment_has_another_amount:
    'Суммы различаются: дубликатом может быть только запись, исправленная банком.',
  other_payment_does_not_count: 'Состояние другого поступления — «{state}»: выберите учтённое.',
  no_transfer_with_id: 'Поступления с таким ID нет.',
  no_deposit_of_account_with_id: 'Депозита с таким ID на этом счёте нет.',
  no_deposit_found_for_transfer: 'Депозит, за который может быть это поступление, так не найден.',
  several_deposits_found:
    'Так находятся несколько депозитов. Введите номер для обращения или ID одного из них.',
  share_line_unreadable:
    'Строка на депозит: номер для обращения, заказ или ID, затем доля, например KT12345678 1500,50.',
  transfer_ids_unreadable: 'Введите ID поступлений через пробел.',
  purpose_names_another_deposit:
    'В назначении платежа указан номер {reference} — это другой депозит. Подтвердите, что так и задумано.',
  deposit_is_in_another_currency: 'У депозита другая валюта.',
  part_of_transfer_given_back: 'Часть этого поступления уже возвращена.',
  give_back_more_than_left: 'Вернуть можно не больше того, что осталось от поступления.',
  rest_would_not_pay_deposit:
    'Остатка не хватит на оплату депозита. Верните меньше или отметьте, что депозит возвращён.',
  pay_back_more_than_owed: 'Вернуть можно не больше суммы к возврату.',
  nothing_of_transfer_is_owed: 'По этому поступлению возврат не нужен.',

  match_wrong_currency: 'Валюта поступления не совпадает с валютой счёта.',
  match_reference_unknown: 'Номера из назначения нет ни у одного депозита.',
  match_several_references: 'В назначении номера нескольких депозитов.',
  match_reference_elsewhere: 'В назначении номер депозита с другого счёта.',
  match_reference_not_asked: 'В назначении номер депозита, покупателю которого номер не показывали.',
  match_reference_closed: 'В назначении номер депозита, который больше не принимает деньги: он {state}.',
  match_reference_outside_window: 'В назначении номер депозита, созданного позже, чем отправлены деньги.',
  match_reference: 'В назначении указан номер этого депозита.',
  match_references: 'В назначении номера этих депозитов, и их открытые суммы вместе равны сумме поступления.',
  match_settlement_batch: 'Похоже на общее перечисление за много платежей.',
  match_no_candidate:
    'Когда отправили деньги, на этом счёте нельзя было оплатить ни один депозит на такую сумму.',
  match_contradicting_hint: 'Сумма совпадает с одним депозитом, но у его покупателя другой телефон.',
  match_reference_missing: 'У депозитов на эту сумму есть номера, а в назначении номера нет.',
  match_has_money: 'Депозит на эту сумму уже получил от кого-то часть денег.',
  match_several_meant: 'Возможных депозитов: {count}.',
  match_not_the_rest: 'Этот плательщик уже оплатил часть, но сумма не равна остатку.',
  match_maybe_the_rest: 'Этот плательщик уже оплатил часть, и сумма точно равна остатку.',
  match_amount_unique: 'Такую сумму ожидает только этот депозит.',
  match_may_be_of_ended:
    'Возможно, это деньги депозита на эту сумму, который закрыт или подтверждён вручную.',
  match_several_candidates: 'Депозитов, ожидающих такую сумму: {count}.',
  listed_otherwise: 'В списке «{list}» — {kind}: {why} Если бы не это: {rest}',
  match_of_watched_customer: '{rest} {why}',
  listed: 'В списке «{list}» — {kind}: {why}',

  payment_known_already: 'Этот платёж уже известен.',
  payment_told_by_another_source: 'Об этом платеже уже сообщил другой источник.',
  bank_told_of_payment_and_its_end: 'Банк сообщил о платеже и его отзыве одновременно.',
  own_money_between_accounts: 'Перевод между своими счетами.',
  own_money_names_deposit:
    'Деньги пришли с одного из своих счетов, и в назначении указан депозит: это оплата или перевод между своими счетами?',
  money_left_account: 'Списание со счёта.',
  bank_takes_unknown_payment_back: 'Банк забрал деньги, но неясно, за какой платёж.',
  bank_took_entry_back: 'Банк отозвал эту запись.',
  bank_took_money_back: 'Банк забрал деньги обратно.',
  deposit_of_transfer_is_over: 'Депозит, которому оно предназначалось: {state}.',

  no_test_mode_deposit_with_id: 'Тестового депозита с таким ID нет.',
  test_clock_cannot_move_in_production: 'В рабочей установке тестовые часы переводить нельзя.',
  no_test_mode_merchant_with_id: 'Тестового мерчанта с таким ID нет.',
  deposit_has_no_requisites_yet: 'У депозита ещё нет реквизитов: сначала выберите способ на его странице.',
  test_deposit_has_too_many_parts: 'Этот тестовый депозит уже оплачен частями ({most}): создайте другой.',
  test_deposit_has_too_many_entries:
    'В истории этого тестового депозита уже записей: {most}. Создайте другой.',
  money_of_another_test_merchant:
    'Этот перевод оплатил бы депозит другого тестового мерчанта: выберите другую сумму или назначение.',
  test_clock_went_on: 'Тестовые часы переведены вперёд.',
  test_bank_is_late: 'Опоздавший перевод тестового банка.',
  rejected_by_test_bank: 'Отклонено тестовым банком',
  test_bank_names_deposit: 'Тестовый банк указал депозит.',
}
