/** What the acts of the audit log are called: those of sections as their notice says it, the others here. */

import type { Section, Two } from './section.ts'

/** Acts that no section declares, and codes that acts of several kinds share. */
const own: Readonly<Record<string, Two>> = {
  demo_remove: ['Demo removed', 'Демо закрыто'],
  export: ['Exported to file', 'Выгружено в файл'],
  master_key_reseal: ['Master key changed', 'Сменён мастер-ключ'],
  mapping_keep: ['CSV format saved', 'Сохранён формат CSV'],
  merchant_branding: ['Branding of the payment page changed', 'Изменено оформление платёжной страницы'],
  key_mark: ['Signature scheme of a key changed', 'Изменена схема подписи ключа'],
  passkey_add: ['Passkey added', 'Добавлен ключ доступа'],
  passkey_remove: ['Passkey removed', 'Удалён ключ доступа'],
  password_change: ['Password changed', 'Пароль изменён'],
  person_begin_again: ['Access reset by link', 'Доступ сброшен по ссылке'],
  person_join: ['Invitation accepted', 'Приглашение принято'],
  recovery_codes_new: ['Recovery codes created', 'Созданы запасные коды'],
  sessions_end: ['Other sessions signed out', 'Завершены другие сеансы'],
  sign_in: ['Signed in', 'Вход'],
  sign_out: ['Signed out', 'Выход'],
  statement_drop: ['Uploaded statement thrown away', 'Файл выписки удалён'],
  statement_stop: ['Statement import stopped', 'Загрузка выписки остановлена'],
  statement_take: ['Statement import started', 'Загрузка выписки начата'],
  statement_taken: ['Statement imported', 'Выписка загружена'],
  statement_upload: ['Statement uploaded', 'Передан файл выписки'],
  test_bank_pay: ['Test bank payment made', 'Платёж тестового банка'],
  test_bank_time: ['Test clock moved', 'Сдвинуты тестовые часы'],
  totp_remove: ['Authenticator app removed', 'Приложение-аутентификатор отключено'],
  totp_set: ['Authenticator app set up', 'Приложение-аутентификатор подключено'],
}

const asked: Readonly<Record<string, Two>> = {
  propose: ['Requested', 'Запрошено'],
  approve: ['Approved', 'Согласовано'],
  refuse: ['Declined', 'Отклонено'],
  withdraw: ['Withdrawn', 'Отозвано'],
}

const withoutStop = ([en, ru]: Two): Two => [en.replace(/\.$/, ''), ru.replace(/\.$/, '')]

const declared = (sections: readonly Section[], code: string): Two | undefined => {
  if (own[code]) return own[code]
  for (const { acts, sectionActs } of sections)
    for (const { audit, name, done } of Object.values({ ...acts, ...sectionActs }))
      if (audit === code) return typeof done === 'object' ? withoutStop(done) : name
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
