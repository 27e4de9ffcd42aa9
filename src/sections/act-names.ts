/** What the acts of the audit log are called: those of sections by themselves, the others here. */

import type { Section, Two } from './section.ts'

/** Acts that no section declares, and codes that several acts share. */
const own: Readonly<Record<string, Two>> = {
  account_add: ['Receiving account added', 'Добавлен счёт для приёма'],
  account_limits: ['Account limits changed', 'Изменены лимиты счёта'],
  account_matching: ['Matching by amount changed', 'Сопоставление по сумме изменено'],
  account_number: ['Statement account number set', 'Задан номер счёта в выписках'],
  account_voice: ['Source of an account changed', 'Источник счёта изменён'],
  callback_replay: ['Callback sent again', 'Колбэк отправлен ещё раз'],
  callback_test: ['Test callback sent', 'Отправлен тестовый колбэк'],
  callbacks_pause: ['Callbacks paused', 'Колбэки приостановлены'],
  callbacks_replay: ['Failed callbacks sent again', 'Недоставленные колбэки отправлены снова'],
  callbacks_resume: ['Callbacks resumed', 'Колбэки возобновлены'],
  day_pair: ['Rows of a day paired', 'Строки дня соединены'],
  demo_remove: ['Demo removed', 'Демо закрыто'],
  deposit_cancel: ['Deposit canceled', 'Депозит отменён'],
  deposit_confirm: ['Deposit confirmed', 'Депозит подтверждён'],
  deposit_reject: ['Deposit rejected', 'Депозит отклонён'],
  deposit_reverse: ['Deposit reversed', 'Депозит возвращён банком'],
  emergency_stop: ['Stopped', 'Остановлено'],
  export: ['Exported to file', 'Выгружено в файл'],
  item_assign: ['Item assigned', 'Задача назначена'],
  master_key_reseal: ['Master key changed', 'Сменён мастер-ключ'],
  mapping_keep: ['CSV format saved', 'Сохранён формат CSV'],
  mapping_remove: ['CSV format deleted', 'Удалён формат CSV'],
  merchant_branding: ['Branding of the payment page changed', 'Изменено оформление платёжной страницы'],
  parked_take: ['Parked rows taken', 'Строки в ожидании приняты'],
  key_mark: ['Signature scheme of a key changed', 'Изменена схема подписи ключа'],
  merchant_change: ['Merchant changed', 'Мерчант изменён'],
  merchant_settings: ['Merchant rules changed', 'Изменены правила мерчанта'],
  person_role: ['Role changed', 'Изменена роль'],
  passkey_add: ['Passkey added', 'Добавлен ключ доступа'],
  passkey_remove: ['Passkey removed', 'Удалён ключ доступа'],
  password_change: ['Password changed', 'Пароль изменён'],
  person_begin_again: ['Access reset by link', 'Доступ сброшен по ссылке'],
  person_join: ['Invitation accepted', 'Приглашение принято'],
  recovery_codes_new: ['Recovery codes created', 'Созданы запасные коды'],
  requisite_add: ['Add a requisite', 'Добавить реквизит'],
  requisite_on: ['Turn on a requisite', 'Включить реквизит'],
  confirm: ['Confirm a deposit manually', 'Подтвердить депозит вручную'],
  match: ['Match a transfer manually', 'Сопоставить поступление вручную'],
  split: ['Split a transfer manually', 'Разделить поступление вручную'],
  match_several: ['Match several transfers manually', 'Сопоставить несколько поступлений вручную'],
  source_account: ['Allow a bank source one more account', 'Разрешить источнику ещё один счёт'],
  requisite_limits: ['Requisite limits changed', 'Изменены лимиты реквизита'],
  sessions_end: ['Other sessions signed out', 'Завершены другие сеансы'],
  sign_in: ['Signed in', 'Вход'],
  sign_out: ['Signed out', 'Выход'],
  signature_made: ['Signature made in the debugger', 'Подпись в отладчике'],
  source_account_add: ['Account allowed for a bank source', 'Источнику данных разрешён счёт'],
  source_account_remove: ['Account removed from a bank source', 'У источника данных убран счёт'],
  source_add: ['Bank source added', 'Добавлен источник данных'],
  source_disable: ['Bank source disabled', 'Источник данных выключен'],
  source_enable: ['Bank source enabled', 'Источник данных включён'],
  source_networks: ['Networks of a bank source changed', 'Изменены сети источника данных'],
  statement_drop: ['Uploaded statement thrown away', 'Файл выписки удалён'],
  statement_stop: ['Statement import stopped', 'Загрузка выписки остановлена'],
  statement_take: ['Statement import started', 'Загрузка выписки начата'],
  statement_taken: ['Statement imported', 'Выписка загружена'],
  statement_undo: ['Undo of import started', 'Отмена загрузки начата'],
  statement_upload: ['Statement uploaded', 'Передан файл выписки'],
  test_bank_pay: ['Test bank payment made', 'Платёж тестового банка'],
  test_bank_time: ['Test clock moved', 'Сдвинуты тестовые часы'],
  totp_remove: ['Authenticator app removed', 'Приложение-аутентификатор отключено'],
  totp_set: ['Authenticator app set up', 'Приложение-аутентификатор подключено'],
  transfer_duplicate: ['Transfer marked as a duplicate', 'Поступление отмечено как дубликат'],
  transfer_genuine: ['Transfer marked as not a duplicate', 'Поступление отмечено как отдельный платёж'],
  transfer_match: ['Transfer matched', 'Поступление сопоставлено'],
  transfer_match_several: ['Several transfers matched', 'Сопоставлено несколько поступлений'],
  transfer_refund: ['Transfer marked as refunded', 'Отмечен возврат поступления'],
  transfer_revoke: ['Transfer marked as revoked by the bank', 'Отмечено, что банк забрал деньги'],
  transfer_set_aside: ['Transfer set aside', 'Поступление отложено'],
  transfer_split: ['Transfer split', 'Поступление разделено'],
  transfer_undo: ['Decision about a transfer undone', 'Решение по поступлению отменено'],
  type_change: ['Payment type changed', 'Изменён способ оплаты'],
  type_start: ['Payment type turned on', 'Способ оплаты включён'],
}

const asked: Readonly<Record<string, Two>> = {
  propose: ['Requested', 'Запрошено'],
  approve: ['Approved', 'Согласовано'],
  refuse: ['Declined', 'Отклонено'],
  withdraw: ['Withdrawn', 'Отозвано'],
}

const declared = (sections: readonly Section[], code: string): Two | undefined => {
  if (own[code]) return own[code]
  for (const { acts, sectionActs } of sections)
    for (const act of Object.values({ ...acts, ...sectionActs })) if (act.audit === code) return act.name
  return undefined
}

/** The name of an act by its code; a code that nobody names is its own name. */
export function actName(sections: readonly Section[], code: string): Two {
  const name = declared(sections, code)
  if (name) return name
  const [, verb = '', wanted = ''] = /^(propose|approve|refuse|withdraw)_(.+)$/.exec(code) ?? []
  const of = asked[verb] && declared(sections, wanted)
  return of ? [`${asked[verb]![0]}: ${of[0]}`, `${asked[verb]![1]}: ${of[1]}`] : [code, code]
}
