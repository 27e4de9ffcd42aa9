/** What audit entries and requests are about, by its kind and name, with a link to its page. */
import { readSubjectNames } from '../domain/approvals/subject-store.ts'
import { maskedNumber } from '../domain/requisites/requisite.ts'
import { isUuid } from '../platform/request-fields.ts'
import { code, foreign, link, words } from './cells.ts'
import type { Cell, Reads, Two } from './section.ts'

const kinds: Readonly<Record<string, Two>> = {
  deposit: ['Deposit', 'Депозит'],
  transfer: ['Transfer', 'Поступление'],
  refund: ['Refund', 'Возврат'],
  account: ['Account', 'Счёт'],
  requisite: ['Requisite', 'Реквизит'],
  merchant: ['Merchant', 'Мерчант'],
  person: ['Person', 'Сотрудник'],
  source: ['Bank source', 'Источник данных'],
  statement: ['Statement', 'Выписка'],
  upload: ['Upload', 'Загрузка'],
  list: ['List entry', 'Запись списка'],
  mapping: ['CSV format', 'Формат CSV'],
  payment_type: ['Payment type', 'Способ оплаты'],
  installation: ['Installation', 'Установка'],
  key: ['Key', 'Ключ'],
  lane: ['Callback lane', 'Получатель колбэков'],
  callback: ['Callback', 'Колбэк'],
}

/** Pages that are written by hand. */
const pages: Readonly<Record<string, string>> = {
  ...{ deposit: '/deposits', transfer: '/transfers', statement: '/statements' },
  ...{ account: '/requisites', requisite: '/requisite', source: '/sources' },
}

/** The cells of these subjects. A subject without a page is plain text. */
export async function readSubjects(
  { db, sections }: Reads,
  things: readonly { subject: string }[],
): Promise<(subject: string) => Cell> {
  const names = await readSubjectNames(
    db,
    things.map(({ subject }) => subject),
  )
  return (subject) => {
    const at = subject.indexOf(':')
    const [one, id] = at < 0 ? [subject, ''] : [subject.slice(0, at), subject.slice(at + 1)]
    const section = sections.find((section) => section.one === one && section.read.for === 'operator')
    const kind = words(kinds[one] ?? [one.replaceAll('_', ' '), one.replaceAll('_', ' ')])
    if (at < 0) return kind
    const found = names.get(subject)
    const name = found?.requisite ? `${maskedNumber(found.requisite.number)}, ${found.name}` : found?.name
    const page = section?.find ? section.path : pages[one]
    if (page && (isUuid(id) || section)) return [kind, link(page, id, name ?? shortId(id))]
    return [kind, name === undefined ? code(id) : foreign(name)]
  }
}

export const shortId = (id: string): string => (isUuid(id) ? `…${id.slice(-8)}` : id)
